/** Answers to questions about the library, and the state of the copy that answers them. */
import { csvField } from './listExport.ts';

/** How much of the account the copy holds. */
export interface LibraryCoverage {
  saved: 'complete' | 'partial' | 'none';
  /**
   * `unreadable` counts the playlists whose rows Spotify does not give. Once all playlists are read, `read` + `unreadable` =
   * `total`.
   */
  playlists: { read: number; total: number; unreadable: number };
}

/** The parts of the account that are read separately. */
export type LibraryList = 'saved' | 'playlists';

export type LibraryCell = string | number | null;

/** The answer to a question, in the form of the tool `query_library`. */
export interface LibraryAnswer {
  columns: string[];
  rows: LibraryCell[][];
  /** Number of rows returned. */
  row_count: number;
  /** True if rows were left out, or if the only row was too long and its texts were cut. */
  truncated: boolean;
  /**
   * When the answer was last known to be true, ISO 8601. Until the first reading has ended: when that reading began. null if
   * none has begun.
   */
  as_of: string | null;
  coverage: LibraryCoverage;
  note?: string;
}

/** An answer as CSV. Has all rows, unless the question limited their number. */
export interface LibraryCsv extends Omit<LibraryAnswer, 'columns' | 'rows'> {
  /** One line of names, then one line for each row. */
  csv: string;
}

/** Writes a line of CSV as in RFC 4180, except that it ends with a single line feed. A null becomes an empty field. */
export function csvLine(cells: readonly LibraryCell[]): string {
  return `${cells.map((cell) => csvField(cell === null ? '' : String(cell))).join(',')}\n`;
}

/** What `relay library status` and the owner's page show. Times are ISO 8601. */
export interface LibraryStatus {
  /** As in `LibraryAnswer`. */
  as_of: string | null;
  coverage: LibraryCoverage;
  /**
   * `reading`: the library is read in the background. `waiting`: the reading waits until `until`, or for a login if `until` is
   * null; `reason` is the code of the error, or `BUDGET`. `idle`: no reading is under way.
   */
  state: 'idle' | 'reading' | 'waiting';
  until: string | null;
  reason: string | null;
  /** How many requests the reading has taken, and how many it takes in all. Both are estimated from what the copy holds. */
  progress: { done: number; total: number };
  tracks: number;
  saved: number;
  size_bytes: number;
}

/** The parts that can be deleted. `mirror`, the copy, can be read again; the other parts are lost. */
export const LIBRARY_PARTS = ['mirror', 'versions', 'plays'] as const;
export type LibraryPart = (typeof LIBRARY_PARTS)[number];

/** The tables that a question sees, with their columns, in the order in which people ask for them. */
export const LIBRARY_TABLES: Readonly<Record<string, string>> = {
  tracks: 'uri, id, name, artist, album, album_uri, released, duration_ms, explicit, isrc, kind, song',
  track_artists: 'track_uri, artist_uri, artist, place',
  saved: 'uri, added_at, position',
  playlists:
    'id, name, owner, mine, public, collaborative, description, total, snapshot_id, readable, read_at',
  playlist_rows: 'playlist_id, position, uri, added_at, added_by',
  versions: 'playlist_id, version, seen_at, total, added, removed',
  plays: 'played_at, uri, name, artist, album, ms_played, kind, skipped',
};

/** The same with the names beside the URI, so that a first question needs no join. */
export const LIBRARY_VIEWS: Readonly<Record<string, string>> = {
  saved_tracks: 'uri, name, artist, album, released, song, added_at, position',
  playlist_tracks: 'playlist_id, playlist, position, uri, name, artist, album, released, song, added_at',
};

/** What the names of the columns do not say. */
export const LIBRARY_NOTES: readonly string[] = [
  'Views saved_tracks, playlist_tracks: the same with name, artist, album, released, song, playlist.',
  'position: from 0; in saved, 0 is the newest.',
  'released: may be only a year, so use substr, not strftime.',
  'owner: a display name; added_by: a user ID.',
  'played_at: the end of the play, in UTC. plays.uri: NULL in the account data.',
  'song: the same for tracks that are one song.',
  'fold(text): lower case, no accents.',
];

/** Writes each table and view with its columns. */
export function libraryTables(): string[] {
  return written({ ...LIBRARY_TABLES, ...LIBRARY_VIEWS });
}

function written(tables: Readonly<Record<string, string>>): string[] {
  return Object.entries(tables).map(([table, columns]) => `${table}(${columns})`);
}

/** Writes the tables and the notes as text, with one line for each. */
export function libraryTablesText(): string {
  return [...written(LIBRARY_TABLES), ...LIBRARY_NOTES].join('\n');
}

/** Writes a text as a value in SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
