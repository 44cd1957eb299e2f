/** Deleting a playlist, which for Spotify means no longer following it. */
import * as z from 'zod';
import { unfollow } from '../../work/write/kinds.ts';
import { playlistId } from '../arguments.ts';
import { carryOut, finished } from '../playlists/playlistWriting.ts';
import { defineTool } from '../tool.ts';

export const deletePlaylistTool = defineTool({
  name: 'delete_playlist',
  title: 'Delete playlist',
  description:
    "Deletes a playlist from the account's list, or unfollows another person's; others who follow it keep it. Ask the user first, by name. To only empty it, use replace_playlist_tracks with an empty list.",
  kind: 'destructive',
  idempotent: true,
  input: z.object({ playlist_id: playlistId }),
  output: z.object({ ok: z.literal(true), playlist_id: z.string(), change_id: z.string().optional() }),
  async handle(services, { playlist_id: { id } }, call) {
    const { report } = finished(await carryOut(services, unfollow(id), call));
    return { ok: true as const, playlist_id: id, change_id: report.change_id };
  },
});
