/**
 * Copies of the state: one file each, which also carries the databases beside the state whose content cannot be read again
 * (companions). The state's file is complete at every moment, since a save replaces it in one step, so a copy needs no lock.
 */
import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Database, SqlJsStatic } from 'sql.js';
import { systemClock } from '../base/clock.ts';
import { exists, readStart, removeStaleTemps, tempPathFor } from '../base/files.ts';
import { silentLog } from '../base/log.ts';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import { openDatabaseFile } from './databaseFile.ts';
import { type Disk, diskProblem, machineDisk, readOnlyDisk } from './disk.ts';
import { DEMO, isOwnName } from './home/home.ts';
import { type DiskFile, partsOf, withDiskFile } from './sql/diskFile.ts';
import { type Format, firstValue, freshImage, headerProblem, newestOf, versionOf } from './sql/migrate.ts';
import { loadSqlite } from './sql/sqlite.ts';
import { noState, STATE, type Store } from './store.ts';

export interface Companion {
  path: string;
  format: Format;
  /** The table or view whose rows are counted. */
  table: string;
  /** What these rows are, in a sentence. */
  holds: string;
}

/** Number of rows of each companion, by the name of its table. */
type RowCounts = Readonly<Record<string, number>>;

/** The table of a copy that holds the companions' files, in parts. A companion's name is that of its table. */
export const MAKE_CARRIED =
  'create table carried (name text not null, part integer not null, bytes blob not null, primary key (name, part)) strict';

export interface BackupOptions {
  source: string;
  /** The home, by default the directory of `source`. The two differ if `relay.db` in the home is a link to `source`. */
  home?: string;
  /** The companions, which go into the copy too. */
  companions?: readonly Companion[];
  /** Path of the copy, as the person gave it. */
  file: string;
  /** True to replace an earlier copy. */
  force: boolean;
  /** The disk for the copy; tests pass one that fails. */
  disk?: Disk;
}

export interface Backup {
  path: string;
  sizeBytes: number;
  schemaVersion: number;
  /** When the copied state was last saved, Unix milliseconds. */
  savedAt: number;
  keptPlaylists: number;
  /** Rows of the companions that are in the copy. */
  rows: RowCounts;
  /** The companions that are not in the copy although they have a file, and why. */
  left: Array<{ companion: Companion; why: string }>;
}

/**
 * Copies the state as it is on disk now. A failure leaves no half copy, and an earlier copy stays as it was.
 * @throws RelayError `NOT_FOUND` without a state, `STATE_DAMAGED`, `STATE_TOO_NEW`, `USAGE` for a path that cannot be used,
 * `STORE_ERROR` if the disk fails
 * @throws RelayError `STORE_ERROR` if a companion is damaged, or was and has been begun again: an earlier copy may have more
 */
export async function backUpState(options: BackupOptions): Promise<Backup> {
  const { source, companions = [], disk = machineDisk } = options;
  const state = await openDatabaseFile({
    ...{ path: source, format: STATE, onDamage: 'refuse', disk: readOnlyDisk },
    ...{ clock: systemClock, log: silentLog, sqlite: loadSqlite },
  });
  try {
    const { schemaVersion, lastSavedAt } = state.state();
    if (lastSavedAt === null) throw noState(dirname(source));
    const path = await placeFor(options);
    const { rows, left } = carry(await loadSqlite(), state, companions);
    if (await exists(path)) await requireWhole(path, companions, left);
    const { parts, length } = state.image();
    await write(options, disk, path, parts).catch((error) => {
      throw error instanceof RelayError ? error : cannotWrite(path, error);
    });
    const keptPlaylists = state.get<{ count: number }>('select count(*) as count from keeps')?.count ?? 0;
    return { path, sizeBytes: length, schemaVersion, savedAt: lastSavedAt, keptPlaylists, rows, left };
  } finally {
    await state.close(true);
  }
}

