-- The owner's page shows playlists with their covers, also after a restart, when nothing has been read yet.
-- oldest-compatible: 8

alter table playlist_names add column cover text;
