/** Waiting for what others do, bounded in real time: turns of the event loop are over too soon on a busy machine. */
/** Real time that something may take on a slow machine before the test is told what it waits for. */
const PATIENCE_MS = 60_000;
/** Turns of the event loop that are taken at once; who waits longer leaves the processor to what is waited for. */
const QUICK_TURNS = 200;
/** A question that takes longer, as one to a server, takes a quarter of the time at most, so that the answer comes sooner. */
const QUICK_MS = 0.5;
const PAUSES_MS = { least: 2, most: 50 };

/** Resolves once `condition` holds; the event loop continues meanwhile. @throws Error when it never does */
export async function until(
  condition: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const end = Date.now() + patienceMs;
  for (let turn = 0, asked = performance.now(); !(await condition()); turn++, asked = performance.now()) {
    if (Date.now() > end) throw new Error(`this never came true: ${condition}`);
    const tookMs = performance.now() - asked;
    const pauseMs = Math.min(PAUSES_MS.most, Math.max(PAUSES_MS.least, 3 * tookMs));
    const isQuick = turn < QUICK_TURNS && tookMs < QUICK_MS;
    await new Promise((resolve) => (isQuick ? setImmediate(resolve) : setTimeout(resolve, pauseMs)));
  }
}
