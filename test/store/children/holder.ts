/** Takes the home given as its argument, prints `held`, and keeps the home until it is killed or its input ends. */
import { writeSync } from 'node:fs';
import { acquireHome } from '../../../src/store/home/lock.ts';

async function hold(home: string): Promise<void> {
  const lock = await acquireHome(home, 'relay serve');
  writeSync(1, 'held\n');
  process.stdin.resume().once('end', () => void lock.release());
}

void hold(process.argv[2] ?? '');
