/** What the server and the thread that answers questions say to each other. */
import type { LibraryCell } from '../../domain/library.ts';
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
  /** Maximum number of rows. */
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
