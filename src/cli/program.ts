/** The command line: which commands there are, and how their results and errors leave the program. */
import { Command, CommanderError, InvalidArgumentError, type Option } from 'commander';
import { didYouMean, nearestNames } from '../base/nearest.ts';
import { RelayError } from '../domain/errors.ts';
import { COMMANDS } from './commandList.ts';
import { COMPLETE, completionLines } from './completion/complete.ts';
import { type Context, createContext, type World } from './context.ts';
import { EXIT, type ExitCode, exitCodeOf, type Finish } from './exit.ts';
import { note, printBlock, printError } from './terminal/output.ts';
import { byHelpGroup, HELP_GROUPS } from './usage/commandGroups.ts';
import { CALLED_ELSEWHERE, helpCommand } from './usage/help.ts';
import { isDashedText, withComment, withDashedId, withToolHelp } from './usage/rearranged.ts';

/**
 * Runs the command line and returns the exit code. Never throws.
 * @param args without the program's name, such as `['status', '--json']`
 */
export async function runProgram(args: readonly string[], world: World): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const json = args.includes('--json');
  const finish = (value: ExitCode) => {
    code = value;
  };
  const { program, context } = createProgram(world, finish, json);
  try {
    if (args[0] === COMPLETE) {
      const lines = await completionLines(program, args.slice(1));
      printBlock(context.io, lines.map((line) => `${line}\n`).join(''));
    } else if (isOnlyOptions(args)) program.outputHelp();
    else await program.parseAsync([...withComment(withDashedId(withToolHelp(args)))], { from: 'user' });
    for (const text of context.remarks) note(context.io, text);
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const cause = error instanceof CommanderError ? usageError(error, args, program) : knownError(error);
    printError(context, cause, json);
    return exitCodeOf(cause);
  }
}

/**
 * Returns the whole command tree. All commands share the program's output and its handling of errors.
 * @param json whether to print the version as JSON
 * @internal
 */
export function createProgram(
  world: World,
  finish: Finish,
  json = false,
): { program: Command; context: Context } {
  const version = json ? JSON.stringify({ version: world.version }) : world.version;
  const program = new Command('relay');
  const context = createContext(world, () => program.opts());
  program
    .description('Connect one Spotify account to AI clients through one local MCP endpoint')
    .version(version, '-V, --version', 'Print the version')
    .option('--home <dir>', 'Use this home directory (RELAY_HOME)', notEmpty)
    .option('--demo', 'Use the demo: a simulated Spotify, with a home of its own')
    .option('--json', 'Print JSON: one document, or one per line')
    .helpOption('-h, --help', 'Print this help')
    .helpCommand(false)
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: Math.min(context.io.columns, 80),
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({ writeOut: context.io.out, writeErr: context.io.err, outputError: () => {} })
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  const commands = COMMANDS.map((create) => create(context, finish));
  for (const command of [...commands, helpCommand(program).helpGroup(HELP_GROUPS.other)].sort(byHelpGroup)) {
    command.copyInheritedSettings(program);
    for (const nested of command.commands) nested.copyInheritedSettings(command);
    program.addCommand(command);
  }
  return { program, context };
}

/** Refuses an empty `--home`, which comes from a variable that a script did not set. It must not mean the default home. */
function notEmpty(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

const EXAMPLES = `
Examples:
  $ relay serve --demo
  $ relay login
  $ relay call search_tracks query=carousel`;

/** Without a usable HOME, the system is asked for the home directory; Node throws if the system does not know the user. */
function knownError(error: unknown): unknown {
  if (!/^uv_os_(?:homedir|get_passwd)$/.test((error as NodeJS.ErrnoException | null)?.syscall ?? ''))
    return error;
  const message = 'Your home directory is unknown: it is set neither in the environment nor in the system.';
  return new RelayError('HOME_UNUSABLE', message, {
    remedy: 'Set HOME in the environment to a directory of your own, then run this again.',
    cause: error,
  });
}

/** Rewrites commander's sentence: "error: unknown option '--prot'\\n(Did you mean --port?)". */
function usageError(error: CommanderError, args: readonly string[], program: Command): RelayError {
  // The first part may have several lines, if an argument has.
  const parts = /^(?:error: )?(.*?)(?:\n\((Did you mean [^\n]*\?)\))?$/s.exec(error.message);
  const [, first = '', hint] = parts ?? [];
  const choice = wrongChoice(first);
  if (choice) return choice;
  const sentence = (first.charAt(0).toUpperCase() + first.slice(1)).replace(/\.$/, '').replaceAll("'", '"');
  return new RelayError('USAGE', `${sentence}.`, {
    remedy: {
      text: `${suggestion(error.code, first, hint)}See {command}.`,
      command: [...commandIn(args, program), '--help'],
    },
  });
}

/**
 * Returns the names of the command in `args` and of its subcommand, whose help has the options that were meant. The value of an
 * option is skipped, since it may be the name of another command.
 */
function commandIn(args: readonly string[], program: Command): string[] {
  const path: string[] = [];
  let command = program;
  let isValue = false;
  for (const arg of args) {
    if (arg === '--') break;
    const found = isValue ? undefined : command.commands.find((one) => one.name() === arg);
    isValue = takesNext(arg, [...program.options, ...command.options]);
    if (!found) continue;
    path.push(arg);
    command = found;
  }
  return path;
}

/** True if the word after `arg` is its value. */
function takesNext(arg: string, options: readonly Option[]): boolean {
  return options.some((option) => option.required && (option.long === arg || option.short === arg));
}

/** Rewrites "option '--format <format>' argument 'x' is invalid. Allowed choices are csv, json." */
function wrongChoice(message: string): RelayError | null {
  const option =
    /^option '(?:-\w, )?(--[\w-]+).*' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(
      message,
    );
  const argument =
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/s.exec(
      message,
    );
  if (!option && !argument) return null;
  const [typed = '', name = '', all = ''] = option
    ? [option[2], option[1], option[3]]
    : [argument?.[1], argument?.[2], argument?.[3]];
  const known = all.split(', ');
  const last = known.at(-1) ?? '';
  const listed = known.length > 1 ? `${known.slice(0, -1).join(', ')} or ${last}` : last;
  const text = option ? `${name} cannot be "${typed}".` : `Unknown ${name} "${typed}".`;
  return new RelayError('USAGE', text, {
    remedy: [didYouMean(typed, known), `Choose ${listed}.`].filter(Boolean).join(' '),
  });
}

/** True for a command line of global options without a command, which gets the help. */
function isOnlyOptions(args: readonly string[]): boolean {
  return args.every(
    (arg, at) =>
      ['--json', '--demo', '--'].includes(arg) ||
      arg.startsWith('--home=') ||
      (arg === '--home' && at + 1 < args.length) ||
      args[at - 1] === '--home',
  );
}

/** Returns the nearest of commander's suggestions. Commander also suggests names of which every second letter differs. */
function suggestion(code: string, message: string, hint = ''): string {
  const [, typed = ''] = /'([^']*)'/.exec(message) ?? [];
  const [, names] = /Did you mean (?:one of )?(.*)\?/.exec(hint) ?? [];
  const elsewhere = code === 'commander.unknownCommand' ? CALLED_ELSEWHERE.get(typed) : undefined;
  if (code === 'commander.unknownOption' && isDashedText(typed)) return 'If it is text, put -- before it. ';
  const near = elsewhere === undefined ? nearestNames(typed, names?.split(', ') ?? []) : [elsewhere];
  return near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `;
}
