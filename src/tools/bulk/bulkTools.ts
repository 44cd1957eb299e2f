/** Building playlists from lists of songs: resolve everything first, then write, and report the outcome of each entry. */

import * as z from 'zod';
import { waitWords } from '../../base/clock.ts';
import { counted } from '../../base/lists.ts';
import { type BulkJobType, JOB_ATTEMPTS, type JobPayload } from '../../domain/job.ts';
import type { Item, Playlist } from '../../domain/shapes.ts';
import type { Call } from '../../provider/api.ts';
import { getPlaylist } from '../../provider/resources/playlists.ts';
import type { ListedItem } from '../../store/tables/items.ts';
import type { LookedUp } from '../../work/resolve/lookUp.ts';
import { addMissing, addRows, makePlaylist } from '../../work/write/kinds.ts';
import { Description, PlaylistName, playlistId } from '../arguments.ts';
import { askerOf } from '../asker.ts';
import { carryOut, type Written } from '../playlists/playlistWriting.ts';
import { defineTool, type Services } from '../tool.ts';
import {
  BulkResult,
  bulkResult,
  isUnresolved,
  leanBulk,
  leanMade,
  MadeResult,
  reportRows,
} from './bulkResult.ts';
import { anyEntries, type Entry, itemOf, searches } from './entries.ts';

const Strict = z
  .boolean()
  .default(true)
  .describe('true: write nothing unless every song is found; false: write those found');

/** The arguments of both tools that add to a playlist. */
function addTo<T extends z.ZodType<Entry[]>>(tracks: T) {
  return z.object({
    playlist_id: playlistId,
    tracks,
    strict: Strict,
    dry_run: z.boolean().default(false).describe('true: report, write nothing'),
    skip_existing: z.boolean().default(false).describe('true: skip what the playlist holds'),
  });
}

const SENT = 'Do not send these entries again.';

/**
 * Looks up a list, then answers with the result of `whenFound`. If looking it up takes too long or meets a limit, a job does the
 * rest of the lookup. Once that job is committed, it does the work of `whenFound`.
 */
function lookUp(
  services: Services,
  type: BulkJobType,
  payload: JobPayload,
  tracks: readonly Entry[],
  call: Call,
  whenFound: (list: LookedUp) => Promise<BulkResult>,
): Promise<BulkResult> {
  const items = tracks.map((entry) => itemOf(services.provider, entry));
  const askedBy = askerOf(services, call);
  const request = { type, payload, items, maxAttempts: JOB_ATTEMPTS, askedBy };
  return services.works.lookUp(request, call, async (list) => {
    if (list.isComplete) return whenFound(list);
    const playlist_id = payload.playlist_id ?? null;
    const wait = list.waitSeconds;
    const when = wait === null ? 'The job' : `Spotify asks relay to wait ${waitWords(wait)}. Then the job`;
    const then = payload.dry_run ? '' : ' When get_job_status says ready, call commit_job.';
    const note = `${when} looks up the rest and writes nothing.${then} ${SENT}`;
    return bulkResult(list.items(), { status: 'deferred', playlist_id, job_id: list.id, note });
  });
}

/** A list with more entries is kept as a job, since sending it again would cost more than the answer. */
const SHORT_LIST = 25;

/** The result of a strict list that did not resolve whole, with the way on. */
async function blockedResult(
  list: LookedUp,
  items: readonly ListedItem[],
  playlist_id: string | null,
): Promise<BulkResult> {
  const open = items.filter(isUnresolved).length;
  const found = items.length - open;
  const nothing = `Nothing was written: ${open} of ${counted(items.length, 'song')} did not resolve.`;
  const answer = (note: string, job_id?: string) =>
    bulkResult(items, { status: 'blocked', playlist_id, job_id, note: `${nothing} ${note}` });
  if (found === 0) return answer('Correct the titles and artists.');
  if (items.length <= SHORT_LIST)
    return answer(`Call again with strict=false to write the other ${found}, or with corrected entries.`);
  await list.keep();
  const ways = `commit_job with skip_unresolved=true writes the other ${found}, resume_job with fixes settles the open ones first.`;
  return answer(`The list is kept as a job: ${ways} ${SENT}`, list.id);
}

/**
 * The result of writing a list. If a limit or lack of time stops the write, a job writes the rest.
 * @param found the items as they were before the write
 */
function writtenResult(
  list: LookedUp,
  found: readonly ListedItem[],
  { report, continues }: Written,
): BulkResult {
  const items = withRefused(found, list);
  const { playlist_id, change_id } = report;
  if (!continues) return bulkResult(items, { status: 'done', playlist_id, change_id, write: report });
  const { note, ...write } = report;
  const facts = { playlist_id: playlist_id || null, change_id, job_id: change_id, note };
  return bulkResult(items, { status: 'deferred', ...facts, ...(write.written > 0 && { write }) });
}