/** Puts the companions into the copy. One that cannot be used is left out. */
function carry(
  SQL: SqlJsStatic,
  copy: Store,
  companions: readonly Companion[],
): Pick<Backup, 'rows' | 'left'> {
  const rows: Record<string, number> = {};
  const left: Backup['left'] = [];
  for (const companion of companions) {
    try {
      withDiskFile(companion.path, (file) => {
        const count = checkedRows(SQL, file, companion);
        if (Object.keys(rows).length === 0) copy.run(MAKE_CARRIED);
        rows[companion.table] = count;
        let part = 0;
        // One statement for each part: a transaction would hold all of them in memory twice.
        for (const bytes of partsOf(file))
          copy.run('insert into carried values (?, ?, ?)', [companion.table, part++, bytes]);
      });
    } catch (error) {
      // A file that is only half in the copy would spoil the copy.
      if (companion.table in rows) throw error;
      if (systemCodeOf(error) !== 'ENOENT') left.push({ companion, why: messageOf(error) });
    }
  }
  return { rows, left };
}

/** Counts the rows of a companion's file. @throws Error that says why the file cannot be used */
export function checkedRows(SQL: SqlJsStatic, file: DiskFile, { format, table }: Companion): number {
  const db = openSound(SQL, file, format);
  try {
    const version = versionOf(db);
    const known = format.migrations.filter((migration) => migration.version <= version);
    if (version > newestOf(format.migrations))
      throw new Error('a newer relay has changed it; back up with that relay');
    requireOurs(SQL, firstValue(db, SCHEMA_TEXT), { ...format, migrations: known });
    return Number(firstValue(db, `select count(*) from ${table}`));
  } finally {
    db.close();
  }
}

/** Opens a database, which is read from the disk, and checks it for damage. @throws Error that says what is wrong with the file */
function openSound(SQL: SqlJsStatic, file: DiskFile, format: Format): Database {
  const problem = headerProblem(file.read(0, 100), file.size, format);
  if (problem !== null) throw new Error(problem);
  const db = new SQL.Database(file.bytes);
  try {
    const verdict = firstValue(db, 'pragma quick_check(1)');
    if (verdict !== 'ok') throw new Error(String(verdict));
    return db;
  } catch (error) {
    db.close();
    throw new Error(`SQLite reports damage (${messageOf(error)})`);
  }
}

/** Selects what a database consists of, as one text. */
export const SCHEMA_TEXT = `select json_group_array(json_array(type, name, tbl_name, sql)) as text
  from (select * from sqlite_schema order by type, name)`;

/**
 * Refuses a database that this program did not make: its tables, indices, views and triggers must have the very text that the
 * program gives them.
 * @param found what `SCHEMA_TEXT` selects there
 * @param besides SQL for what it may have besides
 * @throws Error that says so
 */
export function requireOurs(SQL: SqlJsStatic, found: unknown, format: Format, besides = ''): void {
  const model = new SQL.Database(freshImage(SQL, format));
  if (besides) model.exec(besides);
  const ours = firstValue(model, SCHEMA_TEXT);
  model.close();
  if (found !== ours) throw new Error('its tables are not those that relay makes');
}

/** Refuses to replace an earlier copy while a companion is damaged, or a damaged one is still beside its present file. */
async function requireWhole(
  path: string,
  companions: readonly Companion[],
  [left]: Backup['left'],
): Promise<void> {
  const poorer = ({ path: from, holds }: Companion, why: string) =>
    new RelayError(
      'STORE_ERROR',
      `${path} was not replaced. The new copy may lack ${holds}: ${basename(from)} ${why}.`,
      {
        remedy: `Give the new copy another name. Restoring the earlier one brings the ${holds} back, with its older jobs and kept playlists.`,
      },
    );
  if (left) throw poorer(left.companion, `cannot be used (${left.why})`);
  for (const companion of companions) {
    const names: string[] = await readdir(dirname(companion.path)).catch(() => []);
    if (names.some((name) => name.startsWith(`${basename(companion.path)}.damaged-`)))
      throw poorer(companion, 'was damaged, and a new one was begun');
  }
}

