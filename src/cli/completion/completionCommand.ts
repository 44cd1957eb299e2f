import { Argument, Command } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { printBlock, printJson } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import { SCRIPTS } from './scripts.ts';

const EXAMPLES = `
To load it in every new shell:

  bash  echo 'source <(relay completion bash)' >> ~/.bashrc
        (on macOS: echo 'eval "$(relay completion bash)"' >> ~/.bash_profile)
  zsh   echo 'source <(relay completion zsh)' >> ~/.zshrc
  fish  relay completion fish > ~/.config/fish/completions/relay.fish

Examples:
  $ relay completion bash
  $ source <(relay completion zsh)`;

const SHELLS = Object.keys(SCRIPTS);

export function completionCommand(context: Context): Command {
  return new Command('completion')
    .helpGroup(HELP_GROUPS.other)
    .description('Print a completion script for your shell')
    .addArgument(new Argument('[shell]', 'Which shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((shell: string | undefined) => printScript(context, shell));
}

function printScript(context: Context, shell: string | undefined): void {
  const script = shell === undefined ? undefined : SCRIPTS[shell];
  if (script === undefined) {
    throw new RelayError('USAGE', 'No shell was named.', {
      remedy: { text: `Name one: ${SHELLS.join(', ')}. See {command}.`, command: ['completion', '--help'] },
    });
  }
  if (context.json) printJson(context.io, { shell, script });
  else printBlock(context.io, script);
}
