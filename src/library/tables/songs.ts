/** Songs in the copy: the column `song` of each track, which is the lowest row number of the tracks of its song. */
import { groupSongs, type Recording } from '../../music/songs.ts';
import type { Sql } from '../../store/sql/sql.ts';

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
