/** Reading playlists. */
import * as z from 'zod';
import { Item, listOf, Playlist } from '../../domain/shapes.ts';
import {
  getAllMyPlaylists,
  getMyPlaylists,
  getPlaylist,
  getPlaylistItems,
} from '../../provider/resources/playlists.ts';
import { compact, leanItem, leanList, leanPlaylist } from '../answer/lean.ts';
import { limit, Offset, playlistId } from '../arguments.ts';
import { filteredPlaylist, filteredPlaylists, queryArgument } from '../libraryFilter.ts';
import { defineTool } from '../tool.ts';

/** Maximum number of playlists that `all` returns: no client could use a longer answer. */
const ALL_PLAYLISTS_CAP = 1000;

export const getMyPlaylistsTool = defineTool({
  name: 'get_my_playlists',
  title: 'List my playlists',
  description:
    "Lists all the user's playlists, own and followed playlists, each with ID and number of songs. Only own and collaborative playlists can be read and changed.",
  kind: 'read',
  input: z.object({
    limit: limit(20),
    offset: Offset,
    all: z.boolean().default(false).describe('true: every playlist, up to 1,000'),
    query: queryArgument('name or description'),
  }),
  output: listOf(Playlist).extend({
    truncated: z.boolean().describe('true: there are more playlists than all=true returns'),
  }),
  lean: leanList(leanPlaylist),
  rows: {
    key: 'items',
    hint: 'Continue with all=false, limit 50 and next_offset as offset, or use find_playlist_by_name.',
  },
  async handle(services, { query, ...args }, call) {
    const { provider } = services;
    if (query !== undefined) {
      const window = args.all ? { ...args, limit: ALL_PLAYLISTS_CAP } : args;
      const page = await filteredPlaylists(services, query, window, call);
      return { ...page, truncated: args.all && page.next_offset !== null };
    }
    if (!args.all) return { ...(await getMyPlaylists(provider, args, call)), truncated: false };
    // `next_offset` leads on also for a caller that keeps all=true.
    const { offset } = args;
    const end = (Math.floor(offset / ALL_PLAYLISTS_CAP) + 1) * ALL_PLAYLISTS_CAP;
    const { truncated, steady: _, ...rows } = await getAllMyPlaylists(provider, end - offset, call, offset);
    return { ...rows, limit: ALL_PLAYLISTS_CAP, offset, next_offset: truncated ? end : null, truncated };
  },
});

export const getPlaylistTool = defineTool({
  name: 'get_playlist',
  title: 'Get playlist',
  description:
    'Gets info about one playlist: details such as name, description, owner, number of songs, and whether the playlist is public, private or collaborative. Its songs are in get_playlist_tracks.',
  kind: 'read',
  input: z.object({ playlist_id: playlistId }),
  output: Playlist,
  lean: {
    schema: leanPlaylist.schema.extend({ snapshot_id: z.string().optional() }),
    of: (playlist) => compact({ ...leanPlaylist.of(playlist), snapshot_id: playlist.snapshot_id }),
  },
  detail: 'full',
  handle: ({ provider }, { playlist_id }, call) => getPlaylist(provider, playlist_id.id, call),
});

export const getPlaylistTracksTool = defineTool({
  name: 'get_playlist_tracks',
  title: 'List playlist items',
  description:
    'Lists the songs in a playlist: the contents of the playlist in order, tracks and episodes, each with its position counted from 0. Continue with next_offset while there is one.',
  kind: 'read',
  input: z.object({
    playlist_id: playlistId,
    limit: limit(50),
    offset: Offset,
    query: queryArgument('title, artists or album'),
  }),
  output: listOf(Item),
  lean: leanList(leanItem, { links: true }),
  handle: (services, { playlist_id: { id }, query, ...window }, call) =>
    query === undefined
      ? getPlaylistItems(services.provider, id, window, call)
      : filteredPlaylist(services, id, query, window, call),
});
