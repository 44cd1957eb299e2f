/** Durable jobs: bulk work that continues by itself through limits, restarts and crashes. */

import * as z from 'zod';
import { counted } from '../base/lists.ts';
import { mapInTurns } from '../base/turns.ts';
import { isEpisodeUri } from '../domain/ids.ts';
import {
  BULK_JOB_TYPES,
  type BulkJobType,
  ITEM_STATUSES,
  JOB_ATTEMPTS,
  JOB_PHASES,
  JOB_STATUSES,
  JOB_TYPES,
  type JobPayload,
  UNRESOLVED_STATUSES,
  unresolvedOf,
} from '../domain/job.ts';
import { type Fix, MAX_FIXES } from '../domain/settling.ts';
import { listOf, Track } from '../domain/shapes.ts';
import type { NewItem } from '../store/tables/items.ts';
import { REVIEWS } from '../work/write/review.ts';
import { compact, leanList, leanTrack, shape } from './answer/lean.ts';
import { badArgument, Description, MAX_ENTRIES, PlaylistName, PlaylistRef, TrackRef } from './arguments.ts';
import { askerOf } from './asker.ts';
import { anyEntries, itemOf } from './bulk/entries.ts';
import {
  Candidate,
  CONFIRMED,
  FOR_ENTRIES,
  LeanCandidates,
  leanCandidates,
} from './catalog/trackMatching.ts';
import { defineTool } from './tool.ts';

const Time = z.string().nullable().describe('ISO 8601');
const Count = z.number();

const Failure = z.object({ code: z.string(), message: z.string(), remedy: z.string().optional() });

const Job = z.object({
  job_id: z.string(),
  type: z.enum(JOB_TYPES),
  status: z.enum(JOB_STATUSES),
  phase: z.enum(JOB_PHASES).describe('commit: it writes, or stopped in doing so'),
  playlist_id: z.string().nullable().describe('Playlist the job writes to'),
  name: z.string().optional().describe('Name of the playlist that create_playlist makes'),
  total_items: Count,
  pending: Count.describe('Items not searched for yet'),
  resolved: Count.describe('Items whose track is known, including those skipped or written'),
  confirmed: Count.optional().describe(
    'Of resolved: remembered matches that somebody confirmed although their names differ',
  ),
  spelling: Count.optional().describe('Of resolved: found by forgiving a typo; their items have a candidate'),
  ambiguous: Count,
  unmatched: Count,
  failed: Count,
  skipped: Count.describe('Items left out by a fix'),
  skipped_existing: Count,
  written: Count,
  attempts: Count.describe('Failed attempts of the item or write that failed most often'),
  max_attempts: Count,
  run_after: Time,
  reason: z.string().nullable().describe('Why the job is waiting'),
  review_required: z
    .boolean()
    .describe('true: someone else changed the playlist in the meantime; result holds both lists'),
  error: Failure.extend({
    fix: z.unknown().optional().describe('The remedy as a value, for programs'),
  }).nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  started_at: Time,
  completed_at: Time,
  payload: z.record(z.string(), z.unknown()),
  result: z.record(z.string(), z.unknown()).nullable(),
});

/** A job in a list. Its payload and result may be long. */
const ListedJob = Job.omit({ payload: true, result: true });
type ListedJob = z.infer<typeof ListedJob>;

/** Without the payload, which the caller gave, and details such as the number of attempts. */
const LeanJob = Job.omit({
  ...{ phase: true, spelling: true, attempts: true, max_attempts: true },
  ...{ updated_at: true, started_at: true, payload: true },
})
  .extend({ error: Failure.nullable() })
  .partial();

const leanJob = shape(LeanJob, (job: ListedJob) => {
  const { pending, skipped, skipped_existing, ...told } = LeanJob.parse(job);
  const unusual = { pending: pending || null, skipped: skipped || null };
  return compact({ ...told, ...unusual, skipped_existing: skipped_existing || null });
});

