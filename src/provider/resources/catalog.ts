/** Search, tracks, artists and albums. */
import { inParallel } from '../../base/lists.ts';
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

function search<T>(type: SearchType, parse: (row: unknown) => T | null) {
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
    return { items: rows.flatMap((row) => parse(row) ?? []), total: first.total };
  };
}

const findTracks = search('track', parseTrack);
export async function searchTracks(
  api: ProviderApi,
  query: string,
  limit: number,
  call: Call,
): Promise<SearchResult<Track>> {
  const found = await findTracks(api, query, limit, call);
  for (const track of found.items) noteSong(api, track);
  return found;
}
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

/** Makes a function that reads one item by its ID; the batch reads were removed in February 2026. */
function getOne<T>(template: string, scope: LimitScope, parse: (body: unknown) => T | null) {
  return async (api: ProviderApi, id: string, call: Call): Promise<T> => {
    const request = requestFor('GET', template, scope, { values: { id } });
    const parsed = parse((await api.send(request, call)).body);
    if (!parsed) throw invalidResponse(request, 'no item in it');
    return parsed;
  };
}

const readTrack = getOne<Track>('/tracks/{id}', 'tracks', parseTrack);
export async function getTrack(api: ProviderApi, id: string, call: Call): Promise<Track> {
  const track = await readTrack(api, id, call);
  noteSong(api, track);
  return track;
}
export const getArtist = getOne<Artist>('/artists/{id}', 'artists', parseArtist);
/** Reads an album. Spotify does not say how it groups its limits, so albums are counted with the tracks. */
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

/** @param groups which albums; undefined: all */
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
