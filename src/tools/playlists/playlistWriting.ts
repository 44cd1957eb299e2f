/** The one way in which tools write rows to a playlist, and the report that it answers. */
import * as z from 'zod';
import type { Call } from '../../provider/api.ts';
import {
  type Chunk,
  completeOrThrow,
  type WriteReport as Report,
  reportOf,
  writeChunks,
} from '../../provider/writes/chunkedWrite.ts';
import type { Services } from '../tool.ts';

export const WriteReport = z.object({
  ok: z.boolean(),
  playlist_id: z.string(),
  requested: z.number().describe('Entries requested'),
  written: z.number().describe('Entries that Spotify accepted'),
  chunks: z
    .object({ total: z.number(), completed: z.number() })
    .describe('Requests of at most 100 entries each'),
  snapshot_id: z.string().nullable().describe('Version of the playlist after the last request'),
  partial: z.boolean(),
});

/** Sends chunks to one playlist, after earlier writes to it. */
export async function writeToPlaylist(
  services: Services,
  id: string,
  chunks: readonly Chunk[],
  call: Call,
): Promise<Report> {
  return services.rows.exclusively(
    id,
    async () => {
      call.signal.throwIfAborted();
      const progress = await writeChunks(services.provider, chunks, call, services.clock);
      return completeOrThrow(reportOf(id, chunks, progress), progress.error);
    },
    call.signal,
  );
}
