/**
 * Lists saved tracks (`/me/tracks`), saves and removes them, and checks whether URIs are saved (`/me/library`). There the URIs go
 * into the query, since Spotify refuses them in a body.
 */
import { chunk, inParallel } from '../../base/lists.ts';
import type { Page, Track } from '../../domain/shapes.ts';
import { type Call, type ProviderApi, type ProviderRequest, requestFor, type SendCall } from '../api.ts';
import { invalidResponse } from '../http/failure.ts';
import { noteSong } from '../knownNames.ts';
import { type PageRequest, readPage } from './paging.ts';
import { asObject, parseTrack, textOf } from './parse.ts';

export interface SavedTrack {
  added_at: string | null;
  track: Track | null;
}

export function getSavedTracks(
  api: ProviderApi,
  window: PageRequest,
  call: SendCall,
): Promise<Page<SavedTrack>> {
  const request = requestFor('GET', '/me/tracks', 'library.read');
  const parse = (row: unknown): SavedTrack => {
    const raw = asObject(row);
    const track = parseTrack(raw?.track ?? raw?.item);
    noteSong(api, track);
    return { added_at: textOf(raw?.added_at), track };
  };
  return readPage(api, request, window, parse, call);
}

/** Maximum number of URIs that the provider takes in one request. */
export const TRACKS_PER_REQUEST = 40;

/** Builds the request that saves (`PUT`) or removes (`DELETE`) at most 40 tracks. Both may be repeated without harm. */
export function libraryRequest(method: 'PUT' | 'DELETE', uris: readonly string[]): ProviderRequest {
  return requestFor(method, '/me/library', 'library.write', { query: { uris: uris.join(',') } });
}

/** For each URI, in order, whether it is saved. */
export async function containsUris(
  api: ProviderApi,
  uris: readonly string[],
  call: Call,
): Promise<boolean[]> {
  const parts = chunk(uris, TRACKS_PER_REQUEST);
  let done = 0;
  const answers = await inParallel(parts, 8, async (part) => {
    const query = { uris: part.join(',') };
    const request = requestFor('GET', '/me/library/contains', 'library.read', { query });
    const { body } = await api.send(request, call);
    if (!Array.isArray(body) || body.length !== part.length) {
      throw invalidResponse(request, 'not one answer for each URI');
    }
    done += 1;
    if (parts.length > 1) call.progress(done, parts.length);
    return body.map((saved) => saved === true);
  });
  return answers.flat();
}
