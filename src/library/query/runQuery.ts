/**
 * Runs one question on a copy of the library. SQLite itself makes sure that the question only reads. The text must compile as a
 * subquery, which SQLite's grammar allows only for SELECT, WITH … SELECT and VALUES. The database is also set to `query_only`. A
 * pragma may take effect as soon as it is compiled. So a text is compiled by itself only if it begins like a query.
 */

import type { Database, SqlValue, Statement } from 'sql.js';
import { cutAt } from '../../base/lists.ts';
import { messageOf } from '../../base/thrown.ts';
import { csvLine, LIBRARY_TABLES, LIBRARY_VIEWS, type LibraryCell } from '../../domain/library.ts';
import type { CompiledWasm } from '../../store/sql/wasm.ts';

/** The copy of the library as it is in memory, since it is saved less often than it changes. */
export interface Mirror {
  /** The same as long as the content is. */
  mark: string;
  bytes(): Uint8Array;
}

/** The files that a question sees as one database. */
export type LibraryFileName = 'library.db' | 'memory.db' | 'plays.db';

export interface Question {
  sql: string;
  limit: number;
  /** Maximum number of characters of the rows and the names of the columns as JSON. */
  maxCharacters: number;
  /** True to return the rows as CSV, without a limit of characters. */
  isCsv?: boolean;
  mirror: Mirror;
  /** Where the other files are; null for one that does not exist. */
  files: { memory: string | null; plays: string | null };
}

/** A question as the thread gets it. It has the bytes of the copy only if the thread does not hold them yet. */
export type PostedQuestion = Omit<Question, 'mirror'> & { mirror: { mark: string; bytes?: Uint8Array } };

export interface Rows {
  columns: string[];
  rows: LibraryCell[][];
  truncated: boolean;
  /** If `isCsv` was set: the rows as CSV, in parts, and their number. `columns` and `rows` are then empty. */
  csv?: Uint8Array[];
  count?: number;
}

export type Reply =
  /** The files are open, and the question is being answered. */
  | { kind: 'begun' }
  | { kind: 'rows'; rows: Rows; heapBytes: number }
  | { kind: 'refused'; reason: Refusal; message: string; heapBytes: number };

/**
 * Why a question is refused. `statement`: the text is not valid, or does more than read. `memory`: the question needs too much
 * memory. A file: it is damaged, or cannot be opened.
 */
export type Refusal = 'statement' | 'memory' | LibraryFileName;

/** What the thread is given when it starts. */
export interface QueryStart {
  task: 'query';
  /** The compiled SQLite of this process. */
  module: CompiledWasm;
  /** Limit of SQLite's own memory, in bytes. */
  heapLimit: number;
}

type Limits = Pick<Question, 'limit' | 'maxCharacters' | 'isCsv'>;

/** Number of characters of CSV to encode at once. */
const PART = 128 * 1024;
/** Maximum number of bytes of CSV. The plays of a lifetime take less. */
const CSV_LIMIT = 128 * 1024 * 1024;
/** Comments and quoted text, which may hold semicolons. A quotation without an end is left to SQLite, which reports it. */
const TOKEN = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$)|;/g;
const COMMENT = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

export class Refused extends Error {
  readonly reason: Refusal;

