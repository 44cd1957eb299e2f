/** Prints a job for `relay jobs show`, and for other commands when they end. */
import { type ItemRecord, type JobRecord, unresolvedOf } from '../../domain/job.ts';
import type { Context } from '../context.ts';
import { printLine } from '../terminal/output.ts';
import { playlistNames, type Tools, unresolvedItems } from './jobCalls.ts';
import { jobText } from './jobText.ts';

const MAX_SHOWN = 20;

export async function showJob(context: Context, tools: Tools, job: JobRecord): Promise<void> {
  const { io, clock } = context;
  const first: ItemRecord[] = [];
  if (unresolvedOf(job) > 0) {
    for await (const item of unresolvedItems(tools, job.job_id, MAX_SHOWN)) {
      first.push(item);
      if (first.length === MAX_SHOWN) break;
    }
  }
  const view = { named: context, now: clock.now(), names: await playlistNames(context, [job]) };
  for (const line of jobText(job, first, io.columns, view)) printLine(io, line);
}
