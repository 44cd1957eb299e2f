/** Long work in turns of the event loop, so that it does not hold up everything else. */

/** Of one turn. An answer to another client waits for as long as this, or for the rest of one piece. */
const TURN_MS = 4;

/**
 * For work in pieces: `await turn()` after each lets others have their turn once this one has lasted. Without a wait
 * before, it is over at once.
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
