/**
 * Suggests what can follow the words of a command line. The suggestions come from commander's definitions, so new commands
 * complete without further work.
 */
import type { Argument, Command, Option } from 'commander';

/** The first word of the hidden command that completion scripts call, as `relay __complete WORD…`. */
export const COMPLETE = '__complete';

/**
 * Returns the lines that a completion script reads. Each is a suggestion, followed by a space and its description if there is
 * one. If a file comes next, the only line is `:files`.
 * @param words all words after the program's name. The last word is to be completed: shells drop suggestions that do not begin
 * with it
 */
export async function completionLines(program: Command, words: readonly string[]): Promise<string[]> {
  let command = program;
  let option: Option | undefined;
  let count = 0;
  for (const word of words.slice(0, -1)) {
    const child = count === 0 ? visibleCommands(command).find((one) => one.name() === word) : undefined;
    if (option) option = undefined;
    else if (word.startsWith('-')) option = optionsOf(program, command).find((one) => takesValue(one, word));
    else if (child) command = child;
    else count += 1;
  }
  if (option) return valuesOf(option);
  if (words.at(-1)?.startsWith('-')) {
    return optionsOf(program, command).flatMap(({ short, long, description }) =>
      [short, long].flatMap((name) => (name ? [`${name} ${description}`] : [])),
    );
  }
  const nested = visibleCommands(command);
  if (nested.length > 0) return count > 0 ? [] : nested.map((one) => `${one.name()} ${one.description()}`);
  const argument = command.registeredArguments[count];
  return argument ? ((await KNOWN[`${command.name()} ${argument.name()}`]?.()) ?? valuesOf(argument)) : [];
}

function visibleCommands(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

/** The program's own options are valid after every command. */
function optionsOf(program: Command, command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command === program ? own : [...own, ...program.options];
}

function takesValue({ short, long, required }: Option, name: string): boolean {
  return required && (name === short || name === long);
}

function valuesOf(place: Option | Argument): string[] {
  const placeholder = 'flags' in place ? place.flags : place.name();
  return /\b(?:file|dir)\b/.test(placeholder) ? [':files'] : [...(place.argChoices ?? [])];
}

/** Suggestions for arguments that declare no choices. Each function loads its list only when it is called. */
const KNOWN: Readonly<Record<string, () => Promise<string[]>>> = {
  'connect client': async () => (await import('../../connect/clientTable.ts')).CLIENTS.map(({ id }) => id),
  'call tool': toolNames,
  'tools tool': toolNames,
  'set key': settingKeys,
  'unset key': settingKeys,
};

async function toolNames(): Promise<string[]> {
  return (await import('../../tools/index.ts')).ALL_TOOLS.map(({ name }) => name);
}

async function settingKeys(): Promise<string[]> {
  const { SETTING_KEYS, SETTINGS } = await import('../../config/table.ts');
  return SETTING_KEYS.filter((key) => SETTINGS[key].inFile);
}
