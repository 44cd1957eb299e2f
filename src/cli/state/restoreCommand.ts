import { Command } from 'commander';
import type { Restored } from '../../server/restore/restoreState.ts';
import { HELP_GROUPS } from '../commandGroups.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';

export interface RestoreFlags {
  force?: boolean;
}

const EXAMPLES = `
The copy is checked first, and the present state is kept beside the new one.
API key, approvals and a login of the same account stay those of now.
No server may run meanwhile.

Examples:
  $ relay restore ~/relay.backup
  $ relay --home ~/other restore ~/relay.backup`;

export function restoreCommand(context: Context): Command {
  return new Command('restore')
    .helpGroup(HELP_GROUPS.state)
    .description('Put a copy in the place of the state')
    .argument('<file>', 'A file that `relay backup` made')
    .option('--force', 'Restore although the key here does not open the login in it')
    .addHelpText('after', EXAMPLES)
    .action((file: string, flags: RestoreFlags) => runRestore(context, file, flags));
}

/** Runs without a server only, since a running one would overwrite the file with what it has in memory. */
export async function runRestore(
  context: Context,
  file: string,
  { force = false }: RestoreFlags,
): Promise<void> {
  const { clock, random, signal, io } = context;
  const settings = await context.settings();
  const { restoreState } = await import('../../server/restore/restoreState.ts');
  const restored = await restoreState({ settings, file, force, clock, random, signal });
  if (context.json) return printJson(io, restored);
  printLine(io, whatCameBack(restored));
  for (const line of whatFollows(restored)) note(io, line);
}

function whatCameBack({ path, from, savedAt, aliases, jobs }: Restored): string {
  const total = Object.values(jobs).reduce((sum, count) => sum + count, 0);
  const content = `${counted(aliases, 'remembered track')}, ${counted(total, 'job')}`;
  return `Restored ${path} from ${from}, a copy of ${savedAt}: ${content}.`;
}

/** What the person should know or do now, one sentence a line. */
function whatFollows({ keptPath, heldJobs, jobs, keyProblem, kept }: Restored): string[] {
  return [
    ...(keptPath === null ? [] : [`The state of before is kept in ${keptPath}.`]),
    ...(heldJobs === 0 ? [] : [`${heldText(heldJobs)} See: relay jobs`]),
    ...(jobs.ready
      ? [`Before committing ${counted(jobs.ready, 'ready job')}, check that it was not written since.`]
      : []),
    ...whoComesIn(kept),
    ...(keyProblem === null ? [] : [`${keyProblem} Start over with: relay login`]),
    ...(keyProblem === null && kept.login === 'copy'
      ? ['If Spotify refuses the login of the copy: relay login']
      : []),
    'Start the server with: relay serve',
  ];
}

/** Approvals and keys are those of before; a copy never lets in again what was shut out since. */
function whoComesIn({ apiKey, login, approvals }: Restored['kept']): string[] {
  const keys = {
    present: 'The API key is the present one, whatever the copy had.',
    copy: 'The API key is that of the copy. If you rotated it since, rotate it again: relay key rotate',
    new: 'The next start makes a new API key. See it with: relay key',
  };
  return [
    keys[apiKey],
    ...(login === 'present' ? ['The login to Spotify is the present one.'] : []),
    approvals === 0
      ? 'MCP clients that signed in have to do so again, and browsers need the owner code again.'
      : `${counted(approvals, 'approval')} of MCP clients ${approvals === 1 ? 'goes' : 'go'} on. Browsers need the owner code again.`,
  ];
}

function heldText(count: number): string {
  const were = count === 1 ? '1 job was' : `${count} jobs were`;
  return `${were} being written when the copy was made and may have gone on since: nothing is written before you resume.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
