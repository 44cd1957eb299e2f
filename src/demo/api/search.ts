/** `GET /search`. */
import { searchOf } from '../catalogue/search.ts';
import { tokenise } from '../catalogue/searchText.ts';
import { type Answer, type ApiCall, ok, refuse } from '../http.ts';
import type { DemoPlaylist } from '../state.ts';
import { type PageRequest, pageRequest, paging } from './paging.ts';
import { simplifiedPlaylist } from './playlistShapes.ts';
import { artistObject, simplifiedAlbum, simplifiedEpisode, simplifiedShow, trackObject } from './shapes.ts';

const MAX_LIMIT = 10;
const MAX_REACH = 1_000;

type Kind = 'album' | 'artist' | 'playlist' | 'track' | 'show' | 'episode' | 'audiobook';
type Finder = (call: ApiCall, query: string, page: PageRequest) => unknown;

const FINDERS: Readonly<Record<Kind, Finder>> = {
  track: (call, query, page) =>
    found(call, searchOf(call.world.catalogue).tracks(query), page, (track) =>
      trackObject(call.world, track, call.query.has('market')),
    ),
  artist: (call, query, page) =>
    found(call, searchOf(call.world.catalogue).artists(query), page, (one) => artistObject(call.world, one)),
  album: (call, query, page) =>
    found(call, searchOf(call.world.catalogue).albums(query), page, (one) =>
      simplifiedAlbum(call.world, one),
    ),
  show: (call, query, page) =>
    found(call, searchOf(call.world.catalogue).shows(query), page, (one) => simplifiedShow(call.world, one)),
  episode: (call, query, page) =>
    found(call, searchOf(call.world.catalogue).episodes(query), page, (one) =>
      simplifiedEpisode(call.world, one),
    ),
  playlist: (call, query, page) => found(call, findPlaylists(call, query), page, playlistOrNull(call)),
  audiobook: (call, _query, page) => found(call, [], page, () => null),
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
function found<T>(
  call: ApiCall,
  all: readonly T[],
  page: PageRequest,
  shape: (entry: T, position: number) => unknown,
): unknown {
  return paging(call, '/search', all.slice(0, MAX_REACH), page, shape);
}

function findPlaylists({ world }: ApiCall, query: string): DemoPlaylist[] {
  const words = tokenise(query);
  const listed = world.accounts.flatMap((account) => account.playlists);
  return [...new Set([...listed, ...world.unlisted])].filter((playlist) => {
    const name = tokenise(playlist.name);
    return playlist.public && words.every((word) => name.includes(word));
  });
}

/** About three in ten entries of Spotify's lists are null. */
function playlistOrNull(call: ApiCall): (playlist: DemoPlaylist, position: number) => unknown {
  return (playlist, position) => (position % 3 === 1 ? null : simplifiedPlaylist(call.world, playlist));
}
