/** Rewriting playlists: replacing all rows, removing duplicates. Both are rolled back if they cannot be finished. */
import * as z from 'zod';
import type { Item } from '../../domain/shapes.ts';
import { type PlaylistRequest, planDeduplicate, repeatedRows } from '../../music/deduplication.ts';
import type { Call } from '../../provider/api.ts';
import type { Chunk, WriteReport as Report } from '../../provider/writes/chunkedWrite.ts';
import { insertChunks, removeChunks, replaceChunks } from '../../provider/writes/playlistWrites.ts';
import { restorableUris, rewrite } from '../../provider/writes/rollback.ts';
import { ItemRef, MAX_ENTRIES, playlistId } from '../arguments.ts';
import { defineTool, type Services } from '../tool.ts';
import { WriteReport } from './playlistWriting.ts';

function rewritePlaylist(
  services: Services,
  playlistId: string,
  former: readonly string[],
  chunks: readonly Chunk[],
  call: Call,
): Promise<Report> {
  const { provider: api, rows, clock } = services;
  return rewrite({ api, rows, clock, playlistId, former, chunks, call });
}

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
  handle(services, { playlist_id: { id }, track_ids }, call) {
    return services.rows.exclusively(
      id,
      async () => {
        const former = restorableUris(await services.rows.readFresh(id, call));
        const chunks = replaceChunks(
          id,
          track_ids.map((ref) => ref.uri),
        );
        return rewritePlaylist(services, id, former, chunks, call);
      },
      call.signal,
    );
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
  handle(services, { playlist_id: { id }, dry_run }, call) {
    return services.rows.exclusively(
      id,
      async () => {
        const items = await services.rows.readFresh(id, call);
        const former = restorableUris(items);
        const removed = removedRows(items);
        const counts = { original_count: items.length, resulting_count: items.length - removed.length };
        const chunks = removed.length === 0 ? [] : chunksOf(id, former);
        const report =
          dry_run || chunks.length === 0
            ? nothingWritten(id, removed.length, dry_run ? chunks.length : 0)
            : await rewritePlaylist(services, id, former, chunks, call);
        // The requests move more rows than they remove; what was requested is the removal.
        const written = dry_run ? 0 : removed.length;
        return { ...report, requested: removed.length, written, ...counts, removed, dry_run };
      },
      call.signal,
    );
  },
});

function removedRows(items: readonly Item[]): Array<z.infer<typeof Removed>> {
  return repeatedRows(items, ({ item }) => item?.uri ?? null).flatMap(({ item, position }) =>
    item ? [{ position, uri: item.uri, name: item.name }] : [],
  );
}

function chunksOf(id: string, uris: readonly string[]): Chunk[] {
  return planDeduplicate(uris).requests.flatMap((request) => chunkOf(id, request));
}

function chunkOf(id: string, request: PlaylistRequest): Chunk[] {
  switch (request.kind) {
    case 'delete':
      return removeChunks(id, request.uris);
    case 'insert':
      return insertChunks(id, request.uris, request.position);
    case 'replace':
      return replaceChunks(id, request.uris);
    case 'append':
      return insertChunks(id, request.uris);
  }
}

function nothingWritten(playlistId: string, requested: number, requests: number): Report {
  return {
    ok: true,
    playlist_id: playlistId,
    requested,
    written: 0,
    chunks: { total: requests, completed: 0 },
    snapshot_id: null,
    partial: false,
  };
}
