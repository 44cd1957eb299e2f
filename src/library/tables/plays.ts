/** Statements about plays in `memory.db`. */
import type { Sql } from '../../store/sql/sql.ts';
import type { PlayedItem } from '../plays/play.ts';
import type { PlayBatch } from '../plays/stagedPlays.ts';

/** An item in the database. */
interface KnownItem {
  id: number;
  /** ID of the first item with the same URI or, in the short history, with the same names; `id` if there is no URI. */
  subject: number;
  /** The subject of the short history with the same names, whose plays those of this item replace; null if there is none. */
  shortId: number | null;
  item: PlayedItem;
}

export interface PlayWriter {
  /** Stores the items that the following plays refer to. */
  items(items: readonly PlayedItem[]): void;
  /**
   * Writes plays `from` to `to` of a batch.
   * @returns how many more plays the file has now
   */
  write(batch: PlayBatch, from: number, to: number): number;
}

const FIND_ITEM =
  'select id from play_items where uri is ? and kind = ? and name is ? and artist is ? and album is ? and short = ?';
const SAME_NAMES = 'select min(id) as id from play_items where artist is ? and name is ? and short = 1';
const ADD_EVENT =
  'insert or ignore into play_events (played_at, subject, ms_played, item, skipped) values (?, ?, ?, ?, ?)';
const IN_MINUTE = `select 1 as found from play_events e join play_items i on i.id = e.item
  where e.played_at between ? and ? and e.ms_played = ? and i.short = 0 and i.name is ? and i.artist is ? limit 1`;

/**
 * Returns a function that makes a writer for the next turn of an import. Each turn passes the database again, since the file may
 * be closed between two turns. The plays of the extended history must be written before those of the short one.
 */
export function createPlayWriter(): (sql: Sql) => PlayWriter {
  const known: KnownItem[] = [];
  return (sql) => ({
    items(items) {
      for (const item of items) known.push(knownItem(sql, item));
    },
    write(batch, from, to) {
      let more = 0;
      for (let at = from; at < to; at += 1) {
        const item = known[batch.item[at] as number] as KnownItem;
        const skipped = batch.skipped[at] === 2 ? null : (batch.skipped[at] as number);
        const play: NewPlay = {
          endedAt: batch.endedAt[at] as number,
          msPlayed: batch.msPlayed[at] as number,
          skipped,
          item,
        };
        more += item.item.short ? addShort(sql, play) : addExtended(sql, play);
      }
      return more;
    },
  });
}

function knownItem(sql: Sql, item: PlayedItem): KnownItem {
  const { kind, uri, name, artist, album, short } = item;
  const found = sql.get<{ id: number }>(FIND_ITEM, [uri, kind, name, artist, album, Number(short)]);
  const id = found?.id ?? newItem(sql, item);
  // Older account data has no file for podcasts, and may list an episode as a song. So the kind is not compared.
  const sameNames = sql.get<{ id: number | null }>(SAME_NAMES, [artist, name])?.id ?? null;
  if (short) return { id, subject: sameNames ?? id, shortId: null, item };
  // Without a URI, this finds none.
  const first = sql.get<{ id: number | null }>('select min(id) as id from play_items where uri = ?', [uri]);
  return { id, subject: first?.id ?? id, shortId: sameNames, item };
}

function newItem(sql: Sql, { kind, uri, name, artist, album, short }: PlayedItem): number {
  sql.run('insert into play_items (kind, uri, name, artist, album, short) values (?, ?, ?, ?, ?, ?)', [
    ...[kind, uri, name, artist, album],
    Number(short),
  ]);
  return Number(sql.get<{ id: number }>('select last_insert_rowid() as id')?.id);
}

interface NewPlay {
  endedAt: number;
  msPlayed: number;
  skipped: number | null;
  item: KnownItem;
}

function addExtended(sql: Sql, play: NewPlay): number {
  const { item, msPlayed } = play;
  if (!add(sql, play)) return 0;
  if (item.shortId === null) return 1;
  const minute = timeOf(play.endedAt - (play.endedAt % 60));
  const replaced = sql.run('delete from play_events where played_at = ? and subject = ? and ms_played = ?', [
    ...[minute, item.shortId, msPlayed],
  ]);
  return 1 - replaced.changes;
}

function addShort(sql: Sql, play: NewPlay): number {
  const { name, artist } = play.item.item;
  const minute = [timeOf(play.endedAt), timeOf(play.endedAt + 59)];
  if (sql.get(IN_MINUTE, [...minute, play.msPlayed, name, artist])) return 0;
  return add(sql, play) ? 1 : 0;
}

function add(sql: Sql, { endedAt, msPlayed, skipped, item }: NewPlay): boolean {
  return sql.run(ADD_EVENT, [timeOf(endedAt), item.subject, msPlayed, item.id, skipped]).changes > 0;
}

/** Returns a time in ISO 8601, to the second. @param seconds since 1970 */
export function timeOf(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

export function countPlays(sql: Sql): number {
  return Number(sql.get<{ n: number }>('select count(*) as n from play_events')?.n);
}

/** Deletes all plays, and leaves nothing of them in the file. */
export function deletePlays(sql: Sql): void {
  sql.transaction(() => {
    sql.run('delete from play_events');
    sql.run('delete from play_items');
    sql.run("delete from meta where name = 'plays_account'");
  });
  sql.run('vacuum');
}

/** Digest of the user name that the plays belong to; null if no export has named one. */
export function playsAccount(sql: Sql): string | null {
  return sql.get<{ value: string }>("select value from meta where name = 'plays_account'")?.value ?? null;
}

/** Stores the digest of the user name that the plays belong to, unless one is stored. */
export function putPlaysAccount(sql: Sql, digest: string): void {
  sql.run("insert into meta (name, value) values ('plays_account', ?) on conflict (name) do nothing", [
    digest,
  ]);
}
