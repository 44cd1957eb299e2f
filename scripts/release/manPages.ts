/**
 * The manual: one page for the program and one for each command, from the help of the commands and the tables of settings, files
 * and exit codes. man(7), man-pages(7)
 */
import type { Command } from 'commander';
import { EXIT, EXIT_MEANINGS } from '../../src/cli/exit.ts';
import { SETTING_KEYS, SETTINGS } from '../../src/config/table.ts';
import { HOME_FILES } from '../../src/store/home/home.ts';
import { SOURCE_DATE } from '../package/sourceDate.ts';
import { PRODUCT } from './description.ts';
import { commandTree, textAfterHelp } from './helpTree.ts';

/** Pages by the names of their files: `relay.1`, `relay-serve.1`. */
export function manPages(): Record<string, string> {
  const program = commandTree();
  const commands = program.commands.filter((command) => command.name() !== 'help');
  const pages = commands.map((command) => [`relay-${command.name()}.1`, commandPage(command, program)]);
  return { 'relay.1': programPage(program, commands), ...Object.fromEntries(pages) };
}

function programPage(program: Command, commands: readonly Command[]): string {
  return page('relay', program.description(), [
    ['SYNOPSIS', '.B relay\n[\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]'],
    ['DESCRIPTION', PRODUCT.longDescription.map(roff).join('\n.PP\n')],
    ['OPTIONS', terms(optionRows(program))],
    ['COMMANDS', terms(commands.map((command) => [`relay-${command.name()}(1)`, command.description()]))],
    ['ENVIRONMENT', `${ABOUT_SETTINGS}\n${terms(settingRows())}`],
    ['FILES', terms(fileRows())],
    ['EXIT STATUS', terms(exitRows())],
    ['EXAMPLES', literal(textAfterHelp(program).replace(/^Examples:\n/, ''))],
  ]);
}

function commandPage(command: Command, program: Command): string {
  const name = `relay ${command.name()}`;
  const nested = command.commands.filter((one) => one.name() !== 'help');
  return page(`relay-${command.name()}`, command.description(), [
    ['SYNOPSIS', `.B ${name}\n${roff(command.usage())}`],
    ['DESCRIPTION', `${roff(command.description())}.`],
    ['ARGUMENTS', terms(argumentRows(command))],
    ['COMMANDS', nested.map((one) => nestedCommand(name, one)).join('\n')],
    [
      'OPTIONS',
      terms([...optionRows(command), ...optionRows(program).filter(([term]) => /--(home|json)/.test(term))]),
    ],
    ['ENVIRONMENT', terms(settingRows(flagsOf(command)))],
    ['EXIT STATUS', terms(exitRows())],
    ['NOTES', literal(textAfterHelp(command))],
    ['SEE ALSO', '.BR relay (1)\nfor all environment variables and files'],
  ]);
}

const ABOUT_SETTINGS = marked(
  'A flag overrides the environment, the environment overrides `config.json`, and both override the default. An empty variable counts as not set.',
);

/** Returns the settings that have one of the flags; without `flags`, all settings. */
function settingRows(flags?: readonly string[]): Row[] {
  return SETTING_KEYS.map((key) => ({ key, ...SETTINGS[key] }))
    .filter(({ flag }) => flags === undefined || (flag !== null && flags.includes(flag)))
    .map(({ key, env, flag, inFile, fallbackText, meaning }) => {
      const places = [
        ...(flag === null ? [] : [`Flag: \`${flag}\`.`]),
        ...(inFile ? [`In \`config.json\`: \`${key}\`.`] : []),
      ];
      return [env, [`${meaning}.`, ...places, `Default: ${fallbackText}.`].join(' ')];
    });
}

function flagsOf(command: Command): string[] {
  return command.options.flatMap(({ long }) => long ?? []);
}

function fileRows(): Row[] {
  const home = `~/.config/${PRODUCT.name}`;
  return [
    [
      `${home}/`,
      'The home directory, unless `RELAY_HOME` or `--home` names another. If `XDG_CONFIG_HOME` is set, the home directory is below that directory instead. Only its owner can read it.',
    ],
    ...Object.entries(HOME_FILES).map(([name, meaning]): Row => [`${home}/${name}`, `${meaning}.`]),
    [`${home}/demo/`, 'The same for the demo.'],
  ];
}

function exitRows(): Row[] {
  return (Object.keys(EXIT) as Array<keyof typeof EXIT>).map((name) => [
    String(EXIT[name]),
    `${EXIT_MEANINGS[name]}.`,
  ]);
}

function nestedCommand(parent: string, command: Command): string {
  const rows = [...argumentRows(command), ...optionRows(command)];
  const title = `.SS ${parent} ${command.name()} ${roff(command.usage())}`;
  return [title, `${roff(command.description())}.`, ...(rows.length === 0 ? [] : [terms(rows)])].join('\n');
}

function page(name: string, summary: string, sections: ReadonlyArray<[title: string, text: string]>): string {
  const date = new Date(SOURCE_DATE * 1_000).toISOString().slice(0, 10);
  const filled = sections.filter(([, text]) => text !== '');
  return [
    `.TH ${name.toUpperCase()} 1 ${date} "relay ${PRODUCT.version}" "relay Manual"`,
    `.SH NAME\n${roff(name)} \\- ${roff(summary)}`,
    ...filled.map(([title, text]) => `.SH ${title}\n${text}`),
    '',
  ].join('\n');
}

type Row = [term: string, text: string];

function optionRows(command: Command): Row[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .map((option) => [help.optionTerm(option), help.optionDescription(option)]);
}

function argumentRows(command: Command): Row[] {
  const help = command.createHelp();
  return help
    .visibleArguments(command)
    .map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]);
}

function terms(rows: readonly Row[]): string {
  return rows.map(([term, text]) => `.TP\n.B ${roff(term)}\n${marked(text)}`).join('\n');
}

/** Makes names in backquotes bold, as in the Markdown manual. */
function marked(text: string): string {
  return roff(text).replace(/`([^`\n]+)`/g, '\\fB$1\\fR');
}

/** Returns lines of text that the manual page shows as they are. */
function literal(text: string): string {
  if (text === '') return '';
  return `.nf\n${text.split('\n').map(roff).join('\n')}\n.fi`;
}

/** Escapes text: a line that begins with a dot or an apostrophe would be a roff request. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&');
}
