/** The answers that tools must give for items of the invented catalogue. They are written without the program's own code. */
import type { DemoAlbum, DemoArtist, DemoEpisode, DemoTrack } from '../../src/demo/catalogue/types.ts';
import { type DemoPlaylist, snapshotOf } from '../../src/demo/state.ts';

const refs = (artists: readonly DemoArtist[]) => artists.map(({ id, name }) => ({ id, name }));

const web = (kind: string, id: string) => `https://open.spotify.com/${kind}/${id}`;

export function trackShape(track: DemoTrack) {
  return {
    id: track.id,
    uri: track.uri,
    type: 'track',
    name: track.name,
    artists: refs(track.artists),
    album: { id: track.album.id, name: track.album.name, release_date: track.album.releaseDate },
    duration_ms: track.durationMs,
    explicit: track.explicit,
    is_local: false,
    isrc: track.isrc,
    url: web('track', track.id),
  };
}

export function episodeShape(episode: DemoEpisode) {
  return {
    id: episode.id,
    uri: episode.uri,
    type: 'episode',
    name: episode.name,
    show: { id: episode.show.id, name: episode.show.name, uri: episode.show.uri },
    duration_ms: episode.durationMs,
    release_date: episode.releaseDate,
    explicit: episode.explicit,
    url: web('episode', episode.id),
  };
}

/** Newer Spotify apps get no genres. */
export function artistShape({ id, uri, name }: DemoArtist) {
  return { id, uri, name, genres: null, url: web('artist', id) };
}

export function albumShape(album: DemoAlbum) {
  return {
    id: album.id,
    uri: album.uri,
    name: album.name,
    artists: refs(album.artists),
    album_type: album.type,
    release_date: album.releaseDate,
    total_tracks: album.tracks.length,
    url: web('album', album.id),
  };
}

export function playlistShape(playlist: DemoPlaylist) {
  return {
    id: playlist.id,
    uri: `spotify:playlist:${playlist.id}`,
    name: playlist.name,
    description: playlist.description,
    public: playlist.public,
    collaborative: playlist.collaborative,
    owner: { id: playlist.ownerId, name: playlist.ownerName },
    snapshot_id: snapshotOf(playlist),
    total_items: playlist.rows.length,
    url: web('playlist', playlist.id),
  };
}

/** What a write to a playlist answers once everything is written. */
export function writtenShape(playlist: DemoPlaylist, requested: number, chunks: number) {
  return {
    ok: true,
    playlist_id: playlist.id,
    requested,
    written: requested,
    chunks: { total: chunks, completed: chunks },
    snapshot_id: snapshotOf(playlist),
    partial: false,
  };
}

/** What a write answers that had nothing to do. */
export function unwrittenShape(playlist_id: string, requested: number) {
  const chunks = { total: 0, completed: 0 };
  return { ok: true, playlist_id, requested, written: 0, chunks, snapshot_id: null, partial: false };
}
