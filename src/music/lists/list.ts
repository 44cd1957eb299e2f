/** The shapes of a list before and after it is read. */
import { visibleLine } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import type { ListFormat, UnreadLine } from '../../domain/listImport.ts';
import type { Remedy } from '../../domain/remedy.ts';
import type { TrackQuery } from '../trackQuery.ts';
import type { Field, Fields } from './columns.ts';

/** One song or episode of a list. Title and artist are '' only if `uri` or `isrc` identifies the song. */
export interface ListEntry extends TrackQuery {
  /** Its first line in the file, from 1. */
  line: number;
  uri?: string;
  /** Name of the playlist within the file, if the file names one. */
  list?: string;
  /** The text in the file, at most 300 characters. */
  raw: string;
}

export type NotSong = UnreadLine;

/** Which side of " - " is the artist. */
export interface ArtistSide {
  side: 'left' | 'right';
  /** The reason as a clause for a person. */
  because: string;
  certain: boolean;
}

interface Decided {
  artistSide?: ArtistSide;
  /** The column of a table that is used for each field, by its name in the header. */
  columns?: Partial<Record<Field, string>>;
  delimiter?: string;
}

export interface ReadList {
  format: ListFormat;
  /** As `TextDecoder` names it, or `mixed`: some lines are UTF-8, others not. */
  encoding: string;
  /** Why the list may have been read wrongly, so that a person is asked first. */
  doubt?: string;
  entries: ListEntry[];
  notSongs: NotSong[];
  decided: Decided;
  /** The playlist's name, if the file names exactly one. */
  name?: string;
  /** The playlists in a file that has several, in order. */
  lists?: { name: string; entries: number }[];
}

/** A line or row as its reader returns it. `text` holds title and artist together; `why` says that it is no song. */
export interface Row {
  line: number;
  raw: string;
  fields?: Fields;
  text?: string;
  why?: string;
}

export interface RawList {
  rows: Row[];
  /** True if the rows are plays, of which one song may have many. */
  isHistory?: boolean;
  name?: string;
  decided?: Decided;
}

/** One format. `looksLike` decides by content; the first reader of the table in `readList.ts` that returns true is used. */
export interface Reader {
  format: ListFormat;
  /** What people call the format. */
  name: string;
  looksLike(text: string): boolean;
  read(text: string, options: { allPlays: boolean }): RawList;
}

/** Longer lines are prose, and patterns are not tried on them. */
export const MAX_LINE = 500;
/** As for `find_track_exact`. */
export const MAX_NAME = 200;

export function excerpt(text: string): string {
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

/** The text on one line, without control characters. */
export function tidyText(text: string): string {
  return visibleLine(text).replace(/\s+/gu, ' ').trim();
}

export function joinNames(names: readonly string[]): string {
  return names
    .map(tidyText)
    .filter((name) => name !== '')
    .join(', ');
}

/** Names the playlists of a file, each differently: two that are called "Mix" become "Mix" and "Mix (2)". */
export function playlistNamer(): (name: string) => string {
  const taken = new Set<string>(['']);
  return (given) => {
    const base = tidyText(given).slice(0, MAX_NAME - 6);
    let name = base;
    for (let number = 2; base !== '' && taken.has(name); number += 1) name = `${base} (${number})`;
    taken.add(name);
    return name;
  };
}

export function lineFinder(text: string): (offset: number) => number {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

/** The error for a file that cannot be read as a list. `line` counts from 1. */
export function refused(
  message: string,
  { remedy, line }: { remedy: string | Remedy; line?: number },
): RelayError {
  return new RelayError('INVALID_ARGUMENT', message, {
    remedy,
    ...(line !== undefined && { details: { line } }),
  });
}
