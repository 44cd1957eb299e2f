/** Importing a list of songs: the shapes that the command line, the page and the tools share. Plain JSON values. */

/** Formats that are read, in the order of the help. */
export const LIST_FORMATS = [
  'csv',
  'tsv',
  'spotify',
  'json',
  'm3u8',
  'pls',
  'cue',
  'xspf',
  'itunes',
  'txt',
] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/** 20 MiB. An XML file takes about 30 times its size in memory while it is read. */
export const MAX_LIST_BYTES = 20 * 1024 * 1024;

/** How to read a list. A setting that is left out is detected. */
export interface ListReading {
  format?: ListFormat | undefined;
  /** Name of the encoding, such as `windows-1251`. */
  encoding?: string | undefined;
  /** The side of the artist in "A - B". */
  artistSide?: 'left' | 'right' | undefined;
  /** Name of the only playlist to read from a file that has several. Upper and lower case count as the same. */
  list?: string | undefined;
  /** Name of the file, if there is one. The name is what identifies an M3U file without a header. */
  fileName?: string | undefined;
  /** True to read every play of a listening history, also repeats and plays of less than 30 s. */
  allPlays?: boolean | undefined;
}

/** Where the songs go. */
export type ImportTarget =
  | { kind: 'playlist'; playlistId: string; replace: boolean }
  | { kind: 'new'; name: string; description?: string | undefined; public?: boolean | undefined }
  | { kind: 'saved' };

export interface ImportChoices {
  /** True to write nothing unless every song is found. */
  strict: boolean;
  /**
   * True to write each song only once, even if the list names it several times, and to leave out songs that the playlist holds
   * already.
   */
  skipDuplicates: boolean;
}

/** A line or row that is not a song. */
export interface UnreadLine {
  line: number;
  /** The text of the line in the file, at most 300 characters. */
  text: string;
  /** A phrase such as `empty` or `no artist`. */
  why: string;
}

/** Why plays of a listening history are left out, unless all plays are asked for. */
export const LEFT_OUT_PLAYS = { short: 'heard for less than 30 s', again: 'heard before' } as const;

/** How a list was read, before relay searches for a song or writes. */
export interface ImportPreview {
  format: ListFormat;
  encoding: string;
  /** Name of the playlist, if the file names exactly one. */
  name: string | null;
  /** The playlists of a file that has several. Songs that the file puts in none are a playlist of their own. */
  lists: Array<{ name: string; songs: number }>;
  songs: number;
  /**
   * Number of `songs` that are episodes; the others are tracks. Only an address tells an episode from a track; a song without
   * an address is a track.
   */
  episodes: number;
  /** Which side of the separator is the artist; null if no line has two sides. */
  artist_side: { side: 'left' | 'right'; because: string; certain: boolean } | null;
  /** The column of a table that is used for each field, by the names in its header. */
  columns: Partial<Record<string, string>>;
  /** The first songs that have a title, as they are understood. */
  examples: Array<{ line: number; title: string; artist: string }>;
  /** Lines that are not songs: how many, how many for each reason, and the first of those that are not empty. */
  not_songs: { total: number; reasons: Record<string, number>; lines: UnreadLine[] };
  /** Why the file may not be a list of songs, so that a person is asked first; null if it looks like a list. */
  doubt: string | null;
  /** Number of songs with an address, which cost no search. */
  with_uri: number;
  /** Number of songs with a recording code (ISRC) but no address. The code lets one search find the exact recording. */
  with_isrc: number;
  /** Number of songs for which a match is remembered, which cost no search. */
  remembered: number;
  /** Number of songs that repeat an earlier song of the list. */
  repeated: number;
  /** How many searches the import takes: one or two for each song. An album and a recording code may each take one more. */
  searches: { at_least: number; at_most: number };
  /** Number of searches in the last 24 hours. They count for the same quota. */
  searches_24h: number;
  /** Number of jobs that the import takes: each holds at most 10,000 songs. */
  jobs: number;
}
