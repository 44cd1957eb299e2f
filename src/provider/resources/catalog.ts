/** Search, tracks, artists and albums. */
import { inParallel } from '../../base/lists.ts';
import { asRelayError } from '../../domain/errors.ts';
import type { Album, AlbumTrack, Artist, Page, Track } from '../../domain/shapes.ts';
import { type Call, type LimitScope, type ProviderApi, requestFor } from '../api.ts';
import { invalidResponse } from '../http/failure.ts';
import { noteSong } from '../knownNames.ts';
import { objectBody, type PageRequest, pagingOf, readPage } from './paging.ts';
import { parseAlbum, parseAlbumTrack, parseArtist, parseTrack } from './parse.ts';

/** The provider's limit for one page of search results (10 since February 2026). */
export const SEARCH_PAGE = 10;

export interface SearchResult<T> {
  items: T[];
  /** Number of all results, as the provider estimates it. */
  total: number;
}

type SearchType = 'track' | 'artist' | 'album';

/** Reads one row of an answer; null if the row is unusable. */
type Parse<T> = (row: unknown, api: ProviderApi) => T | null;

const notedTrack: Parse<Track> = (row, api) => {
  const track = parseTrack(row);
  noteSong(api, track);
  return track;
};

function search<T>(type: SearchType, parse: Parse<T>) {
  return async (api: ProviderApi, query: string, limit: number, call: Call): Promise<SearchResult<T>> => {
    const read = async (offset: number) => {
      const request = requestFor('GET', '/search', 'search', {
        query: { q: query, type, limit: Math.min(SEARCH_PAGE, limit - offset), offset },
      });
      const body = objectBody(request, await api.send(request, call));
      return pagingOf(request, body[`${type}s`]);
    };
    const first = await read(0);
    const offsets: number[] = [];
    for (let at = SEARCH_PAGE; at < Math.min(limit, first.total); at += SEARCH_PAGE) offsets.push(at);
    let done = 1;
    if (offsets.length > 0) call.progress(done, offsets.length + 1);
    const more = await inParallel(offsets, offsets.length, async (offset) => {
      const page = await read(offset);
      done += 1;
      call.progress(done, offsets.length + 1);
      return page;
    });
    const rows = [first, ...more].flatMap((page) => page.rows);
    return { items: rows.flatMap((row) => parse(row, api) ?? []), total: first.total };
  };
}

export const searchTracks = search<Track>('track', notedTrack);
export const searchArtists = search<Artist>('artist', parseArtist);
export const searchAlbums = search<Album>('album', parseAlbum);

/** Makes a function that reads one item by its ID. Spotify removed the requests for several IDs in February 2026. */
function getOne<T>(template: string, scope: LimitScope, parse: Parse<T>) {
  return async (api: ProviderApi, id: string, call: Call): Promise<T> => {
    const request = requestFor('GET', template, scope, { values: { id } });
    const parsed = parse((await api.send(request, call)).body, api);
    if (!parsed) throw invalidResponse(request, 'no item in it');
    return parsed;
  };
}

export const getTrack = getOne<Track>('/tracks/{id}', 'tracks', notedTrack);

/**
 * Reads the track with a `spotify:track:` URI; null if Spotify does not know it, or refuses the ID.
 * @throws RelayError for every other failure
 */
export async function findTrack(api: ProviderApi, uri: string, call: Call): Promise<Track | null> {
  try {
    return await getTrack(api, uri.slice('spotify:track:'.length), call);
  } catch (thrown) {
    const error = asRelayError(thrown);
    if (error.code === 'NOT_FOUND' || error.code === 'INVALID_ARGUMENT') return null;
    throw error;
  }
}

export const getArtist = getOne<Artist>('/artists/{id}', 'artists', parseArtist);
/** Reads an album. Spotify does not say which requests share a rate limit; relay assumes that albums share one with tracks. */
export const getAlbum = getOne<Album>('/albums/{id}', 'tracks', parseAlbum);

export function getAlbumTracks(
  api: ProviderApi,
  id: string,
  window: PageRequest,
  call: Call,
): Promise<Page<AlbumTrack>> {
  const request = requestFor('GET', '/albums/{id}/tracks', 'tracks', { values: { id } });
  return readPage(api, request, window, parseAlbumTrack, call);
}

/** How an album relates to an artist. */
export const ALBUM_GROUPS = ['album', 'single', 'compilation', 'appears_on'] as const;

/** The provider's limit for one page of an artist's albums (10 since February 2026). */
export const ARTIST_ALBUMS_PAGE = 10;

/** @param groups which albums to read; by default all */
export function getArtistAlbums(
  api: ProviderApi,
  id: string,
  groups: ReadonlyArray<(typeof ALBUM_GROUPS)[number]> | undefined,
  window: PageRequest,
  call: Call,
): Promise<Page<Album>> {
  const query = { include_groups: groups?.join(',') };
  const request = requestFor('GET', '/artists/{id}/albums', 'artists', { values: { id }, query });
  return readPage(api, request, window, parseAlbum, call);
}
