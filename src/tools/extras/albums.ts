/** Albums: the tracks of an album, and the albums of an artist. */
import * as z from 'zod';
import { Album, AlbumTrack, listOf } from '../../domain/shapes.ts';
import {
  ALBUM_GROUPS,
  ARTIST_ALBUMS_PAGE,
  getAlbum,
  getAlbumTracks,
  getArtistAlbums,
} from '../../provider/resources/catalog.ts';
import { leanList } from '../answer/lean.ts';
import { LeanAlbum, LeanAlbumTrack, leanAlbum, leanAlbumTrack } from '../answer/leanShapes.ts';
import { AlbumRefArgument, ArtistRefArgument, limit, Offset } from '../arguments.ts';
import { defineTool } from '../tool.ts';

const albumId = AlbumRefArgument.describe(
  'ID, URI or link of the album, from search_albums, get_artist_albums or a track',
);

export const getAlbumTool = defineTool({
  name: 'get_album',
  title: 'Get album',
  description:
    'Returns one album: artists, release date, number of tracks and link. For the songs on it, use get_album_tracks; to find an album by name, use search_albums; to play it, give play its URI.',
  kind: 'read',
  input: z.object({ album_id: albumId }),
  output: Album,
  lean: { schema: LeanAlbum, of: leanAlbum },
  detail: 'full',
  handle: ({ provider }, { album_id }, call) => getAlbum(provider, album_id.id, call),
});

export const getAlbumTracksTool = defineTool({
  name: 'get_album_tracks',
  title: 'List album tracks',
  description:
    'Lists the songs on an album in order, with disc and track numbers, for example to add a whole album with add_tracks_to_playlist. Continue with next_offset while there is one. For the rows of a playlist, use get_playlist_tracks.',
  kind: 'read',
  input: z.object({ album_id: albumId, limit: limit(50), offset: Offset }),
  output: listOf(AlbumTrack),
  lean: leanList(LeanAlbumTrack, leanAlbumTrack, { links: true }),
  handle: ({ provider }, { album_id, ...window }, call) =>
    getAlbumTracks(provider, album_id.id, window, call),
});

export const getArtistAlbumsTool = defineTool({
  name: 'get_artist_albums',
  title: 'List albums of an artist',
  description:
    'Lists what an artist has released: albums, singles, compilations and albums of others that they appear on. A page holds at most 10: continue with next_offset while there is one. To find one album by name, use search_albums, which costs less.',
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
  lean: leanList(LeanAlbum, leanAlbum),
  handle: ({ provider }, { artist_id, groups, ...window }, call) =>
    getArtistAlbums(provider, artist_id.id, groups, window, call),
});
