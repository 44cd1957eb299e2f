/**
 * Opens the state: one SQLite file, held in memory by sql.js and saved as a whole. A caller of `openStore` must hold the home
 * (`home/lock.ts`), since a second writer would overwrite the first.
 */
import type { Database } from 'sql.js';
import type { Clock } from '../../base/clock.ts';
import { messageOf, RelayError } from '../../domain/errors.ts';
import { MIGRATIONS } from '../../generated/sql.ts';
import type { Companion, Taken } from '../copies/companion.ts';
import { claimedVersion, type TakenRows, takeRows } from '../copies/copyContent.ts';
import { freshImage, IN_MEMORY } from '../sql/freshImage.ts';
import {
  firstValue,
  type Migration,
  migrate,
  newestOf,
  readVersions,
  refuseEarlier,
  refuseNewer,
  type SchemaVersions,
} from '../sql/migrate.ts';
import { createPagedFile } from '../sql/pagedFile.ts';
import { createSql } from '../sql/sql.ts';
import { loadSqlite } from '../sql/sqlite.ts';
import type { Store, StoreOptions } from '../types.ts';
import { identityOfBytes } from './fileIdentity.ts';
import { createSaver, nodeSaveFs, type Saver, type SaverState } from './save.ts';
import { damaged, inRollbackFormat, openImage, type StateFile } from './stateFile.ts';

export type { Store, StoreOptions } from '../types.ts';

/**
 * Opens `<home>/relay.db`. Creates the file in a fresh home, and migrates an older file.
 * @throws RelayError `HOME_UNUSABLE`, `STATE_DAMAGED`, `STATE_TOO_NEW`
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { home, clock, log, fs = nodeSaveFs, migrations = MIGRATIONS } = options;
  const path = await fs.prepare(home, log);
  const file = await fs.read(path);
  // Computed before SQLite gets these bytes, since SQLite changes them.
  const identity = file && identityOfBytes(file.bytes);
  const SQL = await loadSqlite();
  const paged = createPagedFile(file ? inRollbackFormat(file.bytes) : freshImage(SQL, migrations));
  const db = file ? openImage(SQL, path, paged.bytes) : new SQL.Database(paged.bytes);
  try {
    const migrated = checkAndMigrate(db, path, migrations);
    const sql = createSql(db, paged);
    const saved = {
      version: !file || migrated > 0 ? -1 : 0,
      sizeBytes: file?.bytes.length ?? 0,
      at: file?.savedAt ?? null,
      identity,
    };
    const saver = createSaver({ path, source: sql, saved, clock, log, fs });
    if (!file) await firstSave(saver, path);
    // If this save fails, the program starts all the same: an existing state can be read even if the disk is full.
    else if (migrated > 0) await saver.saveNow().catch(() => {});
    return assemble({ path, db, sql, saver, migrations, now: () => clock.now() });
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Checks that `bytes`, which were read from `path`, could be opened as the state. Returns the versions that they record, and
 * the number of kept playlists.
 * @throws RelayError `STATE_DAMAGED`, `STATE_TOO_NEW`
 */
export async function inspectContent(
  path: string,
  bytes: Uint8Array,
): Promise<SchemaVersions & { keptPlaylists: number }> {
  const db = openImage(await loadSqlite(), path, bytes);
  try {
    const versions = checkedVersions(db, path, MIGRATIONS);
    return { ...versions, keptPlaylists: Number(firstValue(db, 'select count(*) from keeps')) };
  } finally {
    db.close();
  }
}

export interface Detached {
  /** The state in memory; saving it does nothing. */
  store: Store;
  /** Schema version of the file before it was migrated. */
  fileVersion: number;
  /** Returns the state as the bytes of a file. */
  image(): Uint8Array;
}

/**
 * Opens the content that was read from `path`, and migrates it in memory. Nothing is saved to a file.
 * @throws RelayError `STATE_DAMAGED`, `STATE_TOO_NEW`
 */
