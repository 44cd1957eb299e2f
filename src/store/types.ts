/** The interface of the state. `open.ts` creates it. */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { SaveFs, SaverState } from './file/save.ts';
import type { Migration } from './sql/migrate.ts';

export type SqlValue = number | string | Uint8Array | null;

/** Values for `?` in order, or for `:name` by name without the colon. Every placeholder needs one. */
export type SqlParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

export interface StoreOptions {
  /** Home directory; `relay.db` in it is the state file. */
  home: string;
  clock: Clock;
  log: Log;
  /** File operations; tests pass some that fail. */
  fs?: SaveFs;
  /** The migrations; tests pass those of an older or newer program. */
  migrations?: readonly Migration[];
}

interface StoreState extends SaverState {
  path: string;
  schemaVersion: number;
  expectedVersion: number;
  /** `ahead`: a newer program wrote the file, but this one may use it. */
  schemaState: 'current' | 'ahead';
}

/**
 * The database in memory and its file. Statements are synchronous and see every earlier change. `saveNow`, `saveSoon` or
 * `durable` bring the file up to date.
 */
export interface Store {
  /** Runs one statement. `changes` counts the rows that it inserted, updated or deleted. */
  run(sql: string, params?: SqlParams): { changes: number };
  /** Returns the first row, keyed by column; undefined if there is none. */
  get<T>(sql: string, params?: SqlParams): T | undefined;
  all<T>(sql: string, params?: SqlParams): T[];
  /** Runs synchronous `work` in a transaction, which is rolled back if `work` throws. Nested calls are savepoints. */
  transaction<T>(work: () => T): T;
  /**
   * Resolves when everything changed up to this call is on disk; callers at the same time share one save.
   * @throws RelayError `STORE_ERROR`
   */
  saveNow(): Promise<void>;
  /**
   * Saves many changes at once: within a second while the file is small (250 kB), within 20 s at most. A failure shows in
   * `state()` only.
   */
  saveSoon(): void;
  /**
   * Makes a change that must not be lost: in a transaction, then on disk. If the last save failed, first tries to save again,
   * and changes nothing if that fails too. If the new save fails, `undo` reverses the change in memory. Without `undo` the
   * change stays and is saved later.
   * @throws RelayError `STORE_ERROR`
   */
  durable<T>(change: () => T, undo?: () => void): Promise<T>;
  state(): StoreState;
  /** Time of the clock that the store was opened with, Unix milliseconds. */
  now(): number;
  /**
   * Saves what is not saved and frees the memory; the store cannot be used afterwards.
   * @throws RelayError `STORE_ERROR` if the last save failed
   */
  close(): Promise<void>;
}
