/** Searching the catalog and looking up single items. */
import * as z from 'zod';
import { isSpotifyAddress, parseRef } from '../../domain/ids.ts';
import { Album, Artist, Track } from '../../domain/shapes.ts';
import type { Call, ProviderApi } from '../../provider/api.ts';
import {
  getAlbum,
  getArtist,
  getTrack,
  type SearchResult,
  searchAlbums,
  searchArtists,
  searchTracks,
} from '../../provider/resources/catalog.ts';
import { type LeanShape, leanAlbum, leanArtist, leanTrack, linksOf } from '../answer/lean.ts';
import { ArtistRefArgument, limit, Query, TrackRef } from '../arguments.ts';
import { defineTool, type Tool } from '../tool.ts';

/**
 * Makes the function that searches for one kind of item. If the query is a link or URI, the result is the one item that it names.
 * A bare ID may be a search word. The function throws a RelayError `INVALID_ARGUMENT` for a short link, and for a link or URI of
 * another kind.
 */
function finder<T>(
  kind: 'track' | 'artist' | 'album',
  get: (provider: ProviderApi, id: string, call: Call) => Promise<T>,
  search: (provider: ProviderApi, query: string, limit: number, call: Call) => Promise<SearchResult<T>>,
): typeof search {
  return async (provider, query, limit, call) => {
    if (!isSpotifyAddress(query)) return search(provider, query, limit, call);
    return { items: [await get(provider, parseRef(query, [kind]).id, call)], total: 1 };
  };
}

export const findTracks = finder('track', getTrack, searchTracks);

/** The tool that searches for one kind of item. Its lean answer leaves out the query, which the caller has. */
function searchTool<T>(
  find: ReturnType<typeof finder<T>>,
  item: z.ZodType<T>,
  lean: LeanShape<T>,
  words: { name: string; title: string; description: string },
): Tool {
  const links = words.name === 'search_tracks';
  return defineTool({
    ...words,
    kind: 'read',
    input: z.object({ query: Query, limit: limit(10) }),
    output: z.object({
      query: z.string(),
      items: z.array(item).describe("In Spotify's order of relevance"),
      total: z.number().describe("Spotify's estimate of all results"),
    }),
    lean: {
      schema: z.object({
        items: z.array(lean.schema),
        total: z.number(),
        ...(links && { links: z.string().optional() }),
      }),
      of: ({ items, total }) => ({ items: items.map(lean.of), total, ...linksOf(links, items) }),
    },
    rows: { key: 'items', hint: 'Ask for fewer, or search for something more exact.' },
    async handle({ provider }, { query, limit: most }, call) {
      return { query, ...(await find(provider, query, most, call)) };
    },
  });
}

export const searchTracksTool = searchTool(findTracks, Track, leanTrack, {
  name: 'search_tracks',
  title: 'Search tracks',
  description:
    'Searches Spotify for songs by title or artist, or by genre, mood, topic or year. For recommendations, new music or similar songs, search for the genre or the artist. The first result may be a cover or a live version: for one exact song, use find_track_exact.',
});

export const searchArtistsTool = searchTool(finder('artist', getArtist, searchArtists), Artist, leanArtist, {
  name: 'search_artists',
  title: 'Search artists',
  description:
    'Searches for artists by name: finds an artist, such as a singer, a band, a musician or a group, best match first.',
});

export const searchAlbumsTool = searchTool(finder('album', getAlbum, searchAlbums), Album, leanAlbum, {
  name: 'search_albums',
  title: 'Search albums',
  description:
    'Searches for albums, singles, EPs and other records by title, artist or year: finds an album in the catalog, the discography of an artist, or new releases.',
});

export const getTrackTool = defineTool({
  name: 'get_track',
  title: 'Get track',
  description:
    'Gets info and details about one track by ID: artists, album, release date, how long the song is (duration), ISRC and whether it is explicit.',
  kind: 'read',
  input: z.object({
    track_id: TrackRef.describe('ID, URI or link of the track'),
  }),
  output: Track,
  lean: leanTrack,
  detail: 'full',
  handle: ({ provider }, { track_id }, call) => getTrack(provider, track_id.id, call),
});

export const getArtistTool = defineTool({
  name: 'get_artist',
  title: 'Get artist',
  description:
    'Gets info and details about an artist or band by ID. Newer apps receive no genres, followers or popularity. To look up an artist by name, use search_artists.',
  kind: 'read',
  input: z.object({
    artist_id: ArtistRefArgument.describe('ID, URI or link of the artist'),
  }),
  output: Artist,
  lean: leanArtist,
  detail: 'full',
  handle: ({ provider }, { artist_id }, call) => getArtist(provider, artist_id.id, call),
});
