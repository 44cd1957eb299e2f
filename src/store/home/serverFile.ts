/** `server.json`, in which the command line finds the running server of a home. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { replaceFile } from '../../base/files.ts';
import { readRegularFileSync } from '../../base/filesSync.ts';
import type { ServerFile } from '../../domain/localApi.ts';
import { homeError } from './home.ts';
import { isHeld, LOOK_AGAIN_MS, lockPath, readHolder, SERVING } from './lockFile.ts';
import { isPid, signalReaches } from './processes.ts';

/** Maximum size of the file, which has some 150 bytes. */
const MAX_BYTES = 64 * 1024;

/** How long a server may take from the lock to the file. */
const STARTED_WITHIN_MS = 5_000;

function serverFilePath(home: string): string {
  return join(home, 'server.json');
}

/** Writes the file. @throws RelayError `HOME_UNUSABLE` */
export async function writeServerFile(home: string, content: ServerFile): Promise<void> {
  try {
    // Not synced: a power loss ends the process that the file names.
    await replaceFile(serverFilePath(home), `${JSON.stringify(content, null, 2)}\n`, { sync: false });
  } catch (error) {
    throw homeError(home, error);
  }
}

/** Finds the running server; null if there is no file, the file is not valid, or its process is gone. */
export async function readServerFile(home: string): Promise<ServerFile | null> {
  const content = await readServerFileAsIs(home);
  if (!content || !signalReaches(content.pid)) return null;
  const holder = await readHolder(lockPath(home)).catch(() => null);
  // The lock has the start of its process, so a later process with the same pid does not count.
  if (holder && (holder.pid !== content.pid || !(await isHeld(holder)))) return null;
  return content;
}

/**
 * Does the same as `readServerFile`, but waits up to five seconds while a server holds the home without a file. Such a server
 * has yet to write the file, or is about to end.
 */
export async function awaitServerFile(home: string, clock: Clock): Promise<ServerFile | null> {
  const giveUpAt = clock.monotonic() + STARTED_WITHIN_MS;
  for (;;) {
    const file = await readServerFile(home);
    if (file) return file;
    const holder = await readHolder(lockPath(home)).catch(() => null);
    if (!holder || !SERVING.includes(holder.purpose) || !(await isHeld(holder))) return null;
    if (clock.monotonic() >= giveUpAt) return null;
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

/** Reads the content of the file, whether or not its process runs; null if there is no file, or the file is not valid. */
export async function readServerFileAsIs(home: string): Promise<ServerFile | null> {
  try {
    return contentOf(readRegularFileSync(serverFilePath(home), MAX_BYTES).bytes.toString('utf8'));
  } catch {
    return null;
  }
}

/** Checked by hand, like the lock file: every command reads it, and zod is slow to load. */
function contentOf(text: string): ServerFile | null {
  const { pid, startedAt, version, baseUrl } = JSON.parse(text) as Partial<Record<keyof ServerFile, unknown>>;
  if (!isPid(pid) || typeof startedAt !== 'string') return null;
  if (typeof version !== 'string' || typeof baseUrl !== 'string') return null;
  return { pid, startedAt, version, baseUrl };
}

/** Removes the file, unless it names another process: another server may have taken the home in the meantime. */
export async function removeServerFile(home: string): Promise<void> {
  const content = await readServerFileAsIs(home);
  if (!content || content.pid === process.pid) await rm(serverFilePath(home), { force: true });
}
