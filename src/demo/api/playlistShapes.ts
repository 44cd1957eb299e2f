/** Playlists and their rows as the Web API sends them. */
import { escapeHtml } from '../http.ts';
import {
  type DemoAccount,
  type DemoPlaylist,
  mayUseRows,
  type PlaylistRow,
  snapshotOf,
  type World,
} from '../state.ts';
import { mediaObject, userRef } from './shapes.ts';

type Shape = Record<string, unknown>;

/** The metadata of a playlist, with the number of rows instead of the rows. */
export function simplifiedPlaylist(world: World, playlist: DemoPlaylist): Shape {
  const rows = { href: `${world.apiUrl}/playlists/${playlist.id}/items`, total: playlist.rows.length };
  return { ...metadata(world, playlist), items: rows, ...(world.legacyShapes ? { tracks: rows } : {}) };
}

/** The whole playlist; `rows` is the paging object of its rows, omitted for accounts that may not read them. */
export function playlistObject(
  world: World,
  account: DemoAccount,
  playlist: DemoPlaylist,
  rows: Shape,
): Shape {
  if (!mayUseRows(account, playlist)) return metadata(world, playlist);
  return { ...metadata(world, playlist), items: rows, ...(world.legacyShapes ? { tracks: rows } : {}) };
}

function metadata(world: World, playlist: DemoPlaylist): Shape {
  const { id, name, description, collaborative } = playlist;
  const cover = `${world.apiUrl.replace(/\/v1$/, '')}/image/${id}`;
  return {
    collaborative,
    description: description === null ? null : escapeHtml(description),
    external_urls: { spotify: `https://open.spotify.com/playlist/${id}` },
    href: `${world.apiUrl}/playlists/${id}`,
    id,
    // A mosaic of four covers comes in one size, and Spotify does not say which.
    images: playlist.rows.length === 0 ? [] : [{ url: cover, height: null, width: null }],
    name,
    owner: { ...userRef(world, playlist.ownerId), display_name: playlist.ownerName },
    primary_color: null,
    public: playlist.public,
    snapshot_id: snapshotOf(playlist),
    type: 'playlist',
    uri: `spotify:playlist:${id}`,
  };
}

/** @param withEpisodes true if the query's `additional_types` includes episodes; otherwise rows of episodes have no item */
export function rowObject(world: World, row: PlaylistRow, withEpisodes: boolean): Shape {
  const item = row.unavailable ? null : mediaObject(world, row.uri, withEpisodes);
  return {
    added_at: row.addedAt,
    added_by: row.addedBy === null ? null : userRef(world, row.addedBy),
    is_local: row.uri.startsWith('spotify:local:'),
    item,
    ...(world.legacyShapes ? { track: item } : {}),
  };
}
