/** File names for playlists, which strangers may have named. Pure. */
import { visibleLine } from '../../base/visibleText.ts';

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
