/** Commands that have commands below them and do the most asked-for one when none is named. */
import { Command } from 'commander';
import { RelayError } from '../domain/errors.ts';

/** The parent: alone it runs `byDefault`; an unknown name below it is a `USAGE` error with a suggestion. */
export function commandGroup(name: string, description: string, byDefault: () => Promise<void>): Command {
  const group = new Command(name).description(description).usage('[command] [options]').argument('[name...]');
  return group.action(async (unknown: string[]) => {
    const [first] = unknown;
    if (first === undefined) return byDefault();
    const { didYouMean } = await import('../config/nearest.ts');
    const names = group.commands.map((command) => command.name());
    const hint = didYouMean(first, names) ?? `It has ${names.join(', ')}.`;
    throw new RelayError('USAGE', `Unknown command "${name} ${first}".`, {
      remedy: { text: `${hint} See {command}.`, command: [name, '--help'] },
    });
  });
}
