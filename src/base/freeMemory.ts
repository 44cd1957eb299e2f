/** Gives memory back to the system when much of it has just become garbage and nothing else runs. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { lazy } from './memoised.ts';

/**
 * V8 collects when it allocates, so an idle process keeps what it no longer needs. The collector can be called
 * only after it has been exposed, and only from contexts created after that.
 */
const collector: () => () => void = lazy(() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
});

/**
 * Collecting may take at most this share of the time. Otherwise callers that become idle shortly after each other would
 * keep the process busy.
 */
const SHARE = 0.1;
let restsUntil = 0;
let waiting = false;

/**
 * Frees memory. Call this when nobody waits, since collecting takes about 60 ms at 60 MB, and longer with more objects. A call
 * soon after another is delayed a little.
 */
export function freeMemory(): void {
  if (waiting) return;
  const restMs = restsUntil - performance.now();
  waiting = restMs > 0;
  if (waiting) setTimeout(collect, restMs).unref();
  else collect();
}

/** The first collection finds the garbage. Only the second returns V8's pages and the memory of WebAssembly. */
function collect(): void {
  waiting = false;
  const begun = performance.now();
  collector()();
  collector()();
  const ended = performance.now();
  restsUntil = ended + (ended - begun) * (1 / SHARE - 1);
}
