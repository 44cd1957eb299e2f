/** What has been read of the account: saved tracks, playlists and their rows, and how far the reading got. */
import { isoOf } from '../../base/clock.ts';
import type { LibraryCoverage, LibraryList } from '../../domain/library.ts';
import type { Media, Playlist } from '../../domain/shapes.ts';
import type { VersionRow } from '../../domain/versions.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { dropUnused, flag, putTracks } from './tracks.ts';

/** A row of the saved tracks. `media` is null if the provider names no track. */
export interface SavedRow {
  added_at: string | null;
  media: Media | null;
}

/** A row of a playlist. */
export interface PlaylistRow extends SavedRow {
  added_by: string | null;
}

/** Facts about the copy. Times are Unix milliseconds as text. */
export type MetaName =
  /** The provider's ID of the user whose library it is. */
  | 'account'
  /** `1` if all saved tracks have been read. */
  | 'saved_complete'
  /** Number of saved tracks that the provider reported last. */
  | 'saved_total'
  /** `1` if the list of playlists has been read. */
  | 'listed'
  /** How far the first reading of the list of playlists got: JSON of `Listing`. */
  | 'listing'
  /** Time when the copy was last known to be current. */
  | 'as_of'
  /** Time when the saved tracks were last known to be current, which may be later than `as_of`. */
  | 'saved_as_of'
  /** The same for the list of playlists. */
  | 'playlists_as_of'
  /** `1` until a reading has finished. It continues in the background, even after a restart. */
  | 'wanted'
  /** When the reading that is under way began. */
  | 'begun_at'
  /** `1` if Spotify refuses the rows of other people's playlists. */
  | 'foreign_refused'
  /** The playlist whose rows are being read: JSON of `PendingRead`. */
  | 'pending'
  /** What relay has written but not yet seen in a reading: JSON of `Touched`. */
  | 'touched';

export function getMeta(sql: Sql, name: MetaName): string | null {
  return sql.get<{ value: string }>('select value from meta where name = ?', [name])?.value ?? null;
}

export function putMeta(sql: Sql, name: MetaName, value: string | number | null): void {
  if (value === null) sql.run('delete from meta where name = ?', [name]);
  else sql.run('insert or replace into meta (name, value) values (?, ?)', [name, String(value)]);
}

/** A row of the saved tracks as it is stored. */
export interface SavedKey {
  uri: string | null;
  added_at: string | null;
}

/** Returns a row that Spotify sent, as it is stored. */
export function asSavedKey({ media, added_at }: SavedRow): SavedKey {
  return { uri: media?.uri ?? null, added_at };
}

/** Returns a text that two rows share only if they have the same URI and time. */
export function savedKeyOf({ uri, added_at }: SavedKey): string {
  return `${uri ?? ''} ${added_at ?? ''}`;
}

/** The stored rows of the saved tracks, newest first. */
export function savedKeys(sql: Sql): SavedKey[] {
  return sql.all('select uri, added_at from saved order by position');
}

export function countSaved(sql: Sql): number {
  return sql.get<{ n: number }>('select count(*) as n from saved')?.n ?? 0;
}

/** Adds rows after the last one. */
export function appendSaved(sql: Sql, rows: readonly SavedRow[]): void {
  sql.transaction(() => {
    putTracks(sql, rows);
    insertSaved(sql, rows.map(asSavedKey), countSaved(sql));
  });
}

/** @param first position of the first row */
function insertSaved(sql: Sql, rows: readonly SavedKey[], first: number): void {
  for (const [index, { uri, added_at }] of rows.entries()) {
    sql.run('insert into saved (uri, added_at, position) values (?, ?, ?)', [uri, added_at, first + index]);
  }
}

/**
 * Replaces the stored list of saved tracks with `rows`.
 * @param seen rows as they were just read; what is stored about their tracks is brought up to date
 * @returns true if the stored list was the same
 */
