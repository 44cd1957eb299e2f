/** Splits long work into turns of the event loop, so that the work does not block other requests. */

/** The length of one turn. Other clients wait until the turn is over and its last piece is done. */
const TURN_MS = 4;

/**
 * For work in pieces: `await turn()` after each piece lets other work run once this turn has lasted `TURN_MS`. Before that,
 * `turn` returns undefined.
 */
export function createTurns(): () => Promise<void> | undefined {
  let begin = performance.now();
  let next: Promise<void> | undefined;
  return () => {
    if (next) return next;
    if (performance.now() - begin < TURN_MS) return undefined;
    next = new Promise((resolve) => {
      setImmediate(() => {
        begin = performance.now();
        next = undefined;
        resolve();
      });
    });
    return next;
  };
}

export async function mapInTurns<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => R,
): Promise<R[]> {
  const turn = createTurns();
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    const wait = turn();
    if (wait) await wait;
  }
  return results;
}
