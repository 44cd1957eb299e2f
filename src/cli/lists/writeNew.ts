/** Writes files, and overwrites existing ones only if told to. */
import { writeFile } from 'node:fs/promises';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';

/** @throws RelayError `INVALID_ARGUMENT` if the file cannot be written, or if it exists and `force` is false */
export async function writeNew(file: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw alreadyThere([file]);
    throw new RelayError('INVALID_ARGUMENT', `${file} cannot be written: ${messageOf(error)}.`, {
      remedy: 'Give another path with -o.',
      cause: error,
    });
  }
}

export function alreadyThere(paths: readonly string[]): RelayError {
  const [first = ''] = paths;
  const more = paths.length > 1 ? ` and ${paths.length - 1} more` : '';
  return new RelayError('INVALID_ARGUMENT', `${first}${more} would be overwritten.`, {
    remedy: 'Give another path with -o, or add --force.',
  });
}
