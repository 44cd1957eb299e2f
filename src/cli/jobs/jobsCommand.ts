import { Command, Option } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import { type ItemRecord, isWorking, type JobRecord } from '../../domain/job.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, type Finish } from '../exit.ts';
import { note, printJson, printLine, printTable } from '../terminal/output.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';
import type { FixOptions } from './fixJob.ts';
import type { Tools } from './jobCalls.ts';

const EXAMPLES = `
Examples:
  $ relay jobs
  $ relay jobs show 1f0c --watch
  $ relay jobs fix 1f0c
  $ relay jobs commit 1f0c --watch`;

const FIX_HELP = `
On a terminal, relay goes through the items one by one. Take one of the nearest
tracks by its number, search for other words, paste a link, leave the item out,
or take all tracks that are near enough. Each choice is saved at once, and
remembered for the next list. The options do the same without questions.

Examples:
  $ relay jobs fix 1f0c
  $ relay jobs fix 1f0c --take 12=4uLU6hMCjMI75M1A2tKUQC --skip 40
  $ relay jobs fix 1f0c --accept-near 0.36`;

interface JobsOptions {
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

export function jobsCommand(context: Context, finish: Finish): Command {
  const options = (): JobsOptions => group.opts();
  const list = async (own: JobsOptions = {}) => finish(await runJobsList(context, { ...options(), ...own }));
  const acting = (name: string, tool: string | null) =>
    new Command(name)
      .argument('<job>', JOB_ARGUMENT)
      .action(async (job: string, own: JobsOptions) =>
        finish(await runJobsAction(context, tool, job, { ...options(), ...own })),
      );
  const group: Command = parentCommand('jobs', 'List, watch, fix, commit, resume or cancel jobs', list)
    .helpGroup(HELP_GROUPS.tools)
    .option('--watch', 'Show progress until the job is ready or has ended')
    .addHelpText('after', EXAMPLES)
    .addCommand(
      new Command('list')
        .description('List the jobs, newest first')
        .option('--all', `List all jobs, not only the last ${MAX_LISTED}`)
        .action(list),
    )
    .addCommand(fixCommandOf(context))
    .addCommand(
      acting('show', null)
        .description('Show a job and the items that did not resolve')
        .option('--unresolved', 'Show all items that did not resolve, and nothing else'),
    )
    .addCommand(
      acting('resume', 'resume_job')
        .description('Resume a waiting or failed job, or search again for unresolved items')
        .addOption(
          new Option(
            '--review <way>',
            'If someone else changed the playlist: continue (it becomes what was asked for), keep (it stays as it is) or undo (it becomes what it was before the job)',
          ).choices(['continue', 'keep', 'undo']),
        ),
    )
    .addCommand(
      acting('commit', 'commit_job')
        .description('Write the resolved items of a ready job')
        .option('--skip-unresolved', 'Write without the items that did not resolve'),
    )
    .addCommand(acting('cancel', 'cancel_job').description('Stop a job before its next write'));
  return group;
}

const JOB_ARGUMENT = 'Job ID, or its first characters';

function fixCommandOf(context: Context): Command {
  const more = (value: string, before: string[] = []) => [...before, value];
  return new Command('fix')
    .description('Choose tracks for the items that did not resolve')
    .argument('<job>', JOB_ARGUMENT)
    .option('--take <number=track>', 'Take this track (ID, URI or link) for the item; repeatable', more)
    .option('--skip <number>', 'Leave the item out; repeatable', more)
    .option(
      '--accept-near <score>',
      'For all other items, take the nearest track if it scores at least this, 0 to 1',
    )
    .addHelpText('after', FIX_HELP)
    .action(async (job: string, own: FixOptions) => {
      const { fixJob } = await import('./fixJob.ts');
      await fixJob(context, job, own);
    });
}

const MAX_LISTED = 50;

async function runJobsList(context: Context, { watch, all }: JobsOptions): Promise<ExitCode> {
  const { listJobs, openTools } = await import('./jobCalls.ts');
  const tools = await openTools(context);
  const { items, total } = await listJobs(tools, all ? Number.POSITIVE_INFINITY : MAX_LISTED);
  const atWork = items.find(({ status }) => status === 'waiting' || isWorking(status));
  if (watch && atWork) return follow(context, tools, atWork.job_id, true);
  if (context.json) printJson(context.io, { items, total });
  else if (items.length === 0) note(context.io, 'There are no jobs.');
  else await printJobs(context, items, total);
  return EXIT.done;
}

async function printJobs(context: Context, items: readonly JobRecord[], total: number): Promise<void> {
  const { io, clock } = context;
  const { jobTable, moreText } = await import('./jobText.ts');
  const { playlistNames } = await import('./jobCalls.ts');
  const view = { named: context, now: clock.now(), names: await playlistNames(context, items) };
  printTable(io, jobTable(items, view));
  if (total > items.length) note(io, moreText(total - items.length, context, 'jobs', 'list', '--all'));
}

async function runJobsAction(
  context: Context,
  tool: string | null,
  given: string,
  { watch = false, review, skipUnresolved, unresolved = false }: JobsOptions,
): Promise<ExitCode> {
  const { fullId, openTools } = await import('./jobCalls.ts');
  const tools = await openTools(context);
  const id = await fullId(tools, given);
  if (unresolved) return showUnresolved(context, tools, id);
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
  if (context.json || !io.terminal.stdin || !io.terminal.stderr) return undefined;
  const { jobOf } = await import('./jobCalls.ts');
  const job = await jobOf(tools, id);
  if (job.status !== 'failed' || !job.review_required) return undefined;
  const { showJob } = await import('./showJob.ts');
  await showJob(context, tools, job);
  const { openDialogue } = await import('../terminal/prompt.ts');
  const dialogue = openDialogue(io, signal);
  const question = 'Continue (c: what was asked for), keep (k: as it is) or undo (u: as it was)? [c/k/u] ';
  const key = await dialogue.ask(question).finally(() => dialogue.close());
  const decision = DECISIONS[key?.toLowerCase() ?? ''];
  if (decision === undefined) throw new RelayError('INTERRUPTED', 'Nothing was changed.');
  return decision;
}

async function showUnresolved(context: Context, tools: Tools, id: string): Promise<ExitCode> {
  const { io } = context;
  const { unresolvedItems } = await import('./jobCalls.ts');
  const { itemLine } = await import('./jobText.ts');
  const items: ItemRecord[] = [];
  for await (const item of unresolvedItems(tools, id)) {
    if (context.json) items.push(item);
    else printLine(io, itemLine(item));
  }
  if (context.json) printJson(io, { items, total: items.length });
  return EXIT.done;
}

/**
 * Shows the job. With `watch`, first waits until the job is ready or has ended, and the exit code says whether the job failed.
 */
async function follow(context: Context, tools: Tools, id: string, watch: boolean): Promise<ExitCode> {
  const { jobOf } = await import('./jobCalls.ts');
  const ask = () => jobOf(tools, id);
  const job = watch ? await watchJob(context, ask) : await ask();
  const { showJob } = await import('./showJob.ts');
  if (!context.json) await showJob(context, tools, job);
  else if (!watch) printJson(context.io, job);
  return watch && job.status === 'failed' ? EXIT.failed : EXIT.done;
}

async function watchJob(context: Context, ask: () => Promise<JobRecord>): Promise<JobRecord> {
  const { bar, followJob, jsonLines, progressLines } = await import('./followJob.ts');
  const shown = context.io.terminal.stderr ? bar : progressLines;
  return followJob(context, ask, { display: context.json ? jsonLines(context) : shown(context) });
}
