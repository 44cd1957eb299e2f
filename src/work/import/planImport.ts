/** Turns the bytes of a list into the items of jobs, and a preview for a person. Searches and writes nothing. */

import type { Clock } from '../../base/clock.ts';
import { chunk, counted } from '../../base/lists.ts';
import { mapInTurns } from '../../base/turns.ts';
import { isEpisodeUri } from '../../domain/ids.ts';
import { type ImportPreview, LEFT_OUT_PLAYS, type ListReading } from '../../domain/listImport.ts';
import { MAX_ROWS } from '../../domain/rows.ts';
import type { ListEntry, NotSong, ReadList } from '../../music/lists/list.ts';
import { aliasKey, type TrackQuery } from '../../music/trackQuery.ts';
import type { Store } from '../../store/store.ts';
import type { NewItem } from '../../store/tables/items.ts';
import { requestTotals } from '../../store/tables/rateLimits.ts';
import { searchesFor } from '../resolve/estimate.ts';
import type { Resolver } from '../resolve/resolver.ts';

/** Maximum number of songs of one job, since a playlist holds no more. */
export const SONGS_PER_JOB = MAX_ROWS;

/** Maximum number of lines that a preview shows; its counts cover all lines. */
const LINES_SHOWN = 200;
const EXAMPLES = 3;

export interface PlanServices {
  resolver: Pick<Resolver, 'knows'>;
  /** The state; null in a home that has none yet. */
  store: Store | null;
  clock: Clock;
}

export interface ImportPlan {
  preview: ImportPreview;
  entries: ListEntry[];
  /** One item for each of `entries`, in the same order. */
  items: NewItem[];
}

export interface PlanOptions extends ListReading {
  /** True for Liked Songs, which take no episodes: episodes in the list are then reported as not being songs. */
  tracksOnly?: boolean;
}

/**
 * Reads a list and looks up which of its songs are remembered. After the reading, it works in short turns, so that other work
 * is not held up.
 * @param content the bytes of a file, or its text
 * @throws RelayError `INVALID_ARGUMENT` if the content is not a list, with `details.line` if one line is the cause
 */
export async function planImport(
  services: PlanServices,
  content: Uint8Array | string,
  { tracksOnly = false, ...reading }: PlanOptions = {},
): Promise<ImportPlan> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const { readList } = await import('../../music/lists/readList.ts');
  const read = readList(bytes, reading);
  const { entries, notSongs } = tracksOnly ? withoutEpisodes(read) : read;
  const items = await mapInTurns(entries, itemOf);
  // If one playlist of the file is chosen, the preview says nothing of the others.
  const lists = reading.list === undefined ? (read.lists ?? []) : [];
  const preview = await previewOf(services, { ...read, entries, notSongs, lists }, items);
  return { preview, entries, items };
}

/** The items of a plan, by the name of the playlist in the file. */
export function itemsByList({ entries, items }: ImportPlan): Map<string, NewItem[]> {
  const lists = new Map<string, NewItem[]>();
  for (const [index, { list = '' }] of entries.entries()) {
    const part = lists.get(list) ?? [];
    lists.set(list, part);
    const item = items[index];
    if (item) part.push(item);
  }
  return lists;
}

function withoutEpisodes({ entries, notSongs }: ReadList): Pick<ReadList, 'entries' | 'notSongs'> {
  const told = entries.filter(isEpisode).map(({ line, raw }): NotSong => ({ line, text: raw, why: EPISODE }));
  return {
    entries: entries.filter((entry) => !isEpisode(entry)),
    notSongs: [...notSongs, ...told].sort((a, b) => a.line - b.line),
  };
}

const EPISODE = 'an episode, not a song';

function isEpisode({ uri }: ListEntry): boolean {
  return uri !== undefined && isEpisodeUri(uri);
}

/** The item for an entry. If the entry has a Spotify URI, only the URI counts; title and artist are for a person to read. */
function itemOf({ title, artist, album, year, isrc, uri }: ListEntry): NewItem {
  if (uri !== undefined) {
    return { input: { ...(title && artist && { title, artist }), uri }, key: null, uri, status: 'matched' };
  }
  const query: TrackQuery = {
    title,
    artist,
    ...(album !== undefined && { album }),
    ...(year !== undefined && { year }),
    ...(isrc !== undefined && { isrc }),
  };
  return { input: query, key: aliasKey(query), uri: null, status: 'pending' };
}

