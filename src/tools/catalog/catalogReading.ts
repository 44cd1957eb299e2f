/** Searching the catalog and looking up single items. */
import * as z from 'zod';
import { Album, Artist, Track } from '../../domain/shapes.ts';
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

interface Found<T> {
  items: T[];
  total: number;
}

/** Without the query, which the caller has. */
function leanFound<F, L>(row: z.ZodType<L>, of: (full: F) => L, links = false): LeanForm<Found<F>> {
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
    "Searches Spotify's catalog for tracks, best matches first. The first hit may be a cover, a live version or a remaster: to find one specific song by title and artist, use find_track_exact if it is offered.",
  kind: 'read',
  input: searchInput,
  output: found(Track),
  lean: leanFound(LeanTrack, leanTrack, true),
  rows,
  async handle({ provider }, args, call) {
    return { query: args.query, ...(await searchTracks(provider, args.query, args.limit, call)) };
  },
});

export const searchArtistsTool = defineTool({
  name: 'search_artists',
  title: 'Search artists',
  description: "Searches Spotify's catalog for artists, best matches first.",
  kind: 'read',
  input: searchInput,
  output: found(Artist),
  lean: leanFound(LeanArtist, leanArtist),
  rows,
  async handle({ provider }, args, call) {
    return { query: args.query, ...(await searchArtists(provider, args.query, args.limit, call)) };
  },
});

export const searchAlbumsTool = defineTool({
  name: 'search_albums',
  title: 'Search albums',
  description: "Searches Spotify's catalog for albums, singles and compilations, best matches first.",
  kind: 'read',
  input: searchInput,
  output: found(Album),
  lean: leanFound(LeanAlbum, leanAlbum),
  rows,
  async handle({ provider }, args, call) {
    return { query: args.query, ...(await searchAlbums(provider, args.query, args.limit, call)) };
  },
});

export const getTrackTool = defineTool({
  name: 'get_track',
  title: 'Get track',
  description: 'Returns one track: artists, album, duration, ISRC and link.',
  kind: 'read',
  input: z.object({
    track_id: TrackRef.describe('ID, URI or link of the track, for example from search_tracks'),
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
    'Returns one artist. Spotify gives newer apps no genres, followers or popularity: genres may be null.',
  kind: 'read',
  input: z.object({
    artist_id: ArtistRefArgument.describe('ID, URI or link of the artist, from search_artists or a track'),
  }),
  output: Artist,
  lean: leanOne(LeanArtist, leanArtist),
  detail: 'full',
  handle: ({ provider }, { artist_id }, call) => getArtist(provider, artist_id.id, call),
});
