/** Collects garbage when a test asks for it. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all garbage, also objects that only become garbage once others are gone. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  for (let count = 0; count < 3; count++) {
    collect();
    await setImmediate();
  }
}
