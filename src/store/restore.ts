/** Reads a copy of a state, and puts what it carries in the place of a home's files, which are kept under other names. */
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Database, SqlJsStatic } from 'sql.js';
import { type Clock, stampOf } from '../base/clock.ts';
import { exists, removeStaleTemps, tempPathFor } from '../base/files.ts';
import { silentLog } from '../base/log.ts';
import { messageOf, RelayError } from '../domain/errors.ts';
import { type Companion, carries, checkedRows, formatAt, isSame, openSound, requireOurs } from './backup.ts';
import {
  type Disk,
  diskProblem,
  type FileContent,
  machineDisk,
  openDatabaseFile,
  readOnlyDisk,
} from './databaseFile.ts';
import { type DiskFile, openDiskFile, partsOf } from './sql/diskFile.ts';
import { type Format, firstValue, headerProblem, newestOf } from './sql/migrate.ts';
import { loadSqlite } from './sql/sqlite.ts';
import { STATE, type Store, stateFilePath } from './store.ts';

export interface Copy {
  /** Absolute path of the copy. */
  path: string;
  /** When the copy was last written, Unix milliseconds. */
  savedAt: number;
  /** The state in the copy, at the present schema. What changes in it is in `image()` only. */
  store: Store;
  /** The companions that the copy carries. */
  companions: readonly Companion[];
  /** Reads a companion's file, in parts. */
  partsOf(companion: Companion): Iterable<Uint8Array>;
  /** Counts the rows of a companion whose file was written to a path. @throws RelayError `STATE_DAMAGED` if the file cannot be used */
  countIn(written: string, companion: Companion): number;
  close(): Promise<void>;
}

/**
 * Opens a copy, and checks that it is a sound one of this program. Changes nothing on disk.
 * @param given the path as the person gave it
 * @param companions those that the copy may carry
 * @throws RelayError `USAGE` if there is no such file, or it is the state file of `home` itself; `STATE_DAMAGED`; `STATE_TOO_NEW`;
 * `HOME_UNUSABLE` if this user may not read the file
 */
export async function openCopy(
  given: string,
  home: string,
  clock: Clock,
  companions: readonly Companion[] = [],
): Promise<Copy> {
  const path = resolve(given);
  await requireOtherFile(path, await stateFilePath(home));
  const SQL = await loadSqlite();
  const file = openToRead(path);
  let db: Database | null = null;
  try {
    const start = file.read(0, 100);
    const only = companions.find(({ format }) => headerProblem(start, file.size, format) === null);
    if (only) throw noCopy(`${path} has only ${only.holds}, and no state.`);
    db = openSound(SQL, file, STATE);
    const store = await stateIn(SQL, db, path, file.savedAt, clock);
    return { path, savedAt: file.savedAt, store, ...carriedIn(SQL, db, path, companions), close };

    async function close(): Promise<void> {
      await store.close();
      db?.close();
      file.close();
    }
  } catch (error) {
    db?.close();
    file.close();
    throw error instanceof RelayError ? error : unsound(path, messageOf(error));
  }
}

/** Takes the state out of a copy. Its rows go into a database in memory, so that what the copy carries is not read. */
async function stateIn(
  SQL: SqlJsStatic,
  db: Database,
  path: string,
  savedAt: number,
  clock: Clock,
): Promise<Store> {
  const version = Number(firstValue(db, 'pragma user_version'));
  const newest = newestOf(STATE.migrations);
  if (version > newest) throw tooNew(path, version, newest);
  requireOurs(SQL, db, STATE);
  const taken = await openInMemory(formatAt(STATE, version), clock, null);
  try {
    // sql.js gives the file of each database a name, by which another database can attach it.
    const name = db.exec('pragma database_list')[0]?.values[0]?.[2];
    taken.run('pragma foreign_keys = off');
    taken.run('attach ? as copy', [String(name)]);
    for (const { table } of taken.all<{ table: string }>(TABLES))
      taken.run(`insert or replace into main.${table} select * from copy.${table}`);
    taken.run('detach copy');
    const bytes = Buffer.concat(taken.image().parts);
    return await openInMemory(STATE, clock, { bytes, savedAt });
  } finally {
    await taken.close();
  }
}

const TABLES = `select name as "table" from main.sqlite_schema where type = 'table'`;

/** Opens a state whose changes are saved nowhere: an empty one without `content`. */
function openInMemory(format: Format, clock: Clock, content: FileContent | null): Promise<Store> {
  return openDatabaseFile({
    ...{ path: 'relay.db', format, onDamage: 'refuse', clock, log: silentLog, sqlite: loadSqlite },
    disk: { ...readOnlyDisk, prepare: async (path) => path, read: async () => content },
  });
}

