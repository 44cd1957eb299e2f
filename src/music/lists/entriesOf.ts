/** Turns each row that a reader found into an entry, or into the reason why it is not a song. */
import { withoutEntities } from '../entities.ts';
import { nameKey } from '../normalise.ts';
import { entryOf, notSong, tidyText } from './entry.ts';
import { type ArtistSide, type ListEntry, MAX_LINE, type NotSong, type Row } from './list.ts';
import { isBareId, LOCAL_FILE, type Ref, readRef, takeAddresses, takeIsrc } from './refs.ts';
import { type SplitText, splitTexts } from './text/songs.ts';

export interface Entries {
  /** The results in the order of the rows: one for each row, or one for each address of a row with nothing but addresses. */
  results: (ListEntry | NotSong)[];
  side?: ArtistSide;
}

/** The tags of HTML that are around names or at the end of a line. */
const TAG = /<\/?(?:br|p|li|b|i|em|strong)\s?\/?>/giu;

/** A row whose title and artist are in one text that is not split yet. */
interface Open {
  row: Row;
  refs: Ref[];
  isrc?: string;
  /** The text, tidy, with single tabs; '' if the row has only an address. */
  text: string;
  /** True if links that are not to Spotify were removed from the text. */
  hadLink: boolean;
}

export function entriesOf(rows: readonly Row[], side?: 'left' | 'right'): Entries {
  const isIds = areBareIds(rows);
  const opened = rows.map((row) => (isOpen(row) ? open(row, isIds) : null));
  const texts = opened.flatMap((one) => (one && one.text !== '' && one.text.length <= MAX_LINE ? [one] : []));
  const { songs, side: decided } = splitTexts(
    texts.map(({ text }) => text),
    { known: texts.length > 0 ? knownArtists(rows) : new Set(), ...(side && { side }) },
  );
  const songOf = new Map(texts.map((one, at) => [one, songs[at] ?? null]));
  const results = rows.flatMap((row, at) => {
    const one = opened[at];
    if (one) return entriesOfOpen(one, songOf.get(one) ?? null);
    return row.why === undefined ? entryOf(row, row.fields ?? {}) : notSong(row, row.why);
  });
  return { results, ...(decided && { side: decided }) };
}

/** True for rows whose title and artist are in one text. In a table, a row with only a title may hold both in that title. */
function isOpen({ why, text, fields }: Row): boolean {
  if (why !== undefined) return false;
  if (text !== undefined) return true;
  const { title, artist, albumArtist, uri, id, isrc } = fields ?? {};
  return Boolean(title?.trim()) && ![artist, albumArtist, uri, id, isrc].some((value) => value?.trim());
}

/** True for a list of bare IDs. A single word of such a length in a list of songs may be a heading. */
function areBareIds(rows: readonly Row[]): boolean {
  const texts = rows.flatMap(({ why, text }) => (why === undefined && text !== undefined ? [text] : []));
  return texts.length > 0 && texts.filter(isBareId).length * 2 >= texts.length;
}

function open(row: Row, isIds: boolean): Open {
  // A title in a table is a name and nothing else; addresses have columns of their own.
  if (row.text === undefined)
    return { row, refs: [], text: tidyText(row.fields?.title ?? ''), hadLink: false };
  if (isIds && isBareId(row.text)) return { row, refs: [readRef(row.text)], text: '', hadLink: false };
  const written = withoutEntities(row.text.replace(TAG, ' '));
  const { refs, rest, hadLink } = takeAddresses(written);
  const { isrc, rest: words } = rest.length > MAX_LINE ? { rest } : takeIsrc(rest.trim());
  const text = words
    .split('\t')
    .map(tidyText)
    .filter((part) => part !== '')
    .join('\t');
  const plain = refs.length > 0 || hadLink ? withoutSeparators(text) : text;
  return { row, refs, text: plain, hadLink, ...(isrc !== undefined && { isrc }) };
}

const AT_EITHER_END = /^[-–—:|,;\s]+$|\s*[-–—:|,;([]+$|^[-–—:|,;]+\s*/gu;

/**
 * Removes the signs that separated the address from the song. A line too long for a song is not changed, or becomes '' if it
 * has nothing but such signs.
 */
function withoutSeparators(text: string): string {
  if (text.length <= MAX_LINE) return text.replace(AT_EITHER_END, '');
  return /[^-–—:|,;\s([]/u.test(text) ? text : '';
}

function entriesOfOpen({ row, refs, isrc, text, hadLink }: Open, song: SplitText): (ListEntry | NotSong)[] {
  if (song && 'heading' in song && refs.length === 0 && !row.fields?.uri) return [notSong(row, 'heading')];
  const uris = refs.flatMap(({ uri }) => uri ?? []);
  // A line of nothing but addresses.
  if (text === '' && uris.length > 1) return uris.map((uri) => entryOf(row, { ...row.fields, uri }));
  const fields = { ...row.fields, ...asFields(song) };
  const uri = fields.uri ?? uris.at(-1);
  const code = fields.isrc ?? isrc;
  if (uri || code) {
    const title = fields.title ?? (text.length > MAX_LINE ? '' : text);
    return [entryOf(row, { ...fields, title, ...(uri && { uri }), ...(code && { isrc: code }) })];
  }
  const [ref] = refs;
  if (ref?.why && (!song || ref.why === LOCAL_FILE)) return [notSong(row, ref.why)];
  if (song) return [entryOf(row, fields)];
  return [notSong(row, whyNot(text, hadLink))];
}

function whyNot(text: string, hadLink: boolean): string {
  if (text === '') return hadLink ? 'a link that is not to Spotify' : 'empty';
  return text.length > MAX_LINE ? 'too long for a song' : 'no artist';
}

function asFields(song: SplitText) {
  if (!song || 'heading' in song) return {};
  const { title, artist, album, year } = song;
  return { title, artist, ...(album && { album }), ...(year !== undefined && { year: String(year) }) };
}

function knownArtists(rows: readonly Row[]): ReadonlySet<string> {
  const names = new Set(rows.flatMap(({ fields }) => fields?.artist || []));
  return new Set([...names].map(nameKey));
}