export function reviseSaved(sql: Sql, rows: readonly SavedKey[], seen: readonly SavedRow[]): boolean {
  return sql.transaction(() => {
    putTracks(sql, seen);
    const former = savedKeys(sql);
    const isSame =
      former.length === rows.length &&
      rows.every(({ uri, added_at }, at) => former[at]?.uri === uri && former[at]?.added_at === added_at);
    if (isSame) return true;
    sql.run('delete from saved');
    insertSaved(sql, rows, 0);
    const kept = new Set(rows.map(({ uri }) => uri));
    dropUnused(
      sql,
      former.filter(({ uri }) => !kept.has(uri)),
    );
    return false;
  });
}

/** Forgets the saved tracks, so that they are read again from the first. */
export function clearSaved(sql: Sql): void {
  sql.transaction(() => {
    const former = savedKeys(sql);
    sql.run('delete from saved');
    putMeta(sql, 'saved_complete', null);
    dropUnused(sql, former);
  });
}

export interface ListedPlaylist extends Playlist {
  mine: boolean;
  /** False if Spotify refuses the playlist's rows, or is expected to. */
  readable: boolean;
}

/** Stores a page of the list of playlists until all pages are there. */
export function appendListed(sql: Sql, listed: readonly ListedPlaylist[]): void {
  for (const playlist of listed) {
    sql.run('insert into pending_playlists (facts) values (?)', [JSON.stringify(playlist)]);
  }
}

/** How far the reading of the list of playlists got. */
interface Listing {
  /** Where the next page begins. Counts the provider's rows, some of which name no playlist. */
  offset: number;
  /** Number of rows that the provider reported. */
  total: number;
}

/** Where the reading of the list of playlists continues; null if it has not begun. */
export function listingOf(sql: Sql): Listing | null {
  const text = getMeta(sql, 'listing');
  return text === null ? null : (JSON.parse(text) as Listing);
}

export function setListing(sql: Sql, listing: Listing): void {
  putMeta(sql, 'listing', JSON.stringify(listing));
}

/** The playlists of the pages stored so far. */
export function listedSoFar(sql: Sql): ListedPlaylist[] {
  return sql
    .all<{ facts: string }>('select facts from pending_playlists order by rowid')
    .map(({ facts }) => JSON.parse(facts) as ListedPlaylist);
}

/** Replaces the list of playlists. The rows of playlists that are gone are deleted too. */
export function putPlaylists(sql: Sql, listed: readonly ListedPlaylist[]): void {
  sql.transaction(() => {
    const distinct = [...new Map(listed.map((one) => [one.id, one])).values()];
    for (const [place, playlist] of distinct.entries()) {
      putPlaylist(sql, playlist);
      sql.run(
        `insert into playlist_reads (playlist_id, place) values (:id, :place)
         on conflict (playlist_id) do update set place = excluded.place where place is not excluded.place`,
        { id: playlist.id, place },
      );
    }
    sql.run('delete from pending_playlists');
    putMeta(sql, 'listing', null);
    const kept = new Set(distinct.map(({ id }) => id));
    for (const { id } of sql.all<{ id: string }>('select id from playlists'))
      if (!kept.has(id)) dropPlaylist(sql, id);
  });
}

/** The value of each column of `playlists` that comes from a listed playlist. */
const FACTS: Readonly<Record<string, (of: ListedPlaylist) => string | number | null>> = {
  name: (of) => of.name,
  owner: (of) => of.owner.name,
  mine: (of) => flag(of.mine),
  public: (of) => flag(of.public),
  collaborative: (of) => flag(of.collaborative),
  description: (of) => of.description,
  total: (of) => of.total_items,
  snapshot_id: (of) => of.snapshot_id,
  readable: (of) => flag(of.readable),
};
const COLUMNS = Object.keys(FACTS);
const PUT_PLAYLIST = `insert into playlists (id, ${COLUMNS.join(', ')}) values (?${', ?'.repeat(COLUMNS.length)})
  on conflict (id) do update set ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}
  where (${COLUMNS.join(', ')}) is not (${COLUMNS.map((name) => `excluded.${name}`).join(', ')})`;

