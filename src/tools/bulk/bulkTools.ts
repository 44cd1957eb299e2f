/** Building playlists from lists of songs: resolve everything first, then write, and report the outcome of each entry. */

import * as z from 'zod';
import { counted } from '../../base/lists.ts';
import type { ChangeResult } from '../../changes/changes.ts';
import { addRows, makePlaylist } from '../../changes/kinds.ts';
import { asRelayError } from '../../domain/errors.ts';
import { type JobPayload, shortId } from '../../domain/job.ts';
import type { Playlist } from '../../domain/shapes.ts';
import type { Call } from '../../provider/api.ts';
import { getPlaylist } from '../../provider/resources/playlists.ts';
import { type Change, madeLately } from '../../store/tables/changes.ts';
import { Description, PlaylistName, playlistId } from '../arguments.ts';
import { defineTool, type Services } from '../tool.ts';
import { BulkResult, leanBulk, leanMade, MadeResult, outcome, reportRows } from './bulkResult.ts';
import { anyEntries, type Entry, entryOf, type ResolvedEntry, searches } from './entries.ts';
import { type Begun, deferred, resolveInTime, timeLeft, toWrite, writeOrDefer } from './handOver.ts';
import { type Stop, stopOf, withinTime } from './resolveEntries.ts';

const Strict = z
  .boolean()
  .default(true)
  .describe('true: write nothing unless every song is found; false: write those found');
const DryRun = z.boolean().default(false).describe('true: resolve and report, write nothing');
const SkipExisting = z.boolean().default(false).describe('true: skip what the playlist already holds');

function isUnresolved(entry: ResolvedEntry): boolean {
  return entry.uri === null;
}

/** The arguments of both tools that add to a playlist, apart from the list. */
const addArguments = { strict: Strict, dry_run: DryRun, skip_existing: SkipExisting };

type AddOptions = z.output<z.ZodObject<typeof addArguments & { playlist_id: typeof playlistId }>>;

async function addEntries(
  services: Services,
  inputs: readonly Entry[],
  options: AddOptions & { tool: string },
  call: Call,
): Promise<BulkResult> {
  const id = options.playlist_id.id;
  const begun: Begun = {
    tool: options.tool,
    type: 'add_to_playlist',
    payload: addPayload(options),
    inputs,
    startedAt: services.clock.monotonic(),
  };
  const { entries: found, stop } = await resolveInTime(services, inputs, call);
  if (stop) return deferred(services, begun, found, stop, id);
  const resolved = found.flatMap((entry) => entry ?? []);
  const entries = options.skip_existing ? await markExisting(services, begun, id, resolved, call) : resolved;
  if (!Array.isArray(entries)) return deferred(services, begun, resolved, entries, id);
  if (options.dry_run) return outcome(entries, { status: 'dry_run', playlist_id: id });
  if (options.strict && entries.some(isUnresolved)) {
    return outcome(entries, { status: 'blocked', playlist_id: id });
  }
  if (toWrite(entries).length === 0) return outcome(entries, { status: 'done', playlist_id: id });
  return (await writeOrDefer(services, begun, entries, addRows(services, id, toWrite(entries)), call)).answer;
}

function addPayload({ playlist_id, strict, dry_run, skip_existing }: AddOptions): JobPayload {
  // These tools add a track listed twice twice.
  return { playlist_id: playlist_id.id, strict, dry_run, skip_existing, skip_duplicates: false };
}

/** Marks what the playlist already holds; a stop if a limit prevents reading it. */
async function markExisting(
  { rows, clock }: Services,
  begun: Begun,
  id: string,
  entries: readonly ResolvedEntry[],
  call: Call,
): Promise<ResolvedEntry[] | Stop> {
  try {
    const items = await withinTime(clock, timeLeft(begun, clock), call.signal, (signal) =>
      rows.readForChange(id, { signal, progress() {} }),
    );
    const held = new Set(items.map((item) => item.item?.uri));
    return entries.map((entry) =>
      entry.uri !== null && held.has(entry.uri) ? { ...entry, status: 'skipped_existing' } : entry,
    );
  } catch (error) {
    const stop = stopOf(error, clock);
    if (stop) return stop;
    throw error;
  }
}

export const addTracksBySearchTool = defineTool({
  name: 'add_tracks_by_search',
  title: 'Add tracks by search',
  description:
    'Adds songs to a playlist by title and artist: searches for each song by name and adds the tracks found to the end, in order. strict writes nothing unless all are found; dry_run only reports. For hundreds of songs, use create_bulk_job.',
  kind: 'write',
  input: z.object({ playlist_id: playlistId, tracks: searches, ...addArguments }),
  output: BulkResult,
  lean: leanBulk,
  rows: reportRows,
  handle: (services, { tracks, ...options }, call) =>
    addEntries(
      services,
      tracks.map((search) => ({ input: search, search })),
      { ...options, tool: 'add_tracks_by_search' },
      call,
    ),
});

