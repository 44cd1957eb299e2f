/** What belongs to an account: the profile, top items, the listening history, and the library of tracks and playlists. */
import type { ApiCall, Routes } from '../http.ts';
import { needScope, ok, pageRequest, paging, refuse, scoped, wholeNumber } from '../http.ts';
import { advancePlayer } from '../player.ts';
import { findPlaylist, remember, stateAt, TIME_RANGES } from '../state.ts';
import { artistObject, contextObject, secondsOf, simplifiedAlbum, trackObject, userRef } from './shapes.ts';

const HISTORY_REACH = 50;
const MAX_URIS = 40;

/** The scope that each kind needs, for changes and for checks. */
const SCOPES = {
  track: { change: 'user-library-modify', check: 'user-library-read' },
  album: { change: 'user-library-modify', check: 'user-library-read' },
  playlist: { change: 'playlist-modify-public', check: 'playlist-read-private' },
};

export const PERSONAL_ROUTES: Routes = {
  /** Without the fields removed in February 2026. */
  'GET /me': ({ account }) => {
    const { accountId: account_id, displayName: display_name } = account;
    return ok({ ...userRef(account.id), account_id, display_name, images: [] });
  },

  'GET /me/top/tracks': scoped('user-top-read', (call) => {
    return topOf(call, 'tracks', call.world.catalogue.trackByUri, trackObject);
  }),

  'GET /me/top/artists': scoped('user-top-read', (call) => {
    return topOf(call, 'artists', call.world.catalogue.artistByUri, artistObject);
  }),

  /** Newest first, without episodes. The rows have the field `track`, which is `item` only in playlists. */
  'GET /me/player/recently-played': scoped('user-read-recently-played', (call) => {
    const { world, account, query } = call;
    advancePlayer(world, account, call.now);
    const { limit } = pageRequest(call, 20, 50);
    const before = wholeNumber(query, 'before') ?? Number.POSITIVE_INFINITY;
    const after = wholeNumber(query, 'after') ?? Number.NEGATIVE_INFINITY;
    if ([before, after].some(Number.isNaN)) throw refuse(400, 'Invalid cursor');
    if (query.has('before') && query.has('after'))
      throw refuse(400, 'Only one of before and after may be given');
    const plays = account.history
      .map((play) => ({ ...play, track: world.catalogue.trackByUri.get(play.uri) }))
      .filter(({ track }) => track !== undefined)
      .slice(0, HISTORY_REACH)
      .filter(({ playedAt }) => after < playedAt && playedAt < before);
    const items = plays.slice(0, limit).map(({ track, playedAt, contextUri }) => ({
      track: track && trackObject(track),
      played_at: new Date(playedAt).toISOString(),
      context: contextObject(contextUri),
    }));
    const oldest = String(plays[items.length - 1]?.playedAt);
    const cursors = items.length === 0 ? null : { after: String(plays[0]?.playedAt), before: oldest };
    const next = `${world.apiUrl}/me/player/recently-played?before=${oldest}&limit=${limit}`;
    return ok({ items, limit, next: plays.length > items.length ? next : null, cursors });
  }),

  /** Newest first. The rows have the field `track`, which is `item` only in playlists. */
  'GET /me/tracks': scoped('user-library-read', (call) => {
    const rows = stateAt(call.world, call.account).saved.flatMap(({ uri, addedAt }) => {
      const track = call.world.catalogue.trackByUri.get(uri);
      return track ? [{ track, addedAt }] : [];
    });
    const page = paging('/me/tracks', rows, pageRequest(call, 20, 50), ({ track, addedAt }) => {
      return { added_at: addedAt, track: trackObject(track) };
    });
    return ok(page);
  }),

  'GET /me/albums': scoped('user-library-read', (call) => {
    const rows = stateAt(call.world, call.account).savedAlbums.flatMap(({ uri, addedAt }) => {
      const album = call.world.catalogue.albumByUri.get(uri);
      return album ? [{ album, addedAt }] : [];
    });
    const page = paging('/me/albums', rows, pageRequest(call, 20, 50), ({ album, addedAt }) => {
      return { added_at: addedAt, album: simplifiedAlbum(album) };
    });
    return ok(page);
  }),

  /** Pages follow a cursor: the ID of the last artist. */
  'GET /me/following': scoped('user-follow-read', (call) => {
    const { world, account, query } = call;
    if (query.get('type') !== 'artist') throw refuse(400, 'Invalid type');
    const { limit } = pageRequest(call, 20, 50);
    const all = account.following.flatMap((uri) => world.catalogue.artistByUri.get(uri) ?? []);
    const after = query.get('after');
    const first = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const items = all.slice(first, first + limit);
    const last = first + limit < all.length ? (items.at(-1)?.id ?? null) : null;
    return ok({
      artists: {
        items: items.map(artistObject),
        total: all.length,
        limit,
        cursors: { after: last },
        next: last,
      },
    });
  }),

  /** Saves tracks and albums, and follows playlists. */
  'PUT /me/library': (call) => {
    const { world, account, now } = call;
    const named = libraryUris(call, 'change').map(({ uri, id }) => {
      const playlist = findPlaylist(world, id);
      if (!playlist && !world.catalogue.trackByUri.has(uri) && !world.catalogue.albumByUri.has(uri))
        throw refuse(400, 'Payload contains a non-existing ID');
      return { uri, playlist };
    });
    remember(world, account);
    for (const { uri, playlist } of named) {
      if (playlist) {
        if (!account.playlists.includes(playlist)) account.playlists.unshift(playlist);
        continue;
      }
      const list = uri.startsWith('spotify:album:') ? account.savedAlbums : account.saved;
      if (!list.some((one) => one.uri === uri)) list.unshift({ uri, addedAt: secondsOf(now) });
    }
    return { status: 200, text: '' };
  },

  /** Removes tracks and albums, and deletes or unfollows playlists. */
  'DELETE /me/library': (call) => {
    const { world, account } = call;
    const given = libraryUris(call, 'change');
    const [uris, ids] = [new Set(given.map(({ uri }) => uri)), new Set(given.map(({ id }) => id))];
    remember(world, account);
    account.saved = account.saved.filter(({ uri }) => !uris.has(uri));
    account.savedAlbums = account.savedAlbums.filter(({ uri }) => !uris.has(uri));
    const gone = account.playlists.filter(({ id }) => ids.has(id));
    account.playlists = account.playlists.filter((one) => !gone.includes(one));
    // Deleting only takes a playlist off the list: its ID keeps working.
    world.unlisted.push(...gone.filter(({ id }) => !findPlaylist(world, id)));
    return { status: 200, text: '' };
  },

  /** Booleans in the order of `uris`. */
  'GET /me/library/contains': (call) => {
    const { saved, savedAlbums, playlists } = stateAt(call.world, call.account);
    const held = new Set([
      ...[...saved, ...savedAlbums].map(({ uri }) => uri),
      ...playlists.map(({ id }) => `spotify:playlist:${id}`),
    ]);
    return ok(libraryUris(call, 'check').map(({ uri }) => held.has(uri)));
  },
};

