/** Gives a file a second name, by a hard link. */
import { link } from 'node:fs/promises';
import { RelayError, systemCodeOf } from '../../domain/errors.ts';

/**
 * Gives the file `from` the second name `to`; false if `to` exists. Of several processes that try at the same time, one
 * gets true.
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
