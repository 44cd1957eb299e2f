/**
 * Turns one row of a history file into a play. Pure. The extended history has the second in which a play ended, and the URI.
 * The short history, in the account data, has the minute and two names. Only the fields that a play needs are picked, so
 * addresses, devices and countries are dropped with the row.
 */

import { cutAt } from '../../base/lists.ts';
import { isObject } from '../../base/parsing.ts';

/** `unknown`: the export names nothing, as for tracks that were deleted from the catalog. */
type PlayKind = 'track' | 'episode' | 'chapter' | 'local' | 'unknown';

export interface PlayedItem {
  kind: PlayKind;
  /** null in the short history, and where the extended history names none. */
  uri: string | null;
  name: string | null;
  /** The artist, the show of an episode or the book of a chapter. */
  artist: string | null;
  album: string | null;
  /** True if the play is from the short history. */
  short: boolean;
}

export interface Play {
  /** End of the play, in seconds since 1970. In the short history, the beginning of the minute in which the play ended. */
  endedAt: number;
  msPlayed: number;
  /** When the play began offline, in seconds since 1970; 0 if the export does not say. */
  offlineAt: number;
  /** null if the export does not say. */
  skipped: boolean | null;
  item: PlayedItem;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * The forms of a time: `2019-03-04T12:33:21Z`, `2019-03-04 12:33`, `2013-10-09 20:24:30 UTC` as in the first exports, and any of
 * them with an offset.
 */
const TIME =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(?:Z|UTC|([+-])(\d\d):?(\d\d))?$/;
/** Maximum length of a name; real ones are shorter, and a longer one is cut. */
const MAX_NAME = 2_000;
const MAX_URI = 500;
/** Maximum length of a play in milliseconds: the largest signed integer of four bytes, more than three weeks. */
const MAX_MS = 0x7fffffff;
/** The end of the year 2105, in seconds since 1970. */
const MAX_SECONDS = 0xffffffff;

export function playOf(value: unknown): Play | null {
  if (!isObject(value)) return null;
  if ('endTime' in value) return playIn(value, 'endTime', 'msPlayed', shortItem);
  return 'ts' in value ? playIn(value, 'ts', 'ms_played', extendedItem) : null;
}

function playIn(row: Row, time: string, length: string, itemIn: (row: Row) => PlayedItem): Play | null {
  const endedAt = secondsOf(row[time]);
  const ms = Number(row[length] ?? Number.NaN);
  if (endedAt === null || !Number.isFinite(ms) || row[length] === '') return null;
  const msPlayed = Math.min(MAX_MS, Math.max(0, Math.round(ms)));
  const offlineAt = momentOf(row.offline_timestamp);
  return { endedAt, msPlayed, offlineAt, skipped: truthOf(row.skipped), item: itemIn(row) };
}

function shortItem(row: Row): PlayedItem {
  // The account data writes these names where the extended history has none.
  if (row.trackName === 'Unknown Track' && row.artistName === 'Unknown Artist')
    return { kind: 'unknown', uri: null, name: null, artist: null, album: null, short: true };
  const isEpisode = 'episodeName' in row || 'podcastName' in row;
  const isChapter = 'chapterName' in row || 'audiobookName' in row;
  const kind = isEpisode ? 'episode' : isChapter ? 'chapter' : 'track';
  const name = textIn(row, 'trackName', 'episodeName', 'chapterName');
  const artist = textIn(row, 'artistName', 'podcastName', 'audiobookName');
  return { kind, uri: null, name, artist, album: kind === 'track' ? null : artist, short: true };
}

function extendedItem(row: Row): PlayedItem {
  const episode = uriIn(row, 'spotify_episode_uri');
  const chapter = uriIn(row, 'audiobook_chapter_uri');
  const track = uriIn(row, 'spotify_track_uri');
  const name = textIn(row, 'master_metadata_track_name');
  if (track !== null || name !== null) {
    const artist = textIn(row, 'master_metadata_album_artist_name');
    const album = textIn(row, 'master_metadata_album_album_name');
    const kind = track?.startsWith('spotify:local:') ? 'local' : 'track';
    return { kind, uri: track, name, artist, album, short: false };
  }
  if (episode !== null || textIn(row, 'episode_name') !== null) {
    const show = textIn(row, 'episode_show_name');
    const title = textIn(row, 'episode_name');
    return { kind: 'episode', uri: episode, name: title, artist: show, album: show, short: false };
  }
  const book = textIn(row, 'audiobook_title');
  const title = textIn(row, 'audiobook_chapter_title');
  const kind = chapter !== null || title !== null || book !== null ? 'chapter' : 'unknown';
  return {
    kind,
    uri: chapter ?? uriIn(row, 'audiobook_uri'),
    name: title,
    artist: book,
    album: book,
    short: false,
  };
}

function secondsOf(value: unknown): number | null {
  const parts = typeof value === 'string' ? TIME.exec(value.trim()) : null;
  if (!parts) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  // `Date.UTC` turns a date that does not exist into another date.
  const isReal = new Date(local).toISOString().startsWith(`${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}`);
  const [sign, hours = 0, minutes = 0] = parts.slice(7);
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60);
  const seconds = local / 1_000 - offset;
  return isReal && seconds > 0 && seconds < MAX_SECONDS ? seconds : null;
}

/** Reads a moment in seconds or, as in older exports, in milliseconds; 0 for none. Some rows have 0 or 1 there. */
function momentOf(value: unknown): number {
  const number = Math.floor(Number(value ?? 0));
  const seconds = number > MAX_SECONDS ? Math.floor(number / 1_000) : number;
  return seconds > 1 && seconds < MAX_SECONDS ? seconds : 0;
}

/** Returns the text of the first of these fields that has a text, cut at `MAX_NAME`; null if none has. */
function textIn(row: Row, ...fields: readonly string[]): string | null {
  for (const field of fields) {
    const value = row[field];
    if (typeof value !== 'string' || value === '') continue;
    const text = value.includes('\0') ? value.replaceAll('\0', '') : value;
    return text.length > MAX_NAME ? cutAt(text, MAX_NAME) : text;
  }
  return null;
}

function uriIn(row: Row, field: string): string | null {
  const value = row[field];
  return typeof value === 'string' && value.startsWith('spotify:') && value.length <= MAX_URI ? value : null;
}

function truthOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 'true' || value === 'TRUE' || value === '1') return true;
  return value === 0 || value === 'false' || value === 'FALSE' || value === '0' ? false : null;
}
