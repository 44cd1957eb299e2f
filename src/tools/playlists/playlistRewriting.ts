/** Rewriting playlists: replacing all rows, removing duplicates. Both are rolled back if they cannot be finished. */
import * as z from 'zod';
import { deduplicateOps, deduplicateRows, replaceRows, restorableUris } from '../../changes/kinds.ts';
import { requestsLeft } from '../../changes/rowOps.ts';
import type { Item } from '../../domain/shapes.ts';
import { repeatedRows } from '../../music/deduplication.ts';
import { ItemRef, MAX_ENTRIES, playlistId } from '../arguments.ts';
import { defineTool } from '../tool.ts';
import { emptyReport, reportOrThrow, WriteReport, writeFor } from './playlistWriting.ts';

export const replaceTracksTool = defineTool({
  name: 'replace_playlist_tracks',
  title: 'Replace playlist content',
  description:
    'Replaces the whole content of a playlist with the given tracks or episodes, in order; an empty list empties it. If a later request fails, the previous content is written back and verified. Refused (UNSUPPORTED_ITEMS) if the playlist holds rows that could not be restored, such as local files.',
  kind: 'destructive',
  idempotent: true,
  input: z.object({
    playlist_id: playlistId,
    track_ids: z
      .array(ItemRef)
      .max(MAX_ENTRIES)
      .describe(
        'IDs, URIs or links of tracks or episodes, up to 10,000, in order; an empty list empties the playlist',
      ),
  }),
  output: WriteReport,
  async handle(services, { playlist_id: { id }, track_ids }, call) {
    const request = replaceRows(
      services,
      id,
      track_ids.map((ref) => ref.uri),
    );
    const result = await writeFor(services, 'replace_playlist_tracks', request, call);
    return reportOrThrow(services, id, track_ids.length, result);
  },
});

const Removed = z.object({
  position: z.number().describe('0-based position before the change'),
  uri: z.string(),
  name: z.string(),
});

export const deduplicatePlaylistTool = defineTool({
  name: 'deduplicate_playlist',
  title: 'Remove duplicates from a playlist',
  description:
    'Removes rows that repeat an earlier row (the same track or episode ID), keeping the first occurrence and the order. Call it with dry_run=true first to see what would be removed. Refused (UNSUPPORTED_ITEMS) if the playlist holds local files or rows that Spotify no longer offers.',
  kind: 'destructive',
  idempotent: true,
  input: z.object({
    playlist_id: playlistId,
    dry_run: z
      .boolean()
      .default(false)
      .describe('true: only report what would be removed. When omitted, false'),
  }),
  output: WriteReport.extend({
    original_count: z.number(),
    resulting_count: z.number(),
    removed: z.array(Removed),
    dry_run: z.boolean(),
  }),
  rows: { key: 'removed', hint: 'The others were removed (or, with dry_run, would be) too.' },
  async handle(services, { playlist_id: { id }, dry_run }, call) {
    let items: Item[] = [];
    const read = async () => {
      items = await services.rows.readSettled(id, call);
      return restorableUris(items);
    };
    if (dry_run) {
      const requests = requestsLeft(deduplicateOps(await read()));
      const removed = removedRows(items);
      return { ...emptyReport(id, removed.length, requests), ...countsOf(items, removed), removed, dry_run };
    }
    const request = deduplicateRows(id, read);
    const result = await writeFor(services, 'deduplicate_playlist', request, call);
    const removed = removedRows(items);
    const report = await reportOrThrow(services, id, removed.length, result);
    // The requests move more rows than they remove; what was requested is the removal.
    const counts = { requested: removed.length, written: removed.length, ...countsOf(items, removed) };
    return { ...report, ...counts, removed, dry_run };
  },
});

function countsOf(items: readonly Item[], removed: readonly unknown[]) {
  return { original_count: items.length, resulting_count: items.length - removed.length };
}

function removedRows(items: readonly Item[]): Array<z.infer<typeof Removed>> {
  return repeatedRows(items, ({ item }) => item?.uri ?? null).flatMap(({ item, position }) =>
    item ? [{ position, uri: item.uri, name: item.name }] : [],
  );
}
