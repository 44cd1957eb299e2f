/** A requested track, as search texts for the provider and as the key of an alias. */
import { cutAt } from '../base/lists.ts';
import { namesKey, nameToSearch, readBilling } from './artists.ts';
import { tidy } from './letters.ts';
import { withoutNoise } from './listNoise.ts';
import { compact, nameKey } from './normalise.ts';
import { type ParsedTitle, parseTitle } from './title.ts';

export interface TrackQuery {
  title: string;
  /** Several artists as one text, separated by commas. */
  artist: string;
  album?: string;
  /** Release year, 1900 to 2100. */
  year?: number;
  /** Recording code: twelve upper-case characters without hyphens. With one, title and artist may be ''. */
  isrc?: string;
}

/** Maximum length of a search text in UTF-16 units, as for `search_tracks`. The provider documents no limit. */
const MAX_LENGTH = 250;
/** Maximum length of each part. The parts, with the names of their filters, stay below `MAX_LENGTH`. Version words add to that. */
const MAX_PART = { title: 110, artist: 55, album: 45 } as const;

/**
 * Search texts to try in order until one finds the track. The first nearly always does, and each costs quota. If there
 * is an album, the first text includes it, since a page of results may have the song on other albums only. Then come
 * filters for title and artist, then plain words, for names that the provider spells differently. A query without
 * any searchable character has no texts.
 */
export function searchQueries(asked: TrackQuery): string[] {
  const query = withoutNoise(asked);
  const title = parseTitle(query.title);
  const song = withoutNotes(query.title, title);
  const artist = harmless(nameToSearch(query.artist));
  const album = query.album === undefined ? '' : withoutNotes(query.album, parseTitle(query.album));
  const version = title.versionWords.join(' ');
  const filtered = [
    version,
    filter('track', song, MAX_PART.title),
    filter('artist', artist, MAX_PART.artist),
  ];
  const texts = [
    ...(album === '' ? [] : [[...filtered, filter('album', album, MAX_PART.album)]]),
    filtered,
    [plainWords(song), version, plainWords(harmless(query.artist))],
  ];
  return [
    ...new Set(texts.map((parts) => clip(parts.filter((part) => part !== '').join(' '), MAX_LENGTH))),
  ].filter((text) => text !== '' && text !== version);
}

/**
 * A key that is equal for queries with the same song, version notes, album, year and artists, including guests in the title.
 * The year is included because it decides between re-recordings: a match for one year is not valid for another year or without
 * a year. If there is a recording code, only the code and the album count.
 */
export function aliasKey(query: TrackQuery): string {
  if (query.isrc !== undefined) return JSON.stringify(['isrc', query.isrc, nameKey(query.album ?? '')]);
  const title = parseTitle(query.title);
  const { main, guests } = readBilling(query.artist);
  return JSON.stringify([
    compact(title.base),
    versionKey(title),
    namesKey([...main, ...guests, ...title.featured]),
    query.album === undefined ? '' : nameKey(query.album),
    query.year ?? '',
  ]);
}

/** The recording code that an `aliasKey` is made from; null if it is made from names. */
export function isrcOf(key: string): string | null {
  return /^\["isrc","([0-9A-Z]{12})",/.exec(key)?.[1] ?? null;
}

function versionKey({ versions, details, notes, remasterYear }: ParsedTitle): string {
  const kinds = [...versions].map((version) => `${version}:${details.get(version) ?? ''}`);
  return [...kinds, ...notes, ...(remasterYear === null ? [] : [String(remasterYear)])].sort().join(',');
}

function withoutNotes(written: string, { plain }: ParsedTitle): string {
  return harmless(hasLetterOrDigit(plain) ? plain : written);
}

function hasLetterOrDigit(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function filter(name: string, value: string, max: number): string {
  return value === '' ? '' : `${name}:"${clip(value, max)}"`;
}

/**
 * Removes quotes, colons and control characters, which would end a value or start a filter. A name without letters and
 * digits keeps its symbols as written (to a search, "…" is not three full stops).
 */
function harmless(text: string): string {
  const plain = text.replace(/["“”„‟«»:：\p{Cc}]/gu, ' ');
  return (hasLetterOrDigit(plain) ? tidy(plain) : plain).replace(/[":]/gu, ' ').replace(/\s+/gu, ' ').trim();
}

/** Words for a free search: no operators (NOT, OR, a leading minus, *), and no lone dashes between words. */
function plainWords(text: string): string {
  const words = text
    .split(' ')
    .map((word) => (hasLetterOrDigit(word) ? word.replace(/^[-*+~!]+|\*+$/gu, '') : word))
    .map((word) => (/^(?:NOT|OR|AND)$/u.test(word) ? word.toLowerCase() : word));
  const telling = words.filter((word) => word !== '-');
  return (telling.length > 0 ? telling : words).join(' ');
}

/** The text in at most `max` UTF-16 units, cut between words if possible and never inside a character. */
function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = cutAt(text, max);
  const lastSpace = cut.lastIndexOf(' ');
  return (lastSpace > max / 2 ? cut.slice(0, lastSpace) : cut).trim();
}
