/**
 * Finds rows that are the same recording under another ID: Spotify shows some tracks under the ID of the listener's country.
 * Pure.
 */

import { without } from './rows.ts';
import type { Item, Track } from './shapes.ts';

/**
 * Maximum difference in length between two releases of one recording, milliseconds: they begin and end with more or less silence.
 * The library's songs, lists and imports count by it.
 */
export const SAME_LENGTH_MS = 2_000;

/** The facts that tell recordings apart. */
export interface RecordingFacts {
  isrc: string | null;
  name: string;
  /** Names joined by ", ". */
  artist: string;
  duration_ms: number | null;
}

/** Returns a text that is the same for two tracks if they have the same ISRC or, without one, the same name, artist and length. */
export function recordingOf({ isrc, name, artist, duration_ms }: RecordingFacts): string {
  return isrc ?? `${name}\n${artist}\n${duration_ms}`;
}

/** Returns the recordings of rows as they were read, by URI; also under the URIs that the rows were added with. */
export function recordingsIn(items: readonly Item[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { item, linked_from } of items) {
    if (item?.type !== 'track') continue;
    const recording = recordingOfTrack(item);
    found.set(item.uri, recording);
    if (linked_from !== undefined) found.set(linked_from, recording);
  }
  return found;
}

export function recordingOfTrack({ isrc, name, artists, duration_ms }: Track): string {
  return recordingOf({ isrc, name, duration_ms, artist: artists.map((one) => one.name).join(', ') });
}

/**
 * Returns the tracks of `rows` that `shown` lacks, and the tracks that `shown` has more often than `rows`. A track of the first
 * list and one of the second may be the same recording under two IDs.
 */
export function unmatched(
  rows: readonly string[],
  shown: readonly string[],
): { rows: string[]; shown: string[] } {
  const held = new Set(shown);
  const isTrack = (uri: string) => uri.startsWith('spotify:track:');
  return {
    rows: [...new Set(rows)].filter((uri) => isTrack(uri) && !held.has(uri)),
    shown: [...new Set(without(shown, rows))].filter(isTrack),
  };
}

/**
 * Returns `rows` as a list shows them: a row that the list shows only under another ID gets that ID.
 * @param recordings by URI, for the rows that `unmatched` returns
 */
export function asShown(
  rows: readonly string[],
  shown: readonly string[],
  recordings: ReadonlyMap<string, string>,
): string[] {
  const held = new Set(shown);
  const others = new Map<string, string[]>();
  for (const uri of without(shown, rows)) {
    const recording = recordings.get(uri);
    if (recording !== undefined) others.set(recording, [...(others.get(recording) ?? []), uri]);
  }
  if (others.size === 0) return [...rows];
  return rows.map((uri) => (held.has(uri) ? uri : (others.get(recordings.get(uri) ?? '')?.shift() ?? uri)));
}

/** Pairs each URI that a list shows with the URI in `rows`, where the two differ. @param named `rows` after `asShown` */
export function originalsOf(rows: readonly string[], named: readonly string[]): Array<[string, string]> {
  return rows.flatMap(
    (uri, at): Array<[string, string]> => (named[at] === uri ? [] : [[named[at] ?? uri, uri]]),
  );
}
