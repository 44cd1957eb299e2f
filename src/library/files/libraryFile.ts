/**
 * One of the library's files: opened when it is used, saved as a whole, and closed after a minute without use, since sql.js
 * keeps a database in memory.
 */
import { rm, stat } from 'node:fs/promises';
import type { Database, SqlJsStatic } from 'sql.js';
import { later } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { readRegularFile, removeStaleTemps, renameOver, replaceFile, UnreadFile } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import { nullIfMissing } from '../../base/thrown.ts';
import { messageOf, RelayError } from '../../domain/errors.ts';
import { createPagedFile } from '../../store/sql/pagedFile.ts';
import { createSql, type Sql } from '../../store/sql/sql.ts';

const IDLE_MS = 60_000;
/** Maximum size of a file. Any library is smaller; a foreign file in its place must not fill the memory. */
const MAX_BYTES = 512 * 1024 * 1024;
const FOR_MEMORY =
  'pragma journal_mode = memory; pragma synchronous = off; pragma temp_store = memory; pragma cache_spill = off; pragma cache_size = -1000;';

/** How one kind of file differs from another. */
export interface FileKind {
  /** Makes the tables in an empty database. */
  make(db: Database): void;
  /**
   * Checks the content of a file, and brings an older one up to date.
   * @throws RelayError `STATE_DAMAGED` or `STATE_TOO_NEW` if another version of relay wrote the file, which then stays; any other
   * error if it cannot be used
   */
  prepare(db: Database, path: string): void;
  /** What becomes of a file that cannot be used. `drop` deletes it, since its content can be read again. */
  damaged: 'drop' | 'put_aside';
  /** Pragmas in addition to `FOR_MEMORY`. */
  settings?: string;
}

export interface LibraryFile {
  readonly path: string;
  /** True if the database is open or its file exists. Does not open the file. */
  exists(): Promise<boolean>;
  /**
   * Runs work on the database, which stays open meanwhile. Opens the file, or makes the database if there is none.
   * @throws RelayError `STORE_ERROR` if the file cannot be read now; `STATE_DAMAGED` or `STATE_TOO_NEW` if only another version of
   * relay may use it; errors of `work`
   */
  use<T>(work: (sql: Sql) => T | Promise<T>): Promise<T>;
  /**
   * Writes the whole file if anything has changed since the last save, and waits until it is on the disk. Does not open a
   * closed file.
   * @throws RelayError `STORE_ERROR`
   */
  save(): Promise<void>;
  /**
   * Replaces a file that others have found damaged. If the database is open, writes it once more; otherwise the file is dropped or
   * put aside.
   */
  replaceDamaged(): Promise<void>;
  /** Returns the message that a damaged file was put aside, and where; null if none was since the last call. */
  news(): string | null;
  /** Deletes the file and the database in memory. */
  drop(): Promise<void>;
  /** Saves and frees the memory. Only logs a save that fails. */
  close(): Promise<void>;
  /** Size of the file in bytes, as last read or saved; 0 if there is none, or if it was not opened yet. */
  readonly size: number;
}

export interface LibraryFileOptions {
  path: string;
  kind: FileKind;
  clock: Clock;
  log: Log;
  /** The disk that holds the file; the machine's own by default. */
  disk?: FileDisk | undefined;
  /** Loads SQLite. A thread has its own. */
  sqlite(): Promise<SqlJsStatic>;
}

