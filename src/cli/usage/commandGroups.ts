/** How commands are grouped: under headings in the help, and as subcommands of a parent. */
import { Command } from 'commander';
import { printHelp, unknownCommand } from './help.ts';

/** The headings of `relay --help`, in order. A command names its heading with `helpGroup`. */
export const HELP_GROUPS = {
  server: 'Server:',
  account: 'Spotify account:',
  clients: 'AI clients:',
  lists: 'Lists of songs:',
  tools: 'Tools and jobs:',
  state: 'Settings and state:',
  other: 'Other:',
} as const;

/** Sorts commands by the order of the headings, then by name. */
export function byHelpGroup(one: Command, other: Command): number {
  return headingIndex(one) - headingIndex(other) || (one.name() < other.name() ? -1 : 1);
}

function headingIndex(command: Command): number {
  return Object.values<string>(HELP_GROUPS).indexOf(command.helpGroup());
}

/**
 * Returns a command with subcommands. Without a subcommand it runs `byDefault`. An unknown subcommand is a `USAGE` error with a
 * suggestion.
 */
export function parentCommand(name: string, description: string, byDefault: () => Promise<void>): Command {
  const parent = new Command(name)
    .description(description)
    .usage('[command] [options]')
    .argument('[name...]');
  return parent.action(async (unknown: string[]) => {
    const [first, ...others] = unknown;
    if (first === undefined) return byDefault();
    if (first !== 'help') throw unknownCommand(parent, first);
    printHelp(parent, others);
  });
}
