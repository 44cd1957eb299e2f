/** The library: saved tracks, and what `/me/library` adds, removes and checks by URI. */
import { type Answer, type ApiCall, needScope, ok, refuse } from '../http.ts';
import { type DemoAccount, findPlaylist, type World } from '../state.ts';
import { pageRequest, paging } from './paging.ts';
import { trackObject } from './shapes.ts';

const MAX_URIS = 40;

type Kind = 'track' | 'album' | 'episode' | 'show' | 'audiobook' | 'user' | 'playlist' | 'artist';

/** The scope that each kind needs, for changes and for checks. */
const SCOPES: Readonly<Record<Kind, { change: string; check: string }>> = {
  track: { change: 'user-library-modify', check: 'user-library-read' },
  album: { change: 'user-library-modify', check: 'user-library-read' },
  episode: { change: 'user-library-modify', check: 'user-library-read' },
  show: { change: 'user-library-modify', check: 'user-library-read' },
  audiobook: { change: 'user-library-modify', check: 'user-library-read' },
  user: { change: 'user-follow-modify', check: 'user-follow-read' },
  artist: { change: 'user-follow-modify', check: 'user-follow-read' },
  playlist: { change: 'playlist-modify-public', check: 'playlist-read-private' },
};

interface LibraryUri {
  readonly uri: string;
  readonly kind: Kind;
  readonly id: string;
}

/** `GET /me/tracks`, newest first. The rows have the field `track`, which is `item` only in playlists. */
export function listSavedTracks(call: ApiCall): Answer {
  const { catalogue } = call.world;
  const known = call.account.saved.flatMap(({ uri, addedAt }) => {
    const track = catalogue.trackByUri.get(uri);
    return track ? [{ track, addedAt }] : [];
  });
  const page = pageRequest(call, 20, 50);
  const json = paging(call, '/me/tracks', known, page, ({ track, addedAt }) => {
    return { added_at: addedAt, track: trackObject(call.world, track, call.query.has('market')) };
  });
  return ok(json);
}

/** `PUT /me/library`: saves or follows items, including playlists, and answers 200 with an empty body. */
export function saveToLibrary(call: ApiCall): Answer {
  const uris = libraryUris(call, 'change');
  if (!uris.every((one) => exists(call.world, one))) throw refuse(400, 'Payload contains a non-existing ID');
  for (const one of uris) save(call, one);
  return { status: 200, text: '' };
}

/** `DELETE /me/library`: removes items. A playlist is deleted or unfollowed. */
export function removeFromLibrary(call: ApiCall): Answer {
  for (const one of libraryUris(call, 'change')) remove(call, one);
  return { status: 200, text: '' };
}

/** `GET /me/library/contains`: booleans in the order of `uris`. */
export function checkLibrary(call: ApiCall): Answer {
  const saved = new Set(call.account.saved.map(({ uri }) => uri));
  const uris = libraryUris(call, 'check');
  return ok(uris.map((one) => saved.has(one.uri) || isKept(call.account, one)));
}

/**
 * @throws Refusal 400 without the query parameter `uris` (a body is ignored), for more than 40 URIs or for a bad URI; 403
 * without the scope
 */
function libraryUris(call: ApiCall, use: 'change' | 'check'): LibraryUri[] {
  const value = call.query.get('uris') ?? '';
  if (value === '') throw refuse(400, 'Missing required field: uris');
  const texts = value.split(',');
  if (texts.length > MAX_URIS) throw refuse(400, `Too many uris requested: at most ${MAX_URIS}`);
  const uris = texts.map((text) => parseLibraryUri(text, use));
  for (const { kind } of uris) needScope(call, SCOPES[kind][use]);
  return uris;
}

function parseLibraryUri(uri: string, use: 'change' | 'check'): LibraryUri {
  const [scheme, kind = '', id = '', ...rest] = uri.split(':');
  const wellFormed = scheme === 'spotify' && rest.length === 0 && id !== '' && isKind(kind);
  if (!wellFormed || (kind === 'artist' && use === 'change')) throw refuse(400, `Invalid uri: ${uri}`);
  if (kind !== 'user' && !/^[0-9A-Za-z]{22}$/.test(id)) throw refuse(400, `Invalid uri: ${uri}`);
  return { uri, kind, id };
}

function isKind(name: string): name is Kind {
  return Object.hasOwn(SCOPES, name);
}

function exists(world: World, { uri, kind, id }: LibraryUri): boolean {
  const { trackByUri, albumByUri, episodeByUri, showByUri } = world.catalogue;
  if (kind === 'playlist') return findPlaylist(world, id) !== undefined;
  return kind === 'user' || [trackByUri, albumByUri, episodeByUri, showByUri].some((known) => known.has(uri));
}

function save(call: ApiCall, { uri, kind, id }: LibraryUri): void {
  const { account, world } = call;
  if (kind === 'track') {
    if (account.saved.some((one) => one.uri === uri)) return;
    account.saved.unshift({ uri, addedAt: `${new Date(call.now).toISOString().slice(0, 19)}Z` });
  } else if (kind === 'playlist') {
    const playlist = findPlaylist(world, id);
    if (playlist && !account.playlists.includes(playlist)) account.playlists.unshift(playlist);
  } else account.otherSaved.add(uri);
}

function remove({ account, world }: ApiCall, { uri, kind, id }: LibraryUri): void {
  if (kind === 'track') account.saved = account.saved.filter((one) => one.uri !== uri);
  else if (kind === 'playlist') {
    const playlist = account.playlists.find((one) => one.id === id);
    if (!playlist) return;
    account.playlists = account.playlists.filter((one) => one !== playlist);
    // Deleting only takes a playlist off the list: its ID keeps working.
    if (!findPlaylist(world, id)) world.unlisted.push(playlist);
  } else account.otherSaved.delete(uri);
}

function isKept(account: DemoAccount, { uri, kind, id }: LibraryUri): boolean {
  if (kind === 'playlist') return account.playlists.some((playlist) => playlist.id === id);
  return account.otherSaved.has(uri);
}
