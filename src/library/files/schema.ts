/**
 * The tables of the library's two files. The tables that a question sees are fixed (`LIBRARY_TABLES`), and other programs may
 * read them. The tables below "relay's own" may change with each version.
 */
import type { Migration } from '../../store/sql/migrate.ts';

/** ASCII "rlib" in the header of `library.db`. */
export const MIRROR_ID = 0x726c6962;
/** ASCII "rmem" in the header of `memory.db`. */
export const MEMORY_ID = 0x726d656d;

/** A copy of another version is dropped, and the library is read again. */
export const MIRROR_VERSION = 3;

export const MIRROR_SCHEMA = `
create table tracks (
  uri text primary key, id text, name text not null, artist text not null, album text, album_uri text, released text,
  duration_ms integer, explicit integer, isrc text, kind text not null, song integer
);
create index tracks_isrc on tracks (isrc) where isrc is not null;
create index tracks_song on tracks (song);
create table track_artists (
  track_uri text not null, artist_uri text, artist text not null, place integer not null,
  primary key (track_uri, place)
) without rowid;
create table saved (uri text, added_at text, position integer primary key);
create index saved_uri on saved (uri);
create table playlists (
  id text primary key, name text not null, owner text, mine integer not null, public integer, collaborative integer,
  description text, total integer, snapshot_id text, readable integer not null, read_at text
);
create table playlist_rows (
  playlist_id text not null, position integer not null, uri text, added_at text, added_by text,
  primary key (playlist_id, position)
) without rowid;
create index playlist_rows_uri on playlist_rows (uri);

-- relay's own
create table meta (name text primary key, value text) without rowid;
create table song_keys (track integer primary key, hash integer not null);
create index song_keys_hash on song_keys (hash);
create table playlist_reads (
  playlist_id text primary key, place integer not null, snapshot_id text, read_at integer, short integer not null default 0
) without rowid;
create table requests (minute integer primary key, count integer not null);
pragma application_id = ${MIRROR_ID};
pragma user_version = ${MIRROR_VERSION};
`;

/** The tables of `memory.db` that a question sees, as its first migration made them. `PLAYS` turns `plays` into a view. */
export const MEMORY_TABLES = `
create table versions (
  playlist_id text not null, version integer not null, seen_at text not null, total integer not null,
  added integer not null, removed integer not null, primary key (playlist_id, version)
);
create table plays (
  played_at text not null, uri text, name text, artist text, album text, ms_played integer not null, kind text not null,
  skipped integer
);
`;

/** The tables that make up versions. A question does not see them; `tables/versions.ts` reads them. */
const VERSION_TABLES = `
create table version_playlists (playlist_id text primary key, name text not null) without rowid;
create table version_items (
  id integer primary key, uri text not null unique, name text, artist text, album text, kind text
);
create table version_rows (
  playlist_id text not null, version integer not null, delta blob not null, primary key (playlist_id, version)
) without rowid;
`;

/**
 * A million plays of a hundred thousand songs take 90 MB; in one table they would take 200. Plays are sorted by their ends, so
 * the plays of a year are together in the file. The index on the item also holds the end and the length, so a question about
 * an artist needs nothing else. A play is identified by its end, URI and length. `subject` stands for the URI: it is the ID of
 * the first item with that URI. A URI has several items if its name changed between two plays.
 */
const PLAYS = `
drop table plays;
create table play_items (
  id integer primary key, kind text not null, uri text, name text, artist text, album text, short integer not null
);
create index play_items_uri on play_items (uri) where uri is not null;
create index play_items_artist on play_items (artist, name);
create table play_events (
  played_at text not null, subject integer not null, ms_played integer not null, item integer not null, skipped integer,
  primary key (played_at, subject, ms_played)
) without rowid;
create index play_events_item on play_events (item);
create view plays as
  select e.played_at as played_at, i.uri as uri, i.name as name, i.artist as artist, i.album as album,
    e.ms_played as ms_played, i.kind as kind, e.skipped as skipped
  from play_events e join play_items i on i.id = e.item;
`;

/**
 * Removes the names that the account data writes where the extended history has none. Then deletes the plays without a name that
 * the extended history holds too.
 */
const NAMELESS = `
update play_items set kind = 'unknown', name = null, artist = null
  where short = 1 and name = 'Unknown Track' and artist = 'Unknown Artist';
delete from play_events where item in (select id from play_items where short = 1 and kind = 'unknown')
  and exists (select 1 from play_events e join play_items i on i.id = e.item
    where e.played_at between play_events.played_at and substr(play_events.played_at, 1, 17) || '59Z'
      and e.ms_played = play_events.ms_played and i.short = 0 and i.name is null and i.artist is null);
`;

/** The rows of each version, whole. Before, a version was stored as its difference from the next one; those versions are dropped. */
const WHOLE_VERSIONS = `
delete from versions;
delete from version_playlists;
delete from version_items;
drop table version_rows;
create table version_rows (
  playlist_id text not null, version integer not null, packed blob not null, primary key (playlist_id, version)
) without rowid;
`;

/** Forward only, since the content of `memory.db` cannot be read again. */
export const MEMORY_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'versions and plays',
    oldestCompatible: 1,
    sql: `create table meta (name text primary key, value text) without rowid;${MEMORY_TABLES}`,
  },
  {
    version: 2,
    name: 'rows of versions',
    oldestCompatible: 2,
    sql: VERSION_TABLES,
  },
  { version: 3, name: 'plays of a lifetime', oldestCompatible: 3, sql: PLAYS },
  { version: 4, name: 'plays without names', oldestCompatible: 3, sql: NAMELESS },
  { version: 5, name: 'whole versions', oldestCompatible: 5, sql: WHOLE_VERSIONS },
];
