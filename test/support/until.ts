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

/** Resolves once `condition` holds; the event loop continues meanwhile. @throws Error if it never holds */
export async function until(
  condition: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + patienceMs;
  for (let turn = 0, asked = performance.now(); !(await condition()); turn++, asked = performance.now()) {
    if (performance.now() > end) throw new Error(`this never came true: ${condition}`);
    const tookMs = performance.now() - asked;
    const pauseMs = Math.min(PAUSES_MS.most, Math.max(PAUSES_MS.least, 3 * tookMs));
    const isQuick = turn < QUICK_TURNS && tookMs < QUICK_MS;
    await new Promise((resolve) => (isQuick ? setImmediate(resolve) : setTimeout(resolve, pauseMs)));
  }
}
