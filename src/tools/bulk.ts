/** Building playlists from lists of songs: resolve everything first, then write, and say for each entry what became of it. */
import * as z from 'zod';
import { RelayError } from '../domain/errors.ts';
import type { JobPayload, JobType } from '../domain/jobs.ts';
import { Playlist, Track } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { createPlaylist, insertChunks } from '../provider/playlistWrites.ts';
import {
  asRelayError,
  type Chunk,
  partialWrite,
  type WriteReport as Report,
  reportOf,
  settle,
  UNSTOPPABLE,
  type WriteProgress,
  writeChunks,
} from '../provider/writePath.ts';
import type { NewJobItem } from '../store/jobItems.ts';
import { Description, PlaylistName, playlistId } from './arguments.ts';
import { anyEntries, type Entry, entryOf, jobItemOf, type ResolvedEntry, searches } from './entries.ts';
import { Candidate } from './matching.ts';
import { type Resolving, resolveEntries, type Stop, stopOf, withinTime } from './resolving.ts';
import { defineTool, type Services } from './tool.ts';
import { WriteReport } from './writeReport.ts';

const Strict = z
  .boolean()
  .default(true)
  .describe(
    'true: write nothing unless every entry resolves; false: write those that do. When omitted, true',
  );
const DryRun = z
  .boolean()
  .default(false)
  .describe('true: resolve and report, write nothing. When omitted, false');
const SkipExisting = z
  .boolean()
  .default(false)
  .describe('true: leave out what the playlist holds already. When omitted, false');

const ReportRow = z.object({
  index: z.number().describe('0-based place in the input'),
  input: z.unknown().describe('As given'),
  status: z.enum(['matched', 'ambiguous', 'unmatched', 'skipped_existing']),
  uri: z.string().optional(),
  track: Track.optional().describe('Left out for matched entries of lists with more than 100'),
  candidates: z.array(Candidate).optional().describe('For entries that did not resolve'),
});

const BulkResult = z.object({
  status: z
    .enum(['done', 'blocked', 'dry_run', 'deferred'])
    .describe(
      'blocked: strict, and some entries did not resolve, so nothing was written; deferred: the job job_id goes on with it',
    ),
  playlist_id: z.string().nullable(),
  matched: z.number(),
  ambiguous: z.number(),
  unmatched: z.number(),
  skipped_existing: z.number(),
  added: z.number(),
  report: z.array(ReportRow).describe('With deferred, only the entries that were reached'),
  write: WriteReport.optional(),
  job_id: z
    .string()
    .optional()
    .describe('With deferred: a job that goes on. See get_job_status; when it says ready, call commit_job'),
});

type Result = z.infer<typeof BulkResult>;

/** Above this the tracks of matched entries are left out of the report: they would fill a model's context. */
const DETAILED_REPORT = 100;

/** `entries` holds null for those that were not reached. */
function outcome(
  entries: ReadonlyArray<ResolvedEntry | null>,
  facts: Pick<Result, 'status' | 'playlist_id'> & { write?: Report; job_id?: string },
): Result {
  const count = (status: ResolvedEntry['status']) =>
    entries.filter((entry) => entry?.status === status).length;
  return {
    ...facts,
    matched: count('matched') + count('skipped_existing'),
    ambiguous: count('ambiguous'),
    unmatched: count('unmatched'),
    skipped_existing: count('skipped_existing'),
    added: facts.write?.written ?? 0,
    report: entries.flatMap((entry, index) =>
      entry ? [reportRow(entry, index, entries.length <= DETAILED_REPORT)] : [],
    ),
  };
}

function reportRow(entry: ResolvedEntry, index: number, detailed: boolean): z.infer<typeof ReportRow> {
  const { input, status, uri, track, candidates } = entry;
  return {
    index,
    input,
    status,
    ...(uri === null ? {} : { uri }),
    ...(track && detailed ? { track } : {}),
    ...(candidates.length > 0 && uri === null ? { candidates } : {}),
  };
}

function isUnresolved(entry: ResolvedEntry): boolean {
  return entry.uri === null;
}

interface AddOptions {
  playlistId: string;
  strict: boolean;
  dryRun: boolean;
  skipExisting: boolean;
}

async function addEntries(
  services: Services,
  inputs: readonly Entry[],
  options: AddOptions,
  call: Call,
): Promise<Result> {
  const { playlistId: id, strict, dryRun, skipExisting } = options;
  const begun: Begun = {
    type: 'add_to_playlist',
    payload: payloadOf(options),
    inputs,
    startedAt: services.clock.now(),
  };
  const { entries: found, stop } = await resolveInTime(services, inputs, call);
  if (stop) return deferred(services, begun, found, stop, id);
  const resolved = found.flatMap((entry) => entry ?? []);
  const marked = skipExisting ? await markExisting(services, id, resolved, call) : resolved;
  if (!Array.isArray(marked)) return deferred(services, begun, resolved, marked, id);
  const entries = marked;
  if (dryRun) return outcome(entries, { status: 'dry_run', playlist_id: id });
  if (strict && entries.some(isUnresolved)) return outcome(entries, { status: 'blocked', playlist_id: id });
  if (toWrite(entries).length === 0) return outcome(entries, { status: 'done', playlist_id: id });
  return writeOrDefer(services, begun, entries, id, call);
}

