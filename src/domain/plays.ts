/** Plays of a listening history, as the command line and the owner's page speak of their import. Plain JSON values. */

/** 2 GiB: what the export of a lifetime stays far below. */
export const MAX_EXPORT_BYTES = 2 * 1024 * 1024 * 1024;

/** What an import came to. */
export interface PlaysCount {
  /** In the files. */
  read: number;
  /** That were not known before. */
  added: number;
  /** Known now. */
  total: number;
  /** The first and the last end of a play in the files, ISO 8601; null where there are none. */
  from: string | null;
  to: string | null;
  /** Rows of the files that say too little to be a play: they were left out. */
  unreadable: number;
}

export interface PlaysRequest {
  /** Absolute path of the archive, of the unpacked directory, or of one file. */
  path: string;
  /** Also the history of another account. */
  anyAccount: boolean;
}

/** How far an import is. */
export type PlaysProgress =
  | { state: 'reading' | 'writing'; done: number; total: number }
  /** `note`: what else happened, in a sentence. */
  | { state: 'done'; plays: PlaysCount; note: string | null }
  /** Nothing was written: whose history it is has to be confirmed. */
  | { state: 'asking'; question: string };
