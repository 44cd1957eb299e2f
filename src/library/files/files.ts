/** `library.db`, `memory.db` and `plays.db`. Each is opened when it is first used, and then stays in memory. */
import { join } from 'node:path';
import { messageOf } from '../../domain/errors.ts';
import type { Companion } from '../../store/backup.ts';
import {
  type DatabaseFile,
  type DatabaseFileOptions,
  openDatabaseFile,
  putAway,
} from '../../store/databaseFile.ts';
import { machineDisk } from '../../store/disk.ts';
import { MEMORY, MIRROR, PLAYS } from './schema.ts';

type Place = Pick<DatabaseFileOptions, 'clock' | 'log' | 'disk' | 'sqlite'> & { home: string };

const SMALL_CACHE = 'pragma cache_size = -1000;';

const FILES = {
  /** The copy can be read again, so a file that is damaged or of another version is dropped. */
  'library.db': { format: MIRROR, onDamage: 'drop', settings: SMALL_CACHE },
  'memory.db': { format: MEMORY, onDamage: 'aside', settings: SMALL_CACHE },
  /**
   * May take a hundred megabytes. Only the thread of an import opens it; others only ask whether it exists, drop it, or put a damaged
   * one aside. An import is one large transaction, and one that fails is never saved. So its changes may go to the file in memory
   * before it ends, without a journal: otherwise they would be in memory twice.
   */
  'plays.db': {
    format: PLAYS,
    onDamage: 'aside',
    settings: 'pragma journal_mode = off; pragma cache_spill = on; pragma cache_size = -24000;',
  },
} as const;

export type LibraryFile = ReturnType<typeof libraryFile>;

export function libraryFile(
  name: keyof typeof FILES,
  { home, clock, log, disk = machineDisk, sqlite }: Place,
) {
  const path = join(home, name);
  const options = { path, ...FILES[name], clock, log, disk, sqlite };
  let file: DatabaseFile | null = null;
  let opening: Promise<DatabaseFile> | null = null;
  let notice: string | null = null;

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
    return file;
  }

  /** Frees the memory without saving. */
  async function leave(): Promise<void> {
    await opening?.catch(() => {});
    const left = file;
    file = null;
    await left?.close(true);
  }

  async function save(): Promise<void> {
    await file?.saveNow();
  }

  return {
    path,
    /** True if the database is open or its file exists. Does not open the file. */
    exists: async () => file !== null || (await disk.markOf(path)) !== null,
    /**
     * Runs work on the database. Opens the file, or makes the database if there is none.
     * @throws RelayError `STORE_ERROR` if the file cannot be read now; `STATE_DAMAGED` or `STATE_TOO_NEW` if only another version of
     * relay may use it; errors of `work`
     */
    use: async <T>(work: (sql: DatabaseFile) => T | Promise<T>): Promise<T> => work(await database()),
    /**
     * Writes the whole file if anything has changed since the last save, and waits until it is on the disk. Does not open the file.
     * @throws RelayError `STORE_ERROR`
     */
    save,
    /** Replaces a file that others have found damaged: with the content in memory, which is whole, or it is dropped or put aside. */
    async replaceDamaged(): Promise<void> {
      await opening?.catch(() => {});
      if (file) await file.rewrite();
      else notice = (await putAway(options)) ?? notice;
    },
    /** Returns the message that a damaged file was put aside, and where; null if none was since the last call. */
    news(): string | null {
      const told = notice;
      notice = null;
      return told;
    },
    /** Deletes the file and the database in memory. */
    async drop(): Promise<void> {
      await leave();
      await disk.remove(path);
    },
    /** Saves and frees the memory. Only logs a save that fails. */
    async close(): Promise<void> {
      await opening?.catch(() => {});
      await save().catch((error) =>
        log.warn({ path, reason: messageOf(error) }, 'the library was not saved'),
      );
      await leave();
    },
    /** Size of the file in bytes, as last read or saved; 0 if there is none, or if it was not opened yet. */
    get size(): number {
      return file?.state().sizeBytes ?? 0;
    },
  };
}

/** Describes for `relay backup` and `relay restore` the files that go into a copy, since they cannot be read again. */
export function companionsOf(home: string): Companion[] {
  return [
    { path: join(home, 'memory.db'), format: MEMORY, table: 'versions', holds: 'playlist versions' },
    { path: join(home, 'plays.db'), format: PLAYS, table: 'plays', holds: 'plays' },
  ];
}
