/**
 * Statements and transactions on a database in memory. Statements are prepared once and kept. A count of changes tells when to save.
 * What sql.js does not check is checked here: that each placeholder has a value, and that a text is one statement.
 */
import type { Database, Statement } from 'sql.js';
import { RelayError } from '../../domain/errors.ts';
import type { Image, PagedFile } from './pagedFile.ts';

export type SqlValue = number | string | Uint8Array | null;

/** Values for `?` in order, or for `:name` by name without the colon. Every placeholder needs one. */
export type SqlParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

export interface Sql {
  /** Runs one statement. `changes` counts the rows that it inserted, updated or deleted. */
  run(sql: string, params?: SqlParams): { changes: number };
  /** Returns the first row, keyed by column; undefined if there is none. */
  get<T>(sql: string, params?: SqlParams): T | undefined;
  all<T>(sql: string, params?: SqlParams): T[];
  /** Runs synchronous `work` in a transaction, which is rolled back if `work` throws. Nested calls are savepoints. */
  transaction<T>(work: () => T): T;
  /** Returns a number that grows with every change. */
  version(): number;
}

export interface OpenSql extends Sql {
  /** Returns the database file as it is now. */
  image(): Image;
  /** Closes the database; later statements throw. */
  close(): void;
}

/** Maximum number of statements to keep. The program has fewer, but a caller may build SQL from values. */
const CAPACITY = 300;

/** @param file the file of the database, if it can give images without copying */
export function createSql(db: Database, file: PagedFile | null = null): OpenSql {
  const statements = new Map<string, Prepared>();
  let version = 0;
  let depth = 0;
  let closed = false;

  function prepared(sql: string): Prepared {
    if (closed)
      throw new RelayError('STORE_ERROR', 'The state file is closed.', { remedy: 'Start relay again.' });
    const known = statements.get(sql);
    if (known) return known;
    const made = prepare(db, sql);
    statements.set(sql, made);
    if (statements.size > CAPACITY) forgetFirst();
    return made;
  }

  function forgetFirst(): void {
    const [first] = statements;
    first?.[1].statement.free();
    if (first) statements.delete(first[0]);
  }

  /** Binds the values, does some work with the statement, and counts what it changed. */
  function using<T>(sql: string, params: SqlParams, work: (prepared: Prepared) => T): [T, changes: number] {
    const entry = prepared(sql);
    let result: T;
    try {
      entry.statement.bind(valuesFor(entry, sql, params));
      result = work(entry);
    } finally {
      entry.statement.reset();
    }
    const changes = entry.kind === 'rows' ? db.getRowsModified() : 0;
    if (changes > 0 || entry.kind === 'schema') version++;
    // A change of the schema may change what other statements return.
    if (entry.kind === 'schema') while (statements.size > 0) forgetFirst();
    return [result, changes];
  }

  function rows<T>(sql: string, params: SqlParams, limit: number): T[] {
    const [found] = using(sql, params, (entry) => {
      const list: T[] = [];
      // A statement that writes must run to its end, whatever it returns.
      const enough = entry.kind === 'read' ? limit : Number.POSITIVE_INFINITY;
      while (list.length < enough && entry.statement.step()) list.push(rowOf(entry) as T);
      return list;
    });
    return found;
  }

  function runStep(sql: string): void {
    const { statement } = prepared(sql);
    try {
      statement.step();
    } finally {
      statement.reset();
    }
  }

  function transaction<T>(work: () => T): T {
    const point = depth === 0 ? null : `inner_${depth}`;
    const before = version;
    runStep(point ? `savepoint ${point}` : 'begin immediate');
    depth++;
    try {
      const result = work();
      if (result instanceof Promise) throw new Error('The work of a transaction must be synchronous');
      runStep(point ? `release ${point}` : 'commit');
      return result;
    } catch (error) {
      rollBack(point);
      version = before;
      throw error;
    } finally {
      depth--;
    }
  }

  function rollBack(point: string | null): void {
    try {
      db.exec(point ? `rollback to ${point}; release ${point}` : 'rollback');
    } catch {
      // After some errors SQLite has rolled back by itself (sqlite.org/lang_transaction.html, 2.1).
    }
  }

  return {
    run: (sql, params = []) => ({ changes: using(sql, params, ({ statement }) => statement.step())[1] }),
    get: <T>(sql: string, params: SqlParams = []) => rows<T>(sql, params, 1)[0],
    all: <T>(sql: string, params: SqlParams = []) => rows<T>(sql, params, Number.POSITIVE_INFINITY),
    transaction,
    version: () => version,
    image() {
      if (depth > 0) throw new Error('An image inside a transaction would hold half of it');
      // Since sql.js 1.16 `export` copies page by page into one buffer and keeps statements and settings.
      const image = file?.image();
      if (image) return image;
      const bytes = db.export();
      return { length: bytes.length, parts: [bytes] };
    },
    close() {
      if (!closed) db.close();
      closed = true;
    },
  };
}

interface Prepared {
  statement: Statement;
  /** `read` changes nothing, `rows` changes rows, `schema` anything else. */
  kind: 'read' | 'rows' | 'schema';
  /** The names of the values that the statement needs, in the order of their first places, and the number of `?`. */
  names: readonly string[];
  marks: number;
  columns: readonly string[] | null;
}

function prepare(db: Database, sql: string): Prepared {
  const plain = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ').trim();
  // SQLite would run the first and ignore the rest.
  if (/;\s*\S/.test(plain)) throw new Error(`More than one statement: ${sql}`);
  return {
    statement: db.prepare(sql),
    kind: kindOf(plain),
    names: [...new Set([...plain.matchAll(/:([a-z_]\w*)/gi)].map((match) => match[1] ?? ''))],
    marks: plain.match(/\?/g)?.length ?? 0,
    columns: null,
  };
}

function kindOf(plain: string): Prepared['kind'] {
  if (/^(insert|update|delete|replace)\b/i.test(plain)) return 'rows';
  if (/^with\b/i.test(plain)) return /\b(insert|update|delete|replace)\s/i.test(plain) ? 'rows' : 'read';
  return /^(select|values|explain)\b|^pragma [^=]*$/i.test(plain) ? 'read' : 'schema';
}

/**
 * Returns the values in the order in which SQLite numbers the placeholders (sqlite.org/lang_expr.html, 7). sql.js would use null for
 * a missing one. An object may have more values than the statement needs.
 */
function valuesFor({ names, marks }: Prepared, sql: string, params: SqlParams): SqlValue[] {
  if (isList(params)) {
    if (names.length === 0 && params.length === marks) return [...params];
    throw new Error(`${params.length} values for ${marks + names.length} placeholders: ${sql}`);
  }
  if (marks > 0) throw new Error(`Values by name for placeholders in order: ${sql}`);
  return names.map((name) => {
    const value = params[name];
    if (value === undefined) throw new Error(`No value for :${name}: ${sql}`);
    return value;
  });
}

function isList(params: SqlParams): params is readonly SqlValue[] {
  return Array.isArray(params);
}

/** Returns the current row. The names are read once, since reading them takes longer than reading the values. */
function rowOf(entry: Prepared): Record<string, SqlValue> {
  entry.columns ??= entry.statement.getColumnNames();
  const values = entry.statement.get();
  const row: Record<string, SqlValue> = {};
  for (let at = 0; at < entry.columns.length; at++) row[entry.columns[at] as string] = values[at] ?? null;
  return row;
}
