/** Building playlists from lists of songs: resolve everything first, then write, and say for each entry what became of it. */
import * as z from 'zod';
import { RelayError } from '../domain/errors.ts';
import { Playlist, Track } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { createPlaylist, insertChunks } from '../provider/playlistWrites.ts';
import {
  asRelayError,
  partialWrite,
  type WriteReport as Report,
  UNSTOPPABLE,
} from '../provider/writePath.ts';
import { Description, ItemRef, MOST_ENTRIES, PlaylistName, playlistId } from './arguments.ts';
import { type Entry, type ResolvedEntry, resolveEntries } from './entries.ts';
import { AlbumName, ArtistName, Candidate, Title, Year } from './matching.ts';
import { writeToPlaylist } from './playlistEditing.ts';
import { defineTool, type Services } from './tool.ts';
import { WriteReport } from './writeReport.ts';

const Search = z.strictObject({
  title: Title,
  artist: ArtistName,
  album: AlbumName.optional(),
  year: Year.optional(),
});

const AnyEntry = z.union([
  Search,
  z.strictObject({ id: ItemRef }),
  z.strictObject({ uri: ItemRef }),
  z.strictObject({ url: ItemRef }),
  ItemRef,
]);

const searches = z
  .array(Search)
  .min(1)
  .max(MOST_ENTRIES)
  .describe('1 to 10,000 songs as {title, artist, album?, year?}, in order');
const anyEntries = z
  .array(AnyEntry)
  .min(1)
  .max(MOST_ENTRIES)
  .describe(
    '1 to 10,000 songs in order, each {title, artist, album?, year?}, {id}, {uri}, {url}, or a bare ID, URI or link',
  );

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
    .describe('blocked: strict, and some entries did not resolve, so nothing was written'),
  playlist_id: z.string().nullable(),
  matched: z.number(),
  ambiguous: z.number(),
  unmatched: z.number(),
  skipped_existing: z.number(),
  added: z.number(),
  report: z.array(ReportRow),
  write: WriteReport.optional(),
  job_id: z.string().optional(),
});

type Result = z.infer<typeof BulkResult>;

/** Above this the tracks of matched entries are left out of the report: they would fill a model's context. */
const DETAILED_REPORT = 100;

function outcome(
  entries: readonly ResolvedEntry[],
  facts: Pick<Result, 'status' | 'playlist_id'> & { write?: Report },
): Result {
  const count = (status: ResolvedEntry['status']) =>
    entries.filter((entry) => entry.status === status).length;
  return {
    ...facts,
    matched: count('matched') + count('skipped_existing'),
    ambiguous: count('ambiguous'),
    unmatched: count('unmatched'),
    skipped_existing: count('skipped_existing'),
    added: facts.write?.written ?? 0,
    report: entries.map((entry, index) => reportRow(entry, index, entries.length <= DETAILED_REPORT)),
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

/** Marks what the playlist holds already. */
async function markExisting(
  services: Services,
  id: string,
  entries: readonly ResolvedEntry[],
  call: Call,
): Promise<ResolvedEntry[]> {
  const items = await services.rows.readFresh(id, { signal: call.signal, progress() {} });
  const held = new Set(items.map((item) => item.item?.uri));
  return entries.map((entry) =>
    entry.uri !== null && held.has(entry.uri) ? { ...entry, status: 'skipped_existing' } : entry,
  );
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
  const resolved = await resolveEntries(services.resolver, inputs, call);
  const entries = skipExisting ? await markExisting(services, id, resolved, call) : resolved;
  if (dryRun) return outcome(entries, { status: 'dry_run', playlist_id: id });
  if (strict && entries.some(isUnresolved)) return outcome(entries, { status: 'blocked', playlist_id: id });
  const uris = toWrite(entries);
  if (uris.length === 0) return outcome(entries, { status: 'done', playlist_id: id });
  const write = await writeToPlaylist(services, id, insertChunks(id, uris), call);
  return outcome(entries, { status: 'done', playlist_id: id, write });
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

function entryOf(given: z.output<typeof AnyEntry>): Entry {
  if ('title' in given) return { input: given, search: given };
  if ('kind' in given) return { input: given.input, uri: given.uri };
  if ('id' in given) return { input: { id: given.id.input }, uri: given.id.uri };
  if ('uri' in given) return { input: { uri: given.uri.input }, uri: given.uri.uri };
  return { input: { url: given.url.input }, uri: given.url.uri };
}

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
    const resolved = await resolveEntries(services.resolver, args.tracks.map(entryOf), call);
    const entries = args.skip_duplicates ? markRepeated(resolved) : resolved;
    if (args.strict && entries.some(isUnresolved)) {
      return outcome(entries, { status: 'blocked', playlist_id: null });
    }
    const uris = toWrite(entries);
    if (uris.length === 0) return outcome(entries, { status: 'blocked', playlist_id: null });
    call.signal.throwIfAborted();
    const playlist = await createPlaylist(services.provider, args, UNSTOPPABLE);
    const write = await fill(services, playlist, uris, call);
    return {
      ...outcome(entries, { status: 'done', playlist_id: playlist.id, write }),
      playlist: { ...playlist, snapshot_id: write.snapshot_id, total_items: write.written },
    };
  },
});

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
  playlist: Playlist,
  uris: readonly string[],
  call: Call,
): Promise<Report> {
  try {
    return await writeToPlaylist(services, playlist.id, insertChunks(playlist.id, uris), call);
  } catch (thrown) {
    const error = asRelayError(thrown);
    const unwritten = {
      ok: false,
      playlist_id: playlist.id,
      requested: uris.length,
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
