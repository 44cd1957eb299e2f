/** A requested track, as search texts for the provider and as the key of an alias. */
import { cutAt } from '../base/lists.ts';
import { withoutNoise } from './listNoise.ts';
import { compact, hasLetterOrDigit, nameKey, namesKey, nameToSearch, readBilling, tidy } from './names.ts';
import { type ParsedTitle, parseTitle, tellingWords } from './title.ts';

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
const MAX_PART = { track: 110, artist: 55, album: 45 } as const;

/**
 * Search texts to try in order until one finds the track. The first nearly always does, and each costs quota. If there is an
 * album, the first text includes it, since a page of results may have the song on other albums only. Then come filters for title
 * and artist, then plain words, for names that the provider spells differently. A query without any searchable character has no
 * texts.
 */
export function searchQueries(asked: TrackQuery): string[] {
  const query = withoutNoise(asked);
  const title = parseTitle(query.title);
  const song = withoutNotes(title);
  const album = query.album === undefined ? '' : withoutNotes(parseTitle(query.album));
  const version = tellingWords(title);
  const filtered = [version, filter('track', song), filter('artist', harmless(nameToSearch(query.artist)))];
  const texts = [
    ...(album === '' ? [] : [[...filtered, filter('album', album)]]),
    filtered,
    [plainWords(song), version, plainWords(harmless(query.artist))],
  ];
  const joined = texts.map((parts) => clip(parts.filter((part) => part !== '').join(' '), MAX_LENGTH));
  return [...new Set(joined)].filter((text) => text !== '' && text !== version);
}

/** A few plain words, for a provider that refuses a search text. */
export function shorterQuery(query: TrackQuery): string {
  return clip(searchQueries(query).at(-1) ?? '', 60);
}

/**
 * A key that is equal for queries with the same song, version, notes, album, year and artists, including guests in the title.
 * The year counts because it decides between re-recordings. If there is a recording code, only the code and the album count.
 */
export function aliasKey(query: TrackQuery): string {
  if (query.isrc !== undefined) return JSON.stringify(['isrc', query.isrc, nameKey(query.album ?? '')]);
  const { base, versions, notes, guests } = parseTitle(query.title);
  const billing = readBilling(query.artist);
  return JSON.stringify([
    compact(base),
    [...versions, ...notes]
      .map((note) => note.join(':'))
      .sort()
      .join(','),
    namesKey([...billing.main, ...billing.guests, ...guests]),
    nameKey(query.album ?? ''),
    query.year ?? '',
  ]);
}

/** The recording code that an `aliasKey` is made from; null if it is made from names. */
export function isrcOf(key: string): string | null {
  return /^\["isrc","([0-9A-Z]{12})",/.exec(key)?.[1] ?? null;
}

function withoutNotes({ plain, written }: ParsedTitle): string {
  return harmless(hasLetterOrDigit(plain) ? plain : written);
}

function filter(name: keyof typeof MAX_PART, value: string): string {
  return value === '' ? '' : `${name}:"${clip(value, MAX_PART[name])}"`;
}

/** Removes what would end a value or start a filter. A name without letters and digits keeps its symbols as written. */
function harmless(text: string): string {
  const plain = text.replace(/["“”„‟«»:：\p{Cc}]/gu, ' ');
  return (hasLetterOrDigit(plain) ? tidy(plain) : plain).replace(/[":\s]+/gu, ' ').trim();
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