async function previewOf(
  services: PlanServices,
  read: ReadList,
  items: readonly NewItem[],
): Promise<ImportPreview> {
  const { store, clock } = services;
  const { entries, decided } = read;
  return {
    format: read.format,
    encoding: read.encoding,
    name: read.name ?? null,
    lists: (read.lists ?? []).map(({ name, entries: songs }) => ({ name, songs })),
    songs: entries.length,
    episodes: entries.filter(isEpisode).length,
    artist_side: decided.artistSide ?? null,
    columns: decided.columns ?? {},
    // A song that is only a link has no title to show.
    examples: entries
      .filter(({ title }) => title !== '')
      .slice(0, EXAMPLES)
      .map(({ line, title, artist }) => ({ line, title, artist })),
    not_songs: unread(read.notSongs),
    doubt: read.doubt ?? doubtOf(read),
    with_uri: entries.filter(({ uri }) => uri !== undefined).length,
    with_isrc: entries.filter(({ uri, isrc }) => uri === undefined && isrc !== undefined).length,
    ...(await costOf(services, items)),
    searches_24h: store === null ? 0 : (requestTotals(store, clock.now()).search ?? 0),
    jobs: chunk(items, SONGS_PER_JOB).length,
  };
}

/** Kinds of lines that are normal in a list although they are not songs. */
const USUAL: ReadonlySet<string> = new Set([
  ...['empty', 'comment', 'heading', EPISODE],
  ...Object.values(LEFT_OUT_PLAYS),
]);

/** What most songs of a list hardly have, and what the file may be instead. */
const ODD: readonly (readonly [what: string, isOdd: (entry: ListEntry) => boolean])[] = [
  ['telephone numbers', ({ title }) => /^(?:\+|0)(?:[\s()/-]*\d){6,}$/u.test(title)],
  ['things to buy', ({ title }) => /^\d+(?:[.,]\d+)?\s?(?:k?g|m?l|x|pcs|stk)\.?$/iu.test(title)],
  ['rows of a table that names neither title nor artist', ({ raw }) => raw.split(/[,;]/u).length > 3],
  ['messages of a chat', ({ artist }) => /^[\p{L}\s]{1,30}:\s/u.test(artist)],
  ['radio stations', ({ raw }) => /^#EXTINF:-1\b.*\nhttps?:(?!.*youtu)/iu.test(raw)],
];

/**
 * A warning if more than a third of the lines are neither whole songs nor usual other lines. The file may then not be a list of
 * songs at all.
 */
function doubtOf({ format, entries, notSongs }: ReadList): string | null {
  if (format === 'spotify' || format === 'itunes') return null;
  const isLines = format === 'txt' || format === 'm3u8';
  const odd = isLines && ODD.find(([, isOdd]) => entries.filter(isOdd).length * 2 > entries.length);
  if (odd) return `This may not be a list of songs: most lines look like ${odd[0]}.`;
  const others = notSongs.filter(({ why }) => !USUAL.has(why)).length;
  const bare = entries.filter(isOnlyTitle).length;
  const all = entries.length + others;
  if ((others + bare) * 3 <= all) return null;
  if (others >= bare)
    return `This may not be a list of songs: only ${entries.length - bare} of ${all} lines look like songs.`;
  return `${bare} of ${counted(entries.length, 'song')} have a title and no artist. relay searches for each, and you choose the song.`;
}

function isOnlyTitle({ artist, uri, isrc }: ListEntry): boolean {
  return artist === '' && uri === undefined && isrc === undefined;
}

/** Kinds of lines that are counted, but not shown line by line. */
const UNLISTED: ReadonlySet<string> = new Set(['empty', ...Object.values(LEFT_OUT_PLAYS)]);

function unread(notSongs: readonly NotSong[]): ImportPreview['not_songs'] {
  const reasons: Record<string, number> = {};
  for (const { why } of notSongs) reasons[why] = (reasons[why] ?? 0) + 1;
  const lines = notSongs.filter(({ why }) => !UNLISTED.has(why)).slice(0, LINES_SHOWN);
  return { total: notSongs.length, reasons, lines };
}

/**
 * Counts remembered items and repeats, and the fewest and most searches for the others. Songs found among the saved tracks take
 * none.
 */
async function costOf({ resolver }: PlanServices, items: readonly NewItem[]) {
  const { known, least, most } = await searchesFor(resolver, items);
  return {
    remembered: items.filter(({ key }) => key !== null && known.has(key)).length,
    repeated: items.length - new Set(items.map(({ key, uri }) => uri ?? key)).size,
    searches: { at_least: least, at_most: most },
  };
}
