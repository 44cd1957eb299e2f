/** `server.json`, in which the owner's programs find the server of a home (`door/`). */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/files.ts';
import { readRegularFileSync } from '../../base/filesSync.ts';
import type { ServerFile } from '../../domain/localApi.ts';
import { homeError } from './home.ts';
import { isPid } from './processes.ts';

/** Maximum size of the file, which has some 150 bytes. */
const MAX_BYTES = 64 * 1024;

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

/** Reads the file, which a killed server leaves behind; null if there is none, or if it is not valid. */
export async function readServerFile(home: string): Promise<ServerFile | null> {
  try {
    const text = readRegularFileSync(serverFilePath(home), MAX_BYTES).bytes.toString('utf8');
    const content = JSON.parse(text) as Partial<ServerFile>;
    return isPid(content.pid) && content.baseUrl && content.socket ? (content as ServerFile) : null;
  } catch {
    return null;
  }
}

/** Removes the file, unless it names another process: another server may have taken the home in the meantime. */
export async function removeServerFile(home: string): Promise<void> {
  const content = await readServerFile(home);
  if (!content || content.pid === process.pid) await rm(serverFilePath(home), { force: true });
}
