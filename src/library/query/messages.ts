/** What the server and the thread that answers questions say to each other. */
import type { LibraryCell, LibraryList } from '../../domain/library.ts';
import type { CompiledWasm } from '../../store/sql/wasm.ts';

export interface Question {
  id: number;
  sql: string;
  /** Maximum number of rows. */
  limit: number;
  /** Maximum number of characters of the rows and the names of the columns as JSON. */
  maxCharacters: number;
  /** True to return the rows as CSV, without a limit of characters. The CSV is sent in parts, to save memory. */
  isCsv?: boolean;
  /** True to return only which lists the query reads, without running it. */
  isExplained?: boolean;
  /** Path of the copy, which must exist. */
  mirror: string;
  /** Path of `memory.db`; null if there is none. */
  memory: string | null;
}

export interface Rows {
  columns: string[];
  rows: LibraryCell[][];
  truncated: boolean;
  /** If `isCsv` was set: the rows as CSV, and their number. `columns` and `rows` are then empty. */
  csv?: string;
  count?: number;
  /** The lists that the query reads, if `isExplained` was set. */
  lists?: LibraryList[];
}

export type Reply =
  | { kind: 'ready' }
  /** The next lines of CSV. */
  | { kind: 'part'; text: string }
  | { kind: 'rows'; id: number; rows: Rows; heapBytes: number }
  | { kind: 'refused'; id: number; reason: Refusal; message: string; heapBytes: number };

/**
 * Why a question is refused. `statement`: the text is not valid, or does more than read. `memory`: the question needs too much
 * memory. `library.db`: this file cannot be opened. `memory.db`: this file cannot be opened, or SQLite found damage in either
 * file while the question ran.
 */
export type Refusal = 'statement' | 'memory' | 'library.db' | 'memory.db';

/** What the thread is given when it starts. */
export interface WorkerStart {
  /** The compiled SQLite of this process. */
  module: CompiledWasm;
  /** Limit of SQLite's own memory, in bytes. */
  heapLimit: number;
}
