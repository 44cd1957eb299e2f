/**
 * Copies the rows of a copy into a database that our own migrations created. Anybody may have made the file, so
 * nothing in it is trusted. Its schema must equal ours word for word before SQLite does any work on it. No SQL text of the
 * file is ever run. Every step reads a page once, so the size of the file limits the time.
 */
import type { Database, SqlJsStatic } from 'sql.js';
import { messageOf } from '../../domain/errors.ts';
import { freshImage, IN_MEMORY } from '../sql/freshImage.ts';
import { firstValue, type Migration } from '../sql/migrate.ts';
import { CARRIED, type Companion, carriedSchema, type Taken, takeCompanions } from './companion.ts';
import { requireUsable } from './rowRules.ts';
import { objectsOf, type SchemaObject } from './schemaObjects.ts';
import { schemaTreeProblem } from './schemaTree.ts';

/** Reads the schema version that the file claims to have: bytes 60 to 63 of its header. */
export function claimedVersion(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).readUInt32BE(60);
}

export interface TakenRows {
  db: Database;
  /** The companions that the copy carries. */
  companions: Taken[];
}

/**
 * Makes a database at the version that the file claims, with the rows of the file, and takes out the companions in it.
 * @param bytes the file, whose header has been checked
 * @param companions those that the file may carry
 * @throws Error that says what is wrong with the file
 */
export function takeRows(
  SQL: SqlJsStatic,
  bytes: Uint8Array,
  migrations: readonly Migration[],
  companions: readonly Companion[],
): TakenRows {
  const problem = schemaTreeProblem(bytes);
  if (problem !== null) throw new Error(problem);
  const fresh = new SQL.Database(freshImage(SQL, migrations, claimedVersion(bytes)));
  try {
    fresh.exec(`${IN_MEMORY} pragma foreign_keys = on`);
    const file = new SQL.Database(bytes);
    try {
      file.exec('pragma trusted_schema = off; pragma cell_size_check = on;');
      const found = objectsOf(file);
      const carries = found.some(({ name }) => name === CARRIED);
      requireOurSchema(found, [...objectsOf(fresh), ...(carries ? carriedSchema(SQL) : [])]);
      requireSound(file);
      copyAll(file, fresh);
      return { db: fresh, companions: carries ? takeCompanions(SQL, file, companions) : [] };
    } finally {
      file.close();
    }
  } catch (error) {
    fresh.close();
    throw error;
  }
}

/** Refuses any trigger, view, virtual table, column, check or index that is not ours word for word. */
function requireOurSchema(found: readonly SchemaObject[], expected: readonly SchemaObject[]): void {
  const ours = new Map(expected.map((object) => [keyOf(object), object]));
  const seen = new Set<string>();
  for (const object of found) {
    const own = ours.get(keyOf(object));
    if (!own || seen.has(keyOf(object)))
      throw new Error(`it holds a ${named(object)} that relay did not make`);
    if (own.sql !== object.sql || own.table !== object.table)
      throw new Error(`its ${named(object)} differs from the one that relay creates`);
    seen.add(keyOf(object));
  }
  for (const [key, object] of ours) if (!seen.has(key)) throw new Error(`its ${named(object)} is missing`);
}

function keyOf({ type, name }: SchemaObject): string {
  return JSON.stringify([type, name]);
}

/** Kind and name of an object, cleaned, since the name comes from the file. */
function named({ type, name }: SchemaObject): string {
  const plain = (text: string) => text.replace(/[^ -~]/g, '?').slice(0, 60);
  return `${plain(type)} "${plain(name)}"`;
}

/** Refuses a damaged file. Safe once the schema is known to be ours. The first check also finds a page that two trees share. */
function requireSound(file: Database): void {
  const verdict = firstValue(file, 'pragma integrity_check(1)');
  if (verdict !== 'ok') throw new Error(`SQLite reports damage (${String(verdict)})`);
  const dangling = firstValue(file, 'pragma foreign_key_check');
  if (dangling !== undefined) throw new Error(`a row of ${String(dangling)} refers to a missing row`);
}

function copyAll(file: Database, fresh: Database): void {
  fresh.exec('pragma foreign_keys = off; begin');
  for (const { type, name } of objectsOf(fresh)) if (type === 'table') copyTable(file, fresh, name);
  fresh.exec('commit; pragma foreign_keys = on');
  if (fresh.exec('pragma foreign_key_check').length > 0)
    throw new Error('some of its rows refer to missing rows');
}

function copyTable(file: Database, fresh: Database, table: string): void {
  const columns = (fresh.exec(`pragma table_info(${table})`)[0]?.values ?? []).map(([, name]) =>
    String(name),
  );
  // Our migrations have written `oldest_compatible`.
  const rest = table === 'meta' ? "where name <> 'oldest_compatible'" : '';
  const select = file.prepare(`select ${columns.join(', ')} from ${table} ${rest}`);
  const insert = fresh.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  );
  try {
    while (select.step()) {
      const row = select.get();
      requireUsable(table, Object.fromEntries(columns.map((column, at) => [column, row[at] ?? null])));
      insert.run(row);
    }
  } catch (error) {
    throw new Error(`a row of ${table} is not valid: ${messageOf(error)}`, { cause: error });
  } finally {
    select.free();
    insert.free();
  }
}
