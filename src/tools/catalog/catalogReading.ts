/** Searching the catalog and looking up single items. */
import * as z from 'zod';
import { parseRef } from '../../domain/ids.ts';
import { Album, Artist, Track } from '../../domain/shapes.ts';
import type { Call, ProviderApi } from '../../provider/api.ts';
import {
  getArtist,
  getTrack,
  searchAlbums,
  searchArtists,
  searchTracks,
} from '../../provider/resources/catalog.ts';
import { type LeanForm, leanOne, linksOf } from '../answer/lean.ts';
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

interface SearchAnswer<T> {
  items: T[];
  total: number;
}

/** Without the query, which the caller has. */
function leanAnswer<F, L>(row: z.ZodType<L>, of: (full: F) => L, links = false): LeanForm<SearchAnswer<F>> {
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
    "Search Spotify's catalog: find, look for or look up songs, tracks or music by an artist, by title, words, mood, topic, genre, artist or year: find me something new, happy or similar, to dance or run to, get ideas or recommendations. The first hit may be a cover or live: for one exact song, use find_track_exact.",
  kind: 'read',
  input: searchInput,
  output: found(Track),
  lean: leanAnswer(LeanTrack, leanTrack, true),
  rows,
  async handle({ provider }, args, call) {
    return { query: args.query, ...(await findTracks(provider, args.query, args.limit, call)) };
  },
});

/** A search, or the one track that a link or URI names. */
export async function findTracks(
  provider: ProviderApi,
  query: string,
  limit: number,
  call: Call,
): Promise<SearchAnswer<Track>> {
  const id = trackIn(query);
  if (id === null) return searchTracks(provider, query, limit, call);
  return { items: [await getTrack(provider, id, call)], total: 1 };
}

/** A bare ID may be a word that somebody searches for. */
function trackIn(query: string): string | null {
  if (!/^(?:spotify:|(?:https?:\/\/)?(?:open|play)\.spotify\.com\/)\S+$/i.test(query)) return null;
  return parseRef(query, ['track']).id;
}

export const searchArtistsTool = defineTool({
  name: 'search_artists',
  title: 'Search artists',
  description:
    'Search artists: find me or look up an artist, musician, singer, band, group, rapper or DJ by name.',
  kind: 'read',
  input: searchInput,
  output: found(Artist),
  lean: leanAnswer(LeanArtist, leanArtist),
  rows,
  async handle({ provider }, args, call) {
    return { query: args.query, ...(await searchArtists(provider, args.query, args.limit, call)) };
  },
});

export const searchAlbumsTool = defineTool({
  name: 'search_albums',
  title: 'Search albums',
  description:
    'Search albums: find me or look up an album, record, EP or single by its title, by artist or by year; which records did a band put out or release, their discography, newest or latest album.',
  kind: 'read',
  input: searchInput,
  output: found(Album),
  lean: leanAnswer(LeanAlbum, leanAlbum),
  rows,
  async handle({ provider }, args, call) {
    return { query: args.query, ...(await searchAlbums(provider, args.query, args.limit, call)) };
  },
});

export const getTrackTool = defineTool({
  name: 'get_track',
  title: 'Get track',
  description:
    'Tell me details or info about one song or track by ID: how long is it (length, duration, minutes), which album is it on, who made it, when was it released, from what year is this song, is it explicit, its ISRC and link.',
  kind: 'read',
  input: z.object({
    track_id: TrackRef.describe('ID, URI or link of the track'),
  }),
  output: Track,
  lean: leanOne(LeanTrack, leanTrack),
  detail: 'full',
  handle: ({ provider }, { track_id }, call) => getTrack(provider, track_id.id, call),
});

export const getArtistTool = defineTool({
  name: 'get_artist',
  title: 'Get artist',
  description:
    'Tell me about an artist, information about a band: who is this singer or band, what genre or kind of music do they make, by ID. Newer apps get no genres, followers or popularity. By name: search_artists.',
  kind: 'read',
  input: z.object({
    artist_id: ArtistRefArgument.describe('ID, URI or link of the artist'),
  }),
  output: Artist,
  lean: leanOne(LeanArtist, leanArtist),
  detail: 'full',
  handle: ({ provider }, { artist_id }, call) => getArtist(provider, artist_id.id, call),
});
