import { Command } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import { answering, type Result } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { note } from '../terminal/output.ts';
import { canAsk, requireYes } from '../terminal/prompt.ts';

const EXPLANATION = `
Removes the service, relay's entries in the files of AI clients with the backups
of these files, its skills, the state with login, settings and jobs, and its key
in the keychain. relay shows what it found and asks once. Stop the server first.
The program itself stays. With --demo, only the demo's data and entries go.

Examples:
  $ relay uninstall
  $ relay uninstall --yes`;

export function uninstallCommand(context: Context): Command {
  return new Command('uninstall')
    .description('Remove everything that relay put on this computer')
    .option('--yes', 'Do not ask; needed without a terminal')
    .addHelpText('after', EXPLANATION)
    .action(answering(context, ({ yes = false }: { yes?: boolean }) => runUninstall(context, yes)));
}

async function runUninstall(context: Context, yes: boolean): Promise<Result> {
  const { io, signal } = context;
  if (!yes && !canAsk(context)) {
    throw new RelayError('USAGE', 'Without a terminal, relay cannot ask what to remove.', {
      remedy: { text: 'To remove everything: {command}', command: ['uninstall', '--yes'] },
    });
  }
  const { findParts, refuseRunning, removeUnpacked } = await import('./uninstallParts.ts');
  await refuseRunning(context);
  const { parts, stays } = await findParts(context);
  if (!yes && parts.length > 0) {
    note(io, 'This will be removed:');
    for (const { what } of parts) note(io, `  ${what}`);
    for (const line of stays) note(io, line);
    await requireYes(io, 'Remove all of it?', signal);
  }
  const removed: Array<{ part: string; what: string }> = [];
  const left: string[] = [];
  const failed: string[] = [];
  for (const { name, what, remove } of parts) {
    signal.throwIfAborted();
    // Without its key, a state that is still there could not be read.
    if (name === 'key' && !removed.some(({ part }) => part === 'state')) continue;
    try {
      const rest = await remove();
      if (Array.isArray(rest)) left.push(...rest);
      removed.push({ part: name, what });
    } catch (error) {
      signal.throwIfAborted();
      failed.push(`Could not remove ${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (!context.demo && removed.some(({ part }) => part === 'state')) await removeUnpacked();
  const { program } = await context.machine();
  return {
    value: { removed, left, stays, failed, program },
    text:
      removed.length === 0 ? ['There is nothing to remove.'] : removed.map(({ what }) => `Removed: ${what}`),
    notes: [
      ...failed,
      ...(yes ? stays : []),
      ...left.map((path) => `Kept, because relay did not create it: ${path}`),
      ...(context.demo
        ? []
        : [
            `The program stays: ${program.join(' ')}`,
            'If you added `relay completion` to a startup file of your shell, remove that line.',
            "To end relay's access at Spotify too: https://www.spotify.com/account/apps/",
          ]),
    ],
    exit: failed.length === 0 ? EXIT.done : EXIT.failed,
  };
}