function payloadOf({ playlistId, strict, dryRun, skipExisting }: AddOptions): JobPayload {
  return {
    playlist_id: playlistId,
    strict,
    dry_run: dryRun,
    skip_existing: skipExisting,
    // This tool adds what the list names twice twice.
    skip_duplicates: false,
  };
}

/** Marks what the playlist holds already; a stop where a limit keeps it from being read. */
async function markExisting(
  services: Services,
  id: string,
  entries: readonly ResolvedEntry[],
  call: Call,
): Promise<ResolvedEntry[] | Stop> {
  try {
    const items = await services.rows.readFresh(id, { signal: call.signal, progress() {} });
    const held = new Set(items.map((item) => item.item?.uri));
    return entries.map((entry) =>
      entry.uri !== null && held.has(entry.uri) ? { ...entry, status: 'skipped_existing' } : entry,
    );
  } catch (error) {
    const stop = stopOf(error, services.clock);
    if (stop) return stop;
    throw error;
  }
}

function toWrite(entries: readonly ResolvedEntry[]): string[] {
  return entries.flatMap((entry) => (entry.status === 'matched' && entry.uri !== null ? [entry.uri] : []));
}

export const addTracksBySearchTool = defineTool({
  name: 'add_tracks_by_search',
  title: 'Add tracks by search',
  description:
    'Finds each song by title and artist (the rules of find_track_exact) and appends what was found to a playlist, in order. Everything is resolved before anything is written: in strict mode one ambiguous or unmatched entry blocks all. Give dry_run=true to see the outcome first. Each song not met before costs a search of a limited daily quota.',
  kind: 'write',
  input: z.object({
    playlist_id: playlistId,
    tracks: searches,
    strict: Strict,
    dry_run: DryRun,
    skip_existing: SkipExisting,
  }),
  output: BulkResult,
  handle: (services, args, call) =>
    addEntries(
      services,
      args.tracks.map((search) => ({ input: search, search })),
      {
        playlistId: args.playlist_id.id,
        strict: args.strict,
        dryRun: args.dry_run,
        skipExisting: args.skip_existing,
      },
      call,
    ),
});

export const bulkAddTracksTool = defineTool({
  name: 'bulk_add_tracks',
  title: 'Add many tracks',
  description:
    'As add_tracks_by_search, for lists that mix searches with IDs, URIs and links. IDs are taken as they are and cost no search.',
  kind: 'write',
  input: z.object({
    playlist_id: playlistId,
    tracks: anyEntries,
    strict: Strict,
    dry_run: DryRun,
    skip_existing: SkipExisting,
  }),
  output: BulkResult,
  handle: (services, args, call) =>
    addEntries(
      services,
      args.tracks.map(entryOf),
      {
        playlistId: args.playlist_id.id,
        strict: args.strict,
        dryRun: args.dry_run,
        skipExisting: args.skip_existing,
      },
      call,
    ),
});

