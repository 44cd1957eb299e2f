/** Makes empty databases at a version of the schema. Their only rows are those that the migrations write. */
import type { SqlJsStatic } from 'sql.js';
import { type Migration, migrate } from './migrate.ts';

/** The images that were made, by version. Copying an image takes a tenth of the time of running the migrations. */
const images = new WeakMap<readonly Migration[], Map<number, Uint8Array>>();

/**
 * Settings of a database in memory. Such a database needs no journal on disk: after a crash the last saved file is read. With
 * them, SQLite writes a transaction's changes to the paged file only at the commit, so a rollback does not truncate that file
 * (`pagedFile.ts`).
 */
export const IN_MEMORY =
  'pragma locking_mode = exclusive; pragma journal_mode = memory; pragma synchronous = off; pragma temp_store = memory; pragma cache_spill = off;';

/** Returns the file of a database after the migrations up to `version`, by default all. Each version is made once per process. */
export function freshImage(
  SQL: SqlJsStatic,
  migrations: readonly Migration[],
  version = Number.POSITIVE_INFINITY,
): Uint8Array {
  const known = images.get(migrations) ?? new Map<number, Uint8Array>();
  images.set(migrations, known);
  const image = known.get(version) ?? made(SQL, migrations, version);
  known.set(version, image);
  return image.slice();
}

function made(SQL: SqlJsStatic, migrations: readonly Migration[], version: number): Uint8Array {
  const db = new SQL.Database();
  try {
    db.exec(IN_MEMORY);
    const due = migrations.filter((migration) => migration.version <= version);
    migrate(db, due);
    return db.export();
  } finally {
    db.close();
  }
}
