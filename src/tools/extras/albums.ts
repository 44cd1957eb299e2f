/** Albums: those of the catalog and of an artist, the saved ones, and followed artists. */
import * as z from 'zod';
import { Album, AlbumTrack, Artist, listOf } from '../../domain/shapes.ts';
import {
  ALBUM_GROUPS,
  ARTIST_ALBUMS_PAGE,
  getAlbum,
  getAlbumTracks,
  getArtistAlbums,
} from '../../provider/resources/catalog.ts';
import { getFollowedArtists, getSavedAlbums } from '../../provider/resources/savedAlbums.ts';
import { saveTracks, unsaveTracks } from '../../work/write/kinds.ts';
import { compact, leanAlbum, leanAlbumTrack, leanArtist, leanList, leanSavedAlbum } from '../answer/lean.ts';
import { AlbumRefArgument, ArtistRefArgument, limit, MAX_ENTRIES, Offset } from '../arguments.ts';
import { removalMembers, removeEntries, write } from '../playlists/playlistWriting.ts';
import { LibraryReport } from '../savedTracks.ts';
import { defineTool } from '../tool.ts';

const albumId = AlbumRefArgument.describe(
  'ID, URI or link of the album, from search_albums, get_artist_albums or a track',
);

export const getAlbumTool = defineTool({
  name: 'get_album',
  title: 'Get album',
  description:
    'Returns one album: artists, release date, number of tracks and link. For the songs on it, use get_album_tracks; to find one by name, search_albums.',
  kind: 'read',
  input: z.object({ album_id: albumId }),
  output: Album,
  lean: leanAlbum,
  detail: 'full',
  handle: ({ provider }, { album_id }, call) => getAlbum(provider, album_id.id, call),
});

export const getAlbumTracksTool = defineTool({
  name: 'get_album_tracks',
  title: 'List album tracks',
  description:
    'Lists the songs on an album in order, with disc and track numbers, for example to add a whole album with add_tracks_to_playlist.',
  kind: 'read',
  input: z.object({ album_id: albumId, limit: limit(50), offset: Offset }),
  output: listOf(AlbumTrack),
  lean: leanList(leanAlbumTrack, { links: true }),
  handle: ({ provider }, { album_id, ...window }, call) =>
    getAlbumTracks(provider, album_id.id, window, call),
});

export const getArtistAlbumsTool = defineTool({
  name: 'get_artist_albums',
  title: 'List albums of an artist',
  description:
    'Lists what an artist has released: albums, singles, compilations and albums of others that they appear on. To find one album by name, use search_albums, which costs less.',
  kind: 'read',
  input: z.object({
    artist_id: ArtistRefArgument.describe('ID, URI or link of the artist, from search_artists or a track'),
    groups: z
      .array(z.enum(ALBUM_GROUPS))
      .min(1)
      .max(ALBUM_GROUPS.length)
      .optional()
      .describe('Kinds of releases'),
    limit: limit(ARTIST_ALBUMS_PAGE, ARTIST_ALBUMS_PAGE),
    offset: Offset,
  }),
  output: listOf(Album),
  lean: leanList(leanAlbum),
  handle: ({ provider }, { artist_id, groups, ...window }, call) =>
    getArtistAlbums(provider, artist_id.id, groups, window, call),
});

export const getSavedAlbumsTool = defineTool({
  name: 'get_saved_albums',
  title: 'List saved albums',
  description:
    'Lists the albums that the user has saved to the library, the last saved first. For the songs on one, use get_album_tracks.',
  kind: 'read',
  input: z.object({ limit: limit(20), offset: Offset }),
  output: listOf(z.object({ added_at: z.string().nullable(), album: Album.nullable() })),
  lean: leanList(leanSavedAlbum),
  handle: ({ provider }, window, call) => getSavedAlbums(provider, window, call),
});

const albumIds = z
  .array(AlbumRefArgument)
  .min(1)
  .max(MAX_ENTRIES)
  .describe('IDs, URIs or links of albums, 1 to 10,000');

export const saveAlbumsTool = defineTool({
  name: 'save_albums',
  title: 'Save albums',
  description:
    'Saves albums to the library, so that they show among the albums of the user. Their songs do not become Liked Songs: for that, use save_tracks.',
  kind: 'write',
  idempotent: true,
  input: z.object({ album_ids: albumIds }),
  output: LibraryReport,
  async handle(services, { album_ids }, call) {
    const uris = album_ids.map(({ uri }) => uri);
    return write(services, saveTracks(services, uris, 'save_albums'), call);
  },
});

export const removeSavedAlbumsTool = defineTool({
  name: 'remove_saved_albums',
  title: 'Remove saved albums',
  description: 'Removes albums from the library. Liked Songs and playlists with songs of these albums stay.',
  kind: 'destructive',
  idempotent: true,
  input: z.object({ album_ids: albumIds }),
  output: LibraryReport.extend(removalMembers),
  rows: { key: 'not_found', hint: 'The others were not saved either.' },
  async handle(services, { album_ids }, call) {
    const uris = album_ids.map(({ uri }) => uri);
    const request = unsaveTracks(services, uris, 'saved', 'unsave_albums');
    return removeEntries(services, request, uris, 'the library', call);
  },
});

const leanArtists = leanList(leanArtist);

export const getFollowedArtistsTool = defineTool({
  name: 'get_followed_artists',
  title: 'List followed artists',
  description: 'Lists the artists that the user follows. For those heard most, use get_top_artists.',
  kind: 'read',
  input: z.object({
    limit: limit(20),
    after: z.string().min(1).max(100).optional().describe('next_after of the previous page'),
  }),
  output: z.object({ items: z.array(Artist), total: z.number(), next_after: z.string().nullable() }),
  lean: {
    schema: z.object({
      ...leanArtists.schema.omit({ next_offset: true }).shape,
      next_after: z.string().optional(),
    }),
    of: ({ next_after, ...list }) => ({ ...leanArtists.of(list), ...compact({ next_after }) }),
  },
  rows: {
    key: 'items',
    hint: 'Continue with after: next_after.',
    endOf: (_, kept) => ({ next_after: (kept.at(-1) as { id?: string } | undefined)?.id ?? null }),
  },
  async handle({ provider }, args, call) {
    const { after, ...page } = await getFollowedArtists(provider, args, call);
    return { ...page, next_after: after };
  },
});
