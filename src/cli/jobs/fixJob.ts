/**
 * `relay jobs fix`: does what its options say. Without options it asks questions on a terminal; elsewhere it lists the
 * unresolved items.
 */
import { RelayError } from '../../domain/errors.ts';
import { type ItemRecord, isPastSettling, type JobRecord, shortId, unresolvedOf } from '../../domain/job.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { readNumber, readScore, readTake } from './fixInput.ts';
import { summaryText } from './fixText.ts';
import { type Decision, fullId, jobOf, openTools, settle, type Tools, unresolvedItems } from './jobCalls.ts';
import { itemLine, nextSteps } from './jobText.ts';

export interface FixOptions {
  take?: string[];
  skip?: string[];
  acceptNear?: string;
}

export async function fixJob(context: Context, given: string, options: FixOptions): Promise<void> {
  const decisions: Decision[] = [
    ...(options.take ?? []).map(readTake),
    ...(options.skip ?? []).map((text) => ({ number: readNumber(text), skip: true as const })),
  ];
  const near = nearOf(options.acceptNear);
  const { stdin, stderr } = context.io.terminal;
  const tools = await openTools(context);
  const id = await fullId(tools, given);
  if (decisions.length > 0 || near !== undefined) await settleNow(context, tools, id, decisions, near);
  else if (stdin && stderr && !context.json) await fixWithQuestions(context, tools, id);
  else await listLeft(context, tools, id);
}

function nearOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const score = readScore(text);
  if (score !== null) return score;
  throw new RelayError('USAGE', `"${text}" is not a score.`, { remedy: 'Give a number from 0 to 1.' });
}

async function fixWithQuestions(context: Context, tools: Tools, id: string): Promise<void> {
  const { fixSession } = await import('./fixSession.ts');
  const before = await jobOf(tools, id);
  // Checked here, since the tool would refuse a decision only after the person has made it.
  if (isPastSettling(before)) {
    const isOver = before.status === 'completed' || before.status === 'cancelled';
    const why = isOver ? `The job is ${before.status}` : 'The job has begun to write';
    throw new RelayError('JOB_STATE', `${why}, so nothing in it can be settled any more.`, {
      remedy: {
        text: '{command} lists what was not found. Import those songs again as a new list.',
        command: ['jobs', 'show', shortId(id)],
      },
    });
  }
  const job = await fixSession(context, tools, before);
  for (const line of nextSteps(job, context)) printLine(context.io, line);
}

async function settleNow(
  context: Context,
  tools: Tools,
  id: string,
  decisions: readonly Decision[],
  near: number | undefined,
): Promise<void> {
  const { job, settled, skipped } = await settle(tools, id, decisions, near);
  if (!context.json) {
    printLine(context.io, summaryText({ settled, skipped, left: unresolvedOf(job) }));
  }
  await printLeft(context, tools, id);
}

/** Lists the unresolved items. Without a terminal relay cannot ask, so a note names the options that replace the questions. */
async function listLeft(context: Context, tools: Tools, id: string): Promise<void> {
  const job = await printLeft(context, tools, id);
  if (context.json || unresolvedOf(job) === 0 || isPastSettling(job)) return;
  note(
    context.io,
    'Without a terminal, relay cannot ask: give --take NUMBER=TRACK, --skip NUMBER or --accept-near SCORE.',
  );
}

/** Lists all unresolved items, with the numbers that the options take, and what can be done next. Returns the job. */
async function printLeft(context: Context, tools: Tools, id: string): Promise<JobRecord> {
  const { io } = context;
  const left: Array<ItemRecord & { number: number }> = [];
  for await (const item of unresolvedItems(tools, id)) left.push({ number: item.position + 1, ...item });
  const job = await jobOf(tools, id);
  if (context.json) printJson(io, { job, left });
  else {
    for (const item of left) printLine(io, itemLine(item));
    for (const line of nextSteps(job, context)) printLine(io, line);
  }
  return job;
}
