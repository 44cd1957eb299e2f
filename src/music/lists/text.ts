/** Splits texts that hold title and artist in one, with one decision for the whole file, and tells titles from headings and prose. */
import { withoutNumber, withoutTags } from '../listNoise.ts';
import { hasLetterOrDigit, nameKey } from '../names.ts';
import { readNote } from '../title.ts';
import { columnKey, planColumns } from './columns.ts';
import type { ArtistSide } from './list.ts';
import { isOfTitle, type Side, type Unmarked, type Way, waysOf, withoutMarks } from './marks.ts';

interface Song {
  title: string;
  artist: string;
  album?: string;
}

/** A song, a heading such as "Artist - Title", or null if nothing separates two names. */
export type SplitText = (Song & { year?: number }) | { heading: true } | null;

interface Line {
  parts: string[];
  way: Way;
  /** The side that is in quotation marks, if only one is. */
  quoted?: Side | undefined;
  year?: number | undefined;
}

/** Only within this many lines can a line such as "Artist - Title" be a heading. */
const HEADING_WITHIN = 20;

/**
 * @param texts tidy, but may hold tabs
 * @param known keys of artists' names, from rows in which title and artist are separate fields
 * @param asked the side of the artist, if a person says so
 * @returns the songs, and `plain`: each text without what is around a song
 */
export function splitTexts(
  texts: readonly string[],
  known: ReadonlySet<string>,
  asked?: Side,
): { songs: SplitText[]; plain: string[]; side?: ArtistSide } {
  const plain = withoutMarks(texts);
  const ways = waysOf(plain.map(({ text }) => text));
  const lines = plain.map((line) => splitLine(line, ways));
  const unknown = lines.flatMap((line) => line?.parts.filter((part) => part === 'ID') ?? []).length;
  // Tracklists write "ID" for what nobody knows. One "ID" in a file may be a title.
  const isUnknown = ({ parts }: Line) => unknown > 1 && parts.includes('ID');
  const headings = new Map(
    lines.slice(0, HEADING_WITHIN).flatMap((line) => {
      const says = headingOf(line?.parts ?? []);
      return line && says ? [[line, says] as const] : [];
    }),
  );
  const open = lines.filter(
    (line): line is Line =>
      line !== null && line.way.artist === undefined && !headings.has(line) && !isUnknown(line),
  );
  const [heading] = headings.values();
  const side = open.length === 0 ? undefined : sideOf(open, known, asked, heading?.side);
  const areAlbums = lines.filter((line) => line && hasAlbum(line)).length * 2 >= Math.max(4, lines.length);
  const songs = lines.map((line): SplitText => {
    if (!line) return null;
    if (headings.has(line)) return { heading: true };
    if (isUnknown(line)) return null;
    const song =
      heading?.songOf(line.parts) ??
      songOf(line, line.way.artist ?? knownSide(line, known) ?? side?.side ?? 'left', areAlbums);
    return {
      ...song,
      artist: withoutTags(withoutNumber(song.artist)),
      title: withoutTags(unquoted(song.title)),
      ...(line.year !== undefined && { year: line.year }),
    };
  });
  return { songs, plain: plain.map(({ text }) => text), ...(side && { side }) };
}

function splitLine({ text, year }: Unmarked, ways: readonly Way[]): Line | null {
  for (const way of ways) {
    const found = way.parts(text);
    if (!found) continue;
    const written = way.isColumns ? withoutTimes(found) : found;
    const [left, right] = [written[0], way.isColumns ? written[1] : written.at(-1)].map(
      (part = '') => unquoted(part) !== part,
    );
    const quoted = left === right ? undefined : left ? ('left' as const) : ('right' as const);
    return { parts: written.map(unquoted), way, quoted, year };
  }
  return null;
}

/** Removes a column of lengths or times. Rows copied from a player may have one: title, length, artist, album. */
function withoutTimes(parts: string[]): string[] {
  const rest = parts.filter(
    (part) => !/^(?:\d{4}-\d\d-\d\d[T ][\d:.]+Z?|(?:\d{1,2}:)?\d{1,3}:[0-5]\d)$/u.test(part),
  );
  return rest.length > 1 ? rest : parts;
}

/** Removes quotation marks around the whole part. */
export function unquoted(part: string): string {
  return /^["“”„«»「『](.+?),?["“”»«」』]$/u.exec(part)?.[1]?.trim() ?? part;
}

/** The side of the only name that is known to be an artist. */
function knownSide({ parts }: Line, known: ReadonlySet<string>): Side | undefined {
  const [left, right] = [parts[0], parts.at(-1)].map((part = '') => known.has(nameKey(part)));
  return left === right ? undefined : left ? 'left' : 'right';
}

