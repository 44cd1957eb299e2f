/**
 * Adds one row after the other to the state of the home given as its argument. Prints the number of each row once the save
 * of the row is acknowledged. Never ends by itself.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { acquireHome } from '../../../src/store/home/lock.ts';
import { openStore } from '../../../src/store/store.ts';

/** Makes the image large enough for a kill to fall into the middle of a write. */
const BALLAST_BYTES = 1_000_000;

async function writeForEver(home: string): Promise<never> {
  await acquireHome(home, 'test writer');
  const store = await openStore({ home, clock: systemClock, log: silentLog });
  store.run('create table if not exists written (number integer primary key, ballast blob) strict');
  const last = store.get<{ last: number }>('select ifnull(max(number), 0) as last from written')?.last ?? 0;
  for (let number = last + 1; ; number++) {
    const ballast = new Uint8Array(number === 1 ? BALLAST_BYTES : 100);
    await store.durable(() => store.run('insert into written values (?, ?)', [number, ballast]));
    writeSync(1, `${number}\n`);
  }
}

void writeForEver(process.argv[2] ?? '');
