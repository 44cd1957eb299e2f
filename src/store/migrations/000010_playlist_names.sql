-- Jobs and changes speak of playlists by name also when Spotify cannot be asked, or the playlist has left the account's list.
-- oldest-compatible: 8

create table playlist_names (
  id text primary key not null,
  name text not null,
  seen_at integer not null
) strict, without rowid;