/** True for "Artist - Album - Title". */
function hasAlbum({ parts: [, album = '', title = '', ...more], way }: Line): boolean {
  return way.name === 'dash' && title !== '' && more.length === 0 && ![album, title].some(isOfTitle);
}

/** The song in a line. Of columns, the third is the album; elsewhere, the parts beside the artist are in the title. */
function songOf(line: Line, side: Side, areAlbums = false): Song {
  const {
    parts,
    way: { isColumns },
  } = line;
  const [first = '', second = '', album] = parts;
  if (isColumns && parts.length > 2)
    return {
      ...(side === 'left' ? { artist: first, title: second } : { artist: second, title: first }),
      ...(album && { album }),
    };
  if (side === 'left' && areAlbums && hasAlbum(line))
    return { artist: first, title: withoutNumber(album ?? ''), album: second };
  if (side === 'left') return songAfterArtist(first, parts.slice(1));
  const at = parts.length > 2 && readNote(parts.at(-1) ?? '') ? parts.length - 2 : parts.length - 1;
  return { artist: parts[at] ?? '', title: parts.filter((_, place) => place !== at).join(' - ') };
}

/** "Artist - Album - 03 - Title" or "Artist - [Album #03] Title", as files are named, or only "Artist - Title". */
function songAfterArtist(artist: string, parts: readonly string[]): Song {
  const [, record, rest] = /^\[([^\]]+?)\s+#?\d{1,3}\]\s+(\S.*)$/u.exec(parts.join(' - ')) ?? [];
  if (record !== undefined && rest !== undefined) return { artist, title: rest, album: record };
  const isNumber = (part: string, at: number) => at < parts.length - 1 && /^\d{1,3}$/u.test(part);
  // In "Artist - 25 - 03 - Title", "25" is the album.
  const later = parts.findIndex((part, at) => at > 0 && isNumber(part, at));
  const number = later === -1 ? parts.findIndex(isNumber) : later;
  const album = parts.slice(0, Math.max(0, number)).join(' - ');
  return { artist, title: parts.slice(number + 1).join(' - '), ...(album !== '' && { album }) };
}

/** A heading such as "Artist - Title" or "Title | Artist | Album", and how it reads lines of three parts or more; null for songs. */
function headingOf(parts: readonly string[]) {
  const { columns } = planColumns(parts.map(columnKey));
  const [artist, title, album = -1] = (['artist', 'title', 'album'] as const).map(
    (field) => columns.get(field)?.[0],
  );
  if (artist === undefined || title === undefined || columns.size < Math.min(parts.length, 2)) return null;
  const songIn = (line: readonly string[]): Song | null =>
    line.length > 2 && line.length === parts.length
      ? { artist: line[artist] ?? '', title: line[title] ?? '', album: line[album] ?? '' }
      : null;
  return { side: artist < title ? ('left' as const) : ('right' as const), songOf: songIn };
}

function sideOf(
  lines: readonly Line[],
  known: ReadonlySet<string>,
  asked: Side | undefined,
  heading: Side | undefined,
): ArtistSide {
  if (asked) return { side: asked, because: 'it was asked for', certain: true };
  if (heading) return { side: heading, because: 'the heading says so', certain: true };
  return decideSide(lines, known);
}

/** A note in brackets, which occurs in titles and not in names of artists. */
const TITLE_NOTE =
  /[([](?:feat|ft|featuring|with|live|remix|acoustic|official|lyric|audio|video|demo|bonus|explicit|from|remaster)\b|(?:remix|mix|version|edit|remaster(?:ed)?|live|session)[)\]]/iu;
/** Words and signs that often join names of artists, and are less frequent in titles. */
const JOINED = /\s(?:&|x|vs\.?|feat\.?|ft\.?)\s/iu;

/**
 * Weighs five kinds of evidence: an artist often has several songs in a list, and a title is rarely there twice. Quotation marks
 * and version notes belong to titles. Some names are known to be artists, and some join several. Without any evidence the artist
 * is on the left, as in most lists.
 */
