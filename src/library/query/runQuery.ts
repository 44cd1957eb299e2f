/**
 * Runs one question on a copy of the library. SQLite itself makes sure that the question only reads. The text must first
 * compile as a subquery, which SQLite's grammar allows only for SELECT, WITH … SELECT and VALUES. The database is also set to
 * `query_only`. A pragma may take effect as soon as it is compiled. So a text is compiled by itself only if it is such a query, or
 * begins like one.
 */

import type { Database, SqlValue, Statement } from 'sql.js';
import { cutAt } from '../../base/lists.ts';
import { csvLine, LIBRARY_TABLES, type LibraryCell, type LibraryList } from '../../domain/library.ts';
import type { Question, Refusal, Rows } from './messages.ts';
import { splitStatement } from './statement.ts';

type Limits = Pick<Question, 'limit' | 'maxCharacters' | 'isCsv' | 'isExplained'>;

/** Number of characters of CSV to send at once. */
const PART = 128 * 1024;

/** Why a question was not answered. */
export class Refused extends Error {
  readonly reason: Refusal;

  constructor(reason: Refusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

const READ_ONLY =
  'Only one SELECT, WITH … SELECT or VALUES statement is allowed: the library can only be read.';

/**
 * Runs a question, or with `isExplained` only finds out which lists it reads.
 * @param send called with the next lines of CSV, if `isCsv` is set
 * @throws Refused
 */
export function runQuery(
  db: Database,
  sql: string,
  limits: Limits,
  send: (text: string) => void = () => {},
): Rows {
  const { statement, rest } = splitStatement(sql);
  if (rest !== '' || statement.trim() === '') throw new Refused('statement', READ_ONLY);
  try {
    compileAsSubquery(db, statement);
    if (limits.isExplained)
      return { columns: [], rows: [], truncated: false, lists: listsReadBy(db, statement) };
    const prepared = db.prepare(statement);
    try {
      return limits.isCsv ? sentAsCsv(prepared, limits, send) : rowsOf(prepared, limits);
    } finally {
      prepared.free();
    }
  } catch (error) {
    throw error instanceof Refused ? error : refusalOf(error, sql);
  }
}

/**
 * Finds the lists of the account that a statement reads. The statement's compiled program names the first page of each table.
 * Tracks come from all lists, so a statement that scans tracks reads all lists. A statement that looks up tracks by URI reads
 * only the list that the URIs come from. If they come from neither list, as with plays, any list may hold the tracks.
 */
function listsReadBy(db: Database, statement: string): LibraryList[] {
  const pages = new Map(
    valuesOf(db, 'select rootpage, tbl_name, name from main.sqlite_schema').map(([page, table, name]) => [
      page,
      { table: String(table), name: String(name) },
    ]),
  );
  const program = valuesOf(db, `explain ${statement}`).map(([, code, p1, p2, p3]) => ({ code, p1, p2, p3 }));
  const lists = new Set<LibraryList>();
  let hasTracks = false;
  for (const { p1: cursor, p2: page, p3: database } of program.filter(({ code }) =>
    OPENS.includes(String(code)),
  )) {
    const { table, name } = (database === 0 ? pages.get(page ?? null) : undefined) ?? { table: '', name: '' };
    const walks = WALKS[table] ?? [];
    const isWalked =
      walks.length > 0 &&
      ((name !== table && !LOOKED_UP.includes(name)) ||
        program.some(({ code, p1 }) => p1 === cursor && walks.includes(String(code))));
    hasTracks ||= walks.length > 0;
    if (table === 'saved' || isWalked) lists.add('saved');
    if (OF_PLAYLISTS.includes(table) || isWalked) lists.add('playlists');
  }
  return lists.size === 0 && hasTracks ? ['saved', 'playlists'] : [...lists];
}

/** The instructions that open a stored table or index to read it. An OR over several indices opens each of them again. */
const OPENS: readonly string[] = ['OpenRead', 'ReopenIdx'];
const OF_PLAYLISTS: readonly string[] = ['playlists', 'playlist_rows'];
/**
 * The tables of tracks, and the instructions of SQLite that go through many of their rows. A track may have several artists, so
 * `Next` alone says nothing about `track_artists`.
 */
const WALKS: Readonly<Record<string, readonly string[]>> = {
  tracks: ['Rewind', 'Last', 'Next', 'Prev', 'Count'],
  track_artists: ['Rewind', 'Last', 'Count'],
};
/** Names of the indices that look up a single row. */
const LOOKED_UP: readonly string[] = ['sqlite_autoindex_tracks_1'];

function valuesOf(db: Database, sql: string): SqlValue[][] {
  return db.exec(sql)[0]?.values ?? [];
}

function compileAsSubquery(db: Database, statement: string): void {
  const statements = db.iterateStatements(`select * from (\n${statement}\n)`);
  try {
    statements.next();
  } catch (error) {
    throw notASubquery(db, statement, error);
  }
  if (statements.getRemainingSQL().trim() !== '') throw new Refused('statement', READ_ONLY);
  // Frees the compiled statement.
  statements.next();
}

/**
 * Returns the error for a text that does not compile as a subquery. A text that begins like a query gets SQLite's error for that
 * text alone: the error for the subquery may name a bracket that nobody wrote. For any other text, the error says that only
 * queries are allowed. If its first word is not a word of SQL, the error also calls that word a syntax error. SQLite's own error
 * for the subquery would name a later word.
 */
function notASubquery(db: Database, statement: string, error: unknown): unknown {
  const word = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*([a-z]\w*)/i.exec(statement)?.[1] ?? '';
  if (['select', 'with', 'values'].includes(word.toLowerCase())) {
    const own = compileError(db, statement);
    return own === null && /^with$/i.test(word) ? new Refused('statement', READ_ONLY) : (own ?? error);
  }
  const isMistyped = word !== '' && !OTHER_STATEMENTS.includes(word.toLowerCase());
  return new Refused('statement', isMistyped ? `near "${word}": syntax error. ${READ_ONLY}` : READ_ONLY);
}

/** Compiles a statement without running it. @returns SQLite's error; null if the statement can be compiled */
function compileError(db: Database, statement: string): unknown {
  try {
    db.prepare(statement).free();
    return null;
  } catch (error) {
    return error;
  }
}

const OTHER_STATEMENTS: readonly string[] = [
  ...'alter analyze attach begin commit create delete detach drop end explain insert pragma reindex release'.split(
    ' ',
  ),
  ...'replace rollback savepoint update vacuum'.split(' '),
];

function rowsOf(prepared: Statement, { limit, maxCharacters }: Limits): Rows {
  const columns = shortNames(prepared.getColumnNames(), Math.floor(maxCharacters / 2));
  const rows: LibraryCell[][] = [];
  const room = maxCharacters - weightOf(columns);
  let size = 2;
  while (prepared.step()) {
    if (rows.length === limit) return { columns, rows, truncated: true };
    let row = cellsOf(prepared);
    size += weightOf(row) + 1;
    if (size > room) {
      if (rows.length > 0) return { columns, rows, truncated: true };
      row = cut(row, Math.floor(room / Math.max(1, row.length) / 2));
      return { columns, rows: [row], truncated: true };
    }
    rows.push(row);
  }
  return { columns, rows, truncated: false };
}

function sentAsCsv(prepared: Statement, { limit }: Limits, send: (text: string) => void): Rows {
  let text = csvLine(prepared.getColumnNames());
  let count = 0;
  let truncated = false;
  while (prepared.step()) {
    truncated = count === limit;
    if (truncated) break;
    text += csvLine(cellsOf(prepared));
    count += 1;
    if (text.length < PART) continue;
    send(text);
    text = '';
  }
  send(text);
  return { columns: [], rows: [], count, truncated };
}

/** The types of sql.js do not know this form of `get`. */
interface ExactStatement {
  get(params: null, config: { useBigInt: true }): Array<SqlValue | bigint>;
}

/** Returns the current row of a statement. A row with large integers is read again with their exact values, which is slower. */
function cellsOf(prepared: Statement): LibraryCell[] {
  const row = prepared.get();
  const isExact = row.every(
    (value) => typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER,
  );
  if (isExact) return row.map(cellOf);
  return (prepared as unknown as ExactStatement).get(null, { useBigInt: true }).map(cellOf);
}

function cellOf(value: SqlValue | bigint): LibraryCell {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
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

/** Cuts the names of columns if they are too long together. Without AS, SQLite names a column by its whole expression. */
function shortNames(names: string[], maxCharacters: number): string[] {
  if (weightOf(names) <= maxCharacters) return names;
  const length = Math.max(1, Math.floor(maxCharacters / names.length / 2) - 3);
  return names.map((name) => cutText(name, length));
}

function cut(row: readonly LibraryCell[], length: number): LibraryCell[] {
  return row.map((cell) => (typeof cell === 'string' ? cutText(cell, length) : cell));
}

function cutText(text: string, length: number): string {
  return text.length > length ? `${cutAt(text, length)}…` : text;
}

/** How SQLite's messages about a damaged file begin. Similar ones, such as "malformed JSON", are about the question. */
const DAMAGED = /^(?:database disk image is malformed|malformed database schema|file is not a database)/;

function refusalOf(error: unknown, sql: string): Refused {
  const message = error instanceof Error ? error.message : String(error);
  if (/out of memory/i.test(message)) return new Refused('memory', message);
  if (DAMAGED.test(message)) return new Refused('memory.db', message);
  return new Refused('statement', `${message}${columnsFor(message, sql)}`);
}

/** Lists the known tables and columns if the error is about an unknown table or column. */
function columnsFor(message: string, sql: string): string {
  if (!/no such (column|table)|has no column/.test(message)) return '';
  const named = Object.keys(LIBRARY_TABLES).filter((table) => new RegExp(`\\b${table}\\b`, 'i').test(sql));
  const isTable = message.includes('no such table');
  const tables = isTable || named.length === 0 ? Object.keys(LIBRARY_TABLES) : named;
  return `. ${tables.map((table) => `${table}(${LIBRARY_TABLES[table]})`).join('; ')}`;
}
