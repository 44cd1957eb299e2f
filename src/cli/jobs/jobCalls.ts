/** The calls that the command line makes to the tools for durable jobs. */
import { RelayError } from '../../domain/errors.ts';
import { type ItemRecord, isForgiven, type JobRecord } from '../../domain/job.ts';
import type { Context } from '../context.ts';

/** Calls a tool and returns its answer. A failed tool throws its error. */
export type Tools = <T>(name: string, args: Record<string, unknown>) => Promise<T>;

export async function openTools(context: Context): Promise<Tools> {
  const { connectTools } = await import('../call/mcpClient.ts');
  const { callTool } = await connectTools(context);
  return async <A>(name: string, args: Record<string, unknown>) =>
    (await callTool(name, { detail: 'full', ...args })) as A;
}

/**
 * Finds the whole ID of the job whose ID begins with `given`. @throws RelayError `JOB_NOT_FOUND`, or `USAGE` if several IDs do
 */
export async function fullId(tools: Tools, given: string): Promise<string> {
  // `relay jobs cancel "$ID"` with an unset variable must not cancel the only job.
  if (given === '') {
    throw new RelayError('USAGE', 'The ID of the job is empty. Is a variable of the shell not set?', {
      remedy: { text: '{command} lists the jobs.', command: ['jobs'] },
    });
  }
  const { items } = await listJobs(tools, Number.POSITIVE_INFINITY);
  const found = items.map(({ job_id }) => job_id).filter((id) => id.startsWith(given));
  const [id, other] = found;
  if (id === undefined) {
    throw new RelayError('JOB_NOT_FOUND', `There is no job "${given}".`, {
      remedy: { text: '{command} lists them.', command: ['jobs'] },
    });
  }
  if (other !== undefined) {
    throw new RelayError('USAGE', `${found.length} job IDs begin with "${given}".`, {
      remedy: 'Give more characters of the ID.',
    });
  }
  return id;
}

export async function jobOf(tools: Tools, id: string): Promise<JobRecord> {
  return (await tools<{ job: JobRecord }>('get_job_status', { job_id: id, limit: 1 })).job;
}

const PAGE = 100;

export function unresolvedItems(tools: Tools, id: string, limit = PAGE): AsyncGenerator<ItemRecord> {
  return itemsOf(tools, id, 'unresolved', limit);
}

export async function* forgivenItems(tools: Tools, id: string): AsyncGenerator<ItemRecord> {
  for await (const item of itemsOf(tools, id, 'all', PAGE)) if (isForgiven(item)) yield item;
}

interface Page<T> {
  items: T[];
  total: number;
  next_offset?: number | null;
}

async function* itemsOf(
  tools: Tools,
  id: string,
  only: 'all' | 'unresolved',
  limit: number,
): AsyncGenerator<ItemRecord> {
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Page<ItemRecord> = await tools('get_job_status', { job_id: id, only, offset, limit });
    yield* page.items;
    offset = page.next_offset ?? null;
  }
}

export interface Settled {
  job: JobRecord;
  settled: number;
  skipped: number;
}

/** A decision about an item. Items are numbered from 1, as people see them. */
export type Decision = { number: number; track: string } | { number: number; skip: true };

export async function settle(
  tools: Tools,
  id: string,
  decisions: readonly Decision[],
  acceptNear?: number,
): Promise<Settled> {
  const fixes = decisions.map((decision) => {
    const position = decision.number - 1;
    return 'track' in decision ? { position, track_id: decision.track } : { position, skip: true };
  });
  const near = acceptNear === undefined ? {} : { accept_near: acceptNear };
  try {
    return await tools<Settled>('resume_job', {
      job_id: id,
      ...(fixes.length === 0 ? {} : { fixes }),
      ...near,
    });
  } catch (error) {
    const problems = error instanceof RelayError && error.details?.problems;
    if (!Array.isArray(problems)) throw error;
    const lines = problems.map(({ position, problem }) => `Item ${Number(position) + 1}: ${problem}.`);
    throw (error as RelayError).with({
      message: [...lines, 'Nothing was changed.'].join(' '),
      remedy: 'Correct these items, then give all the decisions again.',
    });
  }
}

/** Returns the newest jobs, at most `most` of them, and the number of all jobs. */
export async function listJobs(tools: Tools, most: number): Promise<{ items: JobRecord[]; total: number }> {
  const items: JobRecord[] = [];
  for (let offset = 0; ; ) {
    const limit = Math.min(PAGE, most - items.length);
    const page = await tools<Page<JobRecord>>('list_jobs', { offset, limit });
    items.push(...page.items);
    offset = page.next_offset ?? 0;
    if (offset === 0 || items.length >= most) return { items, total: page.total };
  }
}

/** Returns the names of the playlists that jobs write to, by ID. Leaves out playlists whose jobs have a name themselves. */
export async function playlistNames(
  context: Context,
  jobs: readonly JobRecord[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(jobs.flatMap((job) => (job.name === undefined ? (job.playlist_id ?? []) : [])));
  if (ids.size === 0) return new Map();
  const { local } = await context.server();
  const { names } = await local.playlistNames({ ids: [...ids] });
  return new Map(Object.entries(names));
}
