/**
 * Which recordings count as one song: those with the same ISRC, and those with equal folded title and first artist whose
 * lengths differ by two seconds at most. Two recordings that are both linked to a third one are the same song too. A song's
 * number is the lowest row number of its tracks.
 */
import { hashOf } from '../../base/digest.ts';
import { SAME_LENGTH_MS } from '../../domain/recordings.ts';
import { foldLetters } from '../../music/names.ts';
import type { Sql } from '../../store/sql/sql.ts';

export interface Recording {
  /** Row number of the track. */
  track: number;
  /** Hash of title and first artist (`hashOfKey`); null if there is no title. */
  hash: number | null;
  isrc: string | null;
  duration_ms: number | null;
}

/**
 * Groups recordings into songs. Pure.
 * @returns the song's number for each track
 * @internal
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

/**
 * Deletes the tracks to which no row refers any more, and groups the others into songs, if tracks or rows have changed since
 * (`noteTracks`). 20,000 tracks take about a tenth of a second.
 */
export function settleTracks(sql: Sql): void {
  if (!areTracksDue(sql)) return;
  sql.transaction(() => {
    sql.run(`delete from tracks where not exists (select 1 from saved where saved.uri = tracks.uri)
      and not exists (select 1 from playlist_rows where playlist_rows.uri = tracks.uri)`);
    sql.run('delete from track_artists where track_uri not in (select uri from tracks)');
    sql.run('delete from song_keys where track not in (select rowid from tracks)');
    const all = sql.all<Recording & { song: number | null }>(
      'select tracks.rowid as track, hash, isrc, duration_ms, song from tracks left join song_keys on track = tracks.rowid',
    );
    const songs = groupSongs(all);
    for (const { track, song } of all)
      if (songs.get(track) !== song)
        sql.run('update tracks set song = ? where rowid = ?', [songs.get(track) ?? null, track]);
    sql.run("delete from meta where name = 'tracks_due'");
  });
}

/** Notes that tracks or rows have changed, for `settleTracks`. */
export function noteTracks(sql: Sql): void {
  sql.run("insert or ignore into meta (name, value) values ('tracks_due', '1')");
}

/** True if tracks or rows have changed since `settleTracks`. */
export function areTracksDue(sql: Sql): boolean {
  return sql.get("select 1 from meta where name = 'tracks_due'") !== undefined;
}
