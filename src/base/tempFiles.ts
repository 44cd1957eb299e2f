/** Names of temporary files beside the file that they will replace, and their removal after a crash. */
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCodeOf } from './thrown.ts';

/** Tells this process from an earlier one with the same pid, as in a container where every start is pid 1. */
const PROCESS_MARK = randomBytes(4).toString('hex');
let sequence = 0;

/** A name beside `path` that nobody else uses. */
export function tempPathFor(path: string): string {
  return `${path}.${process.pid}-${PROCESS_MARK}-${sequence++}.tmp`;
}

/** Removes what dead processes left beside `path`. A file whose pid is in use by someone else stays. */
export async function removeStaleTemps(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const [, pid, mark] = /^(\d+)-([0-9a-f]+)-\d+\.tmp$/.exec(name.slice(prefix.length)) ?? [];
    if (pid !== undefined && isStale(Number(pid), mark)) await rm(join(dirname(path), name), { force: true });
  }
}

function isStale(pid: number, mark: string | undefined): boolean {
  if (pid === process.pid) return mark !== PROCESS_MARK;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ESRCH';
  }
}
