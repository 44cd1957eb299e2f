/** Building playlists from lists of songs: resolve everything first, then write, and report the outcome of each entry. */

import * as z from 'zod';
import { counted } from '../../base/lists.ts';
import { type ChangeRequest, type ChangeResult, continuation } from '../../changes/changes.ts';
import { addRows, makePlaylist } from '../../changes/kinds.ts';
import { asRelayError } from '../../domain/errors.ts';
import { type BulkJobType, JOB_ATTEMPTS, type JobPayload, shortId } from '../../domain/job.ts';
import { urisOf } from '../../domain/rows.ts';
import type { Playlist } from '../../domain/shapes.ts';
import type { Attempt } from '../../jobs/attempt.ts';
import type { Call } from '../../provider/api.ts';
import { getPlaylist } from '../../provider/resources/playlists.ts';
import { type Change, madeLately } from '../../store/tables/changes.ts';
import { Description, PlaylistName, playlistId } from '../arguments.ts';
import { reportOrThrow, writeFor, writeFrom } from '../playlists/playlistWriting.ts';
import { defineTool, type Services } from '../tool.ts';
import { BulkResult, leanBulk, leanMade, MadeResult, outcome, reportRows } from './bulkResult.ts';
import {
  anyEntries,
  type Entry,
  entryOf,
  jobItemOf,
  type ResolvedEntry,
  resolvedOf,
  searches,
} from './entries.ts';

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

/** Limits within the 45 s of a call: the longest search, and the time after which the call stops reading. */
const SEARCH_MS = 35_000;
const READ_UNTIL_MS = 42_000;

/** A call in progress. */
interface Begun {
  services: Services;
  /** Name of the tool. */
  tool: string;
  attempt: Attempt;
  /** The playlist to write to; null for one that is to be created. */
  target: string | null;
  /** Start of the call, by the monotonic clock. */
  startedAt: number;
  call: Call;
}

/**
 * Looks up a list, then calls `rest`. If the search takes too long or meets a limit, a job does the rest of the search, and
 * what `rest` would have done.
 */
function withList(
  services: Services,
  { tool, type, payload }: { tool: string; type: BulkJobType; payload: JobPayload },
  inputs: readonly Entry[],
  call: Call,
  rest: (begun: Begun) => Promise<BulkResult>,
): Promise<BulkResult> {
  const startedAt = services.clock.monotonic();
  const request = { type, payload, items: inputs.map(jobItemOf), maxAttempts: JOB_ATTEMPTS };
  return services.jobs.attempt(request, async (attempt) => {
    const begun = { services, tool, attempt, target: payload.playlist_id ?? null, startedAt, call };
    const isDone = await attempt.within(SEARCH_MS, call, async (timed) => {
      await attempt.search(timed);
      return true;
    });
    return isDone ? rest(begun) : deferred(begun);
  });
}

async function deferred({ attempt, target }: Begun): Promise<BulkResult> {
  await attempt.list();
  const entries = attempt.items().map(resolvedOf);
  return outcome(entries, { status: 'deferred', playlist_id: target, job_id: attempt.id });
}

function foundOf({ attempt }: Begun): ResolvedEntry[] {
  return attempt.items().flatMap((item) => resolvedOf(item) ?? []);
}

/** Carries out `request`, which writes the tracks found. If a limit or lack of time stops it, a job writes the rest. */
async function write(
  { services, tool, attempt, startedAt, call }: Begun,
  entries: () => readonly ResolvedEntry[],
  request: Omit<ChangeRequest, 'askedBy'>,
): Promise<{ result: ChangeResult; answer: BulkResult }> {
  const spentMs = services.clock.monotonic() - startedAt;
  const own = { ...request, id: attempt.id, job: attempt.seq };
  const result = await writeFor(services, tool, own, call, { spentMs });
  if (result.kind !== 'listed') {
    const rest = (written: number, when: string) => writeFrom(nextEntry(entries(), written), when);
    const report = reportOrThrow(request.playlistId ?? '', request.requested, result, rest);
    const facts = { status: 'done' as const, playlist_id: report.playlist_id, write: report };
    return { result, answer: outcome(entries(), facts) };
  }
  const { change, requests } = result;
  const report = {
    ok: false,
    playlist_id: change.playlistId ?? '',
    requested: change.requested,
    written: change.written,
    chunks: requests,
    snapshot_id: change.snapshotId,
    partial: change.written > 0,
    change_id: change.id,
  };
  const facts = { status: 'deferred' as const, playlist_id: change.playlistId, ...continuation(change) };
  return {
    result,
    answer: outcome(entries(), { ...facts, ...(change.written > 0 ? { write: report } : {}) }),
  };
}

/** The URIs to write, in order. */
function toWrite(entries: readonly ResolvedEntry[]): string[] {
  return entries.flatMap((entry) => (isToWrite(entry) ? [entry.uri] : []));
}

function isToWrite(entry: ResolvedEntry): entry is ResolvedEntry & { uri: string } {
  return entry.status === 'matched' && entry.uri !== null;
}

