import { join } from 'node:path';
import { Command } from 'commander';
import { counted } from '../../base/lists.ts';
import type { Restored } from '../../server/restore/restoreState.ts';
import { answering, type Result } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/output.ts';
import { requireYes } from '../terminal/prompt.ts';
import { timeText } from '../terminal/time.ts';

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
    .description('Replace the state with a copy')
    .argument('<file>', 'A file that `relay backup` made')
    .option('--force', 'Restore even if the key here cannot decrypt the login in the copy')
    .option('--yes', 'Replace the current state without asking')
    .addHelpText('after', EXAMPLES)
    .action(answering(context, (file: string, flags: RestoreFlags) => runRestore(context, file, flags)));
}

/** Restores a copy, but not while a server runs: the server would overwrite the file from its memory. */
async function runRestore(
  context: Context,
  file: string,
  { force = false, yes = false }: RestoreFlags,
): Promise<Result> {
  const { clock, random, signal } = context;
  const settings = await context.settings();
  if (!yes) await confirmReplacing(context, settings.home, file);
  const { restoreState } = await import('../../server/restore/restoreState.ts');
  const restored = await restoreState({ settings, file, force, clock, random, signal });
  return {
    value: restored,
    text: [whatCameBack(restored, clock.now())],
    notes: whatFollows(restored, (...words) => commandLine(context, ...words)),
  };
}

/** Asks a person at a terminal before a state is replaced. Scripts are not asked. */
async function confirmReplacing({ io, signal, clock }: Context, home: string, file: string): Promise<void> {
  const { stat } = await import('node:fs/promises');
  const current = await stat(join(home, 'relay.db')).catch(() => null);
  if (!current || !io.terminal.stdin || !io.terminal.stderr) return;
  const saved = timeText(current.mtime.toISOString(), clock.now());
  note(
    io,
    `The state in ${home}, last saved ${saved}, will be replaced by ${file}: its jobs, kept playlists,`,
  );
  note(io, 'remembered tracks and approvals will be gone. What is replaced is kept beside the new files.');
  await requireYes(io, 'Restore?', signal);
}

function whatCameBack(
  { path, from, savedAt, aliases, jobs, keptPlaylists, memory }: Restored,
  now: number,
): string {
  const total = Object.values(jobs).reduce((sum, count) => sum + count, 0);
  const content = [
    counted(aliases, 'remembered track'),
    counted(total, 'job'),
    keptPlaylists > 0 && counted(keptPlaylists, 'kept playlist'),
    memory.versions !== undefined && counted(memory.versions, 'playlist version'),
    memory.plays !== undefined && counted(memory.plays, 'play'),
  ];
  const made = savedAt === null ? '' : `, a copy made ${timeText(savedAt, now)}`;
  return `Restored ${path} from ${from}${made}: ${content.filter(Boolean).join(', ')}.`;
}

/** Says what the person should know or do now, one line each. */
function whatFollows(
  { keptPath, keptBeside, heldJobs, jobs, keyProblem, kept }: Restored,
  command: (...words: string[]) => string,
): string[] {
  const keys = {
    present: 'The current API key stays valid.',
    copy: `The API key comes from the copy. If you rotated it since then, do so again: ${command('key', 'rotate')}`,
    new: `The next start makes a new API key. See it with: ${command('key')}`,
  };
  return [
    ...(keptPath === null ? [] : [`The previous state is kept in ${keptPath}.`]),
    ...keptBeside.map(({ holds, keptPath }) => `The previous ${holds} are kept in ${keptPath}.`),
    ...(heldJobs === 0
      ? []
      : [
          `${counted(heldJobs, 'job')} may have continued since the copy, and wait for you: ${command('jobs')}`,
        ]),
    ...(jobs.ready
      ? [`Before you commit ${counted(jobs.ready, 'ready job')}, check that the songs are not there already.`]
      : []),
    keyProblem === null ? keys[kept.apiKey] : `${keyProblem} Start over with: ${command('login')}`,
    ...(kept.login === 'present' ? ['The current Spotify login stays.'] : []),
    ...(keyProblem === null && kept.login === 'copy'
      ? [`If Spotify refuses the login from the copy: ${command('login')}`]
      : []),
    'MCP clients must be approved again, and browsers need the owner code again.',
    `Start the server with: ${command('serve')}`,
  ];
}
