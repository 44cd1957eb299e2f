/** Reads a copy of a state, and puts what it carries in the place of a home's files, which are kept under other names. */
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Clock, stampOf } from '../base/clock.ts';
import { exists, readStart, removeStaleTemps, tempPathFor } from '../base/files.ts';
import { silentLog } from '../base/log.ts';
import { messageOf, RelayError } from '../domain/errors.ts';
import { type Companion, checkedRows, isSame, MAKE_CARRIED, requireOurs, SCHEMA_TEXT } from './backup.ts';
import { openDatabaseFile } from './databaseFile.ts';
import { type Disk, diskProblem, machineDisk, readOnlyDisk } from './disk.ts';
import { partsOf, withDiskFile } from './sql/diskFile.ts';
import { headerProblem } from './sql/migrate.ts';
import { loadSqlite } from './sql/sqlite.ts';
import { STATE, type Store, stateFilePath } from './store.ts';

export type Copy = Awaited<ReturnType<typeof openCopy>>;

/**
 * Opens a copy, and checks that it is a sound one of this program. Changes nothing on disk. Whoever opens it closes its store.
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
) {
  const path = resolve(given);
  await requireCopy(path, await stateFilePath(home), companions);
  const SQL = await loadSqlite();
  const store = await openDatabaseFile({
    ...{ path, format: STATE, onDamage: 'refuse', disk: readOnlyDisk },
    ...{ clock, log: silentLog, sqlite: loadSqlite },
  }).catch((error: unknown) => {
    throw aboutCopy(path, error);
  });
  try {
    const { schemaVersion, expectedVersion, lastSavedAt } = store.state();
    if (schemaVersion > expectedVersion) throw tooNew(path, schemaVersion, expectedVersion);
    const carries = store.get("select 1 from sqlite_schema where name = 'carried'") !== undefined;
    requireOurs(SQL, store.get<{ text: string }>(SCHEMA_TEXT)?.text, STATE, carries ? MAKE_CARRIED : '');
    const names = carries ? store.all<{ name: string }>('select distinct name from carried') : [];
    return {
      path,
      /** When the copy was last written, Unix milliseconds. */
      savedAt: lastSavedAt ?? 0,
      /** The state in the copy, at the present schema. What changes in it is in `content` only. */
      store,
      companions: companions.filter(({ table }) => names.some(({ name }) => name === table)),
      /** Reads a companion's file, in parts. */
      contentOf: ({ table }: Companion) => carriedParts(store, table),
      /** Counts the rows of a companion whose file was written to a path. @throws RelayError `STATE_DAMAGED` if the file cannot be used */
      countIn(written: string, companion: Companion): number {
        try {
          return withDiskFile(written, (file) => checkedRows(SQL, file, companion));
        } catch (error) {
          throw unsound(path, `its ${companion.holds} cannot be used: ${messageOf(error)}`);
        }
      },
      /** Takes the companions out of the state, and returns its file, in parts. */
      content(): Iterable<Uint8Array> {
        if (carries) for (const sql of ['drop table carried', 'vacuum']) store.run(sql);
        return store.image().parts;
      },
    };
  } catch (error) {
    await store.close(true);
    throw error instanceof RelayError ? error : unsound(path, messageOf(error));
  }
}

function* carriedParts(store: Store, name: string): Generator<Uint8Array> {
  for (let part = 0; ; part++) {
    const sql = 'select bytes from carried where name = ? and part = ?';
    const found = store.get<{ bytes: Uint8Array }>(sql, [name, part]);
    if (!found) return;
    yield found.bytes;
  }
}

/** Refuses a path that leads to no copy, before the whole file is read. @throws RelayError `USAGE`, `STATE_DAMAGED` */
async function requireCopy(path: string, statePath: string, companions: readonly Companion[]): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found) throw noCopy(`There is no file ${path}.`);
  if (!found.isFile()) throw noCopy(`${path} is not a file.`);
  if (isSame(found, await stat(statePath).catch(() => null)))
    throw noCopy(`${path} is the state file itself: there is nothing to restore.`);
  const start = await readStart(path, 100).catch(() => null);
  if (start === null) return;
  const only = companions.find(({ format }) => headerProblem(start, found.size, format) === null);
  if (only) throw noCopy(`${path} has only ${only.holds}, and no state.`);
  const problem = headerProblem(start, found.size, STATE);
  if (problem !== null) throw unsound(path, problem);
}

function noCopy(message: string): RelayError {
  const text = 'Nothing was changed. Give the path of a file made by {command}.';
  return new RelayError('USAGE', message, { remedy: { text, command: ['backup'] } });
}

/** Says of a copy what `openDatabaseFile` says of a state: there is no other file to restore in its place. */
function aboutCopy(path: string, error: unknown): unknown {
  if (!(error instanceof RelayError)) return error;
  const { problem } = error.details ?? {};
  return typeof problem === 'string' ? unsound(path, problem) : error.with({ remedy: UNCHANGED });
}

const UNCHANGED = 'The state of this home is unchanged. Restore another copy.';

function unsound(path: string, problem: string): RelayError {
  const message = `${path} is not a sound relay backup: ${problem}.`;
  return new RelayError('STATE_DAMAGED', message, { remedy: UNCHANGED, details: { path, problem } });
}

/** Makes the error for a copy of a newer program: the copy cannot be checked, since its schema is not known here. */
function tooNew(path: string, schemaVersion: number, expectedVersion: number): RelayError {
  const message = `The copy ${path} has schema ${schemaVersion}; this program knows ${expectedVersion}.`;
  const remedy = 'The state of this home is unchanged. Restore with the newer relay that made the copy.';
  const details = { path, schemaVersion, expectedVersion };
  return new RelayError('STATE_TOO_NEW', message, { remedy, details });
}

export interface Replacement {
  path: string;
  /** Returns the new content, in parts. */
  content(): Iterable<Uint8Array>;
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
      await disk.writeSynced(temp, content());
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
  await withDiskFile(path, (file) => machineDisk.writeSynced(temp, partsOf(file)));
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