  constructor(reason: Refusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** SQLite has found damage in one of its files. */
export class Damage extends Error {}

const READ_ONLY =
  'Only one SELECT, WITH … SELECT or VALUES statement is allowed: the library can only be read.';

export function runQuery(db: Database, sql: string, limits: Limits): Rows {
  const end = [...sql.matchAll(TOKEN)].find(([token]) => token === ';')?.index ?? sql.length;
  const statement = sql.slice(0, end);
  const isMore = /[^\s;]/.test(sql.slice(end).replace(COMMENT, ' '));
  if (isMore || statement.trim() === '') throw new Refused('statement', READ_ONLY);
  requireQuery(statement);
  try {
    const prepared = db.prepare(statement);
    try {
      requireSubquery(db, statement);
      return limits.isCsv ? asCsv(prepared, limits) : rowsOf(prepared, limits);
    } finally {
      prepared.free();
    }
  } catch (error) {
    throw error instanceof Refused ? error : errorOf(error, sql);
  }
}

/** Requires that a text begins like a query. If its first word is no word of SQL, the error calls it a syntax error, as SQLite does. */
function requireQuery(statement: string): void {
  const word = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*([a-z]\w*)/i.exec(statement)?.[1] ?? '';
  if (['select', 'with', 'values'].includes(word.toLowerCase())) return;
  const isMistyped = word !== '' && !OTHER_STATEMENTS.includes(word.toLowerCase());
  throw new Refused('statement', isMistyped ? `near "${word}": syntax error. ${READ_ONLY}` : READ_ONLY);
}

/** Requires that a statement, which compiles by itself, only reads: WITH may also begin an INSERT, UPDATE or DELETE. */
function requireSubquery(db: Database, statement: string): void {
  const statements = db.iterateStatements(`select * from (\n${statement}\n)`);
  try {
    statements.next();
  } catch (error) {
    throw /out of memory/i.test(messageOf(error)) ? error : new Refused('statement', READ_ONLY);
  }
  if (statements.getRemainingSQL().trim() !== '') throw new Refused('statement', READ_ONLY);
  // Frees the compiled statement.
  statements.next();
}

const OTHER_STATEMENTS: readonly string[] = [
  ...'alter analyze attach begin commit create delete detach drop end explain insert pragma reindex release'.split(
    ' ',
  ),
  ...'replace rollback savepoint update vacuum'.split(' '),
];

function rowsOf(prepared: Statement, { limit, maxCharacters }: Limits): Rows {
  // Without AS, SQLite names a column by its whole expression.
  const columns = fitting(prepared.getColumnNames(), Math.floor(maxCharacters / 2));
  const rows: LibraryCell[][] = [];
  const room = maxCharacters - weightOf(columns);
  let size = 2;
  while (prepared.step()) {
    if (rows.length === limit) return { columns, rows, truncated: true };
    const row = cellsOf(prepared);
    size += weightOf(row) + 1;
    if (size > room) return { columns, rows: rows.length > 0 ? rows : [fitting(row, room)], truncated: true };
    rows.push(row);
  }
  return { columns, rows, truncated: false };
}

function asCsv(prepared: Statement, { limit }: Limits): Rows {
  const csv: Uint8Array[] = [];
  let text = csvLine(prepared.getColumnNames());
  let [count, size, truncated] = [0, 0, false];
  const encode = () => {
    // The bytes take no room among the values of the thread.
    const part = new TextEncoder().encode(text);
    csv.push(part);
    size += part.length;
    text = '';
    if (size > CSV_LIMIT) throw new Refused('memory', 'The CSV is too large.');
  };
  while (prepared.step()) {
    truncated = count === limit;
    if (truncated) break;
    text += csvLine(cellsOf(prepared));
    count += 1;
    if (text.length >= PART) encode();
  }
  encode();
  return { columns: [], rows: [], count, truncated, csv };
}

/** The types of sql.js do not know this form of `get`. */
interface ExactStatement {
  get(params: null, config: { useBigInt: true }): Array<SqlValue | bigint>;
}

/** Returns the current row. A row with large integers is read again with their exact values, which is slower. */
function cellsOf(prepared: Statement): LibraryCell[] {
  const row = prepared.get();
  const isLarge = (value: SqlValue) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (!row.some(isLarge)) return row.map(cellOf);
  return (prepared as unknown as ExactStatement).get(null, { useBigInt: true }).map(cellOf);
}

function cellOf(value: SqlValue | bigint): LibraryCell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return `(${value.length} bytes)`;
  // JSON has no word for infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value;
}

/** Returns the length of a row as JSON. Characters outside ASCII count twice, since most of them cost a token each. */
function weightOf(row: readonly LibraryCell[]): number {
  const text = JSON.stringify(row);
  let extra = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 126) extra += 1;
  return text.length + extra;
}

function fitting<T extends LibraryCell>(row: T[], room: number): T[] {
  if (weightOf(row) <= room) return row;
  const length = Math.max(1, Math.floor(room / row.length / 2) - 3);
  return row.map((cell) =>
    typeof cell === 'string' && cell.length > length ? (`${cutAt(cell, length)}…` as T) : cell,
  );
}

/** How SQLite's messages about a damaged file begin. Similar ones, such as "malformed JSON", are about the question. */
const DAMAGED = /^(?:database disk image is malformed|malformed database schema|file is not a database)/;

function errorOf(error: unknown, sql: string): Error {
  const message = messageOf(error);
  if (/out of memory/i.test(message)) return new Refused('memory', message);
  if (DAMAGED.test(message)) return new Damage(message);
  return new Refused('statement', `${message}${columnsFor(message, sql)}`);
}

/** Lists the known tables and columns if the error is about an unknown table or column. */
function columnsFor(message: string, sql: string): string {
  if (!/no such (column|table)|has no column/.test(message)) return '';
  const isNamed = (table: string) => new RegExp(`\\b${table}\\b`, 'i').test(sql);
  // The views have the names that these two tables lack.
  const known = { ...LIBRARY_TABLES, ...LIBRARY_VIEWS };
  const named = Object.keys(known).filter(
    (table) =>
      isNamed(table) ||
      (table === 'saved_tracks' && isNamed('saved')) ||
      (table === 'playlist_tracks' && isNamed('playlist_rows')),
  );
  const isTable = message.includes('no such table');
  const tables = isTable || named.length === 0 ? Object.keys(known) : named;
  return `. ${tables.map((table) => `${table}(${known[table]})`).join('; ')}`;
}