function carriedIn(SQL: SqlJsStatic, db: Database, path: string, companions: readonly Companion[]) {
  const names = carries(db) ? (db.exec('select distinct name from carried')[0]?.values.flat() ?? []) : [];
  return {
    companions: companions.filter(({ table }) => names.includes(table)),
    *partsOf({ table }: Companion) {
      for (let part = 0; ; part++) {
        const found = db.exec('select bytes from carried where name = ? and part = ?', [table, part])[0];
        const bytes = found?.values[0]?.[0];
        if (!(bytes instanceof Uint8Array)) return;
        yield bytes;
      }
    },
    countIn(written: string, companion: Companion): number {
      const file = openDiskFile(written);
      try {
        return checkedRows(SQL, file, companion);
      } catch (error) {
        throw unsound(path, `its ${companion.holds} cannot be used: ${messageOf(error)}`);
      } finally {
        file.close();
      }
    },
  };
}

const MADE_BY_BACKUP = {
  text: 'Nothing was changed. Give the path of a file made by {command}.',
  command: ['backup'],
};

async function requireOtherFile(path: string, statePath: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found) throw noCopy(`There is no file ${path}.`);
  if (!found.isFile()) throw noCopy(`${path} is not a file.`);
  if (isSame(found, await stat(statePath).catch(() => null)))
    throw noCopy(`${path} is the state file itself: there is nothing to restore.`);
}

function openToRead(path: string): DiskFile {
  try {
    return openDiskFile(path);
  } catch (error) {
    throw new RelayError('HOME_UNUSABLE', `${path} cannot be read: ${messageOf(error)}.`, {
      remedy: 'The state of this home is unchanged. Make the copy readable for this user.',
      cause: error,
    });
  }
}

function noCopy(message: string): RelayError {
  return new RelayError('USAGE', message, { remedy: MADE_BY_BACKUP });
}

function unsound(path: string, problem: string): RelayError {
  return new RelayError('STATE_DAMAGED', `${path} is not a sound relay backup: ${problem}.`, {
    remedy: 'The state of this home is unchanged. Restore another copy.',
    details: { path },
  });
}

/** Makes the error for a copy of a newer program: the copy cannot be checked, since its schema is not known here. */
function tooNew(path: string, schemaVersion: number, expectedVersion: number): RelayError {
  return new RelayError(
    'STATE_TOO_NEW',
    `The copy ${path} has schema ${schemaVersion}; this program knows ${expectedVersion}.`,
    {
      remedy: 'The state of this home is unchanged. Restore with the newer relay that made the copy.',
      details: { path, schemaVersion, expectedVersion },
    },
  );
}

export interface Replacement {
  path: string;
  content: Iterable<Uint8Array>;
  /** Checks what was written, before any file is replaced. */
  check?(written: string): void;
}

export interface Replaced {
  path: string;
  /** Where the previous file is kept; null if there was none. */
  keptPath: string | null;
}

/**
 * Replaces database files of a home, whose lock this process must hold, and keeps the old ones under other names. A failure leaves
 * everything as it was. The state comes last: if the process is killed before that, restoring again repairs the home.
 * @throws RelayError `STORE_ERROR`; errors of `check`
 */
export async function replaceFiles(
  files: readonly Replacement[],
  clock: Clock,
  disk: Disk = machineDisk,
): Promise<Replaced[]> {
  const written: Array<{ path: string; temp: string }> = [];
  const replaced: Replaced[] = [];
  let at = '';
  try {
    for (const { path, content, check } of files) {
      at = path;
      await removeStaleTemps(path);
      const temp = tempPathFor(path);
      written.push({ path, temp });
      await disk.writeSynced(temp, content);
      check?.(temp);
    }
    for (const { path, temp } of written) {
      at = path;
      const keptPath = await keepFile(path, 'before-restore', clock);
      await disk.rename(temp, path).catch(async (error) => {
        if (keptPath !== null) await disk.remove(keptPath);
        throw error;
      });
      replaced.push({ path, keptPath });
      await disk.syncDirectory(dirname(path));
    }
    return replaced;
  } catch (error) {
    for (const { temp } of written) await disk.remove(temp).catch(() => {});
    for (const { path, keptPath } of replaced)
      await (keptPath === null ? disk.remove(path) : disk.rename(keptPath, path)).catch(() => {});
    throw cannotReplace(at, error);
  }
}

/**
 * Copies the file at `path` to `<path>.<why>-<UTC time>`. It is not renamed, so that there is a file at `path` at every moment.
 * @returns the new path; null if there is no file
 */
export async function keepFile(path: string, why: string, clock: Clock): Promise<string | null> {
  if (!(await exists(path))) return null;
  const name = `${path}.${why}-${stampOf(clock.now())}`;
  let kept = name;
  for (let count = 2; await exists(kept); count++) kept = `${name}-${count}`;
  const temp = tempPathFor(path);
  const file = openDiskFile(path);
  try {
    await machineDisk.writeSynced(temp, partsOf(file));
  } finally {
    file.close();
  }
  await machineDisk.rename(temp, kept);
  await machineDisk.syncDirectory(dirname(path));
  return kept;
}

function cannotReplace(path: string, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  const { what, remedy } = diskProblem(error);
  return new RelayError('STORE_ERROR', `The copy cannot replace ${path}: ${what}.`, {
    remedy: `${remedy}, then restore again. Nothing was lost.`,
    cause: error,
  });
}
