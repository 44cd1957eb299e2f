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
import { type LeanForm, linksOf } from '../answer/lean.ts';
import { LeanAlbum, LeanArtist, LeanTrack, leanAlbum, leanArtist, leanTrack } from '../answer/leanShapes.ts';
import { ArtistRefArgument, limit, Query, TrackRef } from '../arguments.ts';
import { defineTool } from '../tool.ts';

const searchInput = z.object({ query: Query, limit: limit(10) });

function found<T extends z.ZodType>(item: T) {
  return z.object({
    query: z.string(),
    items: z.array(item).describe("In Spotify's order of relevance"),
    total: z.number().describe("Spotify's estimate of all results"),
  });
}

/** The lean answer leaves out the query, which the caller has. */
function leanAnswer<F, L>(row: z.ZodType<L>, of: (full: F) => L, links = false): LeanForm<SearchResult<F>> {
  return {
    schema: z.object({
      items: z.array(row),
      total: z.number(),
      ...(links ? { links: z.string().optional() } : {}),
    }),
    of: ({ items, total }) => ({ items: items.map(of), total, ...linksOf(links, items) }),
  };
}

const rows = { key: 'items', hint: 'Ask for fewer, or search for something more exact.' };

export const searchTracksTool = defineTool({
  name: 'search_tracks',
  title: 'Search tracks',
  description:
    'Searches Spotify for songs by title or artist, or by genre, mood, topic or year. For recommendations, new music or similar songs, search for the genre or the artist. The first result may be a cover or a live version: for one exact song, use find_track_exact.',
  kind: 'read',
  input: searchInput,
  output: found(Track),
  lean: leanAnswer(LeanTrack, leanTrack, true),
  rows,
  async handle({ provider }, args, call) {
    return { query: args.query, ...(await findTracks(provider, args.query, args.limit, call)) };
  },
});

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
const findArtists = finder('artist', getArtist, searchArtists);
const findAlbums = finder('album', getAlbum, searchAlbums);

export const searchArtistsTool = defineTool({
  name: 'search_artists',
  title: 'Search artists',
  description:
    'Searches for artists by name: finds an artist, such as a singer, a band, a musician or a group, best match first.',
  kind: 'read',
  input: searchInput,
  output: found(Artist),
  lean: leanAnswer(LeanArtist, leanArtist),
  rows,
  async handle({ provider }, args, call) {
    return { query: args.query, ...(await findArtists(provider, args.query, args.limit, call)) };
  },
});

export const searchAlbumsTool = defineTool({
  name: 'search_albums',
  title: 'Search albums',
  description:
    'Searches for albums, singles, EPs and other records by title, artist or year: finds an album in the catalog, the discography of an artist, or new releases.',
  kind: 'read',
  input: searchInput,
  output: found(Album),
  lean: leanAnswer(LeanAlbum, leanAlbum),
  rows,
  async handle({ provider }, args, call) {
    return { query: args.query, ...(await findAlbums(provider, args.query, args.limit, call)) };
  },
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
  lean: { schema: LeanTrack, of: leanTrack },
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
  lean: { schema: LeanArtist, of: leanArtist },
  detail: 'full',
  handle: ({ provider }, { artist_id }, call) => getArtist(provider, artist_id.id, call),
});