function topOf<T>(
  call: ApiCall,
  kind: 'tracks' | 'artists',
  byUri: ReadonlyMap<string, T>,
  shape: (one: T) => unknown,
) {
  const range = TIME_RANGES.find((name) => name === (call.query.get('time_range') ?? 'medium_term'));
  if (!range) throw refuse(400, 'Invalid time range');
  const best = call.account.top[kind][range].flatMap((uri) => byUri.get(uri) ?? []);
  return ok(paging(`/me/top/${kind}`, best, pageRequest(call, 20, 50), shape));
}

/**
 * @throws Refusal 400 without the query parameter `uris` (a body is ignored), for more than 40 URIs or for a bad URI; 403
 * without the scope
 */
function libraryUris(call: ApiCall, use: 'change' | 'check'): Array<{ uri: string; id: string }> {
  const value = call.query.get('uris') ?? '';
  if (value === '') throw refuse(400, 'Missing required field: uris');
  const texts = value.split(',');
  if (texts.length > MAX_URIS) throw refuse(400, `Too many uris requested: at most ${MAX_URIS}`);
  return texts.map((uri) => {
    const [, kind, id = ''] = /^spotify:(track|album|playlist):([0-9A-Za-z]{22})$/.exec(uri) ?? [];
    if (kind === undefined) throw refuse(400, `Invalid uri: ${uri}`);
    needScope(call, SCOPES[kind as keyof typeof SCOPES][use]);
    return { uri, id };
  });
}