function putPlaylist(sql: Sql, playlist: ListedPlaylist): void {
  sql.run(PUT_PLAYLIST, [playlist.id, ...Object.values(FACTS).map((fact) => fact(playlist))]);
}

/** Stores the facts that came with a playlist's rows. `mine` and `readable` stay as they were. */
export function putPlaylistFacts(sql: Sql, playlist: Playlist): void {
  const known = sql.get<{ mine: number; readable: number }>(
    'select mine, readable from playlists where id = ?',
    [playlist.id],
  );
  if (!known) return;
  putPlaylist(sql, { ...playlist, mine: known.mine === 1, readable: known.readable === 1 });
}

export function renamePlaylist(sql: Sql, id: string, name: string): void {
  sql.run('update playlists set name = ? where id = ?', [name, id]);
}

/** Playlists whose rows Spotify refused. Maps the ID of each to whether the playlist was collaborative then. */
export function unreadableIds(sql: Sql): ReadonlyMap<string, boolean> {
  const rows = sql.all<{ id: string; collaborative: number | null }>(
    'select id, collaborative from playlists where readable = 0',
  );
  return new Map(rows.map(({ id, collaborative }) => [id, collaborative === 1]));
}

function dropPlaylist(sql: Sql, id: string): void {
  dropRows(sql, id);
  sql.run('delete from playlist_reads where playlist_id = ?', [id]);
  sql.run('delete from playlists where id = ?', [id]);
  if (pendingRead(sql)?.id === id) setPending(sql, null);
}

function dropRows(sql: Sql, id: string): void {
  const former = sql.all<{ uri: string | null }>(
    'select distinct uri from playlist_rows where playlist_id = ?',
    [id],
  );
  sql.run('delete from playlist_rows where playlist_id = ?', [id]);
  dropUnused(sql, former);
}

/** Notes that Spotify refuses the rows of a playlist. */
export function setUnreadable(sql: Sql, id: string): void {
  sql.transaction(() => {
    sql.run('update playlists set readable = 0, read_at = null where id = ?', [id]);
    // The rows are deleted, so their snapshot is too. `read_at` of `playlist_reads` stays: it tells `missedPlaylists` that the
    // playlist was read before.
    sql.run('update playlist_reads set snapshot_id = null where playlist_id = ?', [id]);
    dropRows(sql, id);
  });
}

/** Playlists whose rows Spotify refuses. `isSure` is true if the playlist is the account's own, or was read before. */
export function missedPlaylists(sql: Sql): Array<{ id: string; name: string; isSure: boolean }> {
  return sql
    .all<{ id: string; name: string; sure: number }>(
      `select id, name, mine = 1 or playlist_reads.read_at is not null as sure
       from playlists join playlist_reads on playlist_id = id where readable = 0 order by place`,
    )
    .map(({ id, name, sure }) => ({ id, name, isSure: sure === 1 }));
}

export interface PlaylistDue {
  id: string;
  name: string;
  mine: number;
  collaborative: number | null;
  total: number | null;
  /** Time of the last failed reading, in Unix milliseconds; null if none has failed since the last that succeeded. */
  failed_at: number | null;
}

const SELECT_READABLE = `select id, name, mine, collaborative, total, failed_at
  from playlists join playlist_reads on playlist_id = id where readable = 1`;

/**
 * Playlists whose rows are not stored, or are those of another snapshot than the list shows. They come in the order of the list,
 * but those whose last reading failed come last.
 */
export function playlistsDue(sql: Sql): PlaylistDue[] {
  return sql.all(
    `${SELECT_READABLE} and (playlist_reads.read_at is null or playlists.snapshot_id is not playlist_reads.snapshot_id)
     order by failed_at is not null, place`,
  );
}

