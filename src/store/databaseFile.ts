/**
 * A database file: sql.js holds it in memory, and a save replaces the whole file. A save writes the image to a temporary file, syncs
 * it, renames it over the file and syncs the directory. So at every moment the file is a complete database, the old one or the new
 * one. One save runs at a time. A change during a save leads to one more save.
 */
import { dirname } from 'node:path';
import type { SqlJsStatic } from 'sql.js';
import type { Clock } from '../base/clock.ts';
import { tempPathFor, UnreadFile } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { messageOf, RelayError } from '../domain/errors.ts';
import { type Disk, diskProblem, type FileContent, machineDisk } from './disk.ts';
import {
  type Format,
  firstValue,
  freshImage,
  headerProblem,
  IN_MEMORY,
  migrate,
  newestOf,
  requireKnown,
} from './sql/migrate.ts';
import { createPagedFile, type Image } from './sql/pagedFile.ts';
import { createSql, type OpenSql } from './sql/sql.ts';

export interface DatabaseFileOptions {
  path: string;
  format: Format;
  /**
   * What becomes of a file that cannot be used. `refuse`: it stays, and cannot be opened. `aside`: it gets another name. `drop`: it
   * is deleted, since its content can be had again; then a newer or older version counts as damage too.
   */
  onDamage: 'refuse' | 'aside' | 'drop';
  clock: Clock;
  log: Log;
  /** The machine's own by default. */
  disk?: Disk | undefined;
  /** Loads SQLite. A thread has its own. */
  sqlite(): Promise<SqlJsStatic>;
  /** Pragmas in addition to `IN_MEMORY`. */
  settings?: string;
}

interface DatabaseState {
  path: string;
  schemaVersion: number;
  expectedVersion: number;
  /** `ahead`: a newer program wrote the file, but this one may use it. */
  schemaState: 'current' | 'ahead';
  /** `degraded`: the last save failed, and is retried. */
  status: 'ok' | 'degraded';
  /** Why the last save failed, `STORE_ERROR`; null if it did not. */
  failure: RelayError | null;
  /** Size of the file on disk, in bytes; 0 before the first save. */
  sizeBytes: number;
  /** Time of the last save, in Unix milliseconds; null before the first. */
  lastSavedAt: number | null;
  unsavedChanges: boolean;
}

/**
 * The database in memory and its file. Statements are synchronous and see every earlier change. `saveNow`, `saveSoon` or
 * `durable` bring the file up to date.
 */
export type DatabaseFile = ReturnType<typeof assemble>;

/**
 * Opens a database file, and migrates an older one. If there is none, makes the database in memory, and the first save makes the file.
 * @throws RelayError `STATE_DAMAGED`, `STATE_TOO_NEW`; `HOME_UNUSABLE` or `STORE_ERROR` if the file cannot be read now
 */
export async function openDatabaseFile(options: DatabaseFileOptions): Promise<DatabaseFile> {
  const { format, onDamage, log, disk = machineDisk } = options;
  const path = await disk.prepare(options.path);
  const here = { ...options, path, disk };
  // Asked before the content is read: a file that is replaced in between counts as another's.
  const mark = await disk.markOf(path);
  const SQL = await options.sqlite();
  let notice: string | null = null;
  try {
    const file = await readContent(here);
    if (file) {
      const { sql, migrated } = openContent(SQL, file.bytes, here);
      const version = migrated > 0 ? -1 : 0;
      return assemble(here, sql, { version, sizeBytes: file.bytes.length, at: file.savedAt, mark }, null);
    }
  } catch (error) {
    if (onDamage === 'refuse' && error instanceof Damage) throw damaged(path, error.message);
    if (onDamage !== 'drop' && !(error instanceof Damage)) throw error;
    log.info({ path, reason: messageOf(error) }, 'a database file could not be used');
    notice = await putAway(here);
  }
  const { sql } = openContent(SQL, freshImage(SQL, format), here);
  return assemble(here, sql, { version: -1, sizeBytes: 0, at: null, mark: null }, notice);
}

/** Says that the content of a file cannot be used. */
class Damage extends Error {}

type Here = DatabaseFileOptions & { disk: Disk };

async function readContent({ path, onDamage, disk }: Here): Promise<FileContent | null> {
  try {
    return await disk.read(path);
  } catch (error) {
    if (error instanceof UnreadFile || onDamage === 'drop') throw new Damage(messageOf(error));
    const code = onDamage === 'refuse' ? 'HOME_UNUSABLE' : 'STORE_ERROR';
    throw new RelayError(code, `${path} cannot be read: ${messageOf(error)}.`, {
      remedy: 'Make it readable for the user that runs relay.',
      cause: error,
    });
  }
}