export async function openDetached(path: string, file: StateFile, clock: Clock): Promise<Detached> {
  const db = openImage(await loadSqlite(), path, file.bytes);
  try {
    const { schemaVersion: fileVersion } = versionsOf(db, path);
    checkAndMigrate(db, path, MIGRATIONS);
    return detached(db, path, fileVersion, file, clock);
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens a copy that anybody may have made (`copyContent.ts`), and migrates it in memory. Nothing is saved to a file.
 * @throws RelayError `STATE_DAMAGED`, `STATE_TOO_NEW`
 */
export async function openCopy(
  path: string,
  file: StateFile,
  clock: Clock,
  companions: readonly Companion[] = [],
): Promise<Detached & { companions: Taken[] }> {
  const fileVersion = claimedVersion(file.bytes);
  if (fileVersion === 0) throw damaged(path, 'it holds no state');
  refuseEarlier(fileVersion, MIGRATIONS, path);
  if (fileVersion > newestOf(MIGRATIONS)) throw tooNew(path, fileVersion, newestOf(MIGRATIONS));
  const SQL = await loadSqlite();
  let taken: TakenRows;
  try {
    taken = takeRows(SQL, inRollbackFormat(file.bytes), MIGRATIONS, companions);
  } catch (error) {
    throw damaged(path, messageOf(error), error);
  }
  const { db } = taken;
  try {
    checkAndMigrate(db, path, MIGRATIONS);
    return { ...detached(db, path, fileVersion, file, clock), companions: taken.companions };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Makes the error for a copy of a newer program: the copy cannot be checked, since its schema is not known here. */
function tooNew(path: string, schemaVersion: number, expectedVersion: number): RelayError {
  const message = `The copy ${path} has schema ${schemaVersion}; this program knows ${expectedVersion}.`;
  return new RelayError('STATE_TOO_NEW', message, { details: { path, schemaVersion, expectedVersion } });
}

function detached(
  db: Database,
  path: string,
  fileVersion: number,
  { bytes, savedAt: lastSavedAt }: StateFile,
  clock: Clock,
): Detached {
  const sql = createSql(db);
  const saver = unsaved({
    status: 'ok',
    failure: null,
    sizeBytes: bytes.length,
    lastSavedAt,
    unsavedChanges: false,
  });
  const store = assemble({ path, db, sql, saver, migrations: MIGRATIONS, now: () => clock.now() });
  return { store, fileVersion, image: () => db.export() };
}

function unsaved(state: SaverState): Saver {
  const done = async () => {};
  return { saveNow: done, saveSoon() {}, probe: done, state: () => state, close: done };
}

/**
 * Checks the file's version, and migrates an older file. Returns how many migrations ran.
 * @throws RelayError `STATE_DAMAGED`, `STATE_TOO_NEW`
 */
function checkAndMigrate(db: Database, path: string, migrations: readonly Migration[]): number {
  checkedVersions(db, path, migrations);
  db.exec(IN_MEMORY);
  try {
    return migrate(db, migrations);
  } catch (error) {
    throw damaged(path, `it cannot be migrated to the current schema (${messageOf(error)})`, error);
  }
}

function checkedVersions(db: Database, path: string, migrations: readonly Migration[]): SchemaVersions {
  const versions = versionsOf(db, path);
  refuseEarlier(versions.schemaVersion, migrations, path);
  refuseNewer(versions, newestOf(migrations), path);
  return versions;
}

function versionsOf(db: Database, path: string): SchemaVersions {
  try {
    return readVersions(db);
  } catch (error) {
    throw damaged(path, `its version cannot be read (${messageOf(error)})`, error);
  }
}

/** Saves a new state for the first time. If that fails, the program must not start. */
async function firstSave(saver: Saver, path: string): Promise<void> {
  try {
    await saver.saveNow();
  } catch (error) {
    await saver.close().catch(() => {});
    throw new RelayError('HOME_UNUSABLE', `The state file ${path} cannot be created. ${messageOf(error)}`, {
      remedy: 'Free some space or make the directory writable, or choose another one with --home.',
      cause: error,
    });
  }
}

interface Parts {
  path: string;
  db: Database;
  sql: ReturnType<typeof createSql>;
  saver: Saver;
  migrations: readonly Migration[];
  now: () => number;
}

function assemble({ path, db, sql, saver, migrations, now }: Parts): Store {
  const { schemaVersion } = readVersions(db);
  const expectedVersion = newestOf(migrations);
  const { run, get, all, transaction } = sql;
  let closing: Promise<void> | null = null;
  return {
    run,
    get,
    all,
    transaction,
    saveNow: saver.saveNow,
    saveSoon: saver.saveSoon,
    async durable(change, undo) {
      if (saver.state().status === 'degraded') await saver.probe();
      const result = transaction(change);
      try {
        await saver.saveNow();
      } catch (error) {
        if (undo) transaction(undo);
        saver.saveSoon();
        throw error;
      }
      return result;
    },
    state: () => ({
      path,
      schemaVersion,
      expectedVersion,
      schemaState: schemaVersion > expectedVersion ? 'ahead' : 'current',
      ...saver.state(),
    }),
    now,
    close() {
      closing ??= saver.close().finally(() => {
        sql.close();
        db.close();
      });
      return closing;
    },
  };
}
