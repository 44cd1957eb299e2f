/** Giving memory back to the system at a moment when much of it has just become garbage and nothing is going on. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { lazy } from './memoised.ts';

/**
 * V8 collects when it allocates, so an idle process keeps what it no longer needs. Its own collector can be called only
 * where it has been exposed, which takes effect in contexts that are made from then on.
 */
const collector: () => () => void = lazy(() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
});

/** Of the time that passes, collecting takes at most this part: several files and threads may come to rest at one moment. */
const SHARE = 0.1;
let restsUntil = 0;
let waiting = false;

/**
 * Takes longer the more objects the process has: about 60 ms at 60 MB. For moments when nobody waits. Soon after another one
 * it happens a little later.
 */
export function freeMemory(): void {
  if (waiting) return;
  const restMs = restsUntil - performance.now();
  waiting = restMs > 0;
  if (waiting) setTimeout(collect, restMs).unref();
  else collect();
}

/** The first collection finds what is garbage; V8 keeps its pages, and the memory of WebAssembly counts, until the second. */
function collect(): void {
  waiting = false;
  const begun = performance.now();
  collector()();
  collector()();
  const ended = performance.now();
  restsUntil = ended + (ended - begun) * (1 / SHARE - 1);
}
