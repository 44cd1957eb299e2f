/** `relay help COMMAND`, and `relay COMMAND help` for a command with subcommands. */
import { Command } from 'commander';
import { nearestNames } from '../../base/nearest.ts';
import { RelayError } from '../../domain/errors.ts';

/**
 * Returns the command `relay help`. Commander's own would print the whole help for an unknown name, without saying that the
 * name is unknown.
 */
export function helpCommand(program: Command): Command {
  return new Command('help')
    .description('Print help for a command')
    .argument('[command...]', 'Name of the command, and of its subcommand')
    .addHelpText('after', '\nExamples:\n  $ relay help jobs\n  $ relay help jobs show')
    .action((names: string[]) => printHelp(program, names));
}

/**
 * Prints the help of the command that `names` name, starting below `from`. Words after a command without subcommands may be its
 * arguments, so they are ignored.
 * @throws RelayError `USAGE` for an unknown name
 */
export function printHelp(from: Command, names: readonly string[]): void {
  const [first, ...others] = names;
  if (first === undefined || from.commands.length === 0) {
    from.outputHelp();
    return;
  }
  const next = from.commands.find((command) => command.name() === first);
  if (!next) throw unknownCommand(from, first);
  printHelp(next, others);
}

/** The names that other programs give to commands of relay, and the name that relay gives. */
export const CALLED_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['doctor', 'status'],
  ['setup', 'login'],
  ['init', 'login'],
  ['auth', 'login'],
  ['start', 'serve'],
  ['run', 'serve'],
]);

/** Makes the error for a command that `parent` does not have, with suggestions. */
export function unknownCommand(parent: Command, name: string): RelayError {
  const path = parent.parent === null ? [] : [parent.name()];
  const names = parent.commands.map((command) => command.name());
  const elsewhere = parent.parent === null ? CALLED_ELSEWHERE.get(name) : undefined;
  const meant = elsewhere === undefined ? nearestNames(name, names) : [elsewhere];
  const near = meant.map((candidate) => `"${candidate}"`);
  const all = path.length === 0 ? '' : `It has ${names.join(', ')}. `;
  const hint = near.length === 0 ? all : `Did you mean ${near.join(' or ')}? `;
  return new RelayError('USAGE', `Unknown command "${[...path, name].join(' ')}".`, {
    remedy: { text: `${hint}See {command}.`, command: [...path, '--help'] },
  });
}
