/** Tracks, artists and albums: by ID, and by search. */
import { searchOf } from '../catalogue/search.ts';
import type { ApiCall, PageRequest, Routes } from '../http.ts';
import { idInPath, notFound, ok, pageRequest, paging, refuse } from '../http.ts';
import { artistObject, simplifiedAlbum, simplifiedTrack, trackObject } from './shapes.ts';

const MAX_REACH = 1_000;

export const CATALOGUE_ROUTES: Routes = {
  'GET /tracks/:id': (call) => ok(trackObject(trackOf(call))),
  'GET /artists/:id': (call) => ok(artistObject(artistOf(call))),

  'GET /artists/:id/albums': (call) => {
    const artist = artistOf(call);
    const page = pageRequest(call, 5, 10);
    const groups = (call.query.get('include_groups') ?? 'album,single,appears_on,compilation').split(',');
    const albums = call.world.catalogue.albums.filter(({ artists, type, tracks }) => {
      if (artists.includes(artist)) return groups.includes(type);
      return groups.includes('appears_on') && tracks.some((track) => track.artists.includes(artist));
    });
    return ok(paging(`/artists/${artist.id}/albums`, albums, page, simplifiedAlbum));
  },

  'GET /albums/:id': (call) => {
    const album = albumOf(call);
    const tracks = tracksOf(call, { limit: 50, offset: 0 });
    return ok({ ...simplifiedAlbum(album), tracks });
  },

  'GET /albums/:id/tracks': (call) => ok(tracksOf(call, pageRequest(call, 20, 50))),

  'GET /search': (call) => {
    const query = call.query.get('q')?.trim() ?? '';
    if (query === '') throw refuse(400, 'No search query');
    const types = call.query.get('type') ?? '';
    if (types === '') throw refuse(400, 'Missing parameter type');
    const finders = types.split(',').map((type) => {
      const find = Object.hasOwn(FINDERS, type) ? FINDERS[type] : undefined;
      if (!find) throw refuse(400, `Bad search type field ${type}`);
      return { type, find };
    });
    return ok(Object.fromEntries(finders.map(({ type, find }) => [`${type}s`, find(call, query)])));
  },
};

const FINDERS: Readonly<Record<string, (call: ApiCall, query: string) => unknown>> = {
  track: (call, query) => pageOf(call, searchOf(call.world.catalogue).tracks(query), trackObject),
  artist: (call, query) => pageOf(call, searchOf(call.world.catalogue).artists(query), artistObject),
  album: (call, query) => pageOf(call, searchOf(call.world.catalogue).albums(query), simplifiedAlbum),
};

/** Counts no more results than can be reached. */
function pageOf<T>(call: ApiCall, results: readonly T[], shape: (result: T) => unknown) {
  const page = pageRequest(call, 5, 10, MAX_REACH);
  if (page.limit + page.offset > MAX_REACH) throw refuse(400, 'Invalid offset');
  return paging('/search', results.slice(0, MAX_REACH), page, shape);
}

function tracksOf(call: ApiCall, page: PageRequest) {
  const { id, tracks } = albumOf(call);
  return paging(`/albums/${id}/tracks`, tracks, page, simplifiedTrack);
}

const trackOf = (call: ApiCall) => inPath(call, 'track', call.world.catalogue.trackByUri);
const artistOf = (call: ApiCall) => inPath(call, 'artist', call.world.catalogue.artistByUri);
const albumOf = (call: ApiCall) => inPath(call, 'album', call.world.catalogue.albumByUri);

function inPath<T>(call: ApiCall, type: string, byUri: ReadonlyMap<string, T>): T {
  const found = byUri.get(`spotify:${type}:${idInPath(call)}`);
  if (!found) throw notFound();
  return found;
}
