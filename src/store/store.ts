/** The state: `relay.db` in the home. A caller of `openStore` must hold the home (`home/lock.ts`), or only read the state. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { messageOf, RelayError } from '../domain/errors.ts';
import { MIGRATIONS } from '../generated/sql.ts';
import { type DatabaseFile, openDatabaseFile } from './databaseFile.ts';
import type { Disk } from './disk.ts';
import { ensureHome } from './home/home.ts';
import type { Format, Migration } from './sql/migrate.ts';
import { loadSqlite } from './sql/sqlite.ts';

export type Store = DatabaseFile;

/** The state's file has the letters "rlay" in its header. */
export const STATE: Format = { applicationId: 0x726c6179, migrations: MIGRATIONS };

export interface StoreOptions {
  home: string;
  clock: Clock;
  log: Log;
  /** The disk that the home is on, with the home ready on it; the machine's own by default. */
  disk?: Disk;
  /** The migrations; tests pass those of a newer program. */
  migrations?: readonly Migration[];
}

/** Returns the path of a home's state file. Follows a symbolic link. */
export async function stateFilePath(home: string): Promise<string> {
  const path = join(home, 'relay.db');
  return realpath(path).catch(() => path);
}

/**
 * Opens `<home>/relay.db`. Creates the file in a fresh home, and migrates an older file.
 * @throws RelayError `HOME_UNUSABLE`, `STATE_DAMAGED`, `STATE_TOO_NEW`
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { home, log, disk, migrations = MIGRATIONS } = options;
  if (!disk) await ensureHome(home, log);
  const format = { ...STATE, migrations };
  const path = join(home, 'relay.db');
  const store = await openDatabaseFile({ ...options, path, format, onDamage: 'refuse', sqlite: loadSqlite });
  const { lastSavedAt, unsavedChanges } = store.state();
  if (lastSavedAt === null) await firstSave(store);
  // If this save fails, the program starts all the same: an existing state can be read even if the disk is full.
  else if (unsavedChanges) await store.saveNow().catch(() => {});
  return store;
}

/** Saves a new state for the first time. If that fails, the program must not start. */
async function firstSave(store: Store): Promise<void> {
  try {
    await store.saveNow();
  } catch (error) {
    await store.close(true);
    const { path } = store.state();
    throw new RelayError('HOME_UNUSABLE', `The state file ${path} cannot be created. ${messageOf(error)}`, {
      remedy: 'Free some space or make the directory writable, or choose another one with --home.',
      cause: error,
    });
  }
}

/** Makes the error for a command that needs a state in a home that has none. */
export function noState(home: string): RelayError {
  return new RelayError('NOT_FOUND', `There is no state in ${home} yet.`, {
    remedy: { text: 'Run {command} first, or choose another home with --home.', command: ['serve'] },
    details: { home },
  });
}