const JobItem = z.object({
  position: z.number().describe('0-based position in the list'),
  input: z.unknown().describe('As given'),
  status: z.enum(ITEM_STATUSES),
  uri: z.string().nullable(),
  track: Track.nullable().describe('null also for items given by ID, which are not looked up'),
  candidates: z.array(Candidate).optional().describe(FOR_ENTRIES),
  confirmed: z.literal(true).optional().describe(CONFIRMED),
  error: Failure.optional(),
});
type JobItem = z.infer<typeof JobItem>;

const leanJobItem = shape(
  // An error has the members of a job's error.
  JobItem.omit({ uri: true })
    .extend({ track: leanTrack.schema, candidates: LeanCandidates, error: z.looseObject({}) })
    .partial(),
  ({ uri: _, track, candidates, ...item }: JobItem) =>
    compact({
      ...item,
      track: track && leanTrack.of(track),
      // The track is known; its one candidate says that a typo was forgiven.
      candidates: leanCandidates(candidates, track ? 1 : undefined),
    }),
);

/**
 * The note on a job that waits for the owner to log in; null for any other job. The link is in the error of a call to Spotify.
 * If another account is connected, no call fails, and the job has an error that says what to do.
 */
function loginNote({ status, reason, error }: ListedJob): string | null {
  if (status !== 'waiting' || reason !== 'LOGIN_REQUIRED' || error !== null) return null;
  return 'This job waits until the user logs in to Spotify: call get_devices for the link. It then continues by itself.';
}

/**
 * The note on a page that does not show all unresolved items; null if it shows them all, or if it is a page of them alone.
 * @param total number of items of the list that was asked for
 */
function unresolvedNote(job: ListedJob, items: readonly JobItem[], total: number): string | null {
  const all = unresolvedOf(job);
  if (total === all) return null;
  const shown = items.filter(({ status }) => UNRESOLVED_STATUSES.includes(status)).length;
  if (shown >= all) return null;
  return `${counted(all, 'item')} did not resolve: get_job_status with job_id ${job.job_id} and only "unresolved" lists them.`;
}

const jobId = z.string().trim().min(1).max(100).describe('From create_bulk_job or list_jobs');

const JobOffset = z.int().min(0).max(1_000_000).default(0).describe('next_offset of the previous page');

const JobLimit = z.int().min(1).max(100).default(25).describe('1 to 100');

const Payload = z.strictObject({
  playlist_id: PlaylistRef.optional().describe(
    'Playlist to write to; required for add_to_playlist and replace_playlist',
  ),
  name: PlaylistName.optional().describe('Name of the new playlist; required for create_playlist'),
  description: Description.optional(),
  public: z.boolean().optional().describe('For create_playlist'),
  strict: z.boolean().default(true).describe('true: commit_job refuses unless every item resolves'),
  dry_run: z.boolean().default(false).describe('true: the job ends after resolving and cannot be committed'),
  skip_existing: z.boolean().default(false).describe('true: add_to_playlist skips what the playlist holds'),
  skip_duplicates: z.boolean().default(true).describe('true: a track listed twice is written once'),
});

export const createBulkJobTool = defineTool({
  name: 'create_bulk_job',
  title: 'Create bulk job',
  description:
    'Creates a background job for hundreds or thousands of songs: a bulk import of a long list into a playlist, or saving or unsaving songs. It waits out rate limits and survives restarts. When get_job_status says ready, call commit_job.',
  kind: 'write',
  input: z.object({
    type: z.enum(BULK_JOB_TYPES).describe('What to do with the songs'),
    payload: Payload.prefault({}).describe('Where to write, and how'),
    items: anyEntries,
    max_attempts: z
      .int()
      .min(1)
      .max(20)
      .default(JOB_ATTEMPTS)
      .describe('Attempts per song and write, 1 to 20; waits for limits do not count'),
  }),
  output: z.object({
    job_id: z.string(),
    status: z.enum(JOB_STATUSES),
    total_items: Count,
    estimated_requests: Count.describe(
      'Spotify requests it takes at least, out of a daily quota; misspelled songs and long playlists take more',
    ),
  }),
  async handle(services, { type, payload, items, max_attempts }, call) {
    const { works, provider } = services;
    const { playlist_id, ...rest } = payload;
    const stored = { ...(playlist_id ? { playlist_id: playlist_id.id } : {}), ...rest };
    requireTarget(type, stored);
    const listed = await mapInTurns(items, (entry) => itemOf(provider, entry));
    if (type === 'save_tracks' || type === 'remove_saved_tracks') refuseEpisodes(listed);
    const list = { type, payload: stored, items: listed, maxAttempts: max_attempts };
    const created = await works.create({ ...list, askedBy: askerOf(services, call) });
    const { job_id, status, total_items } = created.job;
    return { job_id, status, total_items, estimated_requests: created.estimatedRequests };
  },
});

