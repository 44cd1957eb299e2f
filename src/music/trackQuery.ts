/** What is asked for, as the provider's search takes it and as it is remembered. */
import { namesKey, nameToSearch, readBilling } from './artists.ts';
import { tidy } from './letters.ts';
import { compact, nameKey } from './normalise.ts';
import { type ParsedTitle, parseTitle } from './title.ts';

export interface TrackQuery {
  title: string;
  artist: string;
  album?: string;
  /** Release year, four digits. */
  year?: number;
}

/** Longest search text, in UTF-16 units: what `search_tracks` takes too. The provider documents no limit. */
const MAX_LENGTH = 250;
/** Together with the filters' names these stay below the limit. */
const MAX_PART = { title: 110, artist: 55, album: 45 } as const;

/**
 * Search texts to try in order until one finds the track; the first nearly always does, and each costs quota. With an
 * album the first asks for it, since a song on many albums may fill a page without the one that is meant; then filters
 * for title and artist; then plain words, for names that the provider spells in another way. Empty for a query without
 * any searchable sign.
 */
export function searchQueries(query: TrackQuery): string[] {
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
 * Equal for queries that mean the same: song and versions, all artists including the guests named in the title, album and
 * year. The year takes part because it decides between re-recordings: what was found for one year is no answer for
 * another, or for none.
 */
export function aliasKey(query: TrackQuery): string {
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

function versionKey({ versions, details, notes, remasterYear }: ParsedTitle): string {
  const kinds = [...versions].map((version) => `${version}:${details.get(version) ?? ''}`);
  return [...kinds, ...notes, ...(remasterYear === null ? [] : [String(remasterYear)])].sort().join(',');
}

function withoutNotes(written: string, { plain }: ParsedTitle): string {
  return harmless(isSpelt(plain) ? plain : written);
}

function isSpelt(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function filter(name: string, value: string, longest: number): string {
  return value === '' ? '' : `${name}:"${clip(value, longest)}"`;
}

/**
 * Without quotes, colons and control characters, which would end a value or start a filter. A name of signs alone keeps
 * the signs that it is written with ("…" is not three full stops to a search).
 */
function harmless(text: string): string {
  const plain = text.replace(/["“”„‟«»:：\p{Cc}]/gu, ' ');
  return (isSpelt(plain) ? tidy(plain) : plain).replace(/[":]/gu, ' ').replace(/\s+/gu, ' ').trim();
}

/** Words for a free search: no operators (NOT, OR, a leading minus, *), and no lone dashes between words. */
function plainWords(text: string): string {
  const words = text
    .split(' ')
    .map((word) => (isSpelt(word) ? word.replace(/^[-*+~!]+|\*+$/gu, '') : word))
    .map((word) => (/^(?:NOT|OR|AND)$/u.test(word) ? word.toLowerCase() : word));
  const telling = words.filter((word) => word !== '-');
  return (telling.length > 0 ? telling : words).join(' ');
}

/** At most `longest` UTF-16 units, cut between words where there are some, never inside a character. */
function clip(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest).replace(/[\ud800-\udbff]$/u, '');
  const lastSpace = cut.lastIndexOf(' ');
  return (lastSpace > longest / 2 ? cut.slice(0, lastSpace) : cut).trim();
}
