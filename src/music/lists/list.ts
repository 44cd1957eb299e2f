/** The shapes of a list before and after it is read. */

import type { ListFormat, UnreadLine } from '../../domain/listImport.ts';
import type { TrackQuery } from '../trackQuery.ts';
import type { Field, Fields } from './columns.ts';

/** `mixed`: some lines are UTF-8, others Windows-1252, as after joining two files. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'mixed';

/** One song or episode of a list. Title and artist are '' only if `uri` or `isrc` identifies the song. */
export interface ListEntry extends TrackQuery {
  /** First line in the file, from 1. */
  line: number;
  /** URI of a track or an episode in Spotify's catalog. */
  uri?: string;
  /** Name of the playlist within the file, if the file names one. */
  list?: string;
  /** The text in the file, at most 300 characters. */
  raw: string;
}

/** A line or row without a song. */
export type NotSong = UnreadLine;

/** Which side of " - " is the artist. */
export interface ArtistSide {
  side: 'left' | 'right';
  /** The reason as a clause for a person: `names repeat on the left`. */
  because: string;
  /** False if the file has little evidence, or none, so that the usual order was assumed. */
  certain: boolean;
}

/** Decisions made once for the whole file. */
interface Decided {
  artistSide?: ArtistSide;
  /** The column of a table that is used for each field, by its name in the header. */
  columns?: Partial<Record<Field, string>>;
  /** What separates the columns of a table. */
  delimiter?: string;
}

export interface ReadList {
  format: ListFormat;
  encoding: Encoding;
  /** The entries in the order of the list. In iTunes XML, that is not the order of the lines. */
  entries: ListEntry[];
  notSongs: NotSong[];
  decided: Decided;
  /** The playlist's name, if the file names exactly one. */
  name?: string;
  /** The playlists in a file that has several, in order. */
  lists?: { name: string; entries: number }[];
}

/** A line or row as its reader returns it. `text` holds title and artist together, and is split later. */
export interface Row {
  line: number;
  raw: string;
  fields?: Fields;
  text?: string;
  /** The reason if the row is not a song. */
  why?: string;
}

export interface RawList {
  rows: Row[];
  /** True if the rows are plays, of which one song may have many. */
  isHistory?: boolean;
  name?: string;
  decided?: Decided;
}

/** Maximum length of a line in UTF-16 units. Longer lines are prose, and patterns are not tried on them. */
export const MAX_LINE = 500;

/** The first characters of a text from a file, at most 300, for a report. */
export function excerpt(text: string): string {
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
