/** Prints a job for `relay jobs show`, and for other commands when they end. */
import { type ItemRecord, type JobRecord, unresolvedOf } from '../../domain/job.ts';
import type { Context } from '../context.ts';
import { printLine } from '../terminal/output.ts';
import { forgivenItems, playlistNames, type Tools, unresolvedItems } from './jobCalls.ts';
import { jobText } from './jobText.ts';

const MAX_SHOWN = 20;

export async function showJob(context: Context, tools: Tools, job: JobRecord): Promise<void> {
  const { io, clock } = context;
  const unresolved =
    unresolvedOf(job) > 0 ? await firstOf(unresolvedItems(tools, job.job_id, MAX_SHOWN)) : [];
  const forgiven = job.spelling ? await firstOf(forgivenItems(tools, job.job_id)) : [];
  const view = { named: context, now: clock.now(), names: await playlistNames(context, [job]) };
  for (const line of jobText(job, [...unresolved, ...forgiven], io.columns, view)) printLine(io, line);
}

async function firstOf(items: AsyncGenerator<ItemRecord>): Promise<ItemRecord[]> {
  const first: ItemRecord[] = [];
  for await (const item of items) {
    first.push(item);
    if (first.length === MAX_SHOWN) break;
  }
  return first;
}