/** Where a file of the library is kept. */
export interface FileDisk {
  /** Removes what an earlier process has left half written. */
  clean(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /**
   * Reads the content of a file; null if there is none.
   * @throws UnreadFile if this cannot be a file of the library; another error if the file cannot be read now
   */
  read(path: string): Promise<Uint8Array | null>;
  /** Resolves once the content is on the disk. */
  replace(path: string, parts: readonly Uint8Array[]): Promise<void>;
  remove(path: string): Promise<void>;
  putAside(path: string, aside: string): Promise<void>;
}

const MACHINE: FileDisk = {
  clean: (path) =>
    removeStaleTemps(path).then(
      () => {},
      () => {},
    ),
  exists: (path) =>
    stat(path).then(
      (found) => found.isFile(),
      () => false,
    ),
  read: async (path) => (await readRegularFile(path, MAX_BYTES).catch(nullIfMissing))?.bytes ?? null,
  replace: async (path, parts) => void (await replaceFile(path, parts)),
  remove: (path) => rm(path, { force: true }),
  putAside: async (path, aside) => void (await renameOver(path, aside)),
};

interface Open {
  db: Database;
  sql: Sql;
  savedVersion: number;
}

export function createLibraryFile({
  path,
  kind,
  clock,
  log,
  disk = MACHINE,
  sqlite,
}: LibraryFileOptions): LibraryFile {
  const settings = `${FOR_MEMORY} ${kind.settings ?? ''}`;
  let open: Open | null = null;
  let opening: Promise<Open> | null = null;
  let saving: Promise<void> = Promise.resolve();
  let idle = new AbortController();
  let size = 0;
  let stopped = false;
  let aside: string | null = null;
  /** Number of callers that wait for the database or work on it; while there are any, it must not be closed. */
  let users = 0;

  function database(): Promise<Open> {
    if (open) return Promise.resolve(open);
    opening ??= load().finally(() => {
      opening = null;
    });
    return opening;
  }

  async function load(): Promise<Open> {
    const SQL = await sqlite();
    await disk.clean(path);
    const bytes = await content();
    size = bytes === 'unusable' ? 0 : (bytes?.length ?? 0);
    const loaded = bytes && bytes !== 'unusable' ? opened(SQL, bytes) : null;
    if (bytes && !loaded) await discard();
    open = loaded ?? fresh(SQL);
    return open;
  }

  /**
   * Reads the content of the file; null if there is none. Returns `unusable` for what is not a file of the library, and for a
   * copy that cannot be read now, since Spotify has its content. Leaves any other file that cannot be read in place.
   * @throws RelayError `STORE_ERROR`
   */
  async function content(): Promise<Uint8Array | 'unusable' | null> {
    try {
      return await disk.read(path);
    } catch (error) {
      if (error instanceof UnreadFile || kind.damaged === 'drop') return 'unusable';
      throw new RelayError('STORE_ERROR', `${path} cannot be read: ${messageOf(error)}.`, {
        remedy: 'Make it readable for its owner, or move it to another place to begin a new one.',
        cause: error,
      });
    }
  }

  /**
   * Opens the database in a file's content; null if the file cannot be used.
   * @throws RelayError as `FileKind.prepare` does
   */
  function opened(SQL: SqlJsStatic, bytes: Uint8Array): Open | null {
    let db: Database | null = null;
    try {
      const paged = createPagedFile(bytes);
      db = new SQL.Database(paged.bytes);
      db.exec(settings);
      kind.prepare(db, path);
      return { db, sql: createSql(db, paged), savedVersion: 0 };
    } catch (error) {
      db?.close();
      if (error instanceof RelayError) throw error;
      log.info({ path, reason: messageOf(error) }, 'a file of the library could not be used');
      return null;
    }
  }

  /**
   * Makes a new database. Its tables are made in a first, temporary database. The second database works on the content of the
   * first as a paged file, which can be saved without copying the content.
   */
  function fresh(SQL: SqlJsStatic): Open {
    const first = new SQL.Database();
    kind.make(first);
    const paged = createPagedFile(first.export());
    first.close();
    const db = new SQL.Database(paged.bytes);
    db.exec(settings);
    return { db, sql: createSql(db, paged), savedVersion: -1 };
  }

  async function discard(): Promise<void> {
    if (kind.damaged === 'drop') return disk.remove(path);
    const other = `${path}.damaged-${clock.now()}`;
    await disk.putAside(path, other);
    aside = `${path} was damaged. It was put aside as ${other}, and a new one is begun.`;
    log.warn({ path, aside: other }, aside);
  }

  async function write(): Promise<void> {
    if (!open || open.sql.version() === open.savedVersion) return;
    const version = open.sql.version();
    const saved = open;
    const { parts, length } = open.sql.image();
    try {
      await disk.replace(path, parts);
    } catch (error) {
      throw new RelayError('STORE_ERROR', `The library cannot be saved to ${path}: ${messageOf(error)}.`, {
        remedy: 'Free some space, or make the directory writable for its owner.',
        cause: error,
      });
    }
    size = length;
    saved.savedVersion = version;
  }

  /** Saves run one at a time, in the order of the calls. */
  function save(): Promise<void> {
    const mine = saving.then(write);
    saving = mine.catch(() => {});
    return mine;
  }

  function closeDatabase(): void {
    idle.abort();
    open?.sql.close();
    open?.db.close();
    open = null;
  }

  function restLater(): void {
    idle.abort();
    if (stopped) return;
    idle = new AbortController();
    const { signal } = idle;
    later(clock, IDLE_MS, signal, async () => {
      await save().catch(() => {});
      if (signal.aborted || users > 0) return;
      // What could not be saved stays in memory.
      if (open && open.sql.version() === open.savedVersion) closeDatabase();
    });
  }

  /** Does some work during which the database is not closed. */
  async function held<T>(work: () => Promise<T>): Promise<T> {
    users += 1;
    idle.abort();
    try {
      return await work();
    } finally {
      users -= 1;
      if (users === 0) restLater();
    }
  }

  return {
    path,
    exists: async () => open !== null || (await disk.exists(path)),
    use: (work) => held(async () => work((await database()).sql)),
    save,
    replaceDamaged: () =>
      held(async () => {
        if (!open) return discard();
        // The content in memory is complete, whatever happened to the file.
        open.savedVersion = -1;
        await save();
      }),
    news() {
      const told = aside;
      aside = null;
      return told;
    },
    async drop() {
      await opening?.catch(() => {});
      await saving;
      closeDatabase();
      await disk.remove(path);
      size = 0;
    },
    async close() {
      stopped = true;
      await opening?.catch(() => {});
      await save().catch((error) =>
        log.warn({ path, reason: messageOf(error) }, 'the library was not saved'),
      );
      closeDatabase();
    },
    get size() {
      return size;
    },
  };
}
