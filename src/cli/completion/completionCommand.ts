import { Argument, Command } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { printBlock, printJson } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import type { CommandTree, KnownValues } from './tree.ts';

const EXAMPLES = `
To load it in every new shell:

  bash  echo 'source <(relay completion bash)' >> ~/.bashrc
        (on macOS: echo 'eval "$(relay completion bash)"' >> ~/.bash_profile)
  zsh   echo 'source <(relay completion zsh)' >> ~/.zshrc
  fish  relay completion fish > ~/.config/fish/completions/relay.fish

Examples:
  $ relay completion bash
  $ source <(relay completion zsh)`;

type Render = (tree: CommandTree) => string;

const SHELLS: Readonly<Record<string, () => Promise<Render>>> = {
  bash: async () => (await import('./bash.ts')).bashCompletion,
  zsh: async () => (await import('./zsh.ts')).zshCompletion,
  fish: async () => (await import('./fish.ts')).fishCompletion,
};

export function completionCommand(context: Context): Command {
  return new Command('completion')
    .helpGroup(HELP_GROUPS.other)
    .description('Print a completion script for your shell')
    .addArgument(new Argument('[shell]', 'Which shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', EXAMPLES)
    .action((shell: string | undefined, _options: object, command: Command) =>
      runCompletion(context, shell, command.parent ?? command),
    );
}

/** The script is made from `program`; what it completes is looked up now and not while completing. */
async function runCompletion(context: Context, shell: string | undefined, program: Command): Promise<void> {
  const load = shell === undefined ? undefined : SHELLS[shell];
  if (!load) {
    throw new RelayError('USAGE', 'Which shell?', {
      remedy: {
        text: `Name one: ${Object.keys(SHELLS).join(', ')}. See {command}.`,
        command: ['completion', '--help'],
      },
    });
  }
  const { commandTree } = await import('./tree.ts');
  const script = (await load())(commandTree(program, await knownValues()));
  if (context.json) printJson(context.io, { shell, script });
  else printBlock(context.io, script);
}

/** Values that an argument can have and commander does not check. They are loaded for completion alone. */
async function knownValues(): Promise<KnownValues> {
  const { CLIENTS } = await import('../../connect/clientTable.ts');
  const { SETTING_KEYS, SETTINGS } = await import('../../config/table.ts');
  const { TOOLS } = await import('../../tools/index.ts');
  const stored = SETTING_KEYS.filter((key) => SETTINGS[key].inFile || key === 'providerClientSecret');
  return {
    'connect <client>': CLIENTS.map(({ id }) => id),
    'config get <key>': SETTING_KEYS,
    'config set <key>': stored,
    'config unset <key>': stored,
    'call <tool>': TOOLS.map(({ name }) => name),
  };
}
