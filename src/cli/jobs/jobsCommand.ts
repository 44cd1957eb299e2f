import { Command, InvalidArgumentError, Option } from 'commander';
import { answering, groupCommand, wholeNumber } from '../command.ts';
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
  const list = answering(context, async (_, own?: JobsOptions) =>
    (await load()).showJobs(context, given(own)),
  );
  const acting = (name: string, tool: string | null) =>
    new Command(name)
      .argument('<job>', JOB_ARGUMENT)
      .action(
        answering(context, async (_, job: string, own: JobsOptions) =>
          (await load()).actOnJob(context, tool, job, given(own)),
        ),
      );
  const group: Command = groupCommand('jobs', 'List, watch, fix, commit, resume or cancel jobs', () => list())
    .option('--watch', 'Show progress until the job is ready or has ended')
    .addHelpText('after', EXAMPLES)
    .addCommand(
      new Command('list')
        .description('List the jobs, newest first')
        .option('--all', 'List all jobs, not only the last 50')
        .action(list),
    )
    .addCommand(
      acting('show', null)
        .description('Show a job and the items that did not resolve')
        .option('--unresolved', 'Show all items that did not resolve, and nothing else'),
    )
    .addCommand(fixCommand(context))
    .addCommand(
      acting('commit', 'commit_job')
        .description('Write the resolved items of a ready job')
        .option('--skip-unresolved', 'Write without the items that did not resolve'),
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
    .addCommand(acting('cancel', 'cancel_job').description('Stop a job before its next write'));
  return group;
}

function fixCommand(context: Context): Command {
  return new Command('fix')
    .description('Choose tracks for the items that did not resolve')
    .argument('<job>', JOB_ARGUMENT)
    .option('--take <number=track>', 'Take this track (ID, URI or link) for the item; repeatable', takes)
    .option('--skip <number>', 'Leave the item out; repeatable', skips)
    .option('--accept-near <score>', 'Take the nearest track if it scores at least this, 0 to 1', score)
    .addHelpText('after', FIX_HELP)
    .action(
      answering(context, async (_, job: string, own: FixOptions) => {
        const { fixJob } = await import('./fixJob.ts');
        return fixJob(context, job, own);
      }),
    );
}

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
