/**
 * Statements about versions of playlists. The newest version is stored whole. Each older version is stored as its difference
 * from the next newer one, so that a change of a few rows takes a few bytes.
 */
import { isoOf } from '../../base/clock.ts';
import { without } from '../../domain/rows.ts';
import type { PlaylistVersion, VersionRow } from '../../domain/versions.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { keptVersions } from '../versions/retention.ts';
import { DamagedRows, decodeRows, encodeRows, isPossible, type StoredRow } from '../versions/rowDelta.ts';

interface Version {
  version: number;
  seen_at: string;
}

/**
 * Stores the rows that were just read as a new version, if their items differ from those of the last version. Stores the
 * playlist's name in any case.
 * @param now Unix milliseconds
 * @throws DamagedRows
 */
export function recordVersion(
  sql: Sql,
  playlist: { id: string; name: string },
  rows: readonly VersionRow[],
  now: number,
): void {
  const { id, name } = playlist;
  sql.transaction(() => {
    sql.run(
      `insert into version_playlists (playlist_id, name) values (?, ?)
       on conflict (playlist_id) do update set name = excluded.name where name <> excluded.name`,
      [id, name],
    );
    const stored = rows.map((row) => ({ item: itemOf(sql, row), added: secondsOf(row.added_at) }));
    const last = lastVersion(sql, id);
    const before = last === null ? [] : storedRows(sql, id, last);
    if (last !== null && sameItems(before, stored)) return;
    const version = (last ?? 0) + 1;
    if (last !== null) putDelta(sql, id, last, encodeRows(stored, before));
    const counts = countsOf(before, stored);
    sql.run(
      'insert into versions (playlist_id, version, seen_at, total, added, removed) values (?, ?, ?, ?, ?, ?)',
      [id, version, isoOf(now), rows.length, counts.added, counts.removed],
    );
    putDelta(sql, id, version, encodeRows([], stored));
    thinOut(sql, id, now);
  });
}

/** Deletes the versions of a playlist that `versions/retention.ts` does not keep. @throws DamagedRows */
export function thinOut(sql: Sql, id: string, now: number): void {
  const versions = sql.all<Version>(
    'select version, seen_at from versions where playlist_id = ? order by version',
    [id],
  );
  const kept = keptVersions(
    versions.map(({ seen_at }) => Date.parse(seen_at)),
    now,
  );
  const oldest = kept.indexOf(false);
  if (oldest < 0) return;
  sql.transaction(() => {
    /** The next newer version that is kept. */
    let next: { version: number; rows: readonly StoredRow[] } | null = null;
    /** True if a version between `next` and the current one was deleted. */
    let isApart = false;
    let rows: readonly StoredRow[] = [];
    // The version before the oldest deleted one is stored again, as its difference from a version that is kept.
    for (let index = versions.length - 1; index >= Math.max(0, oldest - 1); index--) {
      const { version } = versions[index] as Version;
      rows = decodeRows(rows, deltaOf(sql, id, version));
      if (kept[index] === false) {
        sql.run('delete from versions where playlist_id = ? and version = ?', [id, version]);
        sql.run('delete from version_rows where playlist_id = ? and version = ?', [id, version]);
        isApart = true;
        continue;
      }
      if (isApart && next) {
        putDelta(sql, id, version, encodeRows(next.rows, rows));
        putCounts(sql, id, next.version, countsOf(rows, next.rows));
      }
      next = { version, rows };
      isApart = false;
    }
    // The first version was deleted, so the next one counts all its rows as added.
    if (isApart && next) putCounts(sql, id, next.version, countsOf([], next.rows));
  });
}

/**
 * Deletes the newest damaged version of a playlist, and all older ones, since each is stored as its difference from the next.
 * @returns the number of deleted versions
 */
export function dropDamaged(sql: Sql, id: string): number {
  let rows: readonly StoredRow[] = [];
  let sound: number | null = null;
  for (const { version } of listVersions(sql, id)) {
    try {
      rows = decodeRows(rows, deltaOf(sql, id, version));
      sound = version;
    } catch (error) {
      if (!(error instanceof DamagedRows)) throw error;
      return dropUpTo(sql, id, version, sound === null ? null : { version: sound, rows });
    }
  }
  return 0;
}

/** @param next the version after `last`, which then counts all its rows as added; null if none is left */
function dropUpTo(
  sql: Sql,
  id: string,
  last: number,
  next: { version: number; rows: readonly StoredRow[] } | null,
): number {
  return sql.transaction(() => {
    const { changes } = sql.run('delete from versions where playlist_id = ? and version <= ?', [id, last]);
    sql.run('delete from version_rows where playlist_id = ? and version <= ?', [id, last]);
    if (next) putCounts(sql, id, next.version, countsOf([], next.rows));
    else sql.run('delete from version_playlists where playlist_id = ?', [id]);
    return changes;
  });
}

