import { Command } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import { answering } from '../command.ts';
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
  return new Command('uninstall')
    .description('Remove everything that relay put on this computer')
    .option('--yes', 'Do not ask; needed without a terminal')
    .addHelpText('after', EXPLANATION)
    .action(
      answering(context, async (_, { yes = false }: { yes?: boolean }) => {
        if (!yes && !canAsk(context)) {
          throw new RelayError('USAGE', 'Without a terminal, relay cannot ask what to remove.', {
            remedy: { text: 'To remove everything: {command}', command: ['uninstall', '--yes'] },
          });
        }
        const { runUninstall } = await import('./runUninstall.ts');
        return runUninstall(context, yes);
      }),
    );
}
