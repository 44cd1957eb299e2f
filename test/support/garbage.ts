/** Garbage that is collected at a moment of the test's own choice. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all of it, also what is found only when something else is gone. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  for (let count = 0; count < 3; count++) {
    collect();
    await setImmediate();
  }
}
