import type { Command } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import { leaf } from '../command.ts';
import type { Context } from '../context.ts';
import { canAsk } from '../terminal/prompt.ts';

const EXPLANATION = `
Removes the service, relay's entries in the files of AI clients with the backups
of these files, its skills, the state with login, settings and jobs, and its key
in the keychain. relay shows what it found and asks once. Stop the server first.
The program itself stays. With --demo, only the demo's data and entries go.

Examples:
  $ relay uninstall
  $ relay uninstall --yes`;

export function uninstallCommand(context: Context): Command {
  const description = 'Remove everything that relay put on this computer';
  const run = async (_: Context, { yes = false }: { yes?: boolean }) => {
    if (!yes && !canAsk(context)) {
      throw new RelayError('USAGE', 'Without a terminal, relay cannot ask what to remove.', {
        remedy: { text: 'To remove everything: {command}', command: ['uninstall', '--yes'] },
      });
    }
    return (await import('./runUninstall.ts')).runUninstall(context, yes);
  };
  return leaf(context, 'uninstall', description, run, EXPLANATION).option(
    '--yes',
    'Do not ask; needed without a terminal',
  );
}
