/**
 * Which recordings count as one song: those with the same ISRC, and those with equal folded title and first artist whose
 * lengths differ by two seconds at most. Two recordings that are both linked to a third one are the same song too. A song's
 * number is the lowest row number of its tracks.
 */
import { hashOf } from '../../base/digest.ts';
import { type RecordingFacts, SAME_LENGTH_MS } from '../../domain/recordings.ts';
import { foldLetters } from '../../music/names.ts';
import type { Sql } from '../../store/sql/sql.ts';

export interface Recording extends Omit<RecordingFacts, 'artist'> {
  /** Row number of the track. */
  track: number;
  /** The first artist. */
  first: string;
}

/**
 * Groups recordings into songs. Pure.
 * @returns the song's number for each track
 * @internal
 */
export function groupSongs(recordings: readonly Recording[]): Map<number, number> {
  const parent = new Map<number, number>();
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
  const byKey = new Map<string, Recording[]>();
  for (const recording of recordings) {
    parent.set(recording.track, parent.get(recording.track) ?? recording.track);
    const { isrc, track } = recording;
    if (isrc !== null) {
      const like = byIsrc.get(isrc);
      if (like === undefined) byIsrc.set(isrc, track);
      else join(like, track);
    }
    const key = keyOf(recording);
    if (key !== null && recording.duration_ms !== null)
      byKey.set(key, [...(byKey.get(key) ?? []), recording]);
  }
  for (const alike of byKey.values()) {
    const byLength = alike.sort((a, b) => (a.duration_ms ?? 0) - (b.duration_ms ?? 0));
    for (const [index, one] of byLength.entries()) {
      const next = byLength[index + 1];
      if (next && (next.duration_ms ?? 0) - (one.duration_ms ?? 0) <= SAME_LENGTH_MS)
        join(one.track, next.track);
    }
  }
  return new Map(recordings.map(({ track }) => [track, root(track)]));
}

/** Makes one key of the folded title and first artist; null if there is no title. */
function keyOf({ name, first }: Pick<Recording, 'name' | 'first'>): string | null {
  const title = foldLetters(name).trim();
  return title === '' ? null : `${title}\n${foldLetters(first).trim()}`;
}

/** Hashes title and first artist to a number, which keeps the index small. Two keys may collide. null if there is no title. */
export function hashOfKey(recording: Pick<Recording, 'name' | 'first'>): number | null {
  const key = keyOf(recording);
  return key === null ? null : Number.parseInt(hashOf(key).slice(0, 12), 16);
}

/** Groups new and changed recordings into songs, together with all recordings that may belong to the same songs. */
export function putInSongs(sql: Sql, changed: readonly Recording[]): void {
  const affected = new Set<number>();
  for (const recording of changed) {
    const hash = hashOfKey(recording);
    sql.run('delete from song_keys where track = ?', [recording.track]);
    if (hash !== null) sql.run('insert into song_keys (track, hash) values (?, ?)', [recording.track, hash]);
    affected.add(recording.track);
    for (const { track } of sql.all<{ track: number }>(
      `select track from song_keys where hash = :hash
       union select rowid from tracks where isrc = :isrc
       union select other.rowid from tracks join tracks as other using (song) where tracks.rowid = :track`,
      { hash, isrc: recording.isrc, track: recording.track },
    )) {
      affected.add(track);
    }
  }
  regroup(sql, affected);
}

/** Removes tracks from their songs, and groups the remaining tracks again. @param drop deletes the row of one track */
export function forgetSongs(sql: Sql, gone: readonly number[], drop: (track: number) => void): void {
  const affected = new Set<number>();
  for (const track of gone) {
    for (const { other } of sql.all<{ other: number }>(
      'select other.rowid as other from tracks join tracks as other using (song) where tracks.rowid = ?',
      [track],
    )) {
      affected.add(other);
    }
  }
  for (const track of gone) {
    affected.delete(track);
    sql.run('delete from song_keys where track = ?', [track]);
    drop(track);
  }
  regroup(sql, affected);
}

/** Groups these tracks again, with all tracks that now belong to the same songs. */
function regroup(sql: Sql, affected: ReadonlySet<number>): void {
  const all = new Map<number, Recording & { song: number | null }>();
  const add = (condition: string, value: number | null) => {
    for (const row of sql.all<Recording & { song: number | null }>(
      `select tracks.rowid as track, name, isrc, duration_ms, song,
         ifnull((select artist from track_artists where track_uri = uri and place = 0), '') as first
       from tracks where ${condition} = ?`,
      [value],
    )) {
      all.set(row.track, row);
    }
  };
  for (const track of affected) if (!all.has(track)) add('tracks.rowid', track);
  for (const song of new Set([...all.values()].map((row) => row.song))) if (song !== null) add('song', song);
  for (const [track, song] of groupSongs([...all.values()])) {
    if (all.get(track)?.song !== song) sql.run('update tracks set song = ? where rowid = ?', [song, track]);
  }
}
