/** The report that every chunked write answers. */
import * as z from 'zod';

export const WriteReport = z.object({
  ok: z.boolean(),
  playlist_id: z.string(),
  requested: z.number().describe('Entries asked for'),
  written: z.number().describe('Entries that Spotify took'),
  chunks: z
    .object({ total: z.number(), completed: z.number() })
    .describe('Requests, of at most 100 entries each'),
  snapshot_id: z.string().nullable().describe('Version of the playlist after the last request'),
  partial: z.boolean(),
});
