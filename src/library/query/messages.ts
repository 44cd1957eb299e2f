/** What the server and the thread that answers questions say to each other. */
import type { LibraryCell } from '../../domain/library.ts';
import type { CompiledWasm } from '../../store/sql/wasm.ts';

/** The files that a question sees as one database. */
export type LibraryFileName = 'library.db' | 'memory.db' | 'plays.db';

export interface Question {
  sql: string;
  /** Maximum number of rows. */
  limit: number;
  /** Maximum number of characters of the rows and the names of the columns as JSON. */
  maxCharacters: number;
  /** True to return the rows as CSV, without a limit of characters. */
  isCsv?: boolean;
  /** Where the files are. The copy must exist; null for another one that does not. */
  files: { mirror: string; memory: string | null; plays: string | null };
}

export interface Rows {
  columns: string[];
  rows: LibraryCell[][];
  truncated: boolean;
  /** If `isCsv` was set: the rows as CSV, in parts, and their number. `columns` and `rows` are then empty. */
  csv?: Uint8Array[];
  count?: number;
}

export type Reply =
  | { kind: 'ready' }
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