/** Lists the versions of a playlist, newest first. */
export function listVersions(sql: Sql, id: string): PlaylistVersion[] {
  return sql.all(
    'select version, seen_at, total, added, removed from versions where playlist_id = ? order by version desc',
    [id],
  );
}

/** Returns the rows of one version, in order; null if no version has that number. @throws DamagedRows */
export function rowsOfVersion(sql: Sql, id: string, version: number): VersionRow[] | null {
  const isThere = sql.get('select 1 from versions where playlist_id = ? and version = ?', [id, version]);
  if (!isThere) return null;
  const items = new Map<number, Omit<VersionRow, 'added_at'>>();
  return storedRows(sql, id, version).map(({ item, added }) => {
    let known = items.get(item);
    if (!known) {
      known = sql.get<Omit<VersionRow, 'added_at'>>(
        'select uri, name, artist, album, kind from version_items where id = ?',
        [item],
      ) ?? { uri: null, name: null, artist: null, album: null, kind: null };
      items.set(item, known);
    }
    return { ...known, added_at: added === 0 ? null : isoOf(added * 1_000) };
  });
}

/** Returns the last known name of a playlist; null if the playlist has no versions. */
export function versionedName(sql: Sql, id: string): string | null {
  return (
    sql.get<{ name: string }>('select name from version_playlists where playlist_id = ?', [id])?.name ?? null
  );
}

/** Lists the playlists that have versions, by name. */
export function versionedPlaylists(sql: Sql): Array<{ id: string; name: string }> {
  return sql.all('select playlist_id as id, name from version_playlists order by name');
}

/** Stores the present name of a playlist that has versions. */
export function renameVersioned(sql: Sql, { id, name }: { id: string; name: string }): void {
  sql.run('update version_playlists set name = ? where playlist_id = ? and name <> ?', [name, id, name]);
}

/** Deletes all versions, and leaves nothing of them in the file. */
export function forgetVersions(sql: Sql): void {
  sql.transaction(() => {
    for (const table of ['versions', 'version_rows', 'version_items', 'version_playlists'])
      sql.run(`delete from ${table}`);
  });
  sql.run('vacuum');
}

function lastVersion(sql: Sql, id: string): number | null {
  return (
    sql.get<{ last: number | null }>('select max(version) as last from versions where playlist_id = ?', [id])
      ?.last ?? null
  );
}

function storedRows(sql: Sql, id: string, version: number): StoredRow[] {
  const deltas = sql.all<{ delta: Uint8Array }>(
    `select delta from version_rows join versions using (playlist_id, version)
     where playlist_id = ? and version >= ? order by version desc`,
    [id, version],
  );
  let rows: StoredRow[] = [];
  for (const { delta } of deltas) rows = decodeRows(rows, delta);
  return rows;
}

function deltaOf(sql: Sql, id: string, version: number): Uint8Array {
  const found = sql.get<{ delta: Uint8Array }>(
    'select delta from version_rows where playlist_id = ? and version = ?',
    [id, version],
  );
  return found?.delta ?? new Uint8Array();
}

function putDelta(sql: Sql, id: string, version: number, delta: Uint8Array): void {
  sql.run('insert or replace into version_rows (playlist_id, version, delta) values (?, ?, ?)', [
    id,
    version,
    delta,
  ]);
}

function putCounts(sql: Sql, id: string, version: number, counts: ReturnType<typeof countsOf>): void {
  sql.run('update versions set added = ?, removed = ? where playlist_id = ? and version = ?', [
    counts.added,
    counts.removed,
    id,
    version,
  ]);
}

/** Returns the number of a row's item, and stores the item if it is new; 0 if the provider named no item. */
function itemOf(sql: Sql, { uri, name, artist, album, kind }: VersionRow): number {
  if (uri === null) return 0;
  const find = () => sql.get<{ id: number }>('select id from version_items where uri = ?', [uri])?.id;
  const known = find();
  if (known !== undefined) return known;
  sql.run('insert into version_items (uri, name, artist, album, kind) values (?, ?, ?, ?, ?)', [
    uri,
    name,
    artist,
    album,
    kind,
  ]);
  return find() ?? 0;
}

function secondsOf(iso: string | null): number {
  const seconds = iso === null ? Number.NaN : Math.floor(Date.parse(iso) / 1_000);
  return isPossible(seconds) ? seconds : 0;
}

function sameItems(a: readonly StoredRow[], b: readonly StoredRow[]): boolean {
  return a.length === b.length && a.every(({ item }, index) => item === b[index]?.item);
}

/** Counts the rows that only `after` has, and the rows that only `before` has. Each repeat of a row counts. */
function countsOf(
  before: readonly StoredRow[],
  after: readonly StoredRow[],
): { added: number; removed: number } {
  const [were, are] = [before.map(({ item }) => item), after.map(({ item }) => item)];
  return { added: without(are, were).length, removed: without(were, are).length };
}
