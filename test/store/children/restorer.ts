/**
 * Puts the files given as its further arguments in the place of the state of the home given as its first, in turn, and
 * prints a number before each time. Never ends by itself.
 */
import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { systemClock } from '../../../src/base/clock.ts';
import { replaceState } from '../../../src/store/copies/restoreCopy.ts';
import { acquireHome } from '../../../src/store/home/lock.ts';

async function restoreForEver(home: string, files: string[]): Promise<never> {
  await acquireHome(home, { purpose: 'test restorer' });
  const images = await Promise.all(files.map((file) => readFile(file)));
  for (let round = 0; ; round++) {
    writeSync(1, `${round}\n`);
    await replaceState(home, images[round % images.length] ?? new Uint8Array(), systemClock);
  }
}

const [home = '', ...files] = process.argv.slice(2);
void restoreForEver(home, files);
