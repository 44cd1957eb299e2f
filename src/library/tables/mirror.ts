/** What has been read of the account: saved tracks, playlists and their rows, and how far the reading got. */
import { isoOf } from '../../base/clock.ts';
import type { LibraryCoverage, LibraryList } from '../../domain/library.ts';
import type { Media, Playlist } from '../../domain/shapes.ts';
import type { VersionRow } from '../../domain/versions.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { areTracksDue, flag, noteTracks, putTracks } from './tracks.ts';

/** A row of the saved tracks. `media` is null if the provider names no track. */
export interface SavedRow {
  added_at: string | null;
  media: Media | null;
}

export interface PlaylistRow extends SavedRow {
  added_by: string | null;
}

/** Number of rows that one request reads. */
const PAGE = 50;

/** Facts about the copy. Times are Unix milliseconds as text. */
export type MetaName =
  /** The provider's ID of the user whose library it is. */
  | 'account'
  /** When somebody first asked for the whole library; none as long as only parts of it were asked for. */
  | 'begun_at'
  /** When the reading of the saved tracks that are stored began, or they were last checked. */
  | 'saved_at'
  /** `1` if all saved tracks have been read. */
  | 'saved_complete'
  /** Number of saved tracks that the provider reported last. */
  | 'saved_total'
  /** `1` if the last reading of the saved tracks gave fewer rows than their total. */
  | 'saved_short'
  /** When the list of playlists was last read. */
  | 'listed_at'
  /** When the saved tracks were last known to be complete and current. */
  | 'saved_as_of'
  /** The same for the list of playlists with the rows of all playlists. */
  | 'playlists_as_of'
  /** `1` if Spotify refuses the rows of other people's playlists. */
  | 'foreign_refused'
  /** `1` if tracks or rows have changed since `tidyTracks`. */
  | 'tracks_due'
  /** What relay has written but not yet seen in a reading: JSON, as `sync.ts` puts it together. */
  | 'written';

export function getMeta(sql: Sql, name: MetaName): string | null {
  return sql.get<{ value: string }>('select value from meta where name = ?', [name])?.value ?? null;
}

export function putMeta(sql: Sql, name: MetaName, value: string | number | null): void {
  if (value === null) sql.run('delete from meta where name = ?', [name]);
  else
    sql.run(
      `insert into meta (name, value) values (?, ?)
       on conflict (name) do update set value = excluded.value where value is not excluded.value`,
      [name, String(value)],
    );
}

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

export function savedKeys(sql: Sql): SavedKey[] {
  return sql.all('select uri, added_at from saved order by position');
}

function countSaved(sql: Sql): number {
  return sql.get<{ n: number }>('select count(*) as n from saved')?.n ?? 0;
}

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
    noteTracks(sql);
    return false;
  });
}

/** Forgets the saved tracks, so that they are read again from the first. */
export function clearSaved(sql: Sql): void {
  sql.transaction(() => {
    sql.run('delete from saved');
    putMeta(sql, 'saved_complete', null);
    putMeta(sql, 'saved_short', null);
    noteTracks(sql);
  });
}

export interface ListedPlaylist extends Playlist {
  mine: boolean;
  /** False if Spotify refuses the playlist's rows, or is expected to. */
  readable: boolean;
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
    const kept = new Set(distinct.map(({ id }) => id));
    for (const { id } of sql.all<{ id: string }>('select id from playlists'))
      if (!kept.has(id)) dropPlaylist(sql, id);
    // The next reading may get all rows, even if nobody has changed the playlist.
    sql.run('update playlist_reads set snapshot_id = null where short = 1');
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

/** The playlists whose rows Spotify refused, by ID, and whether they were collaborative then. */
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
}

function dropRows(sql: Sql, id: string): void {
  sql.run('delete from playlist_rows where playlist_id = ?', [id]);
  noteTracks(sql);
}

export function setUnreadable(sql: Sql, id: string): void {
  sql.transaction(() => {
    sql.run('update playlists set readable = 0, read_at = null where id = ?', [id]);
    // The rows are deleted, so their snapshot is too. `read_at` of `playlist_reads` stays: it tells `unreadLists` that the
    // playlist was read before.
    sql.run('update playlist_reads set snapshot_id = null, short = 0 where playlist_id = ?', [id]);
    dropRows(sql, id);
  });
}

