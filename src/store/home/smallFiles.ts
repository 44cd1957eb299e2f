/** Small files that appear complete or not at all. */
import { link, rm, stat, writeFile } from 'node:fs/promises';
import { RelayError, systemCodeOf } from '../../domain/errors.ts';
import { nodeSaveFs } from '../file/saveFs.ts';
import { tempPathFor } from '../file/tempFiles.ts';

/** Whether there is anything at the path, behind links too. */
export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Replaces `path` by a file with `text`, mode 0600. */
export async function replaceWithText(path: string, text: string): Promise<void> {
  const temp = await writeTemp(path, text);
  try {
    await nodeSaveFs.rename(temp, path);
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  }
}

/**
 * Writes `text` to a new file beside `path` and returns its path. It is not synced: these files speak of processes, which
 * a power loss ends too, and what it leaves of them is read as nobody's.
 */
export async function writeTemp(path: string, text: string): Promise<string> {
  const temp = tempPathFor(path);
  try {
    await writeFile(temp, text, { mode: 0o600, flag: 'wx' });
    return temp;
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  }
}

/**
 * Gives the file `from` the second name `to`, unless `to` exists: then false. Of several processes that try at the same
 * time one gets true.
 * @throws RelayError `HOME_UNUSABLE` on a file system without hard links
 */
export async function linkUnlessExists(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCodeOf(error) ?? '')) throw error;
    throw new RelayError('HOME_UNUSABLE', `The file system of ${to} has no hard links.`, {
      remedy: 'Choose a home directory on a local disk with --home or RELAY_HOME.',
      cause: error,
    });
  }
}
