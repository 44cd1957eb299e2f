/**
 * Arguments: a home, then files. Replaces the state of the home by each of the files in turn, and prints a running number
 * before each replacement. Never ends by itself.
 */
import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { systemClock } from '../../../src/base/clock.ts';
import { acquireHome } from '../../../src/store/home/lock.ts';
import { replaceFiles } from '../../../src/store/restore.ts';
import { stateFilePath } from '../../../src/store/store.ts';

async function restoreForEver(home: string, files: string[]): Promise<never> {
  await acquireHome(home, 'test restorer');
  const images = await Promise.all(files.map((file) => readFile(file)));
  const state = await stateFilePath(home);
  for (let round = 0; ; round++) {
    writeSync(1, `${round}\n`);
    const content = () => [images[round % images.length] ?? new Uint8Array()];
    await replaceFiles([{ path: state, content }], systemClock);
  }
}

const [home = '', ...files] = process.argv.slice(2);
void restoreForEver(home, files);
