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

/**
 * Takes longer the more objects the process has: about 30 ms at 60 MB. For moments when nobody waits. The first collection finds
 * what is garbage; V8 keeps its pages, and the memory of WebAssembly counts, until the second.
 */
export function freeMemory(): void {
  const collect = collector();
  collect();
  collect();
}
