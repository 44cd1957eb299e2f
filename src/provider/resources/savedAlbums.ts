/** Lists saved albums (`/me/albums`) and followed artists (`/me/following`). Albums are saved through `/me/library`, as tracks are. */
import type { Album, Artist, Page } from '../../domain/shapes.ts';
import { type Call, type ProviderApi, requestFor } from '../api.ts';
import { objectBody, type PageRequest, pagingOf, readPage } from './paging.ts';
import { asObject, parseAlbum, parseArtist, textOf } from './parse.ts';

export interface SavedAlbum {
  added_at: string | null;
  album: Album | null;
}

export function getSavedAlbums(api: ProviderApi, window: PageRequest, call: Call): Promise<Page<SavedAlbum>> {
  const request = requestFor('GET', '/me/albums', 'library.read');
  const parse = (row: unknown): SavedAlbum => {
    const raw = asObject(row);
    return { added_at: textOf(raw?.added_at), album: parseAlbum(raw?.album) };
  };
  return readPage(api, request, window, parse, call);
}

/** A page of followed artists. `after` is the cursor of the next page; null at the end. */
export interface FollowedArtists {
  items: Artist[];
  total: number;
  after: string | null;
}

export async function getFollowedArtists(
  api: ProviderApi,
  { limit, after }: { limit: number; after?: string | undefined },
  call: Call,
): Promise<FollowedArtists> {
  const query = { type: 'artist', limit, ...(after === undefined ? {} : { after }) };
  const request = requestFor('GET', '/me/following', 'library.read', { query });
  const { artists } = objectBody(request, await api.send(request, call));
  const { rows, total } = pagingOf(request, artists);
  return {
    items: rows.flatMap((row) => parseArtist(row) ?? []),
    total,
    after: textOf(asObject(asObject(artists)?.cursors)?.after),
  };
}
