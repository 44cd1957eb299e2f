/** Waiting for what others do, bounded in real time: turns of the event loop are over too soon on a busy machine. */
/** Real time that something may take on a slow machine before the test is told what it waits for. */
const PATIENCE_MS = 60_000;
/** Turns of the event loop that are taken at once; who waits longer leaves the processor to what is waited for. */
const QUICK_TURNS = 200;

/** Resolves once `condition` holds; the event loop continues meanwhile. @throws Error when it never does */
export async function until(
  condition: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const end = Date.now() + patienceMs;
  for (let turn = 0; !(await condition()); turn++) {
    if (Date.now() > end) throw new Error(`this never came true: ${condition}`);
    await new Promise((resolve) => (turn < QUICK_TURNS ? setImmediate(resolve) : setTimeout(resolve, 2)));
  }
}