/** The number of the entry after the first `written` of those that are written. Others are not found, or left out. */
function nextEntry(entries: readonly ResolvedEntry[], written: number): number {
  const last = entries.filter(isToWrite)[written - 1];
  return last ? entries.indexOf(last) + 2 : 1;
}

function addEntries(
  services: Services,
  inputs: readonly Entry[],
  { tool, ...options }: AddOptions & { tool: string },
  call: Call,
): Promise<BulkResult> {
  const { playlist_id, strict, dry_run, skip_existing } = options;
  const { id } = playlist_id;
  // Neither tool leaves out a track that the list repeats.
  const payload = { playlist_id: id, strict, dry_run, skip_existing, skip_duplicates: false };
  return withList(services, { tool, type: 'add_to_playlist', payload }, inputs, call, async (begun) => {
    if (skip_existing && !(await leaveOutExisting(begun, id))) return deferred(begun);
    let entries = foundOf(begun);
    if (dry_run) return outcome(entries, { status: 'dry_run', playlist_id: id });
    if (strict && entries.some(isUnresolved)) return outcome(entries, { status: 'blocked', playlist_id: id });
    const uris = toWrite(entries);
    if (uris.length === 0) return outcome(entries, { status: 'done', playlist_id: id });
    // Someone may have added some of the tracks since they were read.
    const missing = (held: readonly string[]) => {
      const present = new Set(held);
      begun.attempt.leaveOut((uri) => present.has(uri));
      entries = foundOf(begun);
      return toWrite(entries);
    };
    const request = addRows(services, id, uris, skip_existing ? missing : undefined);
    return (await write(begun, () => entries, request)).answer;
  });
}

/** Marks what the playlist already holds; false if the time or a limit prevents reading it. */
async function leaveOutExisting({ services, attempt, startedAt, call }: Begun, id: string): Promise<boolean> {
  const { rows, clock } = services;
  const rest = Math.max(0, startedAt + READ_UNTIL_MS - clock.monotonic());
  const items = await attempt.within(rest, call, ({ signal }) =>
    rows.readForChange(id, { signal, progress() {} }),
  );
  const held = new Set(items?.flatMap(urisOf));
  attempt.leaveOut((uri) => held.has(uri));
  return items !== null;
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
  handle(services, args, call) {
    const begin = {
      tool: 'create_playlist_from_tracks',
      type: 'create_playlist',
      payload: createPayload(args),
    } as const;
    return withList(services, begin, args.tracks.map(entryOf), call, async (begun) => {
      const seen = new Set<string>();
      const isRepeated = (uri: string) => seen.size === seen.add(uri).size;
      if (args.skip_duplicates) begun.attempt.leaveOut(isRepeated);
      const entries = foundOf(begun);
      if ((args.strict && entries.some(isUnresolved)) || toWrite(entries).length === 0) {
        return outcome(entries, { status: 'blocked', playlist_id: null });
      }
      return createAndFill(begun, args, entries);
    });
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
  begun: Begun,
  { name, description, public: isPublic }: NewPlaylist,
  entries: readonly ResolvedEntry[],
): Promise<BulkResult & { playlist?: Playlist }> {
  const { services, call } = begun;
  const uris = toWrite(entries);
  const twin = madeLately(services.store, name, uris, services.clock.now() - TWIN_MS);
  const request = makePlaylist(services, { name, description, public: isPublic }, uris);
  const { result, answer } = await write(begun, () => entries, request).catch(named);
  const playlist = result.kind === 'nothing_to_do' ? null : await madePlaylist(services, result, call);
  return {
    ...answer,
    ...(playlist ? { playlist } : {}),
    ...(twin ? { note: twinNote(twin, services) } : {}),
  };
}

/** A second playlist of the same name and songs within this time is most likely one request that was sent twice. */
const TWIN_MS = 10 * 60_000;

function twinNote({ id, playlistId, createdAt }: Change, { clock }: Services): string {
  const minutes = Math.max(1, Math.round((clock.now() - createdAt) / 60_000));
  return `A playlist of this name with the same songs was made ${counted(minutes, 'minute')} ago (${playlistId}), so there are two now. The owner can undo the earlier one with "relay undo ${shortId(id)}".`;
}

async function madePlaylist(
  services: Services,
  { kind, playlist: made, change }: Exclude<ChangeResult, { kind: 'nothing_to_do' }>,
  call: Call,
): Promise<Playlist | null> {
  if (!made && kind === 'listed') return null;
  // Without `made`, the answer was lost, and only the ID of the playlist is known.
  const playlist = made ?? (await getPlaylist(services.provider, change.playlistId ?? '', call));
  return { ...playlist, snapshot_id: change.snapshotId ?? playlist.snapshot_id, total_items: change.written };
}

/** Adds the ID of the created playlist to a failure, so that the caller can continue with it. */
function named(thrown: unknown): never {
  const error = asRelayError(thrown);
  const id = error.details?.playlist_id;
  if (error.code !== 'PARTIAL_WRITE' || typeof id !== 'string' || id === '') throw error;
  throw error.with({ message: `The playlist ${id} was created, but: ${error.message}` });
}
