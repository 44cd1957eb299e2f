/** Reads playlists. */
import { type Answer, type ApiCall, forbidden, idInPath, needScope, notFound, ok } from '../http.ts';
import { type DemoPlaylist, findPlaylist, mayUseRows, PROVIDER_USER_ID } from '../state.ts';
import { selectFields } from './fields.ts';
import { type PageRequest, pageRequest, paging } from './paging.ts';
import { playlistObject, rowObject, simplifiedPlaylist } from './playlistShapes.ts';

/** `GET /me/playlists`. Other people's collaborative playlists need a scope of their own. */
export function listMyPlaylists(call: ApiCall): Answer {
  const seesShared = call.scopes.has('playlist-read-collaborative');
  const visible = call.account.playlists.filter((playlist) => {
    return seesShared || !playlist.collaborative || playlist.ownerId === call.account.id;
  });
  const page = pageRequest(call, 20, 50);
  const json = paging(call, '/me/playlists', visible, page, (one) => simplifiedPlaylist(call.world, one));
  return ok(json);
}

/** `GET /playlists/{id}`. Only the owner and collaborators get its rows. */
export function getPlaylist(call: ApiCall): Answer {
  const playlist = playlistOf(call);
  if (!playlist.public) needScope(call, 'playlist-read-private');
  const rows = pageOfRows(call, playlist, { limit: 50, offset: 0 });
  const json = playlistObject(call.world, call.account, playlist, rows);
  return ok(selectFields(json, call.query.get('fields')));
}

/** `GET /playlists/{id}/items`. */
export function getPlaylistItems(call: ApiCall): Answer {
  const playlist = playlistOf(call);
  if (!mayUseRows(call.account, playlist)) throw forbidden();
  const rows = pageOfRows(call, playlist, pageRequest(call, 20, 50));
  return ok(selectFields(rows, call.query.get('fields')));
}

/**
 * The playlist in the path.
 * @throws Refusal 400 for a malformed ID, 404 for an unknown one and for Spotify's own playlists
 */
export function playlistOf(call: ApiCall): DemoPlaylist {
  const playlist = findPlaylist(call.world, idInPath(call));
  if (!playlist || playlist.ownerId === PROVIDER_USER_ID) throw notFound();
  return playlist;
}

function pageOfRows(call: ApiCall, playlist: DemoPlaylist, page: PageRequest) {
  const withEpisodes = call.query.get('additional_types')?.split(',').includes('episode') ?? false;
  return paging(call, `/playlists/${playlist.id}/items`, playlist.rows, page, (row) =>
    rowObject(call.world, row, withEpisodes),
  );
}
