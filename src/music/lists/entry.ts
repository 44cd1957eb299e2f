/** Turns the values of a row into an entry, or into the reason why the row is not a song. */

import { visibleLine } from '../../base/visibleText.ts';
import { normaliseName } from '../normalise.ts';
import type { Fields } from './columns.ts';
import { excerpt, type ListEntry, type NotSong, type Row } from './list.ts';
import { isrcOf, LOCAL_FILE, readRef } from './refs.ts';

/** Maximum length of a name in UTF-16 units, the same as for `find_track_exact`: no song or artist has a longer one. */
const MAX_NAME = 200;

/** The text on one line, without control characters. */
export function tidyText(text: string): string {
  return visibleLine(text).replace(/\s+/gu, ' ').trim();
}

/** Several artists as one text. */
export function joinNames(names: readonly string[]): string {
  return names
    .map(tidyText)
    .filter((name) => name !== '')
    .join(', ');
}

/** Names the playlists of a file, each differently: two that are called "Mix" become "Mix" and "Mix (2)". */
export function playlistNamer(): (name: string) => string {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return (name) => {
    const base = tidyText(name);
    if (base === '') return '';
    for (let number = (counts.get(base) ?? 0) + 1; ; number += 1) {
      const ending = number === 1 ? '' : ` (${number})`;
      const candidate = `${base.slice(0, MAX_NAME - ending.length)}${ending}`;
      if (taken.has(candidate)) continue;
      taken.add(candidate);
      counts.set(base, number);
      return candidate;
    }
  };
}

export function isEntry(result: ListEntry | NotSong): result is ListEntry {
  return 'title' in result;
}

export function notSong({ line, raw }: Row, why: string): NotSong {
  return { line, text: excerpt(raw), why };
}

/** An entry needs a title and an artist, or an address, or a recording code. */
export function entryOf(row: Row, fields: Fields): ListEntry | NotSong {
  const type = fields.type?.trim().toLowerCase() ?? '';
  if (/^(?:album|artist|show|podcast|audiobook)$/u.test(type)) return notSong(row, `of type "${type}"`);
  const title = withVersion(tidyText(fields.title ?? ''), tidyText(fields.version ?? ''));
  const artist = tidyText(fields.artist ?? '') || tidyText(fields.albumArtist ?? '');
  const ref = readRefOf(fields);
  if (ref?.why === LOCAL_FILE) return notSong(row, LOCAL_FILE);
  const isrc = isrcOf(fields.isrc ?? '');
  const isKnown = ref?.uri !== undefined || isrc !== null;
  if (!isKnown) {
    const why = ref?.why && (title === '' || artist === '') ? ref.why : missing(title, artist, row.raw);
    if (why) return notSong(row, why);
  }
  const album = tidyText(fields.album ?? '').slice(0, MAX_NAME);
  const year = yearOf(fields.year);
  const list = tidyText(fields.list ?? '').slice(0, MAX_NAME);
  return {
    line: row.line,
    title: title.slice(0, MAX_NAME),
    artist: artist.slice(0, MAX_NAME),
    ...(album !== '' && { album }),
    ...(year !== null && { year }),
    ...(isrc !== null && { isrc }),
    ...(ref?.uri !== undefined && { uri: ref.uri }),
    ...(list !== '' && { list }),
    raw: excerpt(row.raw),
  };
}

/** Values of a version column that name no version of a song, such as "none", "yes" or the number of a file format. */
const NO_VERSION = /^(?:n\/?a|none|null|no|yes|true|false|v?[\d.]+)$/iu;

/** The title with its version in brackets, unless the title has these words already. */
function withVersion(title: string, given: string): string {
  const version = given.replace(/^[([]\s*(.*?)\s*[)\]]$/u, '$1');
  const words = (text: string) => ` ${normaliseName(text)} `;
  const isNew = /\p{L}/u.test(version) && !NO_VERSION.test(version) && !words(title).includes(words(version));
  return title !== '' && isNew ? `${title} (${version})` : title;
}

function missing(title: string, artist: string, raw: string): string | null {
  // A row may have nothing but a date, as for a track that Spotify no longer has.
  if (title === '' && artist === '') return /[\p{L}\p{N}]/u.test(raw) ? 'no title and no artist' : 'empty';
  if (title === '') return 'no title';
  if (artist === '') return 'no artist';
  if (title.length > MAX_NAME || artist.length > MAX_NAME)
    return `a name of more than ${MAX_NAME} characters`;
  return null;
}

function readRefOf({ uri, id, type }: Fields) {
  if (uri) return readRef(uri);
  // A bare ID does not say what it names.
  const kind = type?.trim().toLowerCase() === 'episode' ? 'spotify:episode:' : '';
  return id ? readRef(kind + id.trim()) : null;
}

function yearOf(text: string | undefined): number | null {
  const found = /(?<!\d)(?:19|20)\d\d(?!\d)/u.exec(text ?? '');
  return found ? Number(found[0]) : null;
}
