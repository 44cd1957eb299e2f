/**
 * Which recordings count as one song: those with the same ISRC, and those with equal folded title and first artist whose
 * lengths differ by two seconds at most. Two recordings that are both linked to a third one are the same song too. Pure.
 */
import { hashOf } from '../base/digest.ts';
import { SAME_LENGTH_MS } from '../domain/recordings.ts';
import { foldLetters } from './names.ts';

export interface Recording {
  /** A number of the caller's. */
  track: number;
  /** Hash of title and first artist (`hashOfKey`); null if there is no title. */
  hash: number | null;
  isrc: string | null;
  duration_ms: number | null;
}

/**
 * Groups recordings into songs.
 * @returns the song of each track: the lowest number of its tracks
 */
export function groupSongs(recordings: readonly Recording[]): Map<number, number> {
  const parent = new Map(recordings.map(({ track }) => [track, track]));
  const root = (track: number): number => {
    let at = track;
    for (let next = parent.get(at); next !== undefined && next !== at; next = parent.get(at)) at = next;
    return at;
  };
  const join = (one: number, other: number) => {
    const [low, high] = [root(one), root(other)].sort((a, b) => a - b) as [number, number];
    parent.set(high, low);
  };
  const byIsrc = new Map<string, number>();
  for (const { isrc, track } of recordings) {
    if (isrc === null) continue;
    join(byIsrc.get(isrc) ?? track, track);
    byIsrc.set(isrc, track);
  }
  const timed = recordings.flatMap(({ track, hash, duration_ms }) =>
    hash === null || duration_ms === null ? [] : [{ track, hash, duration_ms }],
  );
  timed.sort((a, b) => a.hash - b.hash || a.duration_ms - b.duration_ms);
  for (const [index, one] of timed.entries()) {
    const next = timed[index + 1];
    if (next?.hash === one.hash && next.duration_ms - one.duration_ms <= SAME_LENGTH_MS)
      join(one.track, next.track);
  }
  return new Map(recordings.map(({ track }) => [track, root(track)]));
}

/** Hashes title and first artist to a number, which keeps the index small. Two keys may collide. null if there is no title. */
export function hashOfKey({ name, first }: { name: string; first: string }): number | null {
  const title = foldLetters(name).trim();
  if (title === '') return null;
  return Number.parseInt(hashOf(`${title}\n${foldLetters(first).trim()}`).slice(0, 12), 16);
}
