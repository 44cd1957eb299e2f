/** Rewriting playlists: replacing all rows, removing duplicates. Both are rolled back if they cannot be finished. */
import * as z from 'zod';
import { counted } from '../../base/lists.ts';
import type { ChangeOp } from '../../domain/change.ts';
import { RelayError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/rows.ts';
import type { Item } from '../../domain/shapes.ts';
import { groupSongs, hashOfKey, type Recording } from '../../music/songs.ts';
import { deduplicateRows, replaceRows } from '../../work/write/kinds.ts';
import { planRows } from '../../work/write/plan.ts';
import { requestCount } from '../../work/write/states.ts';
import { compact } from '../answer/lean.ts';
import { ItemRef, MAX_ENTRIES, playlistId } from '../arguments.ts';
import { itemUri } from '../givenNames.ts';
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
    const uris = track_ids.map((ref) => itemUri(services.provider, ref));
    const { report, state } = await carryOut(services, replaceRows(services, id, uris), call);
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
    'Removes duplicates from a playlist: cleans up double entries of a song and keeps the first one, in the same order. To see them first, pass dry_run=true.',
  kind: 'destructive',
  idempotent: true,
  input: z.object({
    playlist_id: playlistId,
    same_song: z.boolean().default(false).describe('true: also the same song on another release'),
    around_unsupported: z
      .boolean()
      .default(false)
      .describe('true: local and unavailable rows stay in place. false: they refuse the call'),
    dry_run: z.boolean().default(false).describe('true: only report what would be removed'),
  }),
  output: WriteReport.extend({
    original_count: z.number(),
    resulting_count: z.number(),
    removed: z.array(Removed),
    dry_run: z.boolean(),
  }),
  rows: { key: 'removed', hint: 'The others are repeats too.' },
  async handle(services, { playlist_id: { id }, same_song, around_unsupported, dry_run }, call) {
    let items: Item[] = [];
    const repeated = () => repeatsIn(items, same_song);
    const counts = () => {
      const removed = repeated();
      const resulting = items.length - removed.length;
      return { original_count: items.length, resulting_count: resulting, removed, dry_run };
    };
    if (dry_run) {
      items = (await wholePlaylist(services, id, call)).items;
      const told = counts();
      const { former, kept } = withoutRepeats(items, told.removed);
      const ops = planRows(former, kept);
      const refusal = refusalFor(items, ops, around_unsupported);
      if (refusal !== null) return { ...emptyReport(id, told.removed.length), ...told, note: refusal };
      const report = emptyReport(id, told.removed.length, requestCount(ops ?? []));
      return { ...report, ...told, ...notesOf(ops ?? [], items, same_song) };
    }
    const request = deduplicateRows(id, async () => {
      items = await services.rows.readSettled(id, call);
      const rows = withoutRepeats(items, repeated());
      const refusal = refusalFor(items, planRows(rows.former, rows.kept), around_unsupported);
      if (refusal !== null)
        throw new RelayError('UNSUPPORTED_ITEMS', refusal, { details: unsupportedIn(items) });
      return rows;
    });
    const { report, state } = await carryOut(services, request, call);
    const told = counts();
    // The requests may also take out rows that stay, and write them again. The report counts only the repeats.
    const written = { requested: told.removed.length, written: told.removed.length };
    const nothing = state ? [] : ['Nothing changed: no row repeats an earlier one.'];
    return {
      ...report,
      ...written,
      ...told,
      ...notesOf(state?.body.ops ?? [], items, same_song, ...nothing),
    };
  },
});

/** The rows as they are, and those that stay. */
function withoutRepeats(items: readonly Item[], repeats: ReadonlyArray<{ position: number }>) {
  const gone = new Set(repeats.map(({ position }) => position));
  return { former: items.map(uriOf), kept: items.filter(({ position }) => !gone.has(position)).map(uriOf) };
}

/** Warns that all dates are lost if the whole list is written again, and tells of repeats that were not asked for. */
function notesOf(ops: readonly ChangeOp[], items: readonly Item[], isSameSong: boolean, ...notes: string[]) {
  if (ops.some(({ op }) => op === 'put'))
    notes.push('The whole list is written again: Spotify then shows today as the date of every row.');
  const others = isSameSong ? 0 : repeatsIn(items, true).length - repeatsIn(items, false).length;
  if (others > 0)
    notes.push(`Rows that are the same song on another release: ${others}. same_song=true removes them too.`);
  return compact({ note: notes.join(' ') });
}

/** The rows that cannot be written again: how many, and the positions of the first. */
function unsupportedIn(items: readonly Item[]): { positions: number[]; count: number } {
  const lost = items.filter((item) => item.is_local || item.item === null);
  return { positions: lost.slice(0, 100).map(({ position }) => position), count: lost.length };
}

/** Why relay would refuse to remove duplicates from these rows; null if it would not refuse. */
function refusalFor(
  items: readonly Item[],
  ops: readonly ChangeOp[] | null,
  isAround: boolean,
): string | null {
  const lost = unsupportedIn(items).count;
  if (lost === 0 || (isAround && ops !== null)) return null;
  const what = `The playlist has ${counted(lost, 'local or unavailable row')}`;
  return ops === null
    ? `${what} that would have to move, which Spotify does not allow. Remove the repeats in Spotify.`
    : `${what}, so relay does not remove the duplicates. around_unsupported=true leaves such rows where they are.`;
}

/**
 * The rows that repeat an earlier one: the same track or, if `isSameSong`, the same song. Local and unavailable rows cannot be
 * written, and repeat nothing.
 */
function repeatsIn(items: readonly Item[], isSameSong: boolean): Array<z.infer<typeof Removed>> {
  const songs = isSameSong ? groupSongs(items.flatMap(recordingOf)) : null;
  const seen = new Set<string | number>();
  return items.flatMap(({ item, position, is_local }) => {
    if (item === null || is_local) return [];
    const { uri, name } = item;
    const song = songs?.get(position);
    const isRepeat = seen.has(uri) || (song !== undefined && seen.has(song));
    seen.add(uri);
    if (song !== undefined) seen.add(song);
    return isRepeat ? [{ position, uri, name }] : [];
  });
}

function recordingOf({ item, position, is_local }: Item): Recording[] {
  if (item?.type !== 'track' || is_local) return [];
  const { name, artists, isrc, duration_ms } = item;
  return [{ track: position, hash: hashOfKey({ name, first: artists[0]?.name ?? '' }), isrc, duration_ms }];
}
