/** Runs migrations, forward only. Each migration runs in one transaction, which also records its version. */
import type { Database, SqlValue } from 'sql.js';
import { RelayError } from '../../domain/errors.ts';

/** ASCII "rlay" in the header of the state file, which identifies it as ours. */
export const APPLICATION_ID = 0x726c6179;

export interface Migration {
  version: number;
  name: string;
  /** The oldest schema version whose programs may still use a file after this migration. */
  oldestCompatible: number;
  sql: string;
}

export interface SchemaVersions {
  schemaVersion: number;
  oldestCompatible: number;
}

/** Reads the versions that a database records; zeros for an empty database. */
export function readVersions(db: Database): SchemaVersions {
  const schemaVersion = Number(firstValue(db, 'pragma user_version'));
  if (schemaVersion === 0) return { schemaVersion, oldestCompatible: 0 };
  const oldest = firstValue(db, "select value from meta where name = 'oldest_compatible'");
  return { schemaVersion, oldestCompatible: Number(oldest ?? 0) };
}

/** Returns the version that the last of `migrations` leads to; 0 if there are none. */
export function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/**
 * Refuses the file at `path` if it is of a version before the first of `migrations`. It must stay as it is.
 * @throws RelayError `STATE_DAMAGED`
 */
export function refuseEarlier(schemaVersion: number, [first]: readonly Migration[], path: string): void {
  if (!first || schemaVersion === 0 || schemaVersion >= first.version) return;
  throw new RelayError(
    'STATE_DAMAGED',
    `${path} was written by a version of relay that was never released (schema ${schemaVersion}), and this one cannot read it. The file is unchanged.`,
    {
      remedy:
        'Move the directory that holds it aside, or use another home with --home. Then start relay and connect the account again.',
      details: { path, schemaVersion, firstVersion: first.version },
    },
  );
}

/**
 * Refuses the file at `path` if only newer programs may use it. It must stay as it is.
 * @throws RelayError `STATE_TOO_NEW`
 */
export function refuseNewer(
  { schemaVersion, oldestCompatible }: SchemaVersions,
  expectedVersion: number,
  path: string,
): void {
  if (schemaVersion <= expectedVersion || oldestCompatible <= expectedVersion) return;
  throw new RelayError(
    'STATE_TOO_NEW',
    `The state file ${path} has schema ${schemaVersion}; this program knows ${expectedVersion} and the file needs at least ${oldestCompatible}.`,
    {
      remedy: 'Start the newer relay that wrote it, or use another home with --home.',
      details: { path, schemaVersion, expectedVersion, oldestCompatible },
    },
  );
}

/**
 * Brings the database to the newest of `migrations` and returns how many it ran. A failure leaves the database at the
 * last version that succeeded.
 */
export function migrate(db: Database, migrations: readonly Migration[]): number {
  const { schemaVersion } = readVersions(db);
  const due = migrations.filter((migration) => migration.version > schemaVersion);
  if (schemaVersion === 0) db.exec(`pragma application_id = ${APPLICATION_ID}`);
  // A migration may rebuild a table that others refer to. Inside its transaction, this pragma would have no effect.
  if (due.length > 0) db.exec('pragma foreign_keys = off');
  for (const migration of due) runOne(db, migration);
  db.exec('pragma foreign_keys = on');
  return due.length;
}

function runOne(db: Database, { version, name, oldestCompatible, sql }: Migration): void {
  db.exec('begin immediate');
  try {
    db.exec(sql);
    if (db.exec('pragma foreign_key_check').length > 0) throw new Error(`${name} leaves dangling references`);
    db.exec("insert or replace into meta (name, value) values ('oldest_compatible', ?)", [oldestCompatible]);
    db.exec(`pragma user_version = ${version}`);
    db.exec('commit');
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}

/** Returns the first value of the first row; undefined if there is no row. */
export function firstValue(db: Database, sql: string): SqlValue | undefined {
  return db.exec(sql)[0]?.values[0]?.[0];
}
