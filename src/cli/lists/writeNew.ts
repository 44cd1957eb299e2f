/** Writes files, and overwrites existing ones only if told to. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isDiskFull, messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';

/** @throws RelayError `INVALID_ARGUMENT` if the file cannot be written, or if it exists and `force` is false */
export async function writeNew(file: string, text: string, force: boolean): Promise<void> {
  const former = force ? await contentOf(file) : null;
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    if (await isDirectory(file)) {
      throw new RelayError('INVALID_ARGUMENT', `${file} is a directory.`, {
        remedy:
          'Give the path of a file with -o. With --all, every playlist becomes a file in the directory.',
        cause: error,
      });
    }
    if (systemCodeOf(error) === 'EEXIST') throw alreadyThere([file]);
    const isFull = isDiskFull(error);
    // The beginning of a list would look like the whole list, and the next try would not overwrite it.
    if (isFull && former !== null) await writeFile(file, former).catch(() => {});
    else if (isFull && !force) await rm(file, { force: true }).catch(() => {});
    throw new RelayError('INVALID_ARGUMENT', `${file} cannot be written: ${messageOf(error)}.`, {
      remedy: `${isFull ? 'Free some space, or give' : 'Give'} another path with -o.`,
      cause: error,
    });
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** The bytes of a file; null if there is none, or if it is a device or the like. */
async function contentOf(file: string): Promise<Buffer | null> {
  try {
    return (await stat(file)).isFile() ? await readFile(file) : null;
  } catch {
    return null;
  }
}

export function alreadyThere(paths: readonly string[]): RelayError {
  const [first = ''] = paths;
  const more = paths.length > 1 ? ` and ${paths.length - 1} more` : '';
  return new RelayError('INVALID_ARGUMENT', `${first}${more} would be overwritten.`, {
    remedy: 'Give another path with -o, or add --force.',
  });
}
