/** Saved albums and followed artists. */
import * as z from 'zod';
import { Album, Artist, listOf } from '../../domain/shapes.ts';
import { getFollowedArtists, getSavedAlbums, type SavedAlbum } from '../../provider/resources/savedAlbums.ts';
import { saveTracks, unsaveTracks } from '../../work/write/kinds.ts';
import type { RunReport } from '../../work/write/writes.ts';
import { leanList } from '../answer/lean.ts';
import { compact, LeanAlbum, LeanArtist, leanAlbum, leanArtist } from '../answer/leanShapes.ts';
import { AlbumRefArgument, limit, MAX_ENTRIES, Offset } from '../arguments.ts';
import { carryOut, leftOf, removalMembers, removalOf, write } from '../playlists/playlistWriting.ts';
import { LibraryReport, libraryReport } from '../savedTracks.ts';
import { defineTool } from '../tool.ts';

const LeanSavedAlbum = LeanAlbum.partial().extend({ added: z.string().optional() });

export const getSavedAlbumsTool = defineTool({
  name: 'get_saved_albums',
  title: 'List saved albums',
  description:
    "Lists the albums that the user has saved to the library, the last saved first. Continue with next_offset while there is one. For the songs on one, use get_album_tracks; for the user's Liked Songs, use get_saved_tracks.",
  kind: 'read',
  input: z.object({ limit: limit(20), offset: Offset }),
  output: listOf(z.object({ added_at: z.string().nullable(), album: Album.nullable() })),
  lean: leanList(LeanSavedAlbum, ({ added_at, album }: SavedAlbum) =>
    compact({ ...(album ? leanAlbum(album) : {}), added: added_at?.slice(0, 10) }),
  ),
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
    return libraryReport(await write(services, saveTracks(services, uris, 'save_albums'), call));
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
    const told = (state: Pick<RunReport, 'work' | 'body'>) =>
      removalOf(uris, state.body.former.saved ?? [], 'the library', leftOf(state));
    const request = unsaveTracks(services, uris, 'saved', 'unsave_albums');
    const { report, state } = await carryOut(services, request, call, { told });
    return { ...libraryReport(report), ...(state ? told(state) : removalOf(uris, null, 'the library')) };
  },
});

export const getFollowedArtistsTool = defineTool({
  name: 'get_followed_artists',
  title: 'List followed artists',
  description:
    'Lists the artists that the user follows. Continue with the cursor next_after while there is one. For those heard most, use get_top_artists.',
  kind: 'read',
  input: z.object({
    limit: limit(20),
    after: z.string().min(1).max(100).optional().describe('next_after of the previous page'),
  }),
  output: z.object({ items: z.array(Artist), total: z.number(), next_after: z.string().nullable() }),
  lean: {
    schema: z.object({
      items: z.array(LeanArtist),
      total: z.number(),
      next_after: z.string().optional(),
    }),
    of: ({ items, total, next_after }) => ({
      ...{ items: items.map(leanArtist), total },
      ...compact({ next_after }),
    }),
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