/** The items as they were before the write; those that Spotify refused are unmatched. */
function withRefused(items: readonly ListedItem[], list: LookedUp): ListedItem[] {
  const failed = list.items().filter(({ status }) => status === 'failed');
  const refused = new Set(failed.map(({ position }) => position));
  return items.map((item) => (refused.has(item.position) ? { ...item, status: 'unmatched' } : item));
}

function toWrite(items: readonly ListedItem[]): string[] {
  return items.flatMap(({ status, uri }) => (status === 'matched' && uri !== null ? [uri] : []));
}

function addEntries(
  services: Services,
  { tracks, strict, dry_run, skip_existing, playlist_id: { id } }: z.output<ReturnType<typeof addTo>>,
  call: Call,
): Promise<BulkResult> {
  // Neither tool leaves out a track that the list repeats.
  const payload = { playlist_id: id, strict, dry_run, skip_existing, skip_duplicates: false };
  return lookUp(services, 'add_to_playlist', payload, tracks, call, async (list) => {
    let items = list.items();
    const answer = (status: BulkResult['status']) => bulkResult(items, { status, playlist_id: id });
    if (dry_run) return answer('dry_run');
    if (strict && items.some(isUnresolved)) return blockedResult(list, items, id);
    const uris = toWrite(items);
    if (uris.length === 0) return answer('done');
    // Some of the tracks may have come or gone since the playlist was read.
    const missing = async (held: readonly Item[]) => {
      list.skipHeld(held);
      items = list.items();
      return toWrite(items);
    };
    const request = skip_existing
      ? addMissing(services, id, uris.length, missing)
      : addRows(services, id, uris);
    return writtenResult(list, items, await carryOut(services, request, call, { list, isLenient: !strict }));
  });
}

const common = { kind: 'write' as const, lean: leanBulk, rows: reportRows };

export const addTracksBySearchTool = defineTool({
  name: 'add_tracks_by_search',
  title: 'Add tracks by search',
  description:
    'Adds songs to a playlist by title and artist: searches for each song by name and adds the tracks found to the end, in order. strict writes nothing unless all are found; dry_run only reports. For hundreds of songs, use create_bulk_job.',
  ...common,
  input: addTo(searches),
  output: BulkResult,
  handle: addEntries,
});

export const bulkAddTracksTool = defineTool({
  name: 'bulk_add_tracks',
  title: 'Add many tracks',
  description:
    'Adds many songs to a playlist in one call: a list of links, IDs, and titles with artists, in any mix. Links and IDs need no search; the rest works like add_tracks_by_search.',
  ...common,
  input: addTo(anyEntries),
  output: BulkResult,
  handle: addEntries,
});

export const createPlaylistFromTracksTool = defineTool({
  name: 'create_playlist_from_tracks',
  title: 'Create playlist from tracks',
  description:
    'Creates a new playlist with songs: makes the playlist from a list of titles and artists, track IDs or links, in order. strict makes nothing unless all are found. To search for more than 100 songs, use create_bulk_job.',
  ...common,
  input: z.object({
    name: PlaylistName,
    description: Description.optional(),
    public: z.boolean().default(false).describe('true: shown on the profile and in search'),
    tracks: anyEntries,
    strict: Strict,
    skip_duplicates: z.boolean().default(true).describe('true: a track listed twice is added once'),
  }),
  output: MadeResult,
  lean: leanMade,
  handle(services, args, call) {
    const { tracks, strict, skip_duplicates, ...given } = args;
    const payload = { ...given, strict, dry_run: false, skip_existing: false, skip_duplicates };
    return lookUp(services, 'create_playlist', payload, tracks, call, async (list) => {
      const items = list.items();
      const uris = toWrite(items);
      if ((strict && items.some(isUnresolved)) || uris.length === 0) return blockedResult(list, items, null);
      const how = { list, isLenient: !strict };
      const written = await carryOut(services, makePlaylist(services, given, uris), call, how);
      const playlist = await madePlaylist(services, written, call);
      return { ...writtenResult(list, items, written), ...(playlist && { playlist }) };
    });
  },
});

async function madePlaylist(
  { provider }: Services,
  { state, continues }: Written,
  call: Call,
): Promise<Playlist | null> {
  if (!state || (!state.playlist && continues)) return null;
  const { work } = state;
  // If the answer was lost, only the ID of the playlist is known.
  const playlist = state.playlist ?? (await getPlaylist(provider, work.playlistId ?? '', call));
  return { ...playlist, snapshot_id: work.snapshotId ?? playlist.snapshot_id, total_items: work.written };
}