export interface UnreadList {
  /** ID of the playlist; null for the saved tracks. */
  id: string | null;
  name: string;
  /** `refused`: Spotify refuses the rows. `short`: its pages give fewer rows than the list has. */
  why: 'refused' | 'short';
}

/**
 * The lists that could not be read whole. `isSure` is false for a refused playlist that is neither the account's own nor known to
 * have been read before.
 */
export function unreadLists(sql: Sql): Array<UnreadList & { isSure: boolean }> {
  const playlists = sql
    .all<{ id: string; name: string; readable: number; sure: number }>(
      `select id, name, readable, short = 1 or mine = 1 or playlist_reads.read_at is not null as sure
       from playlists join playlist_reads on playlist_id = id where readable = 0 or short = 1 order by place`,
    )
    .map(({ id, name, readable, sure }): UnreadList & { isSure: boolean } => {
      return { id, name, why: readable === 0 ? 'refused' : 'short', isSure: sure === 1 };
    });
  const isSavedShort = getMeta(sql, 'saved_short') === '1';
  return isSavedShort
    ? [{ id: null, name: 'Liked Songs', why: 'short', isSure: true }, ...playlists]
    : playlists;
}

export interface PlaylistDue {
  id: string;
  name: string;
  mine: number;
  collaborative: number | null;
  total: number | null;
}

const SELECT_READABLE = `select id, name, mine, collaborative, total
  from playlists join playlist_reads on playlist_id = id where readable = 1`;

/** Playlists whose rows are not stored, or are those of another snapshot than the list shows, in the order of the list. */
export function playlistsDue(sql: Sql): PlaylistDue[] {
  return sql.all(
    `${SELECT_READABLE} and (playlist_reads.read_at is null or playlists.snapshot_id is not playlist_reads.snapshot_id)
     order by place`,
  );
}

/** One playlist as in `playlistsDue`, whatever its snapshot; undefined if it is not listed, or if Spotify refuses its rows. */
export function readablePlaylist(sql: Sql, id: string): PlaylistDue | undefined {
  return sql.get(`${SELECT_READABLE} and id = ?`, [id]);
}

/** The snapshot to which the stored rows of a playlist belong; null if it is not known, or no rows are stored. */
export function playlistSnapshot(sql: Sql, id: string): string | null {
  const read = sql.get<{ snapshot_id: string | null }>(
    'select snapshot_id from playlist_reads where playlist_id = ? and read_at is not null',
    [id],
  );
  return read?.snapshot_id ?? null;
}

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
  mine: boolean;
  /** Number of rows; null if Spotify does not say. */
  total: number | null;
  /** When a song was last added, ISO 8601; null if the rows have not been read, or have no times. */
  addedAt: string | null;
}

export function listedPlaylists(sql: Sql): ListedName[] {
  const all = sql.all<Omit<ListedName, 'readable' | 'mine'> & { readable: number; mine: number }>(
    `select id, name, readable, mine, total,
       (select max(added_at) from playlist_rows where playlist_id = id) as addedAt
     from playlists join playlist_reads on playlist_id = id order by place`,
  );
  return all.map((one) => ({ ...one, readable: one.readable === 1, mine: one.mine === 1 }));
}

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

/**
 * Replaces the rows of a playlist, unless it is no longer listed.
 * @param total number of rows that the provider reported
 */
export function putRows(
  sql: Sql,
  { id, snapshot_id }: Pick<Playlist, 'id' | 'snapshot_id'>,
  total: number,
  rows: readonly PlaylistRow[],
  now: number,
): void {
  sql.transaction(() => {
    const { changes } = sql.run('update playlists set snapshot_id = ?, total = ?, read_at = ? where id = ?', [
      snapshot_id,
      total,
      isoOf(now),
      id,
    ]);
    if (changes === 0) return;
    const isShort = flag(rows.length < total);
    sql.run('update playlist_reads set snapshot_id = ?, read_at = ?, short = ? where playlist_id = ?', [
      snapshot_id,
      now,
      isShort,
      id,
    ]);
    putTracks(sql, rows);
    dropRows(sql, id);
    for (const [position, { media, added_at, added_by }] of rows.entries()) {
      sql.run(
        'insert into playlist_rows (playlist_id, position, uri, added_at, added_by) values (?, ?, ?, ?, ?)',
        [id, position, media?.uri ?? null, added_at, added_by],
      );
    }
  });
}

