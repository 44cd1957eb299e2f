/** Databases at a version of the schema, without rows but those that the migrations write. */
import type { Database, SqlJsStatic } from 'sql.js';
import { type Migration, migrate } from './migrate.ts';

/** What the migrations have made, by version: reading it takes a tenth of the time of making it. */
const images = new WeakMap<readonly Migration[], Map<number, Uint8Array>>();

/** What a database in memory needs to know: what it loses in a crash is in the file. */
export const IN_MEMORY =
  'pragma journal_mode = memory; pragma synchronous = off; pragma temp_store = memory;';

/** A database as the migrations up to `version` make it, all of them by default. They run once in a process. */
export function freshDatabase(
  SQL: SqlJsStatic,
  migrations: readonly Migration[],
  version = Number.POSITIVE_INFINITY,
): Database {
  const known = images.get(migrations) ?? new Map<number, Uint8Array>();
  images.set(migrations, known);
  const db = new SQL.Database(known.get(version));
  try {
    db.exec(IN_MEMORY);
    const ran = migrate(
      db,
      migrations.filter((migration) => migration.version <= version),
    );
    if (ran > 0) known.set(version, db.export());
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
