/** What the state offers to the rest of the program. `open.ts` makes it. */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { SaveFs } from './file/save.ts';
import type { Migration } from './sql/migrate.ts';

export type SqlValue = number | string | Uint8Array | null;

/** Values for `?` in order, or for `:name` by name without the colon. Every placeholder needs one. */
export type SqlParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

export interface StoreOptions {
  /** Home directory; `relay.db` in it is the state file. */
  home: string;
  clock: Clock;
  log: Log;
  /** The disk that the state is on. */
  fs?: SaveFs;
  /** The migrations; tests give those of a program of another age. */
  migrations?: readonly Migration[];
}

interface StoreState {
  path: string;
  /** `degraded`: the last save failed; it is tried again by itself. */
  status: 'ok' | 'degraded';
  schemaVersion: number;
  expectedVersion: number;
  /** `ahead`: a newer program made the file, and this one may use it. */
  schemaState: 'current' | 'ahead';
  /** Bytes of the file on disk. */
  sizeBytes: number;
  /** Time of the last save, in Unix milliseconds; null before the first. */
  lastSavedAt: number | null;
  unsavedChanges: boolean;
}

/**
 * The database in memory and its file. Statements are synchronous and see every earlier change; the file follows by
 * `saveNow`, `saveSoon` or `durable`.
 */
export interface Store {
  /** Runs one statement. `changes` counts the rows that it inserted, updated or deleted. */
  run(sql: string, params?: SqlParams): { changes: number };
  /** The first row, keyed by column. */
  get<T>(sql: string, params?: SqlParams): T | undefined;
  all<T>(sql: string, params?: SqlParams): T[];
  /** Runs `work`, which must be synchronous, in a transaction; what it throws undoes it. A call inside joins as a savepoint. */
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
   * Makes a change that must not be lost: in a transaction, then on disk. While the disk fails it changes nothing. If
   * the save fails, `undo` takes the change back in memory; without it the change stays and is saved later.
   * @throws RelayError `STORE_ERROR`
   */
  durable<T>(change: () => T, undo?: () => void): Promise<T>;
  state(): StoreState;
  /** Time of the clock that the store was opened with, Unix milliseconds. */
  now(): number;
  /**
   * Saves what is not saved and frees the memory; the store cannot be used afterwards.
   * @throws RelayError `STORE_ERROR` when the last save failed
   */
  close(): Promise<void>;
}
