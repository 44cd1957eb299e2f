/**
 * What a restored row must hold for the program to work with it. The strict schema checks types and null. Checked here:
 * JSON text, words of closed lists, ranges, and columns that must agree. An unusable value would make the server or a tool
 * fail each time it is read.
 */
import type { SqlValue } from 'sql.js';
import * as z from 'zod';
import { lazy } from '../../base/lazy.ts';
import { CHANGE_KINDS, CHANGE_STATES } from '../../domain/change.ts';
import { ITEM_STATUSES, JOB_STATUSES, JOB_TYPES } from '../../domain/job.ts';
import { Track } from '../../domain/shapes.ts';

/** A title, a list, a plan: the longest is the list of a job, which came in by a request of at most 4 MiB. */
const MAX_VALUE_LENGTH = 16 * 1024 * 1024;
/** The end of year 9999, Unix milliseconds: later times have no ISO 8601 text that every reader takes. */
const MAX_TIME = 253_402_300_799_999;
/** Sums of these stay exact, in SQLite and here. */
const MAX_INTEGER = 2 ** 31 - 1;
const TIME_COLUMN = /(?:_at|_until|_time|^run_after)$/;

const StoredRemedy = z.union([
  z.string(),
  z.object({
    text: z.string(),
    command: z.array(z.string()).optional(),
    terminal: z.object({ text: z.string(), commands: z.array(z.array(z.string())) }).optional(),
  }),
]);
const JobError = z.object({ code: z.string(), message: z.string(), remedy: StoredRemedy.optional() });
const Candidate = z.object({ track: Track, score: z.number(), reasons: z.array(z.string()) });
const Payload = z.object({
  playlist_id: z.string().optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  public: z.boolean().optional(),
  strict: z.boolean(),
  dry_run: z.boolean(),
  skip_existing: z.boolean(),
  skip_duplicates: z.boolean(),
});
const Query = z.object({
  title: z.string(),
  artist: z.string(),
  album: z.string().optional(),
  year: z.number().optional(),
});
const Input = z.union([z.string(), z.record(z.string(), z.union([z.string(), z.number()]))]);
const RedirectUris = z.array(z.string().refine((uri) => URL.canParse(uri)));

/** JSON columns, by table. */
const JSON_COLUMNS = lazy<Readonly<Record<string, Readonly<Record<string, z.ZodType>>>>>(() => ({
  tracks: { data: Track },
  oauth_clients: { redirect_uris: RedirectUris, grant_types: z.array(z.string()) },
  jobs: { payload: Payload, error: JobError, result: z.record(z.string(), z.unknown()) },
  job_items: { input: Input, track: Track, candidates: z.array(Candidate), error: JobError },
  changes: { error: JobError },
}));

/** Columns that hold a word of a closed list which the schema does not name. */
const WORDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  jobs: { type: JOB_TYPES, status: JOB_STATUSES },
  job_items: { status: ITEM_STATUSES },
  changes: { kind: CHANGE_KINDS, state: CHANGE_STATES, leg: ['forward', 'back'] },
};

export type CopiedRow = Readonly<Record<string, SqlValue>>;

/** @throws Error that names table and column, and never the value */
export function requireUsable(table: string, row: CopiedRow): void {
  for (const [column, value] of Object.entries(row)) {
    const problem = valueProblem(table, column, value);
    if (problem !== null) throw new Error(`${table}.${column} ${problem}`);
  }
  if (table === 'jobs') requireSoundJob(row);
  if (table === 'job_items') requireSoundItem(row);
}

function valueProblem(table: string, column: string, value: SqlValue): string | null {
  if (value === null) return null;
  if (typeof value === 'number') return numberProblem(column, value);
  if (value.length > MAX_VALUE_LENGTH) return `is longer than ${MAX_VALUE_LENGTH / 1024 / 1024} MiB`;
  if (typeof value !== 'string') return null;
  const words = WORDS[table]?.[column];
  if (words && !words.includes(value)) return 'is not a word that relay uses';
  const shape = JSON_COLUMNS()[table]?.[column];
  return shape ? jsonProblem(shape, value) : null;
}

function numberProblem(column: string, value: number): string | null {
  const max = TIME_COLUMN.test(column) ? MAX_TIME : MAX_INTEGER;
  return Number.isInteger(value) && value >= 0 && value <= max ? null : 'is a number out of range';
}

function jsonProblem(shape: z.ZodType, text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (!shape.safeParse(value).success) return 'has JSON of another shape';
    // What is nested too deeply to be written again could never be answered.
    JSON.stringify(value);
    return null;
  } catch {
    return 'is not JSON';
  }
}

/** Only a job that was confirmed writes: one that is still being looked up must not be in the writing lane. */
function requireSoundJob({ phase, status }: CopiedRow): void {
  const isLookedUp = status === 'pending' || status === 'resolving' || status === 'ready';
  if ((isLookedUp && phase === 'commit') || (status === 'committing' && phase === 'resolve')) {
    throw new Error('jobs.phase does not go with jobs.status');
  }
}

function requireSoundItem({ status, uri, key, input }: CopiedRow): void {
  const namesTrack = status === 'matched' || status === 'written' || status === 'skipped_existing';
  if (namesTrack && uri === null) throw new Error('job_items.uri is missing');
  if (status !== 'pending') return;
  if (key === null || !Query.safeParse(JSON.parse(String(input))).success) {
    throw new Error('job_items.input names nothing to search for');
  }
}
