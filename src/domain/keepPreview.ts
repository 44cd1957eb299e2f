/** What a run of a kept playlist would do. */
import * as z from 'zod';

export type KeepRow = KeepPreview['added'][number];
export type KeepPreview = z.infer<ReturnType<typeof keepPreview>>;

/** Its schema. */
export function keepPreview() {
  const rows = z
    .array(z.object({ uri: z.string(), name: z.string().optional(), artist: z.string().optional() }))
    .describe('The first 10');
  return z.object({
    total: z.number().describe('Rows afterwards'),
    added: rows,
    removed: rows,
    added_count: z.number(),
    removed_count: z.number(),
    left_out: z.number().describe('No track or episode, local, or gone'),
  });
}