function decideSide(lines: readonly Line[], known: ReadonlySet<string>): ArtistSide {
  const left = lines.map((line) => songOf(line, 'left').artist);
  const right = lines.map((line) => songOf(line, 'right').artist);
  const other = (side: Side) => (side === 'left' ? 'right' : 'left');
  const more = (count: (names: readonly string[]) => number) => count(left) - count(right);
  const quoted = (side: Side) => lines.filter((line) => line.quoted === side).length;
  const having = (pattern: RegExp) => more((names) => names.filter((name) => pattern.test(name)).length);
  /** Each is above 0 for the left side. */
  const signs: readonly { lean: number; because: (side: Side) => string }[] = [
    { lean: more(repeats), because: (side) => `names repeat on the ${side}` },
    {
      lean: 2 * (quoted('right') - quoted('left')),
      because: (side) => `titles in quotation marks are on the ${other(side)}`,
    },
    {
      lean: 2 * more((names) => names.filter((name) => known.has(nameKey(name))).length),
      because: (side) => `known artists are on the ${side}`,
    },
    { lean: -having(TITLE_NOTE), because: (side) => `titles with notes are on the ${other(side)}` },
    { lean: having(JOINED) / 2, because: (side) => `joint names are on the ${side}` },
  ];
  const balance = signs.reduce((sum, { lean }) => sum + lean, 0);
  const side: Side = balance < 0 ? 'right' : 'left';
  const [strongest] = signs
    .filter(({ lean }) => lean !== 0 && lean < 0 === balance < 0)
    .sort((a, b) => Math.abs(b.lean) - Math.abs(a.lean));
  if (!strongest || balance === 0)
    return { side: 'left', because: 'no other evidence; most lists put it there', certain: false };
  return {
    side,
    because: strongest.because(side),
    certain: Math.abs(balance) >= Math.max(2, lines.length / 50),
  };
}

/** Number of names that are further up already. */
function repeats(names: readonly string[]): number {
  return names.length - new Set([...new Set(names)].map(nameKey)).size;
}

/** A line of a text, or an empty one between two. `plain` is its text without marks; `isMarked`: it had a number, a bullet or a time. */
export type SplitLine = { isSong: boolean; plain: string; isMarked: boolean } | 'empty';

/** `all`: a person says that each line is a song. */
export type Titles = 'likely' | 'none' | 'all';

const MIN_LINES = 3;
/** Headings that stand among songs: "Side B", "Disc 2". */
const SECTION = /^(?:side|dis[ck]|cd|set|vol(?:ume|\.)?|part)\s?#?\w{1,5}$/iu;
/** Signs at the end of a sentence, or of a part of one. */
const SENTENCE = /[.,;:!…]$/u;
/** Signs of programs, addresses, separators of names and what tracklists write for an unknown song. */
const NO_TITLE = /[@{}<>=|\\;$`\t]|[a-z]:\S|,[^\s\d]|\s[-–—]\s|^\W*id\W*$/iu;

/**
 * The titles among the lines. There are none unless three quarters of the lines are songs or look like titles, so that prose has
 * none. If the songs of a list have numbers or bullets, its titles have them too. The lines between two empty ones are a
 * block. Above songs, its first line is a heading; a block without a song is one too, or in a list of titles a block of one line.
 */
export function titlesIn(lines: readonly SplitLine[], which: Titles): ReadonlySet<SplitLine> {
  const written = lines.flatMap((line) => (line === 'empty' ? [] : [line]));
  const songs = written.filter(({ isSong }) => isSong);
  const titles = written.filter((line) => !line.isSong && looksLikeTitle(line, which === 'all'));
  if (which !== 'likely') return new Set(which === 'all' ? titles : []);
  if (written.length < MIN_LINES || (songs.length + titles.length) * 4 < written.length * 3) return new Set();
  const others = songs.length > 0 ? songs : titles;
  const isMarkedList = others.filter(({ isMarked }) => isMarked).length * 2 > others.length;
  const headings = headingsIn(lines, songs.length > 0);
  return new Set(titles.filter((line) => line.isMarked || !(isMarkedList || headings.has(line))));
}

function looksLikeTitle({ plain, isMarked }: Exclude<SplitLine, 'empty'>, isAsked: boolean): boolean {
  if (
    plain.length > 60 ||
    plain.split(' ').length > 8 ||
    !hasLetterOrDigit(plain) ||
    NO_TITLE.test(plain) ||
    SECTION.test(plain)
  )
    return false;
  // A title that nothing marks has a capital, or letters of a script without capitals.
  return isAsked || isMarked || (/^\P{L}*(?!\p{Ll})\p{L}/u.test(plain) && !SENTENCE.test(plain));
}

function headingsIn(lines: readonly SplitLine[], hasSongs: boolean): ReadonlySet<SplitLine> {
  const blocks: Exclude<SplitLine, 'empty'>[][] = [[]];
  for (const line of lines) {
    if (line === 'empty') blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  // In a list with an empty line after each song, empty lines say nothing.
  const isSpaced = blocks.every(({ length }) => length < 2);
  return new Set(
    (isSpaced ? [blocks.flat()] : blocks).flatMap((block) => {
      const inBlock = block.filter(({ isSong }) => isSong).length;
      if (inBlock > 0) return inBlock * 2 >= block.length - 1 ? block.slice(0, 1) : [];
      return hasSongs || block.length === 1 ? block : [];
    }),
  );
}
