/** Importing a listening history: the shapes that the command line and the owner's page share. Plain JSON values. */
import { counted } from '../base/lists.ts';

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
  /** The files that could not be read to their end, and why: `"endsong_1.json" is empty`. */
  unread: string[];
  /** Number of playlists and of saved songs that the same export holds. */
  lists: { playlists: number; saved: number };
}

export interface PlaysRequest {
  /** Absolute path of the archive, of the unpacked directory, or of one file. */
  path: string;
  /** The name to show instead of the file's name. */
  label?: string | undefined;
}

/** Describes the result of an import: `412,331 plays, 2014 to 2026; 410,227 are new.` */
export function playsText({ read, added, from, to }: PlaysCount): string {
  const years = [...new Set([from, to].map((time) => time?.slice(0, 4)))].filter(Boolean).join(' to ');
  const number = (value: number) => value.toLocaleString('en');
  // The rest were there already, or are repeated in the files.
  const fresh = `${added === 0 ? 'none' : number(added)} ${added > 1 ? 'are' : 'is'} new`;
  return `${number(read)} ${read === 1 ? 'play' : 'plays'}${years && `, ${years}`}${added < read ? `; ${fresh}` : ''}.`;
}

/**
 * What else there is to say of an import, a sentence each.
 * @param command returns the command that imports the same export with an option
 */
export function playsNotes(
  { unreadable, unread, lists: { playlists, saved } }: PlaysCount,
  command: (option: string) => string,
): string[] {
  return [
    ...unread.map((fault) => `Left out: ${fault}.`),
    ...(unreadable > 0 ? [`Left out ${counted(unreadable, 'row')} without a valid time or length.`] : []),
    ...(playlists > 0
      ? [`The export also holds ${counted(playlists, 'playlist')}. To create them here: ${command('--each')}`]
      : []),
    ...(saved > 0
      ? [`The export also holds ${counted(saved, 'saved song')}. To save them here: ${command('--saved')}`]
      : []),
  ];
}

/** Progress of an import. `done` and `total` count bytes of the histories while reading, and plays while writing. */
export type PlaysProgress =
  | { state: 'reading' | 'writing'; done: number; total: number }
  /** `note` says that a damaged plays.db was put aside, and where; null if there is nothing to say. */
  | { state: 'done'; plays: PlaysCount; note: string | null };
