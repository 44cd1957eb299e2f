/** Plays of a listening history, as the command line and the owner's page speak of their import. Plain JSON values. */

/** 2 GiB: what the export of a lifetime stays far below. */
export const MAX_EXPORT_BYTES = 2 * 1024 * 1024 * 1024;

/** What an import came to. */
export interface PlaysCount {
  /** Plays in the files. */
  read: number;
  /** Plays that were not known before. */
  added: number;
  /** All plays that are known now. */
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
  /** What it is called, where that is not the name of the file. */
  label?: string | undefined;
  /** True to import the history of another account too. */
  anyAccount: boolean;
}

/** `412,331 plays, 2014 to 2026; 2,104 were there already.` */
export function playsText({ read, added, from, to }: PlaysCount): string {
  const years = [...new Set([from, to].map((time) => time?.slice(0, 4)))].filter(Boolean).join(' to ');
  const known = read - added;
  const number = (value: number) => value.toLocaleString('en');
  const there = `${number(known)} ${known === 1 ? 'was' : 'were'} there already`;
  return `${number(read)} ${read === 1 ? 'play' : 'plays'}${years && `, ${years}`}${known > 0 ? `; ${there}` : ''}.`;
}

/** How far an import is. */
export type PlaysProgress =
  | { state: 'reading' | 'writing'; done: number; total: number }
  /** `note`: what else happened, in a sentence. */
  | { state: 'done'; plays: PlaysCount; note: string | null }
  /** Nothing was written: whose history it is has to be confirmed. */
  | { state: 'asking'; question: string };