export const bulkAddTracksTool = defineTool({
  name: 'bulk_add_tracks',
  title: 'Add many tracks',
  description:
    'Adds many songs to a playlist in one call: a list of links, IDs, and titles with artists, in any mix. Links and IDs need no search; the rest works like add_tracks_by_search.',
  kind: 'write',
  input: z.object({ playlist_id: playlistId, tracks: anyEntries, ...addArguments }),
  output: BulkResult,
  lean: leanBulk,
  rows: reportRows,
  handle: (services, { tracks, ...options }, call) =>
    addEntries(services, tracks.map(entryOf), { ...options, tool: 'bulk_add_tracks' }, call),
});

export const createPlaylistFromTracksTool = defineTool({
  name: 'create_playlist_from_tracks',
  title: 'Create playlist from tracks',
  description:
    'Creates a new playlist with songs: makes the playlist from a list of titles and artists, track IDs or links, in order. strict makes nothing unless all are found. To search for more than 100 songs, use create_bulk_job.',
  kind: 'write',
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
  rows: reportRows,
  async handle(services, args, call) {
    const inputs = args.tracks.map(entryOf);
    const begun: Begun = {
      tool: 'create_playlist_from_tracks',
      type: 'create_playlist',
      payload: createPayload(args),
      inputs,
      startedAt: services.clock.monotonic(),
    };
    const { entries: found, stop } = await resolveInTime(services, inputs, call);
    if (stop) return deferred(services, begun, found, stop, null);
    const resolved = found.flatMap((entry) => entry ?? []);
    const entries = args.skip_duplicates ? markRepeated(resolved) : resolved;
    if ((args.strict && entries.some(isUnresolved)) || toWrite(entries).length === 0) {
      return outcome(entries, { status: 'blocked', playlist_id: null });
    }
    return createAndFill(services, begun, entries, call);
  },
});

interface NewPlaylist {
  name: string;
  description?: string | undefined;
  public: boolean;
}

function createPayload(args: NewPlaylist & { strict: boolean; skip_duplicates: boolean }): JobPayload {
  const { name, description, strict, skip_duplicates } = args;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    public: args.public,
    strict,
    dry_run: false,
    skip_existing: false,
    skip_duplicates,
  };
}

async function createAndFill(
  services: Services,
  begun: Begun,
  entries: readonly ResolvedEntry[],
  call: Call,
): Promise<BulkResult & { playlist?: Playlist }> {
  const { name = '', description, public: isPublic } = begun.payload;
  const uris = toWrite(entries);
  const twin = madeLately(services.store, name, uris, services.clock.now() - TWIN_MS);
  const request = makePlaylist(services, { name, description, public: isPublic }, uris);
  const { result, answer } = await writeOrDefer(services, begun, entries, request, call).catch(named);
  const playlist = result.kind === 'nothing_to_do' ? null : await madePlaylist(services, result, call);
  return {
    ...answer,
    ...(playlist ? { playlist } : {}),
    ...(twin ? { note: twinNote(twin, services) } : {}),
  };
}

/** A second playlist of the same name and songs within this time is most likely the same wish, sent twice. */
const TWIN_MS = 10 * 60_000;

function twinNote({ id, playlistId, createdAt }: Change, { clock }: Services): string {
  const minutes = Math.max(1, Math.round((clock.now() - createdAt) / 60_000));
  return `A playlist of this name with the same songs was made ${counted(minutes, 'minute')} ago (${playlistId}), so there are two now. If one is too many, the owner takes the other back with "relay undo ${shortId(id)}".`;
}

async function madePlaylist(
  services: Services,
  { kind, playlist: made, change }: Exclude<ChangeResult, { kind: 'nothing_to_do' }>,
  call: Call,
): Promise<Playlist | null> {
  if (!made && kind === 'goes_on') return null;
  // Found by looking after its answer was lost: only its ID is known.
  const playlist = made ?? (await getPlaylist(services.provider, change.playlistId ?? '', call));
  return { ...playlist, snapshot_id: change.snapshotId ?? playlist.snapshot_id, total_items: change.written };
}

/** The failure must name the playlist that was created, or nobody could continue with it. */
function named(thrown: unknown): never {
  const error = asRelayError(thrown);
  const id = error.details?.playlist_id;
  if (error.code !== 'PARTIAL_WRITE' || typeof id !== 'string' || id === '') throw error;
  throw error.with({ message: `The playlist ${id} was created, but: ${error.message}` });
}

function markRepeated(entries: readonly ResolvedEntry[]): ResolvedEntry[] {
  const seen = new Set<string>();
  return entries.map((entry) => {
    if (entry.uri === null) return entry;
    if (seen.has(entry.uri)) return { ...entry, status: 'skipped_existing' };
    seen.add(entry.uri);
    return entry;
  });
}