function requireTarget(type: BulkJobType, { playlist_id, name }: JobPayload): void {
  const needsPlaylist = type === 'add_to_playlist' || type === 'replace_playlist';
  if (needsPlaylist && playlist_id === undefined) {
    const remedy = 'Pass a playlist from get_my_playlists or find_playlist_by_name.';
    throw badArgument(`payload.playlist_id is required for ${type}.`, remedy);
  }
  // A caller that names a playlist expects the job to write there.
  if (!needsPlaylist && playlist_id !== undefined) {
    const remedy = 'Omit payload.playlist_id, or pass add_to_playlist or replace_playlist as the type.';
    throw badArgument(`payload.playlist_id does not go with ${type}.`, remedy);
  }
  if (type === 'create_playlist' && name === undefined)
    throw badArgument('payload.name is required for create_playlist.', 'Pass the name of the new playlist.');
}

function refuseEpisodes(items: readonly NewItem[]): void {
  const at = items.findIndex(({ uri }) => uri !== null && isEpisodeUri(uri));
  if (at < 0) return;
  throw badArgument(`items[${at}] is an episode; this job takes only tracks.`, 'Leave episodes out.');
}

export const getJobStatusTool = defineTool({
  name: 'get_job_status',
  title: 'Get job status',
  description:
    'Gets the progress, status and results of a job or import: how many songs are found, what it waits for, and which items were not resolved (only="unresolved", with candidates). Ask a few times a minute at most.',
  kind: 'read',
  openWorld: false,
  input: z.object({
    job_id: jobId,
    only: z
      .enum(['all', 'unresolved'])
      .default('all')
      .describe('unresolved: only ambiguous, unmatched or failed items, with their candidates'),
    offset: JobOffset,
    limit: JobLimit,
  }),
  output: z.object({
    job: Job,
    items: z.array(JobItem),
    total: Count.describe('Items of the list asked for'),
    next_offset: z.number().nullable().describe('Give this as offset for the next page; null at the end'),
  }),
  lean: {
    schema: z.object({
      note: z.string().optional(),
      job: LeanJob,
      items: z.array(leanJobItem.schema),
      total: Count,
      next_offset: Count.optional(),
    }),
    of: ({ job, items, total, next_offset }) => ({
      ...compact({ note: loginNote(job) ?? unresolvedNote(job, items, total), next_offset }),
      ...{ job: leanJob.of(job), items: items.map(leanJobItem.of), total },
    }),
  },
  async handle({ works }, { job_id, only, offset, limit }) {
    const job = works.get(job_id);
    const { items, total, next } = works.items(job_id, offset, limit, only);
    return { job, items, places: items.map(({ position }) => position), total, next_offset: next };
  },
});

export const listJobsTool = defineTool({
  name: 'list_jobs',
  title: 'List jobs',
  description:
    'Lists all bulk jobs and imports, newest first: running, pending, waiting, ready, failed and finished ones.',
  kind: 'read',
  openWorld: false,
  input: z.object({ offset: JobOffset, limit: JobLimit }),
  output: listOf(ListedJob),
  lean: leanList(leanJob),
  async handle({ works }, { offset, limit }) {
    const { items, total } = works.list(offset, limit);
    const end = offset + limit;
    return { items, total, limit, offset, next_offset: end < total ? end : null };
  },
});

const JobAnswer = z.object({ job: Job });

/** A short form: the schema of get_job_status describes the rest. */
const LeanJobAnswer = z.object({
  job: LeanJob.pick({ job_id: true, type: true, status: true, written: true }),
});
const leanJobAnswer = {
  schema: LeanJobAnswer,
  of: ({ job, ...counts }: z.infer<typeof JobAnswer>) => ({ ...counts, job: leanJob.of(job) }),
};