/**
 * Opens a database with the content of a file, checks it for damage, and migrates it.
 * @throws Damage; RelayError if the content is of a version that this program does not know
 */
function openContent(
  SQL: SqlJsStatic,
  bytes: Uint8Array,
  { path, format, onDamage, settings = '' }: Here,
): { sql: OpenSql; migrated: number } {
  const problem = headerProblem(bytes, bytes.length, format);
  if (problem !== null) throw new Damage(problem);
  const paged = createPagedFile(bytes);
  const db = new SQL.Database(paged.bytes);
  try {
    // What can be had again is checked by using it.
    const verdict = onDamage === 'drop' ? 'ok' : firstValue(db, 'pragma quick_check(1)');
    if (verdict !== 'ok') throw new Error(String(verdict));
    requireKnown(db, format, path);
    db.exec(`${IN_MEMORY} ${settings}`);
    const migrated = migrate(db, format);
    return { sql: createSql(db, paged), migrated };
  } catch (error) {
    db.close();
    throw error instanceof RelayError ? error : new Damage(`SQLite reports damage (${messageOf(error)})`);
  }
}

function damaged(path: string, problem: string): RelayError {
  const message = `The state file ${path} cannot be used: ${problem}. It was not changed.`;
  const text = 'Restore a copy with {command}, or move the file away to start over.';
  return new RelayError('STATE_DAMAGED', message, {
    remedy: { text, command: ['restore', 'FILE'] },
    details: { path, problem },
  });
}

/** Moves a file that cannot be used out of the way. @returns what to tell the person; null if its content can be had again */
export async function putAway({
  path,
  onDamage,
  clock,
  log,
  disk = machineDisk,
}: Omit<DatabaseFileOptions, 'format' | 'sqlite'>): Promise<string | null> {
  if (onDamage === 'drop') {
    await disk.remove(path);
    return null;
  }
  const aside = `${path}.damaged-${clock.now()}`;
  await disk.rename(path, aside);
  const notice = `${path} was damaged. It was put aside as ${aside}, and a new one is begun.`;
  log.warn({ path, aside }, notice);
  return notice;
}

/**
 * Changes within this time are saved together; with the save itself, that takes less than a second. A file larger than 250 kB is
 * saved less often, to spare the disk: a millisecond later for every 500 bytes. If the disk works, a crash loses at most the
 * changes of the last 20 s that nobody waited for.
 */
const SOON_MS = { least: 500, perByte: 1 / 500, most: 20_000 };
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

/** What the file on disk holds: the version of `Sql`, -1 if it must be saved; time and mark are null if there is no file. */
interface Saved {
  version: number;
  sizeBytes: number;
  at: number | null;
  mark: string | null;
}

interface Save {
  /** Version of the image; null until it is taken. */
  version: number | null;
  done: Promise<void>;
}

