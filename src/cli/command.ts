/** How a command is made: what it gives back, its place in the help, and the kinds of options that several commands have. */
import { Command, InvalidArgumentError } from 'commander';
import { didYouMean } from '../base/nearest.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit.ts';
import { note, printJson, printLine } from './terminal/output.ts';
import { printTable, type Table } from './terminal/table.ts';

/** What a command gives back. With `--json` the program prints `value`, else `text` on stdout and `notes` on stderr. */
export interface Result {
  value: unknown;
  /** A function if making the text asks the server something more. */
  text?: Text | (() => Promise<Text>);
  notes?: readonly string[];
  exit?: ExitCode | undefined;
}

/** Lines and tables, in order. */
export type Text = ReadonlyArray<string | Table>;

/** A command that returns nothing has printed everything itself. */
type Run<A extends unknown[]> = (context: Context, ...args: A) => Promise<Result | undefined>;

/** Makes a command, whose action runs `run` with its arguments and options and prints the result. */
export function leaf<A extends unknown[]>(
  context: Context,
  name: string,
  description: string,
  run: Run<A>,
  help = '',
): Command {
  return new Command(name)
    .description(description)
    .addHelpText('after', help)
    .action(answering(context, run));
}

function answering<A extends unknown[]>(context: Context, run: Run<A>): (...args: A) => Promise<void> {
  return async (...args) => {
    const result = await run(context, ...args);
    if (result) await printResult(context, result);
  };
}

async function printResult(context: Context, { value, text = [], notes = [], exit }: Result) {
  const { io } = context;
  if (exit !== undefined) context.exitCode = exit;
  if (context.json) return printJson(io, value);
  for (const part of typeof text === 'function' ? await text() : text) {
    if (typeof part === 'string') printLine(io, part);
    else printTable(io, part);
  }
  for (const line of notes) note(io, line);
}

/** Makes a command with subcommands, which runs `run` without one. */
export function groupOf(
  context: Context,
  name: string,
  description: string,
  run: Run<[]>,
  commands: readonly Command[],
  help = '',
): Command {
  const group = groupCommand(name, description, answering(context, run)).addHelpText('after', help);
  for (const command of commands) group.addCommand(command);
  return group;
}

/** Makes a command for subcommands. Commander itself would take a wrong name of one for an argument of the command. */
export function groupCommand(
  name: string,
  description: string,
  byDefault: () => Promise<void> | void,
): Command {
  const group = new Command(name)
    .description(description)
    .usage(name === 'relay' ? 'COMMAND [options]' : '[command] [options]')
    .allowExcessArguments();
  return group.action(async () => {
    const [word, ...more] = group.args;
    if (word === undefined) return byDefault();
    if (word === 'help') return helpOf(group, more);
    unknownCommand(group, word);
  });
}

function helpOf(group: Command, [name, ...more]: readonly string[]): void {
  const next = group.commands.find((command) => command.name() === name);
  if (next) helpOf(next, more);
  else if (name === undefined || group.commands.length === 0) group.outputHelp();
  else unknownCommand(group, name);
}

function unknownCommand(group: Command, word: string): never {
  const names = group.commands.map((command) => command.name());
  const meant = didYouMean(word, names) ?? (group.parent ? `It has ${names.join(', ')}.` : undefined);
  const hint = meant === undefined ? '' : `\n(${meant})`;
  return group.error(`error: unknown command "${word}"${hint}`, { code: 'commander.unknownCommand' });
}

/** The names of a command and its parents, without the program's own: `['jobs', 'show']`. */
export function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/**
 * Returns a parser for an option that takes a whole number.
 * @param which completes "It must be a whole number …", for a range that needs a unit or a thousands separator
 */
export function wholeNumber(min: number, max: number, which = `from ${min} to ${max}`) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number ${which}.`);
  };
}

/** Refuses an empty value, which comes from a variable that a script did not set. */
export function notEmpty(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}
