/** The files of `relay export`: their names, for playlists that strangers may have named, and how they are written. */
import { stat, writeFile } from 'node:fs/promises';
import { exists, replaceFile } from '../../base/files.ts';
import { visibleLine } from '../../base/visibleText.ts';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';

/**
 * Maximum length of a name in bytes of UTF-8: with a number and an ending the name stays below the 255 that file systems
 * accept.
 */
const MAX_BYTES = 180;
/** Device names of Windows. A file cannot have such a name, whatever its ending. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns a file name for each playlist, in order, without ending. No two names are the same file on any system, even where
 * case or the form of accents does not matter. No name leads out of its directory, is hidden, or has a special meaning.
 */
export function fileNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const base = safeName(name);
    for (let number = 1; ; number += 1) {
      const candidate = number === 1 ? base : `${base} (${number})`;
      const key = candidate.normalize('NFKC').toLowerCase();
      if (taken.has(key)) continue;
      taken.add(key);
      return candidate;
    }
  });
}

function safeName(name: string): string {
  const plain = visibleLine(name)
    .replace(/[/\\:*?"<>|\p{Cc}]/gu, '_')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^\.+/u, (dots) => '_'.repeat(dots.length))
    .replace(/^[-~]/u, '_');
  const short = cut(plain).replace(/[. ]+$/u, '');
  if (short === '') return 'playlist';
  return RESERVED.test(short) ? `_${short}` : short;
}

/** Cuts between characters. */
function cut(name: string): string {
  let bytes = 0;
  let kept = '';
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    kept += character;
  }
  return kept;
}

/**
 * Writes a file. An existing one is overwritten only with `force`.
 * @throws RelayError `INVALID_ARGUMENT` if the file cannot be written, or if it exists and `force` is false
 */
export async function writeList(file: string, text: string, force: boolean): Promise<void> {
  if (!force && (await exists(file))) throw alreadyThere([file]);
  try {
    // A device, such as /dev/stdout, is written in place. A file is replaced whole, since half a list would look like a whole one.
    const isPlain = await stat(file).then(
      (found) => found.isFile(),
      () => true,
    );
    if (isPlain) await replaceFile(file, text, { mode: 0o666 & ~process.umask() });
    else await writeFile(file, text);
  } catch (error) {
    const isDirectory = systemCodeOf(error) === 'EISDIR';
    throw new RelayError('INVALID_ARGUMENT', `${file} cannot be written: ${messageOf(error)}.`, {
      remedy: isDirectory
        ? 'Give the path of a file with -o. With --all, every playlist becomes a file in the directory.'
        : 'Give another path with -o.',
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
