/** `GET /search`. */
import { searchOf, tokenise } from '../catalogue/search.ts';
import { type Answer, type ApiCall, ok, refuse } from '../http.ts';
import type { DemoPlaylist, World } from '../state.ts';
import { type PageRequest, pageRequest, paging } from './paging.ts';
import { simplifiedPlaylist } from './playlistShapes.ts';
import { artistObject, simplifiedAlbum, simplifiedEpisode, simplifiedShow, trackObject } from './shapes.ts';

const MAX_LIMIT = 10;
const MAX_REACH = 1_000;

type Kind = 'album' | 'artist' | 'playlist' | 'track' | 'show' | 'episode' | 'audiobook';
type Finder = (call: ApiCall, query: string, page: PageRequest) => unknown;

const FINDERS: Readonly<Record<Kind, Finder>> = {
  track: finder(
    (query, world) => searchOf(world.catalogue).tracks(query),
    (world, track, _position, call) => trackObject(world, track, call.query.has('market')),
  ),
  artist: finder((query, world) => searchOf(world.catalogue).artists(query), artistObject),
  album: finder((query, world) => searchOf(world.catalogue).albums(query), simplifiedAlbum),
  show: finder((query, world) => searchOf(world.catalogue).shows(query), simplifiedShow),
  episode: finder((query, world) => searchOf(world.catalogue).episodes(query), simplifiedEpisode),
  playlist: finder(findPlaylists, playlistOrNull),
  audiobook: finder(
    () => [],
    () => null,
  ),
};

export function search(call: ApiCall): Answer {
  const query = call.query.get('q')?.trim() ?? '';
  if (query === '') throw refuse(400, 'No search query');
  const kinds = kindsOf(call.query.get('type'));
  const page = pageRequest(call, 5, MAX_LIMIT, MAX_REACH);
  if (page.limit + page.offset > MAX_REACH) throw refuse(400, 'Invalid offset');
  return ok(Object.fromEntries(kinds.map((kind) => [`${kind}s`, FINDERS[kind](call, query, page)])));
}

function kindsOf(value: string | null): Kind[] {
  if (value === null || value === '') throw refuse(400, 'Missing parameter type');
  return value.split(',').map((name) => {
    if (!isKind(name)) throw refuse(400, `Bad search type field ${name}`);
    return name;
  });
}

function isKind(name: string): name is Kind {
  return Object.hasOwn(FINDERS, name);
}

/** Only the first thousand results can be reached, so no more are counted. */
function finder<T>(
  find: (query: string, world: World) => readonly T[],
  shape: (world: World, entry: T, position: number, call: ApiCall) => unknown,
): Finder {
  return (call, query, page) =>
    paging(call, '/search', find(query, call.world).slice(0, MAX_REACH), page, (entry, position) =>
      shape(call.world, entry, position, call),
    );
}

function findPlaylists(query: string, world: World): DemoPlaylist[] {
  const words = tokenise(query);
  const listed = world.accounts.flatMap((account) => account.playlists);
  return [...new Set([...listed, ...world.unlisted])].filter((playlist) => {
    const name = tokenise(playlist.name);
    return playlist.public && words.every((word) => name.includes(word));
  });
}

/** In Spotify's search results, about three in ten playlists are null. */
function playlistOrNull(world: World, playlist: DemoPlaylist, position: number): unknown {
  return position % 3 === 1 ? null : simplifiedPlaylist(world, playlist);
}
