import { type Command, InvalidArgumentError, Option } from 'commander';
import { groupOf, leaf, wholeNumber } from '../command.ts';
import type { Context } from '../context.ts';
import type { FixOptions } from './fixJob.ts';
import type { JobsOptions } from './runJobs.ts';

const EXAMPLES = `
Examples:
  $ relay jobs show 1f0c --watch
  $ relay jobs fix 1f0c
  $ relay jobs commit 1f0c --watch`;

const FIX_HELP = `
On a terminal, relay goes through the items one by one. Elsewhere the options
decide. Each choice is saved at once, and remembered for the next list.

Examples:
  $ relay jobs fix 1f0c
  $ relay jobs fix 1f0c --take 12=4uLU6hMCjMI75M1A2tKUQC --skip 40`;

const JOB_ARGUMENT = 'Job ID, or its first characters';

export function jobsCommand(context: Context): Command {
  const load = () => import('./runJobs.ts');
  const given = (own: JobsOptions = {}): JobsOptions => ({ ...group.opts(), ...own });
  const list = async (_: Context, own?: JobsOptions) => (await load()).showJobs(context, given(own));
  const acting = (name: string, description: string, tool: string | null) => {
    const run = async (_: Context, job: string, own: JobsOptions) =>
      (await load()).actOnJob(context, tool, job, given(own));
    return leaf(context, name, description, run).argument('<job>', JOB_ARGUMENT);
  };
  const fix = async (_: Context, job: string, own: FixOptions) =>
    (await import('./fixJob.ts')).fixJob(context, job, own);
  const review = new Option('--review <way>', REVIEW).choices(['continue', 'keep', 'undo']);
  const commands = [
    leaf(context, 'list', 'List the jobs, newest first', list).option(
      '--all',
      'List all jobs, not only the last 50',
    ),
    acting('show', 'Show a job and the items that did not resolve', null).option(
      '--unresolved',
      'Show all items that did not resolve, and nothing else',
    ),
    leaf(context, 'fix', 'Choose tracks for the items that did not resolve', fix, FIX_HELP)
      .argument('<job>', JOB_ARGUMENT)
      .option('--take <number=track>', 'Take this track (ID, URI or link) for the item; repeatable', takes)
      .option('--skip <number>', 'Leave the item out; repeatable', skips)
      .option('--accept-near <score>', 'Take the nearest track if it scores at least this, 0 to 1', score),
    acting('commit', 'Write the resolved items of a ready job', 'commit_job').option(
      '--skip-unresolved',
      'Write without the items that did not resolve',
    ),
    acting(
      'resume',
      'Resume a waiting or failed job, or search again for unresolved items',
      'resume_job',
    ).addOption(review),
    acting('cancel', 'Stop a job before its next write', 'cancel_job'),
  ];
  const description = 'List, watch, fix, commit, resume or cancel jobs';
  const group: Command = groupOf(context, 'jobs', description, list, commands, EXAMPLES);
  return group.option('--watch', 'Show progress until the job is ready or has ended');
}

const REVIEW =
  'If someone else changed the playlist: continue (it becomes what was asked for), keep (it stays as it is) or undo (it becomes what it was before the job)';

const itemNumber = wholeNumber(1, 999_999);
type Takes = NonNullable<FixOptions['take']>;

function takes(text: string, before: Takes = []): Takes {
  const [, number = '', track] = /^\s*(\d+)\s*=\s*(.+)$/s.exec(text) ?? [];
  if (track) return [...before, { number: itemNumber(number), track }];
  throw new InvalidArgumentError('It must be the number of an item, an equals sign, and a track.');
}

function skips(text: string, before: number[] = []): number[] {
  return [...before, itemNumber(text)];
}

function score(text: string): number {
  const value = Number(text);
  if (/\d/.test(text) && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('It must be a number from 0 to 1.');
}
