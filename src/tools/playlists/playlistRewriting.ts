/** Rewriting playlists: replacing all rows, removing duplicates. Both are rolled back if they cannot be finished. */
import * as z from 'zod';
import { counted } from '../../base/lists.ts';
import type { ChangeOp } from '../../domain/change.ts';
import type { Item } from '../../domain/shapes.ts';
import { deduplicateOps, deduplicateRows, replaceRows, restorableUris } from '../../work/write/kinds.ts';
import { requestCount } from '../../work/write/states.ts';
import { ItemRef, MAX_ENTRIES, playlistId } from '../arguments.ts';
import { itemUri } from '../itemUri.ts';
import { wholePlaylist } from '../libraryFilter.ts';
import { defineTool } from '../tool.ts';
import { carryOut, emptyReport, WriteReport } from './playlistWriting.ts';

export const replaceTracksTool = defineTool({
  name: 'replace_playlist_tracks',
  title: 'Replace playlist content',
  description:
    'Replaces, overwrites or sets all the songs of a playlist, or clears the playlist with an empty list. Ask the user first. If it fails halfway, the former songs are written back; a playlist with local or unavailable rows is refused (UNSUPPORTED_ITEMS).',
  kind: 'destructive',
  idempotent: true,
  input: z.object({
    playlist_id: playlistId,
    track_ids: z
      .array(ItemRef)
      .max(MAX_ENTRIES)
      .describe('Track IDs, or URIs or links of tracks or episodes, up to 10,000, in order'),
  }),
  output: WriteReport,
  async handle(services, { playlist_id: { id }, track_ids }, call) {
    const request = replaceRows(
      services,
      id,
      track_ids.map((ref) => itemUri(services.provider, ref)),
    );
    const { report, state } = await carryOut(services, request, call);
    return state ? report : { ...report, note: 'Nothing changed: the playlist has exactly these rows.' };
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
    'Removes duplicates from a playlist: cleans up double entries of a song and keeps the first one, in the same order. To see the duplicates first, pass dry_run=true. A playlist with local or unavailable rows is refused (UNSUPPORTED_ITEMS).',
  kind: 'destructive',
  idempotent: true,
  input: z.object({
    playlist_id: playlistId,
    dry_run: z.boolean().default(false).describe('true: only report what would be removed'),
  }),
  output: WriteReport.extend({
    original_count: z.number(),
    resulting_count: z.number(),
    removed: z.array(Removed),
    dry_run: z.boolean(),
  }),
  rows: { key: 'removed', hint: 'The others are repeats too.' },
  async handle(services, { playlist_id: { id }, dry_run }, call) {
    let items: Item[] = [];
    const read = async () => {
      items = await services.rows.readSettled(id, call);
      return restorableUris(items);
    };
    if (dry_run) {
      items = (await wholePlaylist(services, id, call)).items;
      const removed = removedRows(items);
      const counts = { ...countsOf(items, removed), removed, dry_run };
      const refusal = refusalFor(items);
      if (refusal !== null) return { ...emptyReport(id, removed.length), ...counts, note: refusal };
      const ops = deduplicateOps(restorableUris(items));
      return { ...emptyReport(id, removed.length, requestCount(ops)), ...counts, ...datesNote(ops) };
    }
    const request = deduplicateRows(id, read);
    const { report, state } = await carryOut(services, request, call);
    const removed = removedRows(items);
    // The requests may also take out rows that stay, and write them again. The report counts only the repeats.
    const counts = { requested: removed.length, written: removed.length, ...countsOf(items, removed) };
    const note = state
      ? datesNote(state.body.ops)
      : { note: 'Nothing changed: no row repeats an earlier one.' };
    return { ...report, ...counts, removed, dry_run, ...note };
  },
});

/** Warns that all dates are lost if the whole list is written again. Says nothing if only the repeated songs are. */
function datesNote(ops: readonly ChangeOp[]): { note?: string } {
  if (!ops.some(({ op }) => op === 'put')) return {};
  return {
    note: 'There are so many repeats that the whole list is written again: Spotify then shows today as the date of every row.',
  };
}

/** Why relay would refuse to remove duplicates from these rows; null if it would not refuse. */
function refusalFor(items: readonly Item[]): string | null {
  const lost = items.filter((item) => item.is_local || item.item === null).length;
  if (lost === 0) return null;
  return `${counted(lost, 'row')} of this playlist ${lost === 1 ? 'is a local file or is' : 'are local files or'} no longer offered by Spotify, so relay does not remove the duplicates. Remove the duplicates in Spotify.`;
}

function countsOf(items: readonly Item[], removed: readonly unknown[]) {
  return { original_count: items.length, resulting_count: items.length - removed.length };
}

/** The rows that repeat an earlier one. Unavailable rows have no item, and repeat nothing. */
function removedRows(items: readonly Item[]): Array<z.infer<typeof Removed>> {
  const seen = new Set<string>();
  return items.flatMap(({ item, position }) => {
    if (item === null) return [];
    const { uri, name } = item;
    if (seen.has(uri)) return [{ position, uri, name }];
    seen.add(uri);
    return [];
  });
}
