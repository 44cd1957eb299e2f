/** Runs `relay jobs`: lists jobs, shows one, acts on one, and follows one. */
import { type ItemRecord, isEnded, isWorking, type JobRecord, unresolvedOf } from '../../domain/job.ts';
import type { Result, Text } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { note, printJson, showsUnicode } from '../terminal/output.ts';
import { timeText } from '../terminal/time.ts';
import {
  forgivenItems,
  fullId,
  jobOf,
  listJobs,
  openTools,
  playlistNames,
  type Tools,
  unresolvedItems,
} from './jobCalls.ts';
import { barText, itemLine, jobTable, jobText, moreText, progressOf } from './jobText.ts';

export interface JobsOptions {
  watch?: boolean;
  all?: boolean;
  unresolved?: boolean;
  review?: string;
  skipUnresolved?: boolean;
}

const MAX_LISTED = 50;

export async function showJobs(context: Context, { watch, all }: JobsOptions): Promise<Result | undefined> {
  const tools = await openTools(context);
  const { items, total } = await listJobs(tools, all ? Number.POSITIVE_INFINITY : MAX_LISTED);
  const atWork = items.find(({ status }) => status === 'waiting' || isWorking(status));
  if (watch && atWork) return showJob(context, tools, atWork.job_id, true);
  const table = async (): Promise<Text> => [
    jobTable(items, { named: context, now: context.clock.now(), names: await playlistNames(context, items) }),
  ];
  const notes = items.length === 0 ? ['There are no jobs.'] : [];
  if (total > items.length) notes.push(moreText(total - items.length, context, 'jobs', 'list', '--all'));
  return { value: { items, total }, text: table, notes };
}

export async function actOnJob(
  context: Context,
  tool: string | null,
  given: string,
  { watch = false, review, skipUnresolved, unresolved = false }: JobsOptions,
): Promise<Result | undefined> {
  const tools = await openTools(context);
  const id = await fullId(tools, given);
  if (unresolved) {
    const items: ItemRecord[] = [];
    for await (const item of unresolvedItems(tools, id)) items.push(item);
    return { value: { items, total: items.length }, text: items.map(itemLine) };
  }
  if (tool) await tools(tool, { job_id: id, review, skip_unresolved: skipUnresolved });
  return showJob(context, tools, id, watch);
}

/**
 * Shows the job. With `watch`, first waits until the job is ready or has ended, and the exit code says whether the job failed.
 */
async function showJob(
  context: Context,
  tools: Tools,
  id: string,
  watch: boolean,
): Promise<Result | undefined> {
  const ask = () => jobOf(tools, id);
  const job = watch
    ? await followJob(context, ask, context.json ? jsonLines(context) : progressOn(context))
    : await ask();
  const exit = watch && job.status === 'failed' ? EXIT.failed : EXIT.done;
  if (!watch || !context.json) return { value: job, text: () => linesOf(context, tools, job), exit };
  // Each record has been printed as it came.
  context.exitCode = exit;
  return undefined;
}

const MAX_SHOWN = 20;

async function linesOf(context: Context, tools: Tools, job: JobRecord): Promise<string[]> {
  const open = unresolvedOf(job) > 0 ? await firstOf(unresolvedItems(tools, job.job_id, MAX_SHOWN)) : [];
  // Songs that are taken although their spelling differs.
  const forgiven = job.spelling ? await firstOf(forgivenItems(tools, job.job_id)) : [];
  const view = { named: context, now: context.clock.now(), names: await playlistNames(context, [job]) };
  return jobText(job, [...open, ...forgiven], context.io.columns, view);
}

async function firstOf(items: AsyncGenerator<ItemRecord>): Promise<ItemRecord[]> {
  const first: ItemRecord[] = [];
  for await (const item of items) if (first.push(item) === MAX_SHOWN) break;
  return first;
}

/** The server does not push a job's changes, so the job is polled. The songs of a short list are found fast, so polling begins fast. */
const FIRST_POLL_MS = 100;
const POLL_MS = 1_000;
/** Percent of the work between two lines, if stderr is not a terminal. */
const STEP = 10;

/** @param isOver true for the last call */
type JobDisplay = (job: JobRecord, isOver: boolean) => void;

/** Follows a job until it is ready or has ended, or until `until` is true of it. */
export async function followJob(
  { clock, signal }: Context,
  ask: () => Promise<JobRecord>,
  show: JobDisplay,
  until: (job: JobRecord) => boolean = () => false,
): Promise<JobRecord> {
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(2 * pause, POLL_MS)) {
    const job = await ask();
    const isOver = job.status === 'ready' || isEnded(job.status) || until(job);
    show(job, isOver);
    if (isOver) return job;
    await clock.sleep(pause, signal);
  }
}

/** Shows a bar on a terminal, which is removed at the end; elsewhere a line for each status and each tenth of the work. */
export function progressOn(context: Context): JobDisplay {
  const { io, clock, env, platform } = context;
  if (io.terminal.stderr) {
    const unicode = showsUnicode(env, platform);
    return (job, isOver) =>
      io.redraw(isOver ? '' : barText(job, unicode, { named: context, now: clock.now() }));
  }
  let shown = '';
  return (job, isOver) => {
    const { status, run_after, reason } = job;
    const { done, total } = progressOf(job);
    const key = `${status} ${total === 0 ? 0 : Math.floor((done / total) * (100 / STEP))} ${run_after ?? ''}`;
    if (isOver || key === shown || status === 'pending') return;
    shown = key;
    const again = run_after === null ? '' : `, continues ${timeText(run_after, clock.now())}`;
    note(io, `${status}: ${done} of ${total}${status === 'waiting' ? `${again} (${reason ?? ''})` : ''}`);
  };
}

function jsonLines({ io }: Context): JobDisplay {
  let shown = '';
  return (job) => {
    const text = JSON.stringify(job);
    if (text !== shown) printJson(io, job);
    shown = text;
  };
}
