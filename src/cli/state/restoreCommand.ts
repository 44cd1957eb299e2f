import { join } from 'node:path';
import { Command } from 'commander';
import { counted } from '../../base/lists.ts';
import type { Restored } from '../../server/restore/restoreState.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import { commandLine } from '../usage/commandLine.ts';

interface RestoreFlags {
  force?: boolean;
  yes?: boolean;
}

const EXAMPLES = `
Stop the server first. The copy is checked, and the current state is kept beside
the new one. The current API key and the login of the same account stay; clients
ask for approval again.

Examples:
  $ relay restore ~/relay.backup
  $ relay --home ~/other restore ~/relay.backup`;

export function restoreCommand(context: Context): Command {
  return new Command('restore')
    .helpGroup(HELP_GROUPS.state)
    .description('Replace the state with a copy')
    .argument('<file>', 'A file that `relay backup` made')
    .option('--force', 'Restore even if the key here cannot decrypt the login in the copy')
    .option('--yes', 'Replace the current state without asking')
    .addHelpText('after', EXAMPLES)
    .action((file: string, flags: RestoreFlags) => runRestore(context, file, flags));
}

/** Restores a copy, but not while a server runs: the server would overwrite the file from its memory. */
async function runRestore(
  context: Context,
  file: string,
  { force = false, yes = false }: RestoreFlags,
): Promise<void> {
  const { clock, random, signal, io } = context;
  const settings = await context.settings();
  if (!yes) await confirmReplacing(context, settings.home, file);
  const { restoreState } = await import('../../server/restore/restoreState.ts');
  const restored = await restoreState({ settings, file, force, clock, random, signal });
  if (context.json) return printJson(io, restored);
  printLine(io, whatCameBack(restored));
  const command = (...words: string[]) => commandLine(context, ...words);
  for (const line of whatFollows(restored, command)) note(io, line);
}

/** Asks a person at a terminal before a state is replaced. Scripts are not asked. */
async function confirmReplacing({ io, signal }: Context, home: string, file: string): Promise<void> {
  const { stat } = await import('node:fs/promises');
  const current = await stat(join(home, 'relay.db')).catch(() => null);
  if (!current || !io.terminal.stdin || !io.terminal.stderr) return;
  note(io, `The state in ${home}, last saved ${current.mtime.toISOString()}, will be replaced by ${file}.`);
  note(
    io,
    'Its jobs, kept playlists, remembered tracks and remembered browsers will be gone. If the copy has playlist versions and plays, they replace those here. What is replaced is kept beside the new files.',
  );
  const { requireYes } = await import('../terminal/prompt.ts');
  await requireYes(io, 'Restore?', signal);
}

function whatCameBack({ path, from, savedAt, aliases, jobs, keptPlaylists, memory }: Restored): string {
  const total = Object.values(jobs).reduce((sum, count) => sum + count, 0);
  const follows = keptPlaylists > 0 ? `, ${counted(keptPlaylists, 'kept playlist')}` : '';
  const { versions, plays } = memory;
  const kept = [
    versions === undefined ? '' : `, ${counted(versions, 'playlist version')}`,
    plays === undefined ? '' : `, ${counted(plays, 'play')}`,
  ].join('');
  const content = `${counted(aliases, 'remembered track')}, ${counted(total, 'job')}${follows}${kept}`;
  return `Restored ${path} from ${from}, a copy made at ${savedAt}: ${content}.`;
}

/** Makes a command line for the home that the person named. */
type ToCommand = (...words: string[]) => string;

/** Says what the person should know or do now, one line each. */
function whatFollows(
  { keptPath, keptBeside, heldJobs, jobs, keyProblem, kept }: Restored,
  command: ToCommand,
): string[] {
  return [
    ...(keptPath === null ? [] : [`The previous state is kept in ${keptPath}.`]),
    ...keptBeside.map(
      ({ path, holds, keptPath }) =>
        `The previous ${holds} are kept in ${keptPath}. To bring them back, stop the server, and move this file to ${path}.`,
    ),
    ...(heldJobs === 0 ? [] : [`${heldText(heldJobs)} See: ${command('jobs')}`]),
    ...(jobs.ready
      ? [
          `Before you commit ${counted(jobs.ready, 'ready job')}, check that the songs are not in the playlists already.`,
        ]
      : []),
    ...whoComesIn(kept, keyProblem === null, command),
    ...(keyProblem === null ? [] : [`${keyProblem} Start over with: ${command('login')}`]),
    ...(keyProblem === null && kept.login === 'copy'
      ? [`If Spotify refuses the login from the copy: ${command('login')}`]
      : []),
    `Start the server with: ${command('serve')}`,
  ];
}

/** Says who has access now. */
function whoComesIn({ apiKey, login }: Restored['kept'], canOpen: boolean, command: ToCommand): string[] {
  const keys = {
    present: 'The current API key stays valid.',
    copy: canOpen
      ? `The API key comes from the copy. If you rotated it since then, do so again: ${command('key', 'rotate')}`
      : `The API key in the copy cannot be decrypted either. After you start over, there is a new one: ${command('key')}`,
    new: `The next start makes a new API key. See it with: ${command('key')}`,
  };
  return [
    keys[apiKey],
    ...(login === 'present' ? ['The current Spotify login stays.'] : []),
    'MCP clients must be approved again, and browsers need the owner code again.',
  ];
}

function heldText(count: number): string {
  const were = count === 1 ? '1 job was' : `${count} jobs were`;
  return `${were} being written when the copy was made, and may have continued since. Nothing is written until you resume.`;
}
