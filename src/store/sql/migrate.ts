/** How a database file of relay is recognised, made and brought up to date: forward only, one migration after the other. */
import type { Database, SqlJsStatic, SqlValue } from 'sql.js';
import { RelayError } from '../../domain/errors.ts';

export interface Migration {
  version: number;
  name: string;
  /** The oldest schema version whose programs may still use a file after this migration. */
  oldestCompatible: number;
  sql: string;
}

export interface Format {
  /** Identifies the file, in its header. */
  applicationId: number;
  /** The first one makes the whole schema, and files of earlier versions are refused. */
  migrations: readonly Migration[];
}

/**
 * Settings of a database in memory. Such a database needs no journal on disk: after a crash the last saved file is read. With
 * them, SQLite writes a transaction's changes to the paged file only at the commit, so a rollback does not truncate that file
 * (`pagedFile.ts`).
 */
export const IN_MEMORY =
  'pragma locking_mode = exclusive; pragma journal_mode = memory; pragma synchronous = off; pragma temp_store = memory; pragma cache_spill = off;';

/** Returns the first value of the first row; undefined if there is no row. */
export function firstValue(db: Database, sql: string): SqlValue | undefined {
  return db.exec(sql)[0]?.values[0]?.[0];
}

/** Returns the schema version of a database; 0 for an empty one. */
export function versionOf(db: Database): number {
  return Number(firstValue(db, 'pragma user_version'));
}

/** Returns the version that the last of `migrations` leads to; 0 if there are none. */
export function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/**
 * Refuses the content of the file at `path` if this program knows its version not at all. The file must stay as it is.
 * @throws RelayError `STATE_DAMAGED` for a version before the first migration, `STATE_TOO_NEW` if only newer programs may use it
 */
export function requireKnown(db: Database, { migrations }: Format, path: string): void {
  const schemaVersion = versionOf(db);
  const expectedVersion = newestOf(migrations);
  const details = { path, schemaVersion, expectedVersion };
  if (schemaVersion < (migrations[0]?.version ?? 0)) {
    throw new RelayError(
      'STATE_DAMAGED',
      `${path} was written by a version of relay that was never released (schema ${schemaVersion}), and this one cannot read it. The file is unchanged.`,
      {
        remedy:
          'Move the directory that holds it aside, or use another home with --home. Then start relay and connect the account again.',
        details,
      },
    );
  }
  const oldestCompatible = Number(
    firstValue(db, "select value from meta where name = 'oldest_compatible'") ?? 0,
  );
  if (oldestCompatible <= expectedVersion) return;
  throw new RelayError(
    'STATE_TOO_NEW',
    `The state file ${path} has schema ${schemaVersion}; this program knows ${expectedVersion} and the file needs at least ${oldestCompatible}.`,
    {
      remedy: 'Start the newer relay that wrote it, or use another home with --home.',
      details: { ...details, oldestCompatible },
    },
  );
}

/**
 * Brings the database to the newest version and returns how many migrations ran, each in a transaction that also records its
 * version. A failure leaves the database at the last version that succeeded.
 */
export function migrate(db: Database, { applicationId, migrations }: Format): number {
  const schemaVersion = versionOf(db);
  const due = migrations.filter((migration) => migration.version > schemaVersion);
  if (schemaVersion === 0) db.exec(`pragma application_id = ${applicationId}`);
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

/** The empty databases that were made. Copying one takes a tenth of the time of running the migrations. */
const images = new WeakMap<Format['migrations'], Uint8Array>();

/** Returns the file of a database after all migrations, whose only rows are those that the migrations write. */
export function freshImage(SQL: SqlJsStatic, format: Format): Uint8Array {
  let image = images.get(format.migrations);
  if (!image) {
    const db = new SQL.Database();
    db.exec(IN_MEMORY);
    migrate(db, format);
    image = db.export();
    db.close();
    images.set(format.migrations, image);
  }
  return image.slice();
}

/**
 * Says what is wrong with the first 100 bytes of a file or with its length; null if nothing is (sqlite.org/fileformat2.html, 1.3).
 * @param size length of the file
 */
export function headerProblem(start: Uint8Array, size: number, { applicationId }: Format): string | null {
  if (size === 0) return 'it is empty';
  const header = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, 100));
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') return 'it is not an SQLite database';
  if (header.length < 100) return 'it is truncated';
  if (header.readUInt32BE(68) !== applicationId) return 'it belongs to another program';
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const expected = header.readUInt32BE(28) * pageSize;
  // The page count is only valid when both change counters agree.
  const isCounted = header.readUInt32BE(24) === header.readUInt32BE(92);
  if (isCounted && size < expected) return `it is truncated: it has ${size} of ${expected} bytes`;
  return null;
}
