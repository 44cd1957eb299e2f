import { join } from 'node:path';
import { Command } from 'commander';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, type Finish } from '../exit.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import { commandLine } from '../usage/commandLine.ts';
import type { Part } from './uninstallParts.ts';

const EXPLANATION = `
Removes everything that relay put on this computer: the service, its entries in
the files of AI clients and its skills, the completion, the state with login,
settings and jobs, and the key in the keychain. relay asks before it removes
each of them. Stop the server first (relay stop). The program itself stays:
remove it as you installed it. A skill in a directory of your own stays too:
remove it with relay connect. With --demo, relay removes only the demo's data
and the demo's entries in clients.

Examples:
  $ relay uninstall
  $ relay uninstall --yes`;

export function uninstallCommand(context: Context, finish: Finish): Command {
  return new Command('uninstall')
    .helpGroup(HELP_GROUPS.state)
    .description('Remove the service, client entries, skills, completion, state and key')
    .option('--yes', 'Remove everything without asking; needed without a terminal')
    .addHelpText('after', EXPLANATION)
    .action(async ({ yes = false }: { yes?: boolean }) => finish(await runUninstall(context, yes)));
}

async function runUninstall(context: Context, yes: boolean): Promise<ExitCode> {
  const { io, json, signal } = context;
  if (!yes && !(io.terminal.stdin && io.terminal.stderr)) {
    throw new RelayError('USAGE', 'Without a terminal, relay cannot ask what to remove.', {
      remedy: { text: 'To remove everything: {command}', command: ['uninstall', '--yes'] },
    });
  }
  await refuseRunning(context);
  const { findParts, removeUnpacked } = await import('./uninstallParts.ts');
  const { openDialogue } = await import('../terminal/prompt.ts');
  const { parts, notes, unchecked } = await findParts(context);
  if (context.demo && parts.length > 0) note(io, "This removes the demo's data only.");
  for (const line of notes) note(io, line);
  const removed: Part[] = [];
  const kept: Part[] = [];
  const left: string[] = [];
  const failed = [...unchecked];
  for (const line of unchecked) {
    note(io, line);
    note(
      io,
      `To remove relay from them, correct this, then run \`${commandLine(context, 'uninstall')}\` again.`,
    );
  }
  // Accessing stdin starts reading it, so the dialogue is opened only if there are questions.
  const questions = yes ? null : openDialogue(io, signal);
  for (const part of parts) {
    signal.throwIfAborted();
    if (part.name === 'key' && !removed.some(({ name }) => name === 'state')) {
      if (!kept.some(({ name }) => name === 'key')) note(io, KEY_STAYS);
      kept.push(part);
      continue;
    }
    if (questions !== null && !(await questions.confirm(`Remove ${part.what}?`, false))) {
      kept.push(part);
      continue;
    }
    try {
      await part.remove(left);
      removed.push(part);
      if (!json) printLine(io, `Removed ${part.what}.`);
    } catch (error) {
      signal.throwIfAborted();
      const reason = reasonOf(error, part);
      failed.push(reason);
      note(io, reason);
    }
  }
  questions?.close();
  if (!context.demo && removed.some(({ name }) => name === 'state')) await removeUnpacked();
  const { program } = await context.machine();
  if (json) printJson(io, { removed: removed.map(shown), kept: kept.map(shown), left, failed, program });
  else sayWhatStays(context, { nothing: parts.length === 0, left, program });
  return failed.length === 0 ? EXIT.done : EXIT.failed;
}

/** Says why a part stays. A startup file of a shell, for example, may be on a read-only disk. Throws any other error. */
function reasonOf(error: unknown, { what }: Part): string {
  if (error instanceof RelayError) return error.message;
  if (systemCodeOf(error) === undefined) throw error;
  return `Could not remove ${what}: ${messageOf(error)}.`;
}

function shown({ name, what }: Part) {
  return { part: name, what };
}

/** Without its key, the secrets in a state cannot be decrypted. */
const KEY_STAYS = 'The key stays in the keychain too, since the state needs it.';

/** Refuses while a server runs, since it would write the state again. */
async function refuseRunning(context: Context): Promise<void> {
  const { inspectSettings } = await import('../../config/settings.ts');
  const { runningDemo, runningServer } = await import('../findServer.ts');
  const { settings } = inspectSettings(context.loadOptions());
  const [own, demo] = await Promise.all([runningServer(settings.home), runningDemo(settings)]);
  const server = own ?? demo;
  if (server === null) return;
  const { lockPath, readHolder, startedBy } = await import('../../store/home/lockFile.ts');
  const holder = await readHolder(lockPath(own ? settings.home : join(settings.home, 'demo'))).catch(
    () => null,
  );
  const running = `A server is running (pid ${server.pid}).${startedBy(holder)}`;
  throw new RelayError('ALREADY_RUNNING', `${running} Nothing was removed.`, {
    remedy: { text: 'Stop it with {command}, then try again.', command: ['stop'] },
    details: { pid: server.pid, baseUrl: server.baseUrl },
  });
}

interface Rest {
  nothing: boolean;
  left: readonly string[];
  program: readonly string[];
}

function sayWhatStays(context: Context, { nothing, left, program }: Rest): void {
  const { io } = context;
  if (nothing) printLine(io, `There is nothing to remove for ${commandLine(context)}.`);
  for (const path of left) note(io, `Kept, because relay did not create it: ${path}`);
  if (context.demo) return;
  note(io, `The program stays: ${program.join(' ')}`);
  note(io, "To end relay's access at Spotify too: https://www.spotify.com/account/apps/");
}