/** One playlist as in `playlistsDue`, whatever its snapshot; undefined if it is not listed, or if Spotify refuses its rows. */
export function readablePlaylist(sql: Sql, id: string): PlaylistDue | undefined {
  return sql.get(`${SELECT_READABLE} and id = ?`, [id]);
}

/** True if the stored rows are those of this snapshot; false for null. */
export function isKnown(sql: Sql, id: string, snapshotId: string | null): boolean {
  if (snapshotId === null) return false;
  const read = sql.get<{ snapshot_id: string | null }>(
    'select snapshot_id from playlist_reads where playlist_id = ? and read_at is not null',
    [id],
  );
  return read?.snapshot_id === snapshotId;
}

export function setFailed(sql: Sql, id: string, now: number): void {
  sql.run('update playlist_reads set failed_at = ? where playlist_id = ?', [now, id]);
}

export function clearFailures(sql: Sql): void {
  sql.run('update playlist_reads set failed_at = null where failed_at is not null');
}

/** Marks a playlist so that its rows are read again, whatever snapshot the list shows. */
export function setDue(sql: Sql, id: string): void {
  sql.run('update playlist_reads set snapshot_id = null, read_at = null where playlist_id = ?', [id]);
}

/** A playlist that is being read. The rows read so far are in `pending_rows`. */
export interface PendingRead {
  id: string;
  snapshotId: string | null;
  total: number;
}

export function pendingRead(sql: Sql): PendingRead | null {
  const text = getMeta(sql, 'pending');
  return text === null ? null : (JSON.parse(text) as PendingRead);
}

export function setPending(sql: Sql, pending: PendingRead | null): void {
  const former = sql.all<{ uri: string | null }>('select distinct uri from pending_rows');
  sql.run('delete from pending_rows');
  putMeta(sql, 'pending', pending && JSON.stringify(pending));
  dropUnused(sql, former);
}

export function countPending(sql: Sql): number {
  return sql.get<{ n: number }>('select count(*) as n from pending_rows')?.n ?? 0;
}

export function appendPending(sql: Sql, rows: readonly PlaylistRow[]): void {
  putTracks(sql, rows);
  const first = countPending(sql);
  for (const [index, { media, added_at, added_by }] of rows.entries()) {
    sql.run('insert into pending_rows (position, uri, added_at, added_by) values (?, ?, ?, ?)', [
      first + index,
      media?.uri ?? null,
      added_at,
      added_by,
    ]);
  }
}

/** The rows in `pending_rows`, in order. */
export function pendingRows(sql: Sql): VersionRow[] {
  return sql.all(
    `select uri, name, artist, album, kind, added_at from pending_rows left join tracks using (uri) order by position`,
  );
}

/** The stored rows of a playlist, in order. */
export function rowsOfPlaylist(sql: Sql, id: string): VersionRow[] {
  return sql.all(
    `select uri, name, artist, album, kind, added_at from playlist_rows left join tracks using (uri)
     where playlist_id = ? order by position`,
    [id],
  );
}

/** A playlist in the list. `readable` is false if Spotify does not give its rows. */
export interface ListedName {
  id: string;
  name: string;
  readable: boolean;
}

export function listedPlaylists(sql: Sql): ListedName[] {
  const all = sql.all<{ id: string; name: string; readable: number }>(
    'select id, name, readable from playlists',
  );
  return all.map((one) => ({ ...one, readable: one.readable === 1 }));
}

/** The name of a playlist; null if it is not in the list. */
export function nameOfPlaylist(sql: Sql, id: string): string | null {
  return factsOf(sql, id)?.name ?? null;
}

export function factsOf(sql: Sql, id: string): { name: string; mine: boolean } | null {
  const found = sql.get<{ name: string; mine: number }>('select name, mine from playlists where id = ?', [
    id,
  ]);
  return found ? { name: found.name, mine: found.mine === 1 } : null;
}