function assemble(
  { path, format, onDamage, clock, log, disk }: Here,
  sql: OpenSql,
  found: Saved,
  notice: string | null,
) {
  const schemaVersion = sql.get<{ user_version: number }>('pragma user_version')?.user_version ?? 0;
  const expectedVersion = newestOf(format.migrations);
  const closing = new AbortController();
  let saved = found;
  let running: Save | null = null;
  let soon = false;
  let retrying = false;
  let failure: RelayError | null = null;
  let closed: Promise<void> | null = null;

  function start(): Save {
    const save: Save = { version: null, done: Promise.resolve() };
    running = save;
    save.done = write(save).finally(() => {
      running = null;
    });
    return save;
  }

  async function write(save: Save): Promise<void> {
    // Wait one turn: the caller may be inside a transaction, and other changes of this turn share the image. A caller whose
    // save has just failed undoes its change in this turn, and the image must not hold that change.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      save.version = sql.version();
      const image = sql.image();
      const mark = await replaceFile(image);
      saved = { ...saved, mark };
      await disk.syncDirectory(dirname(path));
      saved = { version: save.version, sizeBytes: image.length, at: clock.now(), mark };
    } catch (error) {
      throw failed(error);
    }
    if (failure) log.info({ path }, 'the file is saved again');
    failure = null;
  }

  async function replaceFile({ parts }: Image): Promise<string | null> {
    const temp = tempPathFor(path);
    try {
      await disk.writeSynced(temp, parts);
      if (onDamage === 'refuse') refuseForeign(path, saved.mark, await disk.markOf(path));
      await disk.rename(temp, path);
    } catch (error) {
      // Half an image would only fill the disk further.
      await disk.remove(temp).catch(() => {});
      throw error;
    }
    return disk.markOf(path);
  }

  function failed(error: unknown): RelayError {
    if (!failure) log.error({ path, err: messageOf(error) }, 'the file cannot be saved; trying again');
    failure = saveError(path, error);
    if (!retrying && !closing.signal.aborted) void retry();
    return failure;
  }

  async function retry(): Promise<void> {
    retrying = true;
    for (let delay = FIRST_RETRY_MS; failure; delay = Math.min(delay * 2, LAST_RETRY_MS)) {
      const stopped = await clock.sleep(delay, closing.signal).then(
        () => false,
        () => true,
      );
      if (stopped) break;
      await rewrite().catch(() => {});
    }
    retrying = false;
  }

  /** Saves even if nothing has changed, to find out if the disk can be written. @throws RelayError `STORE_ERROR` */
  function rewrite(): Promise<void> {
    return (running ?? start()).done;
  }

  /**
   * Resolves when everything changed up to this call is on disk; callers at the same time share one save.
   * @throws RelayError `STORE_ERROR`
   */
  async function saveNow(): Promise<void> {
    const target = sql.version();
    while (saved.version < target) {
      const save = running ?? start();
      const coversTarget = save.version === null || save.version >= target;
      // If a save that began before this change fails, the next one may still succeed.
      await (coversTarget ? save.done : save.done.catch(() => {}));
    }
  }

  /**
   * Saves many changes at once: within a second while the file is small (250 kB), within 20 s at most. A failure shows in
   * `state()` only.
   */
  function saveSoon(): void {
    if (soon || closing.signal.aborted) return;
    soon = true;
    const delay = Math.max(SOON_MS.least, Math.round(saved.sizeBytes * SOON_MS.perByte));
    clock
      .sleep(Math.min(delay, SOON_MS.most), closing.signal)
      .then(() => {
        soon = false;
        return saveNow();
      })
      .catch(() => {});
  }

  async function close(isLeft: boolean): Promise<void> {
    closing.abort(new Error('the file is closed'));
    try {
      if (!isLeft) await saveNow();
    } finally {
      await running?.done.catch(() => {});
      sql.close();
    }
  }

  return {
    ...sql,
    saveNow,
    saveSoon,
    rewrite,
    /**
     * Makes a change that must not be lost: in a transaction, then on disk. If the last save failed, first tries to save again,
     * and changes nothing if that fails too. If the new save fails, `undo` reverses the change in memory. Without `undo` the
     * change stays and is saved later.
     * @throws RelayError `STORE_ERROR`
     */
    async durable<T>(change: () => T, undo?: () => void): Promise<T> {
      if (failure) await rewrite();
      const result = sql.transaction(change);
      try {
        await saveNow();
      } catch (error) {
        if (undo) sql.transaction(undo);
        saveSoon();
        throw error;
      }
      return result;
    },
    state: (): DatabaseState => ({
      path,
      schemaVersion,
      expectedVersion,
      schemaState: schemaVersion > expectedVersion ? 'ahead' : 'current',
      status: failure ? 'degraded' : 'ok',
      failure,
      sizeBytes: saved.sizeBytes,
      lastSavedAt: saved.at,
      unsavedChanges: saved.version < sql.version(),
    }),
    /** Says that a damaged file was put aside when this one was opened, and where; null if none was. */
    notice,
    /** Time of the clock that the file was opened with, Unix milliseconds. */
    now: () => clock.now(),
    /**
     * Saves what is not saved, unless `isLeft`, and frees the memory; the database cannot be used afterwards.
     * @throws RelayError `STORE_ERROR` if the last save failed
     */
    close: (isLeft = false) => (closed ??= close(isLeft)),
  };
}

/**
 * Refuses to save over another process's changes: two containers, or two machines with one network directory, do not see each
 * other's locks. A deleted file may be written again, since this process has the only copy.
 */
function refuseForeign(path: string, known: string | null, found: string | null): void {
  if (found === null || found === known) return;
  throw new RelayError(
    'STORE_ERROR',
    `Another relay process uses this home and has changed ${path}, so this process does not save over it.`,
    {
      remedy:
        'Stop the other process, perhaps in another container or on another machine, and start this one again. Changes that this process has not saved will be lost.',
      details: { path },
    },
  );
}

function saveError(path: string, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  const { what, remedy } = diskProblem(error);
  return new RelayError('STORE_ERROR', `The state cannot be saved to ${path}: ${what}.`, {
    remedy: `${remedy}. relay retries by itself, and nothing already saved is lost.`,
    cause: error,
  });
}
