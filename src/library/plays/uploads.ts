/** Keeps archives that the owner's page sends in the home until they have been read. Only the home's owner can open them. */
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import { UPLOAD_PREFIX } from '../../store/home/home.ts';

/** Maximum size of an archive that may be sent: ten times the history of a lifetime. */
const MAX_UPLOAD = 1024 * 1024 * 1024;

/**
 * Writes an archive that is being sent to a file in the home.
 * @returns the path of the file
 * @throws RelayError `INVALID_ARGUMENT` if the archive is too large; any error of `chunks`. The file is removed first.
 */
export async function receiveUpload(
  home: string,
  random: Random,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string> {
  const path = join(home, `${UPLOAD_PREFIX}${random.bytes(8).toString('hex')}`);
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > MAX_UPLOAD) throw tooLarge();
      await file.write(chunk);
    }
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
  await file.close();
  return path;
}

/** Removes archives that were left when the process was killed. */
export async function removeUploads(home: string): Promise<void> {
  for (const name of await readdir(home).catch(() => [])) {
    if (name.startsWith(UPLOAD_PREFIX)) await rm(join(home, name), { force: true });
  }
}

function tooLarge(): RelayError {
  return new RelayError('INVALID_ARGUMENT', 'The archive has more than 1 GB.', {
    remedy: 'Import it in a terminal, with relay import.',
  });
}
