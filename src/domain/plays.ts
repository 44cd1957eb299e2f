/** Importing a listening history: the shapes that the command line and the owner's page share. Plain JSON values. */

/** 2 GiB, far more than the export of a lifetime. */
export const MAX_EXPORT_BYTES = 2 * 1024 * 1024 * 1024;

/** The result of an import. */
export interface PlaysCount {
  /** Number of plays in the files. */
  read: number;
  /** Number of plays that were not known before. */
  added: number;
  /** Number of all plays that are known now. */
  total: number;
  /** When the first and the last play in the files ended, ISO 8601; null if there are no plays. */
  from: string | null;
  to: string | null;
  /** Number of rows that were left out, because they say too little to be a play. */
  unreadable: number;
}

export interface PlaysRequest {
  /** Absolute path of the archive, of the unpacked directory, or of one file. */
  path: string;
  /** The name to show instead of the file's name. */
  label?: string | undefined;
  /** True to import the history of another account too. */
  anyAccount: boolean;
}

/** Describes the result of an import: `412,331 plays, 2014 to 2026; 410,227 are new.` */
export function playsText({ read, added, from, to }: PlaysCount): string {
  const years = [...new Set([from, to].map((time) => time?.slice(0, 4)))].filter(Boolean).join(' to ');
  const number = (value: number) => value.toLocaleString('en');
  // The rest were there already, or are repeated in the files.
  const fresh = `${added === 0 ? 'none' : number(added)} ${added > 1 ? 'are' : 'is'} new`;
  return `${number(read)} ${read === 1 ? 'play' : 'plays'}${years && `, ${years}`}${added < read ? `; ${fresh}` : ''}.`;
}

/** Progress of an import. `done` and `total` count bytes of the histories while reading, and plays while writing. */
export type PlaysProgress =
  | { state: 'reading' | 'writing'; done: number; total: number }
  /** `note` says that a damaged library file was put aside, and where; null if there is nothing to say. */
  | { state: 'done'; plays: PlaysCount; note: string | null }
  /**
   * The history is another account's, as `question` says. Nothing was written. If the person wants the plays all the same, a
   * second import with `anyAccount` writes them.
   */
  | { state: 'asking'; question: string };