/** Writes the copy. It gets its name only once it is complete, on the disk, and read back. */
async function write(
  { force }: BackupOptions,
  disk: Disk,
  path: string,
  parts: Iterable<Uint8Array>,
): Promise<void> {
  await removeStaleTemps(path).catch(() => {});
  const temp = tempPathFor(path);
  try {
    await disk.writeSynced(temp, parts);
    const SQL = await loadSqlite();
    withDiskFile(temp, (copy) => openSound(SQL, copy, STATE).close());
    if (!force && (await exists(path))) throw taken(path);
    await disk.rename(temp, path);
  } finally {
    await disk.remove(temp).catch(() => {});
  }
  await disk.syncDirectory(dirname(path));
}

/**
 * Returns the absolute path of the copy. Follows a symbolic link, so that the copy does not replace the link.
 * @throws RelayError `USAGE` for a path that cannot be used
 */
async function placeFor({ source, home = dirname(source), file, force }: BackupOptions): Promise<string> {
  const path = await realpath(file).catch(() => resolve(file));
  const found = await stat(path).catch(() => null);
  const folder = found || !/[\\/]$/.test(file) ? dirname(path) : path;
  if (!(await stat(folder).catch(() => null))?.isDirectory())
    throw refused(`There is no directory ${folder}.`, 'Create it first, or give another path.');
  if (found && isSame(found, await stat(source)))
    throw refused(`${path} is the state file itself.`, 'Give the copy another name.');
  if (await isOwnFile(path, await realpath(home)))
    throw refused(
      `${path} is the place of a file that relay itself uses.`,
      'Give the copy another name, or put it into another directory.',
    );
  if (!found) return path;
  if (found.isDirectory())
    throw refused(`${path} is a directory.`, 'Give the name of a file in it, like `relay.backup`.');
  if (!force) throw taken(path);
  // A typo must not overwrite the master key.
  if (!found.isFile() || !(await isCopy(path)))
    throw refused(
      `${path} is not a copy of the state, so it was not replaced.`,
      'Give another path, or remove it yourself first.',
    );
  return path;
}

/** True if both are the same file, perhaps by another name. */
export function isSame(one: Stats, other: Stats | null): boolean {
  return one.ino === other?.ino && one.dev === other.dev;
}

/** True if `path` is where relay keeps a file of the home at `known`, of the demo's home, or of any home that was used. */
async function isOwnFile(path: string, known: string): Promise<boolean> {
  if (!isOwnName(basename(path)) && basename(path) !== 'oauth-clients.json') return false;
  const home = await realpath(dirname(path));
  const has = (name: string) => exists(join(home, name));
  if ([known, join(known, DEMO), dirname(known)].includes(home) && (await has('relay.db'))) return true;
  // A directory of copies has neither a lock nor a log, even if the copy in it is called relay.db.
  return (await has('relay.lock')) || has('relay.log');
}

/** True for a copy of a state, even if it is cut off after its beginning. */
async function isCopy(path: string): Promise<boolean> {
  const start = await readStart(path, 100).catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
  return headerProblem(start, Number.POSITIVE_INFINITY, STATE) === null;
}

function taken(path: string): RelayError {
  return refused(`${path} already exists.`, 'Give another name, or replace an earlier copy with --force.');
}

function refused(message: string, remedy: string): RelayError {
  return new RelayError('USAGE', message, { remedy });
}

function cannotWrite(path: string, error: unknown): RelayError {
  const { what, remedy } = diskProblem(error);
  return new RelayError('STORE_ERROR', `The copy cannot be written to ${path}: ${what}.`, {
    remedy: `${remedy}, or give another path.`,
    cause: error,
  });
}
