/** Prepared statements, kept for the next call, and the checks that sql.js leaves out. */
import type { Database, Statement } from 'sql.js';
import type { SqlParams, SqlValue } from '../types.ts';

/** Maximum number of statements to keep. The program has fewer, but a caller may build SQL from values. */
const CAPACITY = 300;

export interface CachedStatement {
  statement: Statement;
  /** `read` changes nothing, `rows` changes rows, `schema` anything else. */
  kind: 'read' | 'rows' | 'schema';
  bind(params: SqlParams | undefined): void;
  /** Returns the current row. */
  row(): Record<string, SqlValue>;
}

export interface StatementCache {
  get(sql: string): CachedStatement;
  /** Forgets all statements, since a change of the schema may change what they return. */
  clear(): void;
}

export function createStatementCache(db: Database): StatementCache {
  const cached = new Map<string, CachedStatement>();
  return {
    get(sql) {
      const known = cached.get(sql);
      if (known) return known;
      const entry = prepare(db, sql);
      cached.set(sql, entry);
      if (cached.size > CAPACITY) dropFirst(cached);
      return entry;
    },
    clear() {
      while (cached.size > 0) dropFirst(cached);
    },
  };
}

function dropFirst(cached: Map<string, CachedStatement>): void {
  for (const [sql, entry] of cached) {
    entry.statement.free();
    cached.delete(sql);
    return;
  }
}

function prepare(db: Database, sql: string): CachedStatement {
  const asked = askedBy(sql);
  const statement = db.prepare(sql);
  // The names are read once, since reading them takes longer than reading the values.
  let columns: readonly string[] | null = null;
  return {
    statement,
    kind: asked.kind,
    row() {
      columns ??= statement.getColumnNames();
      const values = statement.get();
      const row: Record<string, SqlValue> = {};
      for (let at = 0; at < columns.length; at++) row[columns[at] as string] = values[at] ?? null;
      return row;
    },
    bind(params = []) {
      statement.bind(isList(params) ? positional(asked, params) : named(asked, params));
    },
  };
}

/** What the text of a statement tells: its kind, the names of the values that it needs, and the number of `?`. */
interface Asked {
  sql: string;
  kind: CachedStatement['kind'];
  names: readonly string[];
  marks: number;
}

/** What earlier texts told, by text. A text tells the same for every database. */
const read = new Map<string, Asked>();

function askedBy(sql: string): Asked {
  const known = read.get(sql);
  if (known) return known;
  const plain = withoutLiterals(sql);
  // SQLite would run the first and ignore the rest.
  if (/;\s*\S/.test(plain)) throw new Error(`More than one statement: ${sql}`);
  const names = new Set([...plain.matchAll(/:([a-z_]\w*)/gi)].map((match) => match[1] ?? ''));
  const asked: Asked = {
    sql,
    kind: kindOf(plain),
    names: [...names],
    marks: plain.match(/\?/g)?.length ?? 0,
  };
  if (read.size >= CAPACITY) read.clear();
  read.set(sql, asked);
  return asked;
}

function isList(params: SqlParams): params is readonly SqlValue[] {
  return Array.isArray(params);
}

/** Checks the values for `?`, since sql.js would use null for missing ones. */
function positional({ sql, names, marks }: Asked, params: readonly SqlValue[]): SqlValue[] {
  if (names.length > 0 || params.length !== marks) {
    throw new Error(`${params.length} values for ${marks + names.length} placeholders: ${sql}`);
  }
  return [...params];
}

/**
 * Checks the values for names, and puts them in the order in which SQLite numbers the names, that of their first place
 * (sqlite.org/lang_expr.html, 7). An object may have more values than the statement needs, but not fewer.
 */
function named({ sql, names, marks }: Asked, params: Readonly<Record<string, SqlValue>>): SqlValue[] {
  if (marks > 0) throw new Error(`Values by name for placeholders in order: ${sql}`);
  return names.map((name) => {
    const value = params[name];
    if (value === undefined) throw new Error(`No value for :${name}: ${sql}`);
    return value;
  });
}

function withoutLiterals(sql: string): string {
  return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ').trim();
}

function kindOf(plain: string): CachedStatement['kind'] {
  if (/^(insert|update|delete|replace)\b/i.test(plain)) return 'rows';
  if (/^with\b/i.test(plain)) return /\b(insert|update|delete|replace)\s/i.test(plain) ? 'rows' : 'read';
  return /^(select|values|explain)\b|^pragma [^=]*$/i.test(plain) ? 'read' : 'schema';
}
