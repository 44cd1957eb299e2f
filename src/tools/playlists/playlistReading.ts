/** Reading playlists. */
import * as z from 'zod';
import { Item, listOf, Playlist } from '../../domain/shapes.ts';
import {
  getAllMyPlaylists,
  getMyPlaylists,
  getPlaylist,
  getPlaylistItems,
} from '../../provider/resources/playlists.ts';
import { leanList, leanOne } from '../answer/lean.ts';
import { compact, LeanItem, LeanPlaylist, leanItem, leanPlaylist } from '../answer/leanShapes.ts';
import { limit, Offset, PlaylistRef } from '../arguments.ts';
import { defineTool } from '../tool.ts';

/** Where `all` stops: a longer answer is too long for any client. */
const ALL_PLAYLISTS_CAP = 1000;

const playlistId = PlaylistRef.describe('ID, URI or link of the playlist, for example from get_my_playlists');

export const getMyPlaylistsTool = defineTool({
  name: 'get_my_playlists',
  title: 'List my playlists',
  description:
    'Lists the playlists that the connected account owns or follows. Contents are readable only for those it owns or collaborates on. Pass all=true to get all of them in a single answer.',
  kind: 'read',
  input: z.object({
    limit: limit(20),
    offset: Offset,
    all: z
      .boolean()
      .default(false)
      .describe('true: every playlist up to 1,000, ignoring limit and offset. When omitted, false'),
  }),
  output: listOf(Playlist).extend({
    truncated: z.boolean().describe('true: there are more playlists than all=true returns'),
  }),
  lean: leanList(LeanPlaylist, leanPlaylist),
  rows: {
    key: 'items',
    hint: 'Go on with all=false, limit 50 and next_offset as offset, or use find_playlist_by_name.',
  },
  async handle({ provider }, args, call) {
    if (!args.all) return { ...(await getMyPlaylists(provider, args, call)), truncated: false };
    const { items, total, truncated } = await getAllMyPlaylists(provider, ALL_PLAYLISTS_CAP, call);
    return {
      items: items.slice(args.offset),
      total,
      limit: ALL_PLAYLISTS_CAP,
      offset: args.offset,
      next_offset: truncated ? ALL_PLAYLISTS_CAP : null,
      truncated,
    };
  },
});

export const getPlaylistTool = defineTool({
  name: 'get_playlist',
  title: 'Get playlist',
  description:
    'Returns the details of a playlist: name, description, owner, number of items, snapshot. For its rows, use get_playlist_tracks.',
  kind: 'read',
  input: z.object({ playlist_id: playlistId }),
  output: Playlist,
  lean: leanOne(LeanPlaylist.extend({ snapshot_id: z.string().optional() }), (playlist: Playlist) =>
    compact({ ...leanPlaylist(playlist), snapshot_id: playlist.snapshot_id }),
  ),
  detail: 'full',
  handle: ({ provider }, { playlist_id }, call) => getPlaylist(provider, playlist_id.id, call),
});

export const getPlaylistTracksTool = defineTool({
  name: 'get_playlist_tracks',
  title: 'List playlist items',
  description:
    'Lists the rows of a playlist in order: tracks, episodes, local files and rows that Spotify no longer offers (item null), each with its 0-based position. A page holds at most 50 rows: continue with next_offset until it is null.',
  kind: 'read',
  input: z.object({ playlist_id: playlistId, limit: limit(50), offset: Offset }),
  output: listOf(Item),
  lean: leanList(LeanItem, leanItem, { links: true }),
  rows: { key: 'items' },
  handle: ({ provider }, args, call) => getPlaylistItems(provider, args.playlist_id.id, args, call),
});
