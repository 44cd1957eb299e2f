/** Turns rows into entries, or into the reason why they are no songs; finds Spotify addresses and recording codes in them. */
import { withoutEntities } from '../../base/parsing.ts';
import { BARE_ID, ENTITY_KINDS, parseRef } from '../../domain/ids.ts';
import { withoutTags } from '../listNoise.ts';
import { hasLetterOrDigit, nameKey, normaliseName } from '../names.ts';
import type { Fields } from './columns.ts';
import {
  type ArtistSide,
  excerpt,
  type ListEntry,
  MAX_LINE,
  MAX_NAME,
  type NotSong,
  type Row,
  tidyText,
} from './list.ts';
import { type SplitLine, type SplitText, splitTexts, type Titles, titlesIn, unquoted } from './text.ts';

/** An address, up to what separates it from the rest of the line. */
const ADDRESS =
  /\bspotify:[a-z]+:[^\s,;"'<>|]+|(?:https?:\/\/)?(?:(?:open|play)\.spotify\.com|(?:www\.)?spotify\.(?:link|app\.link))\/[^\s,;"'<>|]+/giu;
const OTHER_ADDRESS = /\bhttps?:\/\/\S+/giu;
/** A link of Markdown: its text, then its address. */
const MARKDOWN_LINK = /\[((?:[^\][]|\[[^\][]*\]){1,300})\]\((?=https?:|spotify:)([^()\s]+)\)/giu;
/** Tags of HTML, and addresses in angle brackets, as mails write them. */
const TAG = /<\/?(?:br|p|li|b|i|em|strong)\s?\/?>|<(?=https?:|spotify:)([^<>\s]+)>/giu;
/** Punctuation that a sentence puts after an address. */
const TRAILING = '.)]}!?:';
const ISRC_IN_BRACKETS = /[([](?:ISRC:?\s*)?([A-Z]{2}-?[A-Z0-9]{3}-?\d{2}-?\d{5})[)\]]/u;
/** Why a local file is left out: its name is known, but Spotify has no copy to put into a playlist. */
const LOCAL_FILE = 'a local file, which Spotify keeps on one device only';

/** The URI of a song or episode, or why the address has none. */
type Ref = { uri: string; why?: undefined } | { uri?: undefined; why: string };

/** All Spotify addresses in a text, and the text without any links. `hadLink`: the text also had other links. */
export function takeAddresses(written: string): { refs: Ref[]; rest: string; hadLink: boolean } {
  const text = written.replace(MARKDOWN_LINK, '$1 $2 ');
  const refs = [...text.matchAll(ADDRESS)].map(([address]) => readRef(withoutTrailing(address)));
  const without = refs.length > 0 ? text.replace(ADDRESS, ' ') : text;
  const rest = without.replace(OTHER_ADDRESS, ' ');
  return { refs, rest, hadLink: rest !== without };
}

/** The text with only the words of each link in Markdown. */
export function withoutLinks(text: string): string {
  return text.replace(MARKDOWN_LINK, '$1');
}

/** Removes punctuation from the end by hand: a pattern, tried at each position, takes quadratic time on a long run. */
function withoutTrailing(address: string): string {
  let end = address.length;
  while (TRAILING.includes(address.charAt(end - 1)) && end > 0) end -= 1;
  return address.slice(0, end);
}

/** Reads one address: a URI, a link, or a bare ID, which counts as that of a track. */
function readRef(written: string): Ref {
  const address = written.trim().replace(/^spotify:[a-z]+:/iu, (start) => start.toLowerCase());
  if (address.startsWith('spotify:local:')) return { why: LOCAL_FILE };
  try {
    const { kind, uri } = parseRef(address, ENTITY_KINDS);
    if (kind === 'track' || kind === 'episode') return { uri };
    return { why: `the address of ${/^[ae]/u.test(kind) ? 'an' : 'a'} ${kind}, not of a song` };
  } catch {
    return {
      why: 'an address that does not say which song; open a short link in a browser to get the full address',
    };
  }
}

/** A recording code in its plain form, or null. */
export function isrcOf(text: string): string | null {
  if (text.length > 40) return null;
  const code = text
    .trim()
    .replace(/^(?:urn:)?isrc:?\s*/iu, '')
    .replace(/[-\s]/gu, '')
    .toUpperCase();
  return /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/u.test(code) ? code : null;
}

/** Takes a recording code out of a line: one in brackets, or the whole line. */
export function takeIsrc(text: string): { isrc?: string; rest: string } {
  const whole = isrcOf(text);
  if (whole) return { isrc: whole, rest: '' };
  const found = ISRC_IN_BRACKETS.exec(text);
  const isrc = isrcOf(found?.[1] ?? '');
  return found && isrc ? { isrc, rest: text.replace(found[0], ' ') } : { rest: text };
}

/** A row whose title and artist are in one text, which is not split yet. */
interface Open {
  row: Row;
  refs: Ref[];
  isrc?: string;
  /** The text without addresses and code; '' if there is nothing else. */
  text: string;
  hadLink: boolean;
}

interface Entries {
  /** In the order of the rows: one for each row, or for each address of a row with nothing but addresses. */
  results: (ListEntry | NotSong)[];
  side?: ArtistSide;
}

export function isEntry(result: ListEntry | NotSong): result is ListEntry {
  return 'title' in result;
}

/** `side` is the side of the artist in "A - B", if a person says so; `titles` tells which lines without an artist are titles. */
export function entriesOf(rows: readonly Row[], side?: 'left' | 'right', titles: Titles = 'likely'): Entries {
  const isIds = areBareIds(rows);
  const opened = rows.map((row) => (isOpen(row) ? open(row, isIds) : null));
  const texts = opened.flatMap((one) => (one && one.text !== '' && one.text.length <= MAX_LINE ? [one] : []));
  const split = splitTexts(
    texts.map(({ text }) => text),
    texts.length > 0 ? knownArtists(rows) : new Set(),
    side,
  );
  const splits = new Map(
    texts.map((one, at) => [one, { song: split.songs[at] ?? null, plain: split.plain[at] ?? '' }]),
  );
  const lines = rows.map(({ why }, at) => {
    const one = opened[at];
    return one ? lineOf(one, splits.get(one)) : why === 'empty' || why === 'no words' ? 'empty' : null;
  });
  const bare = titlesIn(
    lines.filter((line) => line !== null),
    titles,
  );
  const results = rows.flatMap((row, at) => {
    const [one, line] = [opened[at], lines[at]];
    if (!one) return row.why === undefined ? entryOf(row, row.fields ?? {}) : notSong(row, row.why);
    const isTitle = line && line !== 'empty' && bare.has(line);
    return entriesOfOpen(
      one,
      isTitle ? { title: withoutTags(unquoted(line.plain)), artist: '' } : (splits.get(one)?.song ?? null),
    );
  });
  return { results, ...(split.side && { side: split.side }) };
}

/** What decides whether a text without an artist is a title; null for a heading, the cell of a table and the address of an album. */
function lineOf(
  { row, refs, isrc, text }: Open,
  { song, plain }: { song: SplitText; plain: string } = { song: null, plain: '' },
): SplitLine | null {
  const isFound = isrc !== undefined || refs.some(({ uri }) => uri !== undefined);
  if (row.text === undefined || (song && 'heading' in song) || (refs.length > 0 && !isFound)) return null;
  return { isSong: song !== null || isFound, plain, isMarked: plain !== text };
}

/** The artists of rows with separate fields, and the two directories above each file, which name the artist and the album. */
function knownArtists(rows: readonly Row[]): ReadonlySet<string> {
  const names = new Set(
    rows.flatMap(({ fields, raw }) => [
      ...(fields?.artist ? [fields.artist] : []),
      ...(/[\\/]([^\\/\n]+)[\\/]([^\\/\n]+)[\\/][^\\/\n]+\.\w{3,4}$/u.exec(raw)?.slice(1) ?? []),
    ]),
  );
  return new Set([...names].map(nameKey));
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

function isBareId(text: string): boolean {
  const id = text.trim();
  return BARE_ID.test(id) && /[a-z]/u.test(id) && /[A-Z]/u.test(id);
}

function open(row: Row, isIds: boolean): Open {
  // A title in a table is a name and nothing else; addresses have columns of their own.
  if (row.text === undefined)
    return { row, refs: [], text: tidyText(row.fields?.title ?? ''), hadLink: false };
  if (isIds && isBareId(row.text)) return { row, refs: [readRef(row.text)], text: '', hadLink: false };
  const { refs, rest, hadLink } = takeAddresses(withoutEntities(row.text.replace(TAG, ' $1 ')));
  const { isrc, rest: words } = rest.length > MAX_LINE ? { rest } : takeIsrc(rest.trim());
  const text = words
    .split('\t')
    .map(tidyText)
    .filter((part) => part !== '')
    .join('\t');
  const plain = refs.length > 0 || hadLink ? withoutSeparators(text) : text;
  return { row, refs, text: plain, hadLink, ...(isrc !== undefined && { isrc }) };
}

/** Removes the signs that separated the address from the song. Of a line too long for a song, only the signs alone go. */
function withoutSeparators(text: string): string {
  if (text.length > MAX_LINE) return hasLetterOrDigit(text) ? text : '';
  return text.replace(/^[-–—:|,;\s]+$|\s*[-–—:|,;([]+$|^[-–—:|,;]+\s*/gu, '');
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
  return [fields.title ? entryOf(row, fields) : notSong(row, whyNot(text, hadLink))];
}

function asFields(song: SplitText): Fields {
  if (!song || 'heading' in song) return {};
  const { year, ...names } = song;
  return { ...names, ...(year !== undefined && { year: String(year) }) };
}

function whyNot(text: string, hadLink: boolean): string {
  if (text === '') return hadLink ? 'a link that is not to Spotify' : 'empty';
  return text.length > MAX_LINE ? 'too long for a song' : 'no artist';
}

function notSong({ line, raw }: Row, why: string): NotSong {
  return { line, text: excerpt(raw), why };
}

/** An entry needs a title, or an address, or a recording code. Of a title without an artist, a person chooses the song. */
function entryOf(row: Row, fields: Fields): ListEntry | NotSong {
  const type = fields.type?.trim().toLowerCase() ?? '';
  const title = withVersion(tidyText(fields.title ?? ''), tidyText(fields.version ?? ''));
  const artist = tidyText(fields.artist ?? '') || tidyText(fields.albumArtist ?? '');
  const ref = refOf(fields, type);
  if (ref?.why === LOCAL_FILE) return notSong(row, LOCAL_FILE);
  const isrc = isrcOf(fields.isrc ?? '');
  if (ref?.uri === undefined && isrc === null) {
    const why = ref?.why && (title === '' || artist === '') ? ref.why : missing(title, artist, row.raw);
    if (why) return notSong(row, why);
  }
  const album = tidyText(fields.album ?? '').slice(0, MAX_NAME);
  const list = tidyText(fields.list ?? '').slice(0, MAX_NAME);
  const [year] = /(?<!\d)(?:19|20)\d\d(?!\d)/u.exec(fields.year ?? '') ?? [];
  return {
    line: row.line,
    title: title.slice(0, MAX_NAME),
    artist: artist.slice(0, MAX_NAME),
    ...(album !== '' && { album }),
    ...(year !== undefined && { year: Number(year) }),
    ...(isrc !== null && { isrc }),
    ...(ref?.uri !== undefined && { uri: ref.uri }),
    ...(list !== '' && { list }),
    raw: excerpt(row.raw),
  };
}

/** A bare ID does not say what it names. */
function refOf({ uri, id }: Fields, type: string): Ref | null {
  if (uri) return readRef(uri);
  return id ? readRef((type === 'episode' ? 'spotify:episode:' : '') + id.trim()) : null;
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
  if (title === '' && artist === '') return hasLetterOrDigit(raw) ? 'no title and no artist' : 'empty';
  if (title === '') return 'no title';
  if (title.length > MAX_NAME || artist.length > MAX_NAME)
    return `a name of more than ${MAX_NAME} characters`;
  return null;
}
