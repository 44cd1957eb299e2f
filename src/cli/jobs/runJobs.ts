/** Runs `relay jobs`: lists jobs, shows one, and acts on one. */
import { RelayError } from '../../domain/errors.ts';
import { type ItemRecord, isWorking, type JobRecord, unresolvedOf } from '../../domain/job.ts';
import type { Result, Text } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { printLine } from '../terminal/output.ts';
import { canAsk, openDialogue } from '../terminal/prompt.ts';
import { bar, followJob, jsonLines, progressLines } from './followJob.ts';
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
import { itemLine, jobTable, jobText, moreText } from './jobText.ts';

export interface JobsOptions {
  watch?: boolean;
  /** Option `--all` of `list`. */
  all?: boolean;
  /** Option `--unresolved` of `show`. */
  unresolved?: boolean;
  /** Option `--review` of `resume`. */
  review?: string;
  /** Option `--skip-unresolved` of `commit`. */
  skipUnresolved?: boolean;
}

const MAX_LISTED = 50;

export async function showJobs(context: Context, { watch, all }: JobsOptions): Promise<Result | undefined> {
  const tools = await openTools(context);
  const { items, total } = await listJobs(tools, all ? Number.POSITIVE_INFINITY : MAX_LISTED);
  const atWork = items.find(({ status }) => status === 'waiting' || isWorking(status));
  if (watch && atWork) return follow(context, tools, atWork.job_id, true);
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
  const decision = review ?? (tool === 'resume_job' ? await askReview(context, tools, id) : undefined);
  const more = {
    ...(decision === undefined ? {} : { review: decision }),
    ...(skipUnresolved ? { skip_unresolved: true } : {}),
  };
  if (tool) await tools(tool, { job_id: id, ...more });
  return follow(context, tools, id, watch);
}

/** The keys for what becomes of a playlist that someone else changed. */
const DECISIONS: Readonly<Record<string, string>> = { c: 'continue', k: 'keep', u: 'undo' };

/**
 * Shows a job that waits for a decision, and asks for it. Undefined for any other job, and without a terminal.
 * @throws RelayError `INTERRUPTED` for any other key
 */
async function askReview(context: Context, tools: Tools, id: string): Promise<string | undefined> {
  const { io, signal } = context;
  if (!canAsk(context)) return undefined;
  const job = await jobOf(tools, id);
  if (job.status !== 'failed' || !job.review_required) return undefined;
  for (const line of await linesOf(context, tools, job)) printLine(io, line);
  const dialogue = openDialogue(io, signal);
  const question = 'Continue (c: what was asked for), keep (k: as it is) or undo (u: as it was)? [c/k/u] ';
  const key = await dialogue.ask(question).finally(() => dialogue.close());
  const decision = DECISIONS[key?.toLowerCase() ?? ''];
  if (decision === undefined) throw new RelayError('INTERRUPTED', 'Nothing was changed.');
  return decision;
}

/**
 * Shows the job. With `watch`, first waits until the job is ready or has ended, and the exit code says whether the job failed.
 */
async function follow(
  context: Context,
  tools: Tools,
  id: string,
  watch: boolean,
): Promise<Result | undefined> {
  const ask = () => jobOf(tools, id);
  const shown = context.io.terminal.stderr ? bar : progressLines;
  const display = context.json ? jsonLines(context) : shown(context);
  const job = watch ? await followJob(context, ask, { display }) : await ask();
  const exit = watch && job.status === 'failed' ? EXIT.failed : EXIT.done;
  if (!watch || !context.json) return { value: job, text: () => linesOf(context, tools, job), exit };
  // Each record has been printed as it came.
  context.exitCode = exit;
  return undefined;
}

const MAX_SHOWN = 20;

/** Returns the lines that show a job and the first items that need a person. */
async function linesOf(context: Context, tools: Tools, job: JobRecord): Promise<string[]> {
  const open = unresolvedOf(job) > 0 ? await firstOf(unresolvedItems(tools, job.job_id, MAX_SHOWN)) : [];
  const forgiven = job.spelling ? await firstOf(forgivenItems(tools, job.job_id)) : [];
  const view = { named: context, now: context.clock.now(), names: await playlistNames(context, [job]) };
  return jobText(job, [...open, ...forgiven], context.io.columns, view);
}

async function firstOf(items: AsyncGenerator<ItemRecord>): Promise<ItemRecord[]> {
  const first: ItemRecord[] = [];
  for await (const item of items) {
    first.push(item);
    if (first.length === MAX_SHOWN) break;
  }
  return first;
}
