/** Reads tracks, artists and albums by ID. */
import { type Answer, type ApiCall, idInPath, notFound, ok, refuse } from '../http.ts';
import { pageRequest, paging } from './paging.ts';
import { artistObject, simplifiedAlbum, simplifiedTrack, trackObject } from './shapes.ts';

/** `GET /tracks/{id}`. */
export function getTrack(call: ApiCall): Answer {
  const track = inPath(call, 'track', call.world.catalogue.trackByUri);
  return ok(trackObject(call.world, track, call.query.has('market')));
}

/** `GET /artists/{id}`. */
export function getArtist(call: ApiCall): Answer {
  return ok(artistObject(call.world, artistOf(call)));
}

/** `GET /artists/{id}/albums`. */
export function getArtistAlbums(call: ApiCall): Answer {
  const artist = artistOf(call);
  const page = pageRequest(call, 5, 10);
  const groups = (call.query.get('include_groups') ?? 'album,single,appears_on,compilation').split(',');
  const albums = call.world.catalogue.albums.filter((album) => {
    if (album.artists.includes(artist)) return groups.includes(album.type);
    return groups.includes('appears_on') && album.tracks.some((track) => track.artists.includes(artist));
  });
  const path = `/artists/${artist.id}/albums`;
  return ok(paging(call, path, albums, page, (album) => simplifiedAlbum(call.world, album)));
}

/** `GET /albums/{id}`. */
export function getAlbum(call: ApiCall): Answer {
  const album = albumOf(call);
  const first = { limit: 50, offset: 0 };
  const tracks = paging(call, `/albums/${album.id}/tracks`, album.tracks, first, (track) =>
    simplifiedTrack(call.world, track),
  );
  const external_ids = { upc: album.upc };
  return ok({ ...simplifiedAlbum(call.world, album), copyrights: [], external_ids, tracks });
}

/** `GET /albums/{id}/tracks`. */
export function getAlbumTracks(call: ApiCall): Answer {
  const album = albumOf(call);
  const json = paging(call, `/albums/${album.id}/tracks`, album.tracks, pageRequest(call, 20, 50), (track) =>
    simplifiedTrack(call.world, track),
  );
  return ok(json);
}

const artistOf = (call: ApiCall) => inPath(call, 'artist', call.world.catalogue.artistByUri);
const albumOf = (call: ApiCall) => inPath(call, 'album', call.world.catalogue.albumByUri);

function inPath<T>(call: ApiCall, type: string, byUri: ReadonlyMap<string, T>): T {
  const found = byUri.get(`spotify:${type}:${idInPath(call)}`);
  if (!found) throw notFound();
  return found;
}

/** Refuses a removed endpoint, as Spotify does for applications created since February 2026. */
export function removed(): Answer {
  throw refuse(403, 'Forbidden');
}
