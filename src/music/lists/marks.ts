/**
 * The ways in which one text holds title and artist, and what people and programs put around the songs of a list: bullets, numbers,
 * times, years. A number may also be part of a name ("7. Sinfonie", "1979"). The neighboring lines decide, so all lines are read together.
 */
import { SITE } from '../listNoise.ts';
import { readNote } from '../title.ts';
import type { ArtistSide } from './list.ts';

export type Side = ArtistSide['side'];

export interface Way {
  readonly name: string;
  /** The side of the artist, if the way tells. */
  readonly artist?: Side;
  /** True if the parts are columns: two for title and artist, and a third for the album. */
  readonly isColumns?: boolean;
  /** The share of lines, 0 to 1, that must be written so for the way to count. */
  readonly share: number;
  /** True if the way counts only if it is the main one. */
  readonly isOnlyMain?: boolean;
  /** The parts of a text, at least two; null if it is not written so. */
  parts(text: string): string[] | null;
}

/** What separates the artist from the title, in a line, a title and the name of a file. */
export const DASH = /\s+[-‐‑‒–—―−－~]{1,3}\s+/u;
const TIGHT = /\s*[–—―]\s*|\s+-(?=\S)|(?<=\S)-\s+/u;
const BAR = /\s*[|｜／]\s*|\s+(?:[·•:\\]|::|\/{1,2}|>)\s+/u;
const COMMA = /\s*[;,](?:\s+|(?=\S))/u;
/** The dash of a title in quotation marks does not separate names. */
const QUOTED_BY = /^["“„«]([^"“”„«»]+)["”“»],?\s+by\s+((?:(?!\s[-–—]{1,2}\s)[^"“”„«»])+)$/iu;
const ARTIST_QUOTED = /^([^"“”„«»「」『』]+?)[\s,:]*["“„«»「『]([^"“”„«»「」『』]+)["”“»«」』]$/u;
const QUOTED_ARTIST =
  /^["“„«»「『]([^"“”„«»「」『』]+)["”“»«」』](?:\s+by\s+|[\s,]+|(?<=[」』]))([^"“”„«»「」『』\s(-][^"“”„«»「」『』]*)$/iu;
const BY = /^(.*\S)[\s,]+by\s+(\S.*)$/iu;

/** Words in front of "by" that say who made the list, and words after it that name no artist. */
const MADE_BY =
  /^(?:.*\s)?(?:compiled|curated|selected|collected|mixed|made|created|written|posted|uploaded|playlist|list|songs|music)$/iu;
const NOBODY = /^(?:me|you|him|her|us|them|it|now|then|myself|yourself)\b/iu;

/** "Title by Artist". "Stand by Me", "Side by Side" and "Compiled by Tam" are not written so. */
function byArtist(text: string): string[] | null {
  const [title = '', artist = ''] = groups(text, BY) ?? [];
  const isSame = ` ${title}`.toLowerCase().endsWith(` ${artist.toLowerCase()}`);
  return artist === '' || isSame || NOBODY.test(artist) || MADE_BY.test(title) ? null : [title, artist];
}

/** The same where few lines have it, so "Down by the River" counts as a title. */
function byCapital(text: string): string[] | null {
  const found = byArtist(text);
  return /\p{Lu}/u.test(text) && /^\p{Ll}/u.test(found?.[1] ?? '') ? null : found;
}

/** The ways to separate two names, in order of preference. */
const WAYS: readonly Way[] = [
  { name: 'quotes, by', artist: 'right', share: 0, parts: (text) => groups(text, QUOTED_BY) },
  { name: 'tab', isColumns: true, share: 0, parts: (text) => cut(text, /(?:\s[-–—])?\t+/u) },
  { name: 'dash', share: 0, parts: (text) => cut(text, DASH) },
  { name: 'quotes, artist first', artist: 'left', share: 0, parts: (text) => groups(text, ARTIST_QUOTED) },
  { name: 'quotes, title first', artist: 'right', share: 0, parts: (text) => groups(text, QUOTED_ARTIST) },
  { name: 'tight dash', share: 0.1, parts: (text) => cut(text.replace(TIGHT, '\t'), /\t/u) },
  { name: 'bar', isColumns: true, share: 0.1, parts: (text) => cut(text, BAR) },
  { name: 'by', artist: 'right', share: 0.3, parts: byArtist },
  { name: 'colon', share: 0.3, parts: (text) => cut(text.replace(/:\s+/u, '\t'), /\t/u) },
  // Sentences have commas too, so nearly every line must have exactly one.
  { name: 'comma', share: 0.8, isOnlyMain: true, parts: (text) => exactlyTwo(cut(text, COMMA)) },
  { name: 'by, once', artist: 'right', share: 0, parts: byCapital },
];

const SEPARATES = WAYS.filter(({ name }) => /^(?:tab|dash|by|quotes)/u.test(name));

/** True if a dash, a tab, quotation marks or "by" separates two names in the text. */
export function canSplit(text: string): boolean {
  return SEPARATES.some(({ parts }) => parts(text) !== null);
}

/** The ways of a file, in the order to try them: a title in quotation marks and "by", the main way, then those of other lines. */
export function waysOf(texts: readonly string[]): Way[] {
  const shareOf = ({ parts }: Way, among: readonly string[]) =>
    among.filter((text) => parts(text) !== null).length / Math.max(1, texts.length);
  const ranked = WAYS.map((way) => ({ way, share: shareOf(way, texts) }))
    .filter(({ way, share }) => share > 0 && share >= way.share)
    .sort((a, b) => b.share - a.share);
  const best = ranked[0]?.way;
  // If half of the lines have a dash with spaces, it is the main way, even if another separator is in more lines. Only tabs and
  // "by" take precedence.
  const dash = ranked.find(({ way, share }) => way.name === 'dash' && share >= 0.5)?.way;
  const main = best?.name === 'by' || best?.name === 'tab' ? best : (dash ?? best);
  if (!main) return [];
  const left = texts.filter((text) => main.parts(text) === null);
  const others = WAYS.filter((way) => {
    const share = shareOf(way, left);
    return way !== main && !way.isOnlyMain && share > 0 && share >= way.share;
  });
  const certain = ranked.flatMap(({ way }) => (way.name === 'quotes, by' ? [way] : []));
  return [...new Set([...certain, main, ...others])];
}

function cut(text: string, separator: RegExp): string[] | null {
  const parts = text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length > 1 ? parts : null;
}

function groups(text: string, pattern: RegExp): string[] | null {
  // English sets a comma before the closing quotation mark.
  const parts = (pattern.exec(text) ?? []).slice(1, 3).map((part) => part.trim().replace(/,$/u, ''));
  return parts.length === 2 && parts.every((part) => part !== '') ? parts : null;
}

function exactlyTwo(parts: string[] | null): string[] | null {
  return parts?.length === 2 ? parts : null;
}

export interface Unmarked {
  text: string;
  year?: number;
}

type NumberKind = 'marked' | 'dashed' | 'spaced';

interface Numbered {
  kind: NumberKind;
  number: number;
  rest: string;
  /** True if a letter is in front of the number, as for the sides of a record. */
  isLettered: boolean;
}

/** Also a picture. In a tracklist, "w/" is in front of a song that is played over the one above. */
const BULLET =
  /^(?:(?:[-–—*•·▪▫◦‣►▶>+●○■□✓✔☐☑→➜➤⇒:]|\[[ xX]?\]|w\/|[│├└─]{2,})\s+|(?:\p{Extended_Pictographic}\ufe0f?\s*)+(?=[\p{L}\p{N}]))(?=\S)/u;
/** The label of a record, after a song in a tracklist. */
const LABEL = /\s+\[([^\][\p{Ll}]*\p{Lu}[^\][\p{Ll}]*)\]$/u;
const SERVICE = 'apple music|spotify|tidal|deezer|amazon music|youtube music|soundcloud|qobuz|pandora';
const SHARED_SONG = String.raw`["“]?(.+?)["”]?\s+by\s+((?:(?!\sby\s).)+?)`;
/** What services write when a person shares a song: the service is named after it or before it. */
const SHARED: readonly RegExp[] = [
  new RegExp(
    String.raw`^(?:[^\p{L}]*(?:(?:i['’]m )?listen(?:ing)? to|check out|now playing:?)\s+)?${SHARED_SONG}\s+on\s+[#@]?(?:${SERVICE})[.!]?$`,
    'iu',
  ),
  new RegExp(
    String.raw`^(?:i (?:just )?used #?shazam to discover|check out this (?:track|song)(?: on (?:${SERVICE}))?:|here['’]s a song for you…|#now ?playing:?|#np:?)\s+${SHARED_SONG}[.!]?$`,
    'iu',
  ),
];
/** Text in backticks; and what bots for music write after a song. */
const CODE = /`([^`]+)`|\s*\|[^|]*\brequested by.*$/giu;
/** Text in bold or italics in Markdown. An asterisk beside a letter may be part of a name. */
const EMPHASIS = /(?<![\p{L}\p{N}*])(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1(?![\p{L}\p{N}*])/gu;
const TIME = String.raw`(?:\d{1,2}:)?\d{1,3}:[0-5]\d`;
const TIME_FIRST = new RegExp(
  String.raw`^([[(])?(?:(?:\d{1,4}[./-]){2}\d{1,4},?[ T])?${TIME}(?:\s?[AP]M)?[\])]?(?:\s*[-–—|]\s+|[-–—](?=\d{1,3}:)|\s+)(?=\S)`,
  'u',
);
/** A bar, a tab or a dash in front, or a bracket, says that it is a time. */
const TIME_LAST = new RegExp(
  String.raw`(?:(\s*[\t|]\s*|\s+[-–—]\s+)|\s+|(?=[[(]))([[(])?${TIME}[\])]?$`,
  'u',
);
/** "3. ", "#3: ", "[3] ", "A1. ", "③ "; then "03 - "; then "3 ". */
const NUMBERS: readonly (readonly [NumberKind, RegExp])[] = [
  [
    'marked',
    /^(?:(?:#|n[o°r]\.?\s?|№\s?|track\s|song\s)?(\d{1,6})\s?[.):\]．、](?!\d)\s*|[([](\d{1,6})[)\]]\s*|(?:#|№)(\d{1,6})\s+|[A-H](\d{1,2})[.)]\s+|(\d)\ufe0f?\u20e3\s*|([①-⑳])\s*)(?=\S)/iu,
  ],
  ['dashed', /^[A-H]?(\d{1,6})\s*[-–—]\s+(?=\S)/u],
  ['spaced', /^[A-H]?(\d{1,6})[\t ]+(?=\S)/u],
];
/** What the writer says about a song, after the song: " – a great opener", ": a great opener". */
const REMARK = String.raw`(?:\s+[-–—]{1,2}|\s*:)\s+(\S.*)`;
/** A title in bold, italics or single quotation marks, then "by". The apostrophe of a shortened word ("'Til") is no such mark. */
const MARKED_BY =
  /^((?:\d{1,4}[.)]\s+)?)(?:(\*{1,3})([^*"“”]+)\2|['‘](?!(?:til|cause|round|bout|tis|twas|neath|em|n|\d\d)\b)([^"“”]+?)['’])(?=\s+by\s)/iu;
/** A whole song in bold, and a remark. The colon may be in bold too. */
const BOLD_SONG =
  /^((?:\d{1,4}[.)]\s+)?)\*\*([^*]+?)(?::\*\*|\*\*(\s*\([^()]*\))?(?:\s+[-–—]{1,2}|\s*:))\s+(\S.*)/u;
/** Songs with the title in quotation marks, which say where the song ends. */
const QUOTED_SONGS: readonly RegExp[] = [
  new RegExp(String.raw`^(["“„«][^"“”„«»]+["”“»]\s+(?:by|[-–—]{1,2})\s+\S.*?)${REMARK}$`, 'iu'),
  new RegExp(
    String.raw`^([^"“”„«»:]+?\s+[-–—]{1,2}\s+["“„«][^"“”„«»]+["”“»](?:\s+\([^()]*\))?)${REMARK}$`,
    'u',
  ),
];
/** A title in quotation marks, its artist, and what may be a note on the version. */
const NOTE_AFTER_ARTIST = new RegExp(String.raw`^(["“„«][^"“”„«»]+?),?(["”“»]\s+by\s+\S.*?)${REMARK}$`, 'iu');
/** The number of a part, such as "Part 2", "Op. 3" or "II. Allegro". */
const PART_NUMBER = /^(?:(?:part|pt\.?|act|no\.|op\.)\s*(?:\d+|[ivx]+|one|two|three)\b|[ivx]+\.\s)/iu;
const QUOTED_TITLE = /["“„«][^"“”„«»]+["”“»]/u;
const YEAR_LAST = /\s*[([]((?:19|20)\d\d)[)\]]$/u;
/** How many lines away the next number may be, since lists may have headings in between. */
const REACH = 3;

/** The text without the asterisks of Markdown around bold and italics. */
export function withoutEmphasis(text: string): string {
  return text.replace(EMPHASIS, '$2');
}

/** The lines without their marks, in the same order. */
export function withoutMarks(lines: readonly string[]): Unmarked[] {
  const songs = lines.map((line) => shared(spaced(line.replace(SITE, '')).replace(CODE, '$1')));
  const plain = withoutBoldRemarks(songs.map(withoutBullet)).map((line) =>
    withoutEmphasis(line.replace(MARKED_BY, '$1"$3$4"')),
  );
  // Numbers come before or after times, and are easier to recognise once the times are gone. A line may have two times: from and to.
  const unnumbered = withoutNumbers(plain).map(withoutRemark);
  const untimed = withoutTimes(withoutTimes(withoutTimes(unnumbered, TIME_FIRST), TIME_FIRST), TIME_LAST);
  return withoutYears(withoutLabels(withoutNumbers(untimed).map(withoutBullet)));
}

/** The name of a file that has underscores for spaces, with spaces. */
function spaced(line: string): string {
  return /\s/u.test(line) ? line : line.replace(/_+/gu, ' ');
}

/** The song of a text that a service made to share it, with the title in quotation marks. */
function shared(line: string): string {
  return SHARED.reduce((text, pattern) => text.replace(pattern, '"$1" by $2'), line);
}

/** Removes labels if several lines have one. A version in capitals stays. */
function withoutLabels(lines: readonly string[]): string[] {
  const labels = lines.map((line) => {
    const [, label = ''] = LABEL.exec(line) ?? [];
    return label !== '' && readNote(label) === null;
  });
  const count = labels.filter(Boolean).length;
  if (count < 2 || count * 4 < lines.length) return [...lines];
  return lines.map((line, at) => (labels[at] ? line.replace(LABEL, '') : line));
}

function withoutBullet(line: string): string {
  return line.replace(BULLET, '').replace(BULLET, '');
}

/** Removes remarks after songs in bold, if half of the lines have one: "**Artist – Title** – a great opener". Versions stay. */
function withoutBoldRemarks(lines: readonly string[]): string[] {
  const songs = lines.map((line) => {
    const [, number = '', song = '', note = '', remark = ''] = BOLD_SONG.exec(line) ?? [];
    if (!isWholeSong(song)) return null;
    return isOfTitle(remark) ? line : `${number}${song}${note}`;
  });
  return isUsual(songs) ? lines.map((line, at) => songs[at] ?? line) : [...lines];
}

/** True for a version note or the number of a part, which belong to the title in front of them. */
export function isOfTitle(part: string): boolean {
  return readNote(part) !== null || PART_NUMBER.test(part);
}

/** True for two names. "Title - Live" and "Stand by Rope" are titles. */
function isWholeSong(text: string): boolean {
  const parts = text.split(/\s+[-–—]{1,2}\s+/u);
  if (parts.length > 1) return parts.filter((part) => readNote(part) === null).length > 1;
  return /["”»]\s+by\s+\S/iu.test(text);
}

/** Removes the remark after a song with its title in quotation marks. A version stays; after the artist, it moves to the title. */
function withoutRemark(line: string): string {
  const [, title, artist, note = ''] = NOTE_AFTER_ARTIST.exec(line) ?? [];
  if (title !== undefined && isOfTitle(note)) return `${title} - ${note}${artist}`;
  for (const pattern of QUOTED_SONGS) {
    const [, song, remark = ''] = pattern.exec(line) ?? [];
    if (song === undefined) continue;
    const others = song.replace(QUOTED_TITLE, '').split(/\s+[-–—]{1,2}\s+/u);
    return [remark, ...others].some((part) => isOfTitle(part.trim())) ? line : song;
  }
  return line;
}

function withoutNumbers(lines: readonly string[]): string[] {
  const found = lines.map(numberOf);
  const share = (kind: NumberKind) => found.filter((one) => one?.kind === kind).length / lines.length;
  // "3 Doors Down" and "4 Non Blondes" are neighbors too, but a count begins with 1, or far from it.
  const spaced = found.flatMap((one) => (one?.kind === 'spaced' ? [one.number] : []));
  const isCount = spaced.includes(1) || !spaced.some((number) => number < 10);
  const shares = { marked: share('marked'), dashed: share('dashed'), spaced: isCount ? share('spaced') : 0 };
  return lines.map((line, at) => {
    const one = found[at];
    return one && isOfList(one, found, at, shares[one.kind]) ? one.rest : line;
  });
}

function numberOf(line: string): Numbered | null {
  for (const [kind, pattern] of NUMBERS) {
    const [whole, ...groups] = pattern.exec(line) ?? [];
    if (whole === undefined) continue;
    // "①" is a digit by its compatibility form only.
    const number = Number((groups.find(Boolean) ?? '').normalize('NFKD'));
    return { kind, number, rest: line.slice(whole.length), isLettered: /^[A-H]/u.test(line) };
  }
  return null;
}

/** @param share of the lines with a number of this kind */
function isOfList(
  { kind, number, rest, isLettered }: Numbered,
  all: readonly (Numbered | null)[],
  at: number,
  share: number,
): boolean {
  const hasNeighbor = all
    .slice(Math.max(0, at - REACH), at + REACH + 1)
    .some((other) => other?.kind === kind && Math.abs(other.number - number) === 1);
  if (kind === 'marked') return hasNeighbor || share >= 0.5;
  const isCount = hasNeighbor && share >= 0.6;
  if (kind === 'spaced' || isCount) return isCount;
  // In "1349 - Title", "1349" may be the artist, so it stays. In "01 - Artist - Title", "01" is a number. "D12" and "A1" are
  // artists, so only a neighbor shows that they are numbers of a record.
  const isAlone = !isLettered && (share === 1 || (number < 100 && isWholeSong(rest)));
  return canSplit(rest) && (hasNeighbor || isAlone);
}

/** Removes times at one end of the lines, if half of them have one or a sign says that it is one. */
function withoutTimes(lines: readonly string[], pattern: RegExp): string[] {
  const found = lines.map((line) => pattern.exec(line));
  const isTimed = isUsual(found);
  return lines.map((line, at) => {
    const time = found[at];
    const isTime = time && (isTimed || time[1] || time[2]);
    return isTime ? kept(line, line.replace(time[0], '').trim()) : line;
  });
}

function withoutYears(lines: readonly string[]): Unmarked[] {
  const found = lines.map((line) => YEAR_LAST.exec(line));
  const isDated = isUsual(found);
  return lines.map((line, at) => {
    const year = found[at];
    const text = year && isDated ? kept(line, line.slice(0, year.index)) : line;
    return text === line ? { text } : { text, year: Number(year?.[1]) };
  });
}

function isUsual(found: readonly unknown[]): boolean {
  return found.filter(Boolean).length * 2 >= found.length;
}

/** A song may be called "4:44", so a mark stays if no artist and title would be left. */
function kept(line: string, rest: string): string {
  return canSplit(rest) || !canSplit(line) ? rest : line;
}