/** When the stored rows of a playlist were read, in Unix milliseconds; null if none are stored. */
export function readTime(sql: Sql, id: string): number | null {
  const found = sql.get<{ read_at: string | null }>('select read_at from playlists where id = ?', [id]);
  return found?.read_at ? Date.parse(found.read_at) : null;
}

/** Makes the rows in `pending_rows` those of the playlist. */
export function finishPending(sql: Sql, { id, snapshotId, total }: PendingRead, now: number): void {
  // Tracks that are also among the new rows stay, since `pending_rows` still refers to them.
  dropRows(sql, id);
  sql.run(
    `insert into playlist_rows (playlist_id, position, uri, added_at, added_by)
     select ?, position, uri, added_at, added_by from pending_rows`,
    [id],
  );
  sql.run('delete from pending_rows');
  putMeta(sql, 'pending', null);
  sql.run('update playlists set snapshot_id = ?, total = ?, read_at = ? where id = ?', [
    snapshotId,
    total,
    isoOf(now),
    id,
  ]);
  sql.run('update playlist_reads set snapshot_id = ?, read_at = ?, failed_at = null where playlist_id = ?', [
    snapshotId,
    now,
    id,
  ]);
}

/** What the copy holds. */
export interface Summary {
  coverage: LibraryCoverage;
  asOf: number | null;
  /** Time when the reading that is under way began; null if none is. */
  begunAt: number | null;
  account: string | null;
  /** True once everything has been read. */
  complete: boolean;
  /** Time when each list was last known to be current. */
  listAsOf: Record<LibraryList, number | null>;
  /** True if an unfinished reading continues in the background. */
  wanted: boolean;
  /** Number of playlists that `playlistsDue` returns. */
  due: number;
  tracks: number;
  saved: number;
  savedTotal: number | null;
  listed: boolean;
}

export function summaryOf(sql: Sql): Summary {
  const saved = countSaved(sql);
  const savedComplete = getMeta(sql, 'saved_complete') === '1';
  const listed = getMeta(sql, 'listed') === '1';
  const { read, total, unreadable } = sql.get<LibraryCoverage['playlists']>(
    `select count(*) as total, count(*) filter (where readable = 1 and playlists.read_at is not null) as read,
       count(*) filter (where readable = 0) as unreadable from playlists`,
  ) ?? { total: 0, read: 0, unreadable: 0 };
  const asOf = numberIn(sql, 'as_of');
  return {
    coverage: {
      saved: savedComplete ? 'complete' : saved > 0 ? 'partial' : 'none',
      playlists: { read, total, unreadable },
    },
    asOf,
    begunAt: numberIn(sql, 'begun_at'),
    account: getMeta(sql, 'account'),
    listAsOf: {
      saved: numberIn(sql, 'saved_as_of') ?? asOf,
      playlists: numberIn(sql, 'playlists_as_of') ?? asOf,
    },
    complete: savedComplete && listed && read + unreadable === total,
    wanted: getMeta(sql, 'wanted') === '1',
    due: playlistsDue(sql).length,
    tracks: sql.get<{ n: number }>('select count(*) as n from tracks')?.n ?? 0,
    saved,
    savedTotal: numberIn(sql, 'saved_total'),
    listed,
  };
}

function numberIn(sql: Sql, name: MetaName): number | null {
  const text = getMeta(sql, name);
  return text === null ? null : Number(text);
}

/** The snapshot to which the stored rows of a playlist belong; null if it is not known, or no rows are stored. */
export function playlistSnapshot(sql: Sql, id: string): string | null {
  return (
    sql.get<{ snapshot_id: string | null }>('select snapshot_id from playlist_reads where playlist_id = ?', [
      id,
    ])?.snapshot_id ?? null
  );
}