/**
 * Notes that the pages of a playlist gave fewer rows than it has, and leaves its stored rows as they are.
 * @returns false if none are stored
 */
export function noteShort(sql: Sql, { id, snapshot_id }: Pick<Playlist, 'id' | 'snapshot_id'>): boolean {
  if (readTime(sql, id) === null) return false;
  sql.run('update playlist_reads set snapshot_id = ?, short = 1 where playlist_id = ?', [snapshot_id, id]);
  return true;
}

export interface Summary {
  account: string | null;
  /** As `begun_at` in `MetaName`. */
  begunAt: number | null;
  coverage: LibraryCoverage;
  /** Time when each list was last known to be current; null until its first reading has ended. */
  listAsOf: Record<LibraryList, number | null>;
  /** The earlier of both; null until the first reading has ended. */
  asOf: number | null;
  listed: boolean;
  saved: number;
  savedTotal: number | null;
  tracks: number;
  due: number;
  isWhole: boolean;
  areTracksDue: boolean;
  /** Estimates how many requests reading all this takes, and how many of them have been sent. */
  progress: { done: number; total: number };
}

export function summaryOf(sql: Sql): Summary {
  const saved = countSaved(sql);
  const savedTotal = numberIn(sql, 'saved_total');
  const isSavedWhole = getMeta(sql, 'saved_complete') === '1';
  const listed = getMeta(sql, 'listed_at') !== null;
  const playlists = sql.get<LibraryCoverage['playlists']>(
    `select count(*) as total, count(*) filter (where readable = 0) as unreadable,
       count(*) filter (where readable = 1 and playlists.read_at is not null and short = 0) as read
       from playlists join playlist_reads on playlist_id = id`,
  ) ?? { total: 0, read: 0, unreadable: 0 };
  const due = playlistsDue(sql);
  const listAsOf = { saved: numberIn(sql, 'saved_as_of'), playlists: numberIn(sql, 'playlists_as_of') };
  const isRead = listAsOf.saved !== null && listAsOf.playlists !== null;
  const pages = (rows: number) => Math.max(1, Math.ceil(rows / PAGE));
  const done = Math.ceil(saved / PAGE) + (listed ? pages(playlists.total) : 0) + playlists.read;
  const left =
    (isSavedWhole ? 0 : pages((savedTotal ?? 0) - saved)) +
    (listed ? due.reduce((sum, { total }) => sum + pages(total ?? 0), 0) : 1);
  return {
    account: getMeta(sql, 'account'),
    begunAt: numberIn(sql, 'begun_at'),
    coverage: { saved: isSavedWhole ? 'complete' : saved > 0 ? 'partial' : 'none', playlists },
    listAsOf,
    asOf: isRead ? Math.min(listAsOf.saved ?? 0, listAsOf.playlists ?? 0) : null,
    listed,
    saved,
    savedTotal,
    tracks: sql.get<{ n: number }>('select count(*) as n from tracks')?.n ?? 0,
    due: due.length,
    isWhole: isSavedWhole && listed && due.length === 0,
    areTracksDue: areTracksDue(sql),
    progress: { done, total: done + left },
  };
}

/** Records for each list of which nothing is left to read that it is current as of when its reading began. */
export function noteCurrent(sql: Sql): void {
  if (getMeta(sql, 'saved_complete') === '1') putMeta(sql, 'saved_as_of', getMeta(sql, 'saved_at'));
  const listedAt = getMeta(sql, 'listed_at');
  if (listedAt !== null && playlistsDue(sql).length === 0) putMeta(sql, 'playlists_as_of', listedAt);
}

function numberIn(sql: Sql, name: MetaName): number | null {
  const text = getMeta(sql, name);
  return text === null ? null : Number(text);
}
