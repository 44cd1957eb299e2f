/** Search, tracks and artists. */
import { inParallel } from '../../base/lists.ts';
import type { Album, Artist, Track } from '../../domain/shapes.ts';
import { type Call, type ProviderApi, type ProviderRequest, pathOf } from '../api.ts';
import { invalidResponse } from '../http/failure.ts';
import { objectBody, pagingOf } from './paging.ts';
import { parseAlbum, parseArtist, parseTrack } from './parse.ts';

/** The provider's limit for one page of search results (10 since February 2026). */
export const SEARCH_PAGE = 10;

export interface SearchResult<T> {
  items: T[];
  /** The provider's estimate of all results. */
  total: number;
}

type SearchType = 'track' | 'artist' | 'album';

function search<T>(type: SearchType, parse: (row: unknown) => T | null) {
  return async (api: ProviderApi, query: string, limit: number, call: Call): Promise<SearchResult<T>> => {
    const read = async (offset: number) => {
      const request: ProviderRequest = {
        method: 'GET',
        path: '/search',
        template: '/search',
        scope: 'search',
        query: { q: query, type, limit: Math.min(SEARCH_PAGE, limit - offset), offset },
      };
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
    return { items: rows.flatMap((row) => parse(row) ?? []), total: first.total };
  };
}

export const searchTracks: (
  api: ProviderApi,
  query: string,
  limit: number,
  call: Call,
) => Promise<SearchResult<Track>> = search('track', parseTrack);
export const searchArtists: (
  api: ProviderApi,
  query: string,
  limit: number,
  call: Call,
) => Promise<SearchResult<Artist>> = search('artist', parseArtist);
export const searchAlbums: (
  api: ProviderApi,
  query: string,
  limit: number,
  call: Call,
) => Promise<SearchResult<Album>> = search('album', parseAlbum);

/** One item by its ID; the batch reads were removed in February 2026. */
function getOne<T>(template: string, scope: 'tracks' | 'artists', parse: (body: unknown) => T | null) {
  return async (api: ProviderApi, id: string, call: Call): Promise<T> => {
    const request: ProviderRequest = { method: 'GET', path: pathOf(template, { id }), template, scope };
    const parsed = parse((await api.send(request, call)).body);
    if (!parsed) throw invalidResponse(request, 'no item in it');
    return parsed;
  };
}

export const getTrack = getOne<Track>('/tracks/{id}', 'tracks', parseTrack);
export const getArtist = getOne<Artist>('/artists/{id}', 'artists', parseArtist);
