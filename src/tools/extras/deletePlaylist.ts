/** Deleting a playlist, which for Spotify means no longer following it. */
import * as z from 'zod';
import { UNSTOPPABLE } from '../../provider/writes/chunkedWrite.ts';
import { unfollowPlaylist } from '../../provider/writes/playlistWrites.ts';
import { playlistId } from '../arguments.ts';
import { defineTool } from '../tool.ts';

export const deletePlaylistTool = defineTool({
  name: 'delete_playlist',
  title: 'Delete playlist',
  description:
    "Deletes a playlist of the account, or unfollows another person's: Spotify takes it off the list and leaves it to those who follow it. Ask the user first, by name. To empty a playlist but keep it, use replace_playlist_tracks with an empty list; to remove some songs, use remove_tracks_from_playlist.",
  kind: 'destructive',
  idempotent: true,
  input: z.object({ playlist_id: playlistId }),
  output: z.object({ ok: z.literal(true), playlist_id: z.string() }),
  async handle({ provider, rows }, { playlist_id: { id } }, call) {
    await rows.exclusively(
      id,
      async () => {
        call.signal.throwIfAborted();
        await unfollowPlaylist(provider, id, UNSTOPPABLE);
      },
      call.signal,
    );
    return { ok: true as const, playlist_id: id };
  },
});
