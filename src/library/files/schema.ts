/**
 * The tables of the library's three files. The tables that a question sees are fixed (`LIBRARY_TABLES`), and other programs may
 * read them. The tables below "relay's own" may change with each version.
 */
import type { Format } from '../../store/sql/migrate.ts';

const MIRROR_SCHEMA = `
create table tracks (
  uri text primary key, id text, name text not null, artist text not null, album text, album_uri text, released text,
  duration_ms integer, explicit integer, isrc text, kind text not null, song integer
);
create index tracks_isrc on tracks (isrc) where isrc is not null;
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

create view saved_tracks as
  select uri, name, artist, album, released, song, added_at, position from saved left join tracks using (uri);
create view playlist_tracks as
  select p.id as playlist_id, p.name as playlist, position, uri, t.name as name, artist, album, released, song, added_at
  from playlist_rows r join playlists p on p.id = r.playlist_id left join tracks t using (uri);

-- relay's own
create table meta (name text primary key, value text) without rowid;
create table song_keys (track integer primary key, hash integer);
create index song_keys_hash on song_keys (hash);
create table playlist_reads (
  playlist_id text primary key, place integer not null, snapshot_id text, read_at integer, short integer not null default 0
) without rowid;
create table requests (minute integer primary key, count integer not null);
`;

/** What a question sees in place of a `memory.db` that does not exist yet. */
export const NO_VERSIONS = `
create table versions (
  playlist_id text not null, version integer not null, seen_at text not null, total integer not null,
  added integer not null, removed integer not null, primary key (playlist_id, version)
);
`;

/** The rows of each version are stored whole; `tables/versions.ts` reads them. */
const VERSIONS = `
create table meta (name text primary key, value text) without rowid;
${NO_VERSIONS}

-- relay's own
create table version_playlists (playlist_id text primary key, name text not null) without rowid;
create table version_items (
  id integer primary key, uri text not null unique, name text, artist text, album text, kind text
);
create table version_rows (
  playlist_id text not null, version integer not null, packed blob not null, primary key (playlist_id, version)
) without rowid;
`;

/** What a question sees in place of a `plays.db` that does not exist yet. */
export const NO_PLAYS = `
create table plays (
  played_at text not null, uri text, name text, artist text, album text, ms_played integer not null, kind text not null,
  skipped integer
);
`;

/**
 * A million plays of a hundred thousand songs take 100 MB; in one table they would take 200. Plays are sorted by their ends, so
 * the plays of a year are together in the file. The index on the item also holds the end and the length, so a question about
 * an artist needs nothing else. A play is identified by its end, URI and length, and by when it began offline (0 if that is
 * not known). `subject` stands for the URI: it is the ID of the first item with that URI. A URI has several items if its name
 * changed between two plays.
 */
const PLAYS_SCHEMA = `
create table meta (name text primary key, value text) without rowid;
create table play_items (
  id integer primary key, kind text not null, uri text, name text, artist text, album text, short integer not null
);
create index play_items_uri on play_items (uri) where uri is not null;
create index play_items_artist on play_items (artist, name);
create table play_events (
  played_at text not null, subject integer not null, ms_played integer not null, offline_at integer not null,
  item integer not null, skipped integer, primary key (played_at, subject, ms_played, offline_at)
) without rowid;
create index play_events_item on play_events (item);
create view plays as
  select e.played_at as played_at, i.uri as uri, i.name as name, i.artist as artist, i.album as album,
    e.ms_played as ms_played, i.kind as kind, e.skipped as skipped
  from play_events e join play_items i on i.id = e.item;
`;

/** `library.db`, with the letters "rlib" in its header. A copy of another version is dropped, and the library is read again. */
export const MIRROR: Format = {
  applicationId: 0x726c6962,
  migrations: [{ version: 5, name: 'mirror', oldestCompatible: 5, sql: MIRROR_SCHEMA }],
};

/** `memory.db`, with "rmem" in its header. The first version is 6: files of earlier, unreleased programs are refused. */
export const MEMORY: Format = {
  applicationId: 0x726d656d,
  migrations: [{ version: 6, name: 'versions', oldestCompatible: 6, sql: VERSIONS }],
};

/** `plays.db`, with "rpla" in its header. */
export const PLAYS: Format = {
  applicationId: 0x72706c61,
  migrations: [{ version: 1, name: 'plays', oldestCompatible: 1, sql: PLAYS_SCHEMA }],
};