export const createPlaylistFromTracksTool = defineTool({
  name: 'create_playlist_from_tracks',
  title: 'Create playlist from tracks',
  description:
    'Creates a playlist and fills it from a list that may mix searches with IDs, URIs and links, in order. In strict mode nothing is created unless every entry resolves. The best tool for "make a playlist of these songs".',
  kind: 'write',
  input: z.object({
    name: PlaylistName,
    description: Description.optional(),
    public: z
      .boolean()
      .default(false)
      .describe('true: shown on the profile and in search. When omitted, false'),
    tracks: anyEntries,
    strict: Strict,
    skip_duplicates: z
      .boolean()
      .default(true)
      .describe('true: a track that the list names twice is added once. When omitted, true'),
  }),
  output: BulkResult.extend({ playlist: Playlist.optional() }),
  async handle(services, args, call) {
    const inputs = args.tracks.map(entryOf);
    const begun: Begun = {
      type: 'create_playlist',
      payload: createPayload(args),
      inputs,
      startedAt: services.clock.now(),
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
): Promise<Result & { playlist?: Playlist }> {
  call.signal.throwIfAborted();
  let playlist: Playlist;
  try {
    playlist = await createPlaylist(services.provider, { name: '', ...begun.payload }, UNSTOPPABLE);
  } catch (error) {
    const stop = stopOf(error, services.clock);
    if (!stop) throw error;
    return deferred(services, begun, entries, stop, null, { written: 0 });
  }
  const result = await fill(services, begun, playlist, entries, call);
  const { snapshot_id = null, written = 0 } = result.write ?? {};
  return {
    ...result,
    playlist: { ...playlist, snapshot_id: snapshot_id ?? playlist.snapshot_id, total_items: written },
  };
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

/** A playlist that was made must be named in the failure, or nobody could go on with it. */
async function fill(
  services: Services,
  begun: Begun,
  playlist: Playlist,
  entries: readonly ResolvedEntry[],
  call: Call,
): Promise<Result> {
  try {
    return await writeOrDefer(services, begun, entries, playlist.id, call);
  } catch (thrown) {
    const error = asRelayError(thrown);
    const unwritten = {
      ok: false,
      playlist_id: playlist.id,
      requested: toWrite(entries).length,
      written: 0,
      partial: true,
    };
    const partial = error.code === 'PARTIAL_WRITE' ? error : partialWrite(unwritten, error);
    throw new RelayError(
      'PARTIAL_WRITE',
      `The playlist ${playlist.id} was created, but: ${partial.message}`,
      {
        ...(partial.remedy ? { remedy: partial.remedy } : {}),
        ...(partial.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: partial.retryAfterSeconds }),
        ...(partial.details ? { details: partial.details } : {}),
        cause: error,
      },
    );
  }
}

/** What of a call's 45 s is for searching, and by when writing stops, so that the answer still comes in time. */
const RESOLVE_MS = 35_000;
const WRITE_UNTIL_MS = 42_000;

/** A call at work, as a job would go on with it. */
interface Begun {
  type: JobType;
  payload: JobPayload;
  inputs: readonly Entry[];
  /** Unix milliseconds. */
  startedAt: number;
}

function resolveInTime(services: Services, inputs: readonly Entry[], call: Call): Promise<Resolving> {
  return withinTime(services.clock, RESOLVE_MS, call.signal, (signal) =>
    resolveEntries(services, inputs, { ...call, signal }),
  );
}

/** Writes what resolved; where a limit or the time stops that, a job writes the rest by itself. */
async function writeOrDefer(
  services: Services,
  begun: Begun,
  entries: readonly ResolvedEntry[],
  playlistId: string,
  call: Call,
): Promise<Result> {
  const chunks = insertChunks(playlistId, toWrite(entries));
  const progress = await writeInTime(services, begun, playlistId, chunks, call);
  const write = reportOf(playlistId, chunks, progress);
  const stop = progress.error && stopOf(progress.error, services.clock);
  const defer = stop && deferred(services, begun, entries, stop, playlistId, write);
  // Where the job cannot be saved, the caller has to hear how far the write got.
  const handedOver = await defer?.catch(() => null);
  if (handedOver) return handedOver;
  const settled = settle(write, progress.error);
  return outcome(entries, { status: 'done', playlist_id: playlistId, write: settled });
}

async function writeInTime(
  { rows, provider, clock }: Services,
  begun: Begun,
  playlistId: string,
  chunks: readonly Chunk[],
  call: Call,
): Promise<WriteProgress> {
  const left = begun.startedAt + WRITE_UNTIL_MS - clock.now();
  const write = (signal: AbortSignal) =>
    rows.exclusively(playlistId, () => writeChunks(provider, chunks, { ...call, signal }, clock), signal);
  try {
    return await withinTime(clock, left, call.signal, write);
  } catch (error) {
    return { written: 0, completed: 0, snapshotId: null, error: asRelayError(error) };
  }
}

/** Hands the call over to a job. With `write`, writing had begun, so that the job writes without being told to. */
async function deferred(
  services: Services,
  begun: Begun,
  entries: ReadonlyArray<ResolvedEntry | null>,
  stop: Stop,
  playlistId: string | null,
  write?: Report | { written: 0 },
): Promise<Result> {
  const items = begun.inputs.map((input, index) => jobItemOf(input, entries[index] ?? undefined));
  const job = await services.jobs.handOver({
    type: begun.type,
    payload: begun.payload,
    items: write ? withWritten(items, write.written) : items,
    maxAttempts: JOB_ATTEMPTS,
    phase: write ? 'commit' : 'resolve',
    targetId: playlistId,
    skipsMarked: write !== undefined,
    ...stop,
  });
  const report = write && 'chunks' in write ? { write } : {};
  return outcome(entries, { status: 'deferred', playlist_id: playlistId, job_id: job.job_id, ...report });
}

/** The default of `create_bulk_job`. */
const JOB_ATTEMPTS = 5;

/** The first `written` of the items that were to be written are. */
function withWritten(items: readonly NewJobItem[], written: number): NewJobItem[] {
  let left = written;
  return items.map((item) => {
    if (item.status !== 'matched' || left === 0) return item;
    left -= 1;
    return { ...item, status: 'written' };
  });
}
