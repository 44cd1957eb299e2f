/** Versions of playlists: each is stored whole, with the numbers of its items instead of their names. Fewer are kept the older they are. */
import { deflateRawSync } from 'node:zlib';
import { isoOf } from '../../base/clock.ts';
import { without } from '../../domain/rows.ts';
import type { PlaylistVersion, VersionRow } from '../../domain/versions.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { unpacked } from '../../store/sql/table.ts';

interface StoredRows {
  /** The number of each row's item; 0 without an item. */
  items: number[];
  /** How many seconds later than the row before each row was added; the first since 1970. Steps take half the space of times. */
  added: number[];
}

/**
 * Stores the rows that were just read as a new version, if their items differ from those of the last version. Stores the
 * playlist's name in any case.
 * @param now Unix milliseconds
 */
export function recordVersion(
  sql: Sql,
  { id, name }: { id: string; name: string },
  rows: readonly VersionRow[],
  now: number,
): void {
  sql.transaction(() => {
    sql.run(
      `insert into version_playlists (playlist_id, name) values (?, ?)
       on conflict (playlist_id) do update set name = excluded.name where name <> excluded.name`,
      [id, name],
    );
    const items = rows.map((row) => itemOf(sql, row));
    const last = listVersions(sql, id)[0]?.version ?? 0;
    const before = storedRows(sql, id, last)?.items;
    if (before?.join() === items.join()) return;
    const version = last + 1;
    const { added, removed } = countsOf(before ?? [], items);
    sql.run(
      'insert into versions (playlist_id, version, seen_at, total, added, removed) values (?, ?, ?, ?, ?, ?)',
      [id, version, isoOf(now), rows.length, added, removed],
    );
    const times = rows.map(({ added_at }) => secondsOf(added_at));
    const stored: StoredRows = { items, added: times.map((time, index) => time - (times[index - 1] ?? 0)) };
    sql.run('insert into version_rows (playlist_id, version, packed) values (?, ?, ?)', [
      id,
      version,
      deflateRawSync(JSON.stringify(stored)),
    ]);
    thinOut(sql, id, now);
  });
}

/** Deletes the versions of a playlist that `keptVersions` does not keep. */
export function thinOut(sql: Sql, id: string, now: number): void {
  const versions = listVersions(sql, id).toReversed();
  const kept = keptVersions(
    versions.map(({ seen_at }) => Date.parse(seen_at)),
    now,
  );
  if (!kept.includes(false)) return;
  sql.transaction(() => {
    let before: number | null = null;
    /** True if versions between `before` and the present one were deleted. */
    let isApart = false;
    for (const [index, { version }] of versions.entries()) {
      if (kept[index]) {
        if (isApart) countAgain(sql, id, version, before);
        before = version;
        isApart = false;
      } else {
        sql.run('delete from versions where playlist_id = ? and version = ?', [id, version]);
        sql.run('delete from version_rows where playlist_id = ? and version = ?', [id, version]);
        isApart = true;
      }
    }
  });
}

/** Counts the rows that a version added and removed, against the version that is now before it; null if none is. */
function countAgain(sql: Sql, id: string, version: number, before: number | null): void {
  const were = before === null ? [] : storedRows(sql, id, before)?.items;
  const { added, removed } = countsOf(were ?? [], storedRows(sql, id, version)?.items ?? []);
  sql.run('update versions set added = ?, removed = ? where playlist_id = ? and version = ?', [
    added,
    removed,
    id,
    version,
  ]);
}

export function listVersions(sql: Sql, id: string): PlaylistVersion[] {
  return sql.all(
    'select version, seen_at, total, added, removed from versions where playlist_id = ? order by version desc',
    [id],
  );
}

/** Returns the rows of one version, in order; null if no version has that number, or if its rows are damaged. */
export function rowsOfVersion(sql: Sql, id: string, version: number): VersionRow[] | null {
  const stored = storedRows(sql, id, version);
  if (stored === null) return null;
  let seconds = 0;
  return stored.items.map((item, index) => {
    seconds += stored.added[index] ?? 0;
    const facts = sql.get<Omit<VersionRow, 'added_at'>>(
      'select uri, name, artist, album, kind from version_items where id = ?',
      [item],
    ) ?? { uri: null, name: null, artist: null, album: null, kind: null };
    return { ...facts, added_at: seconds === 0 ? null : isoOf(seconds * 1_000) };
  });
}

/** Returns the last known name of a playlist; null if the playlist has no versions. */
export function versionedName(sql: Sql, id: string): string | null {
  return (
    sql.get<{ name: string }>('select name from version_playlists where playlist_id = ?', [id])?.name ?? null
  );
}

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

/** Returns the stored rows of one version; null if there are none. SQLite does not notice if the bytes of a value are damaged. */
function storedRows(sql: Sql, id: string, version: number): StoredRows | null {
  const found = sql.get<{ packed: Uint8Array }>(
    'select packed from version_rows join versions using (playlist_id, version) where playlist_id = ? and version = ?',
    [id, version],
  );
  if (!found) return null;
  try {
    return JSON.parse(unpacked(found.packed)) as StoredRows;
  } catch {
    return null;
  }
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

/** Unix seconds; 0 for a time that is unknown or cannot be read. */
function secondsOf(iso: string | null): number {
  return iso === null ? 0 : Math.floor(Date.parse(iso) / 1_000) || 0;
}

/** Counts the rows that only `after` has, and the rows that only `before` has. Each repeat of a row counts. */
function countsOf(before: readonly number[], after: readonly number[]): { added: number; removed: number } {
  return { added: without(after, before).length, removed: without(before, after).length };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 30 * DAY_MS;

/**
 * Keeps all versions of the last hour. Of older versions, keeps the newest of each hour for a day and the newest of each day
 * for a month. After a month, keeps the newest of each week. Days and weeks are those of this computer's time zone.
 * @param times of the versions in order, in Unix milliseconds
 * @returns whether each is kept. The newest always is. So is a version dated later than the next one, as after the clock was
 *   set back
 * @internal
 */
export function keptVersions(times: readonly number[], now: number): boolean[] {
  return times.map((time, index) => {
    const next = times[index + 1];
    if (next === undefined || next < time) return true;
    const period = periodAt(now - time);
    return period === null || period(time) !== period(next);
  });
}

/** Returns a function that identifies a time's period, of which only the newest version is kept; null if all are kept. */
function periodAt(age: number): ((time: number) => string | number) | null {
  if (age < HOUR_MS) return null;
  if (age < DAY_MS) return hourOf;
  return age < MONTH_MS ? dayOf : weekOf;
}

/** Identifies the hour of UTC and the local day. In zones such as India's, midnight splits an hour of UTC into two days. */
function hourOf(time: number): string {
  return `${Math.floor(time / HOUR_MS)} ${dayOf(time)}`;
}

function dayOf(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
}

function weekOf(time: number): string {
  const date = new Date(time);
  date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  return dayOf(date.getTime());
}
