import { Command, Option } from 'commander';
import { interruptible } from '../../base/abort.ts';
import { RelayError } from '../../domain/errors.ts';
import { isWorking, UNRESOLVED_STATUSES } from '../../domain/job.ts';
import type { ItemRecord, JobRecord } from '../../tools/jobTools.ts';
import type { McpConnection } from '../call/mcpClient.ts';
import { commandWithOthers, HELP_GROUPS } from '../commandGroups.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, type Finish } from '../exit.ts';
import { note, printJson, printLine } from '../terminal/output.ts';

const EXAMPLES = `
Examples:
  $ relay jobs
  $ relay jobs show 1f0c --watch
  $ relay jobs commit 1f0c --watch`;

interface JobsOptions {
  watch?: boolean;
  /** Of `resume`. */
  review?: string;
}

export function jobsCommand(context: Context, finish: Finish): Command {
  const options = (): JobsOptions => group.opts();
  const list = async () => finish(await runJobsList(context, options()));
  const group: Command = commandWithOthers('jobs', 'List, watch, commit, resume or cancel jobs', list)
    .helpGroup(HELP_GROUPS.tools)
    .option('--watch', 'Show progress until the job is ready or has ended')
    .addHelpText('after', EXAMPLES)
    .addCommand(new Command('list').description('List the jobs, newest first').action(list));
  for (const [name, description, tool] of ACTIONS) {
    const command = new Command(name)
      .description(description)
      .argument('<job>', 'Job ID, or its first characters')
      .action(async (job: string, own: Pick<JobsOptions, 'review'>) =>
        finish(await runJobsAction(context, tool, job, { ...options(), ...own })),
      );
    group.addCommand(name === 'resume' ? command.addOption(reviewOption()) : command);
  }
  return group;
}

/** Name, help, and the tool to call first. */
const ACTIONS: ReadonlyArray<readonly [string, string, string | null]> = [
  ['show', 'Show a job and the items that did not resolve', null],
  ['resume', 'Resume a waiting or failed job, or retry unresolved items', 'resume_job'],
  ['commit', 'Write the resolved items of a ready job', 'commit_job'],
  ['cancel', 'Stop a job before its next write', 'cancel_job'],
];

function reviewOption(): Option {
  return new Option(
    '--review <way>',
    'If someone else changed the playlist: write what is missing after what is there (the default), or accept the playlist as it is, which completes the job',
  ).choices(['carry-on', 'accept']);
}

const MAX_LISTED = 50;

async function runJobsList(context: Context, { watch }: JobsOptions): Promise<ExitCode> {
  return withTools(context, async (tools) => {
    const { items, total } = await tools<{ items: JobRecord[]; total: number }>('list_jobs', {
      limit: MAX_LISTED,
    });
    const atWork = items.find(({ status }) => status === 'waiting' || isWorking(status));
    if (watch && atWork) return follow(context, tools, atWork.job_id, true);
    if (context.json) printJson(context.io, { items, total });
    else if (items.length === 0) note(context.io, 'There are no jobs.');
    else await printTable(context, items, total);
    return EXIT.done;
  });
}

async function printTable(context: Context, items: readonly JobRecord[], total: number): Promise<void> {
  const { io } = context;
  const { jobTable } = await import('./jobText.ts');
  for (const line of jobTable(items, context)) printLine(io, line);
  if (total > items.length) note(io, `and ${total - items.length} older jobs`);
}

async function runJobsAction(
  context: Context,
  tool: string | null,
  given: string,
  { watch = false, review }: JobsOptions,
): Promise<ExitCode> {
  return withTools(context, async (tools) => {
    const id = await fullId(tools, given);
    const more = review === undefined ? {} : { review: review.replace('-', '_') };
    if (tool) await tools(tool, { job_id: id, ...more });
    return follow(context, tools, id, watch);
  });
}

/** Shows the job, at once or when it is ready or has ended. With `watch` the exit code says whether the job failed. */
async function follow(context: Context, tools: Tools, id: string, watch: boolean): Promise<ExitCode> {
  const ask = async () => (await tools<{ job: JobRecord }>('get_job_status', { job_id: id, limit: 1 })).job;
  const { watchJob } = await import('./jobWatch.ts');
  const job = watch ? await watchJob(context, ask) : await ask();
  if (!context.json) await show(context, tools, job);
  else if (!watch) printJson(context.io, job);
  return watch && job.status === 'failed' ? EXIT.failed : EXIT.done;
}

async function show(context: Context, tools: Tools, job: JobRecord): Promise<void> {
  const { jobText } = await import('./jobText.ts');
  const unresolved = await unresolvedItems(tools, job);
  for (const line of jobText(job, unresolved, context.io.columns, context)) printLine(context.io, line);
}

const MAX_SHOWN = 20;

/** The first ones, looked for page by page. */
async function unresolvedItems(tools: Tools, job: JobRecord): Promise<ItemRecord[]> {
  const found: ItemRecord[] = [];
  const wanted = Math.min(job.ambiguous + job.unmatched + job.failed, MAX_SHOWN);
  for (let offset: number | null = 0; offset !== null && found.length < wanted; ) {
    const page: { items: ItemRecord[]; next_offset: number | null } = await tools('get_job_status', {
      job_id: job.job_id,
      offset,
      limit: 100,
    });
    found.push(...page.items.filter(({ status }) => UNRESOLVED_STATUSES.includes(status)));
    offset = page.next_offset;
  }
  return found.slice(0, MAX_SHOWN);
}

/** @throws RelayError `JOB_NOT_FOUND`, or `USAGE` when several IDs begin like this */
async function fullId(tools: Tools, given: string): Promise<string> {
  const found: string[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: { items: JobRecord[]; next_offset: number | null } = await tools('list_jobs', {
      offset,
      limit: 100,
    });
    found.push(...page.items.map(({ job_id }) => job_id).filter((id) => id.startsWith(given)));
    offset = page.next_offset;
  }
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

/** Calls a tool and returns its answer. A failed tool throws its error. */
type Tools = <T>(name: string, args: Record<string, unknown>) => Promise<T>;

async function withTools(context: Context, work: (tools: Tools) => Promise<ExitCode>): Promise<ExitCode> {
  const { connectTools } = await import('../call/mcpClient.ts');
  const client: McpConnection = await connectTools(context);
  const tools: Tools = async <T>(name: string, args: Record<string, unknown>) => {
    const { value, error } = await interruptible(
      context.signal,
      client.callTool(name, args, () => {}),
    );
    if (error) throw error;
    return value as T;
  };
  try {
    return await work(tools);
  } finally {
    await client.close();
  }
}
