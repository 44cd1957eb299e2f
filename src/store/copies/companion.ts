/**
 * The companion is a second database beside the state. Its tables go into each copy of the state, so that a backup is one file.
 * The tables keep their names in the copy, and `meta` records their version as `memory_version`. In both directions rows go
 * into tables that our own migrations created: no SQL text of a file is run.
 */
import type { Database, SqlJsStatic } from 'sql.js';
import { readRegularFile } from '../../base/files.ts';
import { messageOf, nullIfMissing } from '../../domain/errors.ts';
import { inRollbackFormat } from '../file/stateFile.ts';
import { freshImage, IN_MEMORY } from '../sql/freshImage.ts';
import { firstValue, type Migration, migrate, newestOf } from '../sql/migrate.ts';
import { MAX_VALUE_LENGTH } from './rowRules.ts';
import { objectsOf, type SchemaObject } from './schemaObjects.ts';

export interface Companion {
  /** Path of the companion's file. */
  path: string;
  /** Identifies the file, in its header. */
  applicationId: number;
  migrations: readonly Migration[];
}

/** Number of rows of each table and view of the companion. */
export type RowCounts = Readonly<Record<string, number>>;

export interface Carried {
  /** The copy, with the tables in it. */
  bytes: Uint8Array;
  rows: RowCounts;
}

export const VERSION_ROW = 'memory_version';
/** More than five times the size of a million plays. The whole file is held in memory. */
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Makes a copy of a state that also has the tables of its companion.
 * @returns null if the companion has no file
 * @throws Error that says why the companion's file cannot be used
 */
export async function carry(
  SQL: SqlJsStatic,
  state: Uint8Array,
  companion: Companion,
): Promise<Carried | null> {
  const file = await readRegularFile(companion.path, MAX_BYTES).catch(nullIfMissing);
  if (!file) return null;
  // SQLite changes the bytes that it is given.
  const copy = new SQL.Database(Uint8Array.from(inRollbackFormat(state)));
  const db = new SQL.Database(inRollbackFormat(file.bytes));
  try {
    const version = versionOf(db, companion);
    copy.exec(IN_MEMORY);
    const objects = companionObjects(SQL, companion, version);
    for (const { sql } of objects) if (sql !== null) copy.exec(sql);
    const rows = copyRows(db, copy, objects);
    copy.exec('insert or replace into meta (name, value) values (?, ?)', [VERSION_ROW, version]);
    return { bytes: copy.export(), rows };
  } finally {
    db.close();
    copy.close();
  }
}

function versionOf(db: Database, { applicationId, migrations }: Companion): number {
  if (firstValue(db, 'pragma application_id') !== applicationId)
    throw new Error('it belongs to another program');
  const verdict = firstValue(db, 'pragma quick_check(1)');
  if (verdict !== 'ok') throw new Error(`SQLite reports damage (${String(verdict)})`);
  const version = Number(firstValue(db, 'pragma user_version'));
  if (version > newestOf(migrations))
    throw new Error('a newer relay has changed it; back up with that relay');
  if (!migrations.some((migration) => migration.version === version))
    throw new Error(`this program does not know its version ${version}`);
  return version;
}

/**
 * Finds the versions of the companion whose tables match those of a file word for word. `objects` are the tables and other
 * objects of the companion that the file must have: those of the newest such version or, if none matches, of the newest known.
 * Both lists are empty if the file carries no companion.
 */
export function carriedVersions(
  SQL: SqlJsStatic,
  found: readonly SchemaObject[],
  companion: Companion,
): { versions: number[]; objects: SchemaObject[] } {
  const known = companion.migrations.map(({ version }) => ({
    version,
    objects: companionObjects(SQL, companion, version),
  }));
  const names = new Set(found.map(({ name }) => name));
  const isCarried = known.some(({ objects }) => objects.some(({ name }) => names.has(name)));
  if (!isCarried) return { versions: [], objects: [] };
  const textOf = (object: SchemaObject) => JSON.stringify(object);
  const texts = new Set(found.map(textOf));
  const theirs = new Set(known.flatMap(({ objects }) => objects.map(({ name }) => name)));
  const count = found.filter(({ name }) => theirs.has(name)).length;
  const same = known.filter(
    ({ objects }) => objects.length === count && objects.every((object) => texts.has(textOf(object))),
  );
  const like = same.at(-1) ?? known.at(-1);
  return { versions: same.map(({ version }) => version), objects: like?.objects ?? [] };
}

