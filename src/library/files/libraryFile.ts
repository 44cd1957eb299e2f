/** One of the library's files: opened when it is used, and closed after a minute without use, since sql.js keeps it in memory. */
import { later } from '../../base/abort.ts';
import { messageOf } from '../../domain/errors.ts';
import {
  type DatabaseFile,
  type DatabaseFileOptions,
  openDatabaseFile,
  putAway,
} from '../../store/databaseFile.ts';
import { machineDisk } from '../../store/disk.ts';
import type { Sql } from '../../store/sql/sql.ts';

const IDLE_MS = 60_000;
const LAZY_MS = 6 * 3_600_000;

/** The database, which also gives its image. */
export type LibrarySql = Sql & Pick<DatabaseFile, 'image'>;

export interface LibraryFile {
  readonly path: string;
  /** True if the database is open or its file exists. Does not open the file. */
  exists(): Promise<boolean>;
  /**
   * Runs work on the database, which stays open meanwhile. Opens the file, or makes the database if there is none.
   * @throws RelayError `STORE_ERROR` if the file cannot be read now; `STATE_DAMAGED` or `STATE_TOO_NEW` if only another version of
   * relay may use it; errors of `work`
   */
  use<T>(work: (sql: LibrarySql) => T | Promise<T>): Promise<T>;
  /**
   * Writes the whole file if anything has changed since the last save, and waits until it is on the disk. Does not open a
   * closed file.
   * @throws RelayError `STORE_ERROR`
   */
  save(): Promise<void>;
  /** With true, what changes from now on is saved hours later unless somebody saves it, and the file stays open until then. */
  lazily(is: boolean): void;
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

export function createLibraryFile(options: DatabaseFileOptions): LibraryFile {
  const { path, clock, log, disk = machineDisk } = options;
  let file: DatabaseFile | null = null;
  let opening: Promise<DatabaseFile> | null = null;
  let idle = new AbortController();
  let size = 0;
  let stopped = false;
  let isLazy = false;
  let notice: string | null = null;
  /** Number of callers that wait for the database or work on it; while there are any, it must not be closed. */
  let users = 0;

  function database(): Promise<DatabaseFile> {
    if (file) return Promise.resolve(file);
    opening ??= open().finally(() => {
      opening = null;
    });
    return opening;
  }

  async function open(): Promise<DatabaseFile> {
    file = await openDatabaseFile(options);
    notice = file.notice ?? notice;
    size = file.state().sizeBytes;
    return file;
  }

  async function save(): Promise<void> {
    const saved = file;
    await saved?.saveNow();
    if (saved) size = saved.state().sizeBytes;
  }

  async function leave(): Promise<void> {
    idle.abort();
    const left = file;
    file = null;
    await left?.close(true);
  }

  function restLater(): void {
    idle.abort();
    if (stopped) return;
    idle = new AbortController();
    const { signal } = idle;
    later(clock, isLazy && file?.state().unsavedChanges ? LAZY_MS : IDLE_MS, signal, async () => {
      await save().catch(() => {});
      if (signal.aborted || users > 0) return;
      // What could not be saved stays in memory.
      if (file && !file.state().unsavedChanges) await leave();
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
    exists: async () => file !== null || (await disk.markOf(path)) !== null,
    use: (work) => held(async () => work(await database())),
    save,
    lazily(is) {
      isLazy = is;
    },
    replaceDamaged: () =>
      held(async () => {
        // The content in memory is complete, whatever happened to the file.
        if (file) await file.rewrite();
        else notice = (await putAway(options)) ?? notice;
      }),
    news() {
      const told = notice;
      notice = null;
      return told;
    },
    async drop() {
      await opening?.catch(() => {});
      await leave();
      await disk.remove(path);
      size = 0;
    },
    async close() {
      stopped = true;
      await opening?.catch(() => {});
      await save().catch((error) =>
        log.warn({ path, reason: messageOf(error) }, 'the library was not saved'),
      );
      await leave();
    },
    get size() {
      return size;
    },
  };
}