const Position = z.int().min(0).max(MAX_ENTRIES).describe('Position of the item in get_job_status');

// Strict function calling sends every field, so `skip: false` may stand beside a track.
const FixGiven = z
  .strictObject({
    position: Position,
    track_id: TrackRef.optional().describe('Its track: ID, URI or link'),
    skip: z.boolean().optional().describe('Leave it out'),
  })
  .check(({ value, issues }) => {
    if ((value.skip === true) !== (value.track_id !== undefined)) return;
    const message = 'give either track_id or skip: true.';
    issues.push({ code: 'custom', path: [], message, input: value });
  });

const Fixes = z
  .array(FixGiven)
  .min(1)
  .max(MAX_FIXES)
  .describe('1 to 500 songs, each with track_id or skip: true. All are applied or none');

function fixOf({ position, track_id }: z.output<typeof FixGiven>): Fix {
  return track_id === undefined ? { position, skip: true } : { position, uri: track_id.uri };
}

/** How many items a call of resume_job has decided. */
const settledCounts = {
  settled: Count.optional().describe('Items that now have their track'),
  skipped: Count.optional().describe('Items that are now left out'),
};

export const resumeJobTool = defineTool({
  name: 'resume_job',
  title: 'Resume job',
  description:
    'Resumes, continues or restarts a bulk job that is waiting or stalled, and retries a failed one. To fix songs that did not resolve, pass fixes to choose the right tracks, or accept_near to take the likely ones. If someone changed the playlist meanwhile, ask the user which review to pass.',
  kind: 'write',
  idempotent: true,
  input: z.object({
    job_id: jobId,
    review: z
      .enum(REVIEWS)
      .optional()
      .describe(
        'If review_required, ask the user first: continue = the playlist becomes what was asked for, keep = it stays as it is, undo = it becomes what it was',
      ),
    fixes: Fixes.optional(),
    accept_near: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        'Takes the first candidate of every other unresolved song that scores at least this, 0 to 1. 0.36 or more means a typo or two; other versions score 0.35 at most',
      ),
  }),
  output: z.object({ ...settledCounts, ...JobAnswer.shape }),
  lean: { ...leanJobAnswer, schema: z.object({ ...settledCounts, ...LeanJobAnswer.shape }) },
  async handle({ works }, { job_id, review, fixes, accept_near }, call) {
    if (fixes === undefined && accept_near === undefined)
      return { job: await works.resume(job_id, review, call) };
    if (review !== undefined) {
      const remedy =
        'Pass review alone, for a job that has begun to write. Pass the others for a job that has not.';
      throw badArgument('review cannot be combined with fixes or accept_near.', remedy);
    }
    return works.settle(job_id, { fixes: fixes?.map(fixOf), acceptNear: accept_near }, call);
  },
});

export const commitJobTool = defineTool({
  name: 'commit_job',
  title: 'Commit job',
  description:
    'Commits or finishes a job that is ready: applies the import, writes the songs found to the playlist or library, and returns at once. First settle unresolved songs with resume_job, or pass skip_unresolved. Ask the user before a replace_playlist job.',
  kind: 'write',
  input: z.object({
    job_id: jobId,
    skip_unresolved: z
      .boolean()
      .default(false)
      .describe('true: write without the items that did not resolve, also if the job is strict'),
  }),
  output: JobAnswer,
  lean: leanJobAnswer,
  handle: async ({ works }, { job_id, skip_unresolved }) => ({
    job: await works.commit(job_id, { skipUnresolved: skip_unresolved }),
  }),
});

export const cancelJobTool = defineTool({
  name: 'cancel_job',
  title: 'Cancel job',
  description:
    'Cancels or aborts a bulk job, or stops an import, before its next write. What was written stays.',
  kind: 'write',
  idempotent: true,
  input: z.object({ job_id: jobId }),
  output: JobAnswer,
  lean: leanJobAnswer,
  handle: async ({ works }, { job_id }, { signal }) => ({ job: await works.cancel(job_id, signal) }),
});