/** Returns all objects of the companion but its `meta`: the state has a table of that name too. */
function companionObjects(SQL: SqlJsStatic, { migrations }: Companion, version: number): SchemaObject[] {
  const db = new SQL.Database(freshImage(SQL, migrations, version));
  try {
    return objectsOf(db).filter(({ table }) => table !== 'meta');
  } finally {
    db.close();
  }
}

export interface Taken {
  /** The companion at its newest version, as the bytes of a file. */
  image: Uint8Array;
  rows: RowCounts;
}

/**
 * Makes a separate file of the companion that a copy carries.
 * @param file a copy whose schema has been compared with ours
 * @param versions the versions of the companion that the copy's tables match
 * @throws Error that says what is wrong with the copy
 */
export function takeCompanion(
  SQL: SqlJsStatic,
  file: Database,
  versions: readonly number[],
  companion: Companion,
): Taken {
  const version = firstValue(file, `select value from meta where name = '${VERSION_ROW}'`);
  if (typeof version !== 'number' || !versions.includes(version))
    throw new Error(`its meta.${VERSION_ROW} does not match its tables`);
  const fresh = new SQL.Database(freshImage(SQL, companion.migrations, version));
  try {
    fresh.exec(`${IN_MEMORY} pragma application_id = ${companion.applicationId}`);
    const rows = copyRows(file, fresh, companionObjects(SQL, companion, version));
    migrate(fresh, companion.migrations);
    return { image: fresh.export(), rows };
  } finally {
    fresh.close();
  }
}

/** Copies the rows of all tables, which both databases must have. */
function copyRows(from: Database, to: Database, objects: readonly SchemaObject[]): RowCounts {
  const rows: Record<string, number> = {};
  // In sql.js every open database is a file, so another database can attach it.
  to.exec('attach ? as source', [String(from.exec('pragma database_list')[0]?.values[0]?.[2])]);
  to.exec('begin');
  for (const { type, name } of objects) {
    if (type !== 'table') continue;
    const columns = (to.exec(`pragma main.table_info(${name})`)[0]?.values ?? []).map(
      ([, column, declared]) => ({ column: String(column), declared: String(declared).toLowerCase() }),
    );
    requireTypes(to, name, columns);
    const list = columns.map(({ column }) => column).join(', ');
    try {
      to.exec(`insert into main.${name} (${list}) select ${list} from source.${name}`);
    } catch (error) {
      throw new Error(`a row of ${name} is not valid: ${messageOf(error)}`, { cause: error });
    }
    rows[name] = Number(firstValue(to, `select count(*) from main.${name}`));
  }
  // A view counts under its own name.
  for (const { type, name } of objects) {
    if (type === 'view') rows[name] = Number(firstValue(to, `select count(*) from main.${name}`));
  }
  to.exec('commit; detach source');
  return rows;
}

/** Checks what SQLite does not: that the values of a table have the types of its columns. */
function requireTypes(
  db: Database,
  table: string,
  columns: ReadonlyArray<{ column: string; declared: string }>,
): void {
  for (const { column, declared } of columns) {
    const types = declared === 'real' ? "'real', 'integer'" : `'${declared}'`;
    const wrong = db.exec(
      `select 1 from source.${table} where typeof(${column}) not in (${types}, 'null')
         or length(${column}) > ${MAX_VALUE_LENGTH} or (typeof(${column}) = 'integer' and abs(${column} / 2) > ${2 ** 52}) limit 1`,
    );
    if (wrong.length > 0) throw new Error(`${table}.${column} has a value that relay does not write`);
  }
}
