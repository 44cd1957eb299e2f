/**
 * Waits for a condition, up to a limit in real time. A limit in turns of the event loop would end too soon on a busy machine,
 * and the wall clock may be set forward meanwhile.
 */

/** Time limit on a slow machine, in real milliseconds. After this time, the test fails and names the condition. */
const PATIENCE_MS = 120_000;
/** Number of turns without a pause. A longer wait pauses between turns, to leave the processor to others. */
const QUICK_TURNS = 200;
/**
 * Longest check, in milliseconds, that is repeated without a pause. Longer checks, such as a request to a server, get at most a
 * quarter of the time.
 */
const QUICK_MS = 0.5;
const PAUSES_MS = { least: 2, most: 50 };

/** One for each condition that a test waits for; see `isAboutToGoOn`. */
const awaited = new Set<(events: number) => boolean>();

/**
 * True if a test waits for something that holds now, or that it has not looked at since the latest event. Time must not jump
 * then.
 * @param events number of events so far
 */
export const isAboutToGoOn = (events: number): boolean => [...awaited].some((isDue) => isDue(events));

/** Resolves once `condition` holds; the event loop continues meanwhile. @throws Error if it never holds */
export async function until(
  condition: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + patienceMs;
  let [isLooking, isAsync, latest, lookedAfter] = [false, false, 0, -1];
  let wake = () => {};
  const isDue = (events: number) => {
    latest = events;
    if (isLooking) return true;
    // Only a look of its own tells whether a condition holds that asks a server.
    const isFalse = isAsync ? lookedAfter === events : condition() === false;
    if (!isFalse) wake();
    return !isFalse;
  };
  awaited.add(isDue);
  try {
    for (let turn = 0; ; turn++) {
      const asked = performance.now();
      const after = latest;
      isLooking = true;
      const found = condition();
      isAsync = found instanceof Promise;
      if (await found) return;
      isLooking = false;
      lookedAfter = after;
      if (asked > end) throw new Error(`this never came true: ${condition}`);
      const tookMs = performance.now() - asked;
      const pauseMs = Math.min(PAUSES_MS.most, Math.max(PAUSES_MS.least, 3 * tookMs));
      const isQuick = turn < QUICK_TURNS && tookMs < QUICK_MS;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (isQuick) setImmediate(resolve);
        else setTimeout(resolve, pauseMs);
      });
    }
  } finally {
    awaited.delete(isDue);
  }
}
