/** Writes plays to `plays.db`, each once, however often and in which order exports are imported. */
import type { Sql } from '../../store/sql/sql.ts';
import type { Play, PlayedItem } from './play.ts';

/**
 * Maximum number of seconds between the ends of two rows that are one play, if they have the same URI and length and began offline
 * at the same moment. Devices that come online again send some plays twice.
 */
const APART = 10;

interface KnownItem {
  id: number;
  /** ID of the first item with the same URI or, in the short history, with the same names; `id` if there is no URI. */
  subject: number;
}

const FIND_ITEM =
  'select id from play_items where uri is ? and kind = ? and name is ? and artist is ? and album is ? and short = ?';
/** The plays of the same subject and length that end at a time, and those of the same item that end about then. */
const NEAR = `select played_at, offline_at from play_events where played_at = ? and subject = ? and ms_played = ?
  union all
  select played_at, offline_at from play_events indexed by play_events_item
  where item = ? and played_at between ? and ? and ms_played = ?`;
const ADD = `insert into play_events (played_at, subject, ms_played, offline_at, item, skipped)
  values (?, ?, ?, ?, ?, ?)`;
const COMPLETE = `update play_events set offline_at = ?
  where played_at = ? and subject = ? and ms_played = ? and offline_at = 0`;
/** Older account data has no file for podcasts, and may list an episode as a song. So the kind is not compared. */
const REPLACED = `delete from play_events where item in (select id from play_items where short = 1) and exists (
  select 1 from play_items s join play_events e join play_items i on i.id = e.item
  where s.id = play_events.item and i.short = 0 and i.name is s.name and i.artist is s.artist
    and e.played_at between play_events.played_at and substr(play_events.played_at, 1, 17) || '59Z'
    and e.ms_played = play_events.ms_played)`;

/** Returns a function that adds a play, unless it is there. */
export function createPlayWriter(sql: Sql): (play: Play) => void {
  const known = new Map<string, KnownItem>();
  return ({ endedAt, msPlayed, offlineAt, skipped, item }) => {
    const key = JSON.stringify(Object.values(item));
    const { id, subject } = known.get(key) ?? knownItem(sql, item);
    if (!known.has(key)) known.set(key, { id, subject });
    const time = timeOf(endedAt);
    const near = sql.all<{ played_at: string; offline_at: number }>(NEAR, [
      ...[time, subject, msPlayed],
      ...[id, timeOf(endedAt - APART), timeOf(endedAt + APART), msPlayed],
    ]);
    const same = near.filter(({ played_at }) => played_at === time);
    if (offlineAt === 0 ? same.length > 0 : near.some(({ offline_at }) => offline_at === offlineAt)) return;
    // Older exports do not say when a play began offline.
    if (same.some(({ offline_at }) => offline_at === 0)) {
      sql.run(COMPLETE, [offlineAt, time, subject, msPlayed]);
      return;
    }
    sql.run(ADD, [time, subject, msPlayed, offlineAt, id, skipped === null ? null : Number(skipped)]);
  };
}

function knownItem(sql: Sql, item: PlayedItem): KnownItem {
  const { kind, uri, name, artist, album, short } = item;
  const id =
    sql.get<{ id: number }>(FIND_ITEM, [uri, kind, name, artist, album, Number(short)])?.id ??
    newItem(sql, item);
  const first = short
    ? sql.get<{ id: number }>(
        'select min(id) as id from play_items where artist is ? and name is ? and short = 1',
        [artist, name],
      )
    : sql.get<{ id: number | null }>('select min(id) as id from play_items where uri = ?', [uri]);
  return { id, subject: first?.id ?? id };
}

function newItem(sql: Sql, { kind, uri, name, artist, album, short }: PlayedItem): number {
  sql.run('insert into play_items (kind, uri, name, artist, album, short) values (?, ?, ?, ?, ?, ?)', [
    ...[kind, uri, name, artist, album],
    Number(short),
  ]);
  return Number(sql.get<{ id: number }>('select last_insert_rowid() as id')?.id);
}

/** Deletes the plays of the short history that the extended one has too: in the same minute, of the same names and length. */
export function dropReplaced(sql: Sql): void {
  sql.run(REPLACED);
}

export function countPlays(sql: Sql): number {
  return Number(sql.get<{ n: number }>('select count(*) as n from play_events')?.n);
}

/** Returns a time in ISO 8601, to the second. @param seconds since 1970 */
export function timeOf(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;
}
