/** What the lock file says: which process holds the home. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readRegularFile } from '../../base/files.ts';
import { systemCodeOf } from '../../domain/errors.ts';
import { isRunning } from './processes.ts';

const Holder = z.object({
  pid: z.number().int().positive(),
  /** See `ownStart`. */
  start: z.string(),
  /** Differs for every try to get the home. A part of file names, so it must lead nowhere else. */
  nonce: z.string().regex(/^[\w-]{1,64}$/),
  /** What it does with the home, for a person. */
  purpose: z.string(),
});

/** A lock has some 150 bytes. */
const MAX_BYTES = 64 * 1024;

export type Holder = z.infer<typeof Holder>;

export function lockPath(home: string): string {
  return join(home, 'relay.lock');
}

/** The holder that a lock file names; null where there is no file. */
export async function readHolder(path: string): Promise<Holder | null> {
  try {
    const text = (await readRegularFile(path, MAX_BYTES)).bytes.toString('utf8');
    return parseHolder(text) ?? (await nobody(path));
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** True while the process that wrote the lock file runs. */
export async function isHeld(holder: Holder): Promise<boolean> {
  return holder.pid > 0 && (await isRunning(holder.pid, holder.start));
}

function parseHolder(text: string): Holder | null {
  try {
    return Holder.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Lock files appear complete, so one that cannot be read is what a power loss left. */
async function nobody(path: string): Promise<Holder> {
  const { ino, mtimeMs } = await stat(path);
  return { pid: 0, start: '', nonce: `unreadable-${ino}-${Math.round(mtimeMs)}`, purpose: '' };
}
