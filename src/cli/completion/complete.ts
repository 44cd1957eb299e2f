/**
 * Suggests what can follow the words of a command line. The suggestions come from commander's definitions, so new commands
 * complete without further work.
 */
import type { Command, Option } from 'commander';

/** The first word of the hidden command that completion scripts call, as `relay __complete WORD…`. */
export const COMPLETE = '__complete';

/** The place in the command tree to which the words so far lead. */
interface Place {
  command: Command;
  /** The option whose value comes next. */
  option: Option | null;
  /** Number of arguments that the command already has. */
  count: number;
  /** True if a `--` has ended the options. */
  rest: boolean;
}

/**
 * Returns the lines that a completion script reads. Each line is a suggestion, followed by a space and its description if there
 * is one. If a file or a directory comes next, the only line is `:files` or `:folders`.
 * @param words all words after the program's name. The last word is to be completed: shells drop suggestions that do not begin
 * with it
 */
export async function completionLines(program: Command, words: readonly string[]): Promise<string[]> {
  const { command, option, count, rest } = placeAfter(program, words.slice(0, -1));
  const last = words.at(-1) ?? '';
  if (option) return valuesOf(command, option.argChoices, placeholderOf(option));
  if (!rest && last.startsWith('-')) {
    const assigned = optionNamed(command, last.split('=')[0] ?? '');
    if (last.includes('=') && assigned)
      return valuesOf(command, assigned.argChoices, placeholderOf(assigned));
    return optionsOf(command).flatMap(({ short, long, description }) =>
      [short, long].flatMap((name) => (name === undefined ? [] : [`${name} ${description}`])),
    );
  }
  const nested = command.createHelp().visibleCommands(command);
  if (nested.length > 0) {
    return count > 0 ? [] : nested.map((child) => `${child.name()} ${child.description()}`);
  }
  const declared = command.registeredArguments;
  const argument = declared[count] ?? declared.filter(({ variadic }) => variadic).at(-1);
  return argument ? valuesOf(command, argument.argChoices, argument.name()) : [];
}

function placeAfter(program: Command, words: readonly string[]): Place {
  const place: Place = { command: program, option: null, count: 0, rest: false };
  for (const word of words) {
    const { command, option, count, rest } = place;
    const child = command
      .createHelp()
      .visibleCommands(command)
      .find((one) => one.name() === word);
    if (option) place.option = null;
    else if (rest) place.count += 1;
    else if (word === '--') place.rest = true;
    else if (word.startsWith('-')) place.option = valued(optionNamed(command, word));
    else if (child && count === 0) place.command = child;
    else place.count += 1;
  }
  return place;
}

/** The program's own options are valid after every command. */
function optionsOf(command: Command): Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

function optionNamed(command: Command, name: string): Option | null {
  return optionsOf(command).find(({ short, long }) => name === short || name === long) ?? null;
}

function valued(option: Option | null): Option | null {
  return option && placeholderOf(option) !== '' ? option : null;
}

/** Returns the `file` of `--output <file>`; empty for an option that takes no value. */
function placeholderOf({ flags }: Option): string {
  return /[<[]([\w-]+)/.exec(flags)?.[1] ?? '';
}

async function valuesOf(
  command: Command,
  choices: readonly string[] | undefined,
  placeholder: string,
): Promise<string[]> {
  if (placeholder === 'file') return [':files'];
  if (placeholder === 'dir') return [':folders'];
  const known = KNOWN[`${pathOf(command)} <${placeholder}>`];
  return [...(choices ?? (await known?.(command)) ?? [])];
}

/** Returns the names of a command and its parents, without the program's, such as `config get`. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? '' : `${pathOf(parent)} ${command.name()}`.trim();
}

/**
 * Suggestions for arguments that declare no choices, by command and argument. Each function loads its list only when it is
 * called.
 */
const KNOWN: Readonly<Record<string, (command: Command) => Promise<readonly string[]>>> = {
  'help <command>': async ({ parent }) =>
    (parent?.commands ?? []).map((one) => one.name()).filter((name) => name !== 'help'),
  'connect <client>': async () => (await import('../../connect/clientTable.ts')).CLIENTS.map(({ id }) => id),
  'call <tool>': async () => (await import('../../tools/index.ts')).TOOLS.map(({ name }) => name),
  'config get <key>': async () => (await import('../../config/table.ts')).SETTING_KEYS,
  'config set <key>': storedKeys,
  'config unset <key>': storedKeys,
};

async function storedKeys(): Promise<string[]> {
  const { SETTING_KEYS, SETTINGS } = await import('../../config/table.ts');
  return SETTING_KEYS.filter((key) => SETTINGS[key].inFile || key === 'providerClientSecret');
}
