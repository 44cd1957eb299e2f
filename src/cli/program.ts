/** The command line: which commands there are, and how their errors leave the program. */
import { type Command, CommanderError } from 'commander';
import { capital } from '../base/lists.ts';
import { RelayError } from '../domain/errors.ts';
import { clientsCommand, keyCommand } from './access/clientsCommand.ts';
import { connectCommand } from './access/connectCommand.ts';
import { stdioCommand } from './access/stdioCommand.ts';
import { callCommand, toolsCommand } from './call/callCommand.ts';
import { groupCommand, notEmpty, pathOf } from './command.ts';
import { COMPLETE, completionCommand, completionLines } from './completionCommand.ts';
import { type Context, createContext, type World } from './context.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit.ts';
import { jobsCommand } from './jobs/jobsCommand.ts';
import { exportCommand } from './lists/exportCommand.ts';
import { importCommand } from './lists/importCommand.ts';
import { keepCommand } from './lists/keepCommand.ts';
import { libraryCommand } from './lists/libraryCommand.ts';
import { playlistsCommand } from './lists/playlistsCommand.ts';
import { historyCommand, undoCommand } from './lists/undoCommand.ts';
import { loginCommand, logoutCommand } from './login/loginCommand.ts';
import { serveCommand } from './serve/serveCommand.ts';
import { logsCommand, openCommand, stopCommand } from './serve/serverCommands.ts';
import { serviceCommand } from './serve/serviceCommand.ts';
import { statusCommand } from './serve/statusCommand.ts';
import { backupCommand, restoreCommand } from './state/backupCommand.ts';
import { configCommand } from './state/configCommand.ts';
import { uninstallCommand } from './state/uninstallCommand.ts';
import { note, printBlock, printError } from './terminal/output.ts';

/** The only list of commands, by the headings of `relay --help`. */
const COMMANDS: Readonly<Record<string, ReadonlyArray<(context: Context) => Command>>> = {
  'Server:': [serveCommand, stopCommand, openCommand, statusCommand, logsCommand, serviceCommand],
  'Account and clients:': [
    loginCommand,
    logoutCommand,
    connectCommand,
    clientsCommand,
    keyCommand,
    stdioCommand,
  ],
  'Music:': [
    importCommand,
    exportCommand,
    playlistsCommand,
    keepCommand,
    libraryCommand,
    jobsCommand,
    undoCommand,
    historyCommand,
    toolsCommand,
    callCommand,
  ],
  'Settings and state:': [configCommand, backupCommand, restoreCommand, uninstallCommand, completionCommand],
};

/**
 * Runs the command line and returns the exit code. Never throws.
 * @param args without the program's name, such as `['status', '--json']`
 */
export async function runProgram(args: readonly string[], world: World): Promise<ExitCode> {
  const json = args.includes('--json');
  const { program, context } = createProgram(world, json);
  try {
    if (args[0] === COMPLETE) {
      const lines = await completionLines(program, args.slice(1));
      printBlock(context.io, lines.map((line) => `${line}\n`).join(''));
    } else await program.parseAsync([...args], { from: 'user' });
    for (const text of context.remarks) note(context.io, text);
    return context.exitCode;
  } catch (error) {
    // Help and version leave commander as errors too.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const cause = await withToolHint(knownError(error));
    printError(context, cause, json);
    return exitCodeOf(cause);
  }
}

/**
 * Returns the whole command tree. All commands share the program's output and its handling of errors.
 * @param json whether to print the version as JSON
 * @internal
 */
export function createProgram(world: World, json = false): { program: Command; context: Context } {
  const program = groupCommand('relay', '', () => program.outputHelp());
  const context = createContext(world, () => program.opts());
  program
    .version(
      json ? JSON.stringify({ version: world.version }) : world.version,
      '-V, --version',
      'Print the version',
    )
    .option('--home <dir>', 'Use this home directory (RELAY_HOME)', notEmpty)
    .option('--demo', 'Use the demo: a simulated Spotify, with a home of its own')
    .option('--json', 'Print JSON: one document, or one per line')
    .helpOption('-h, --help', 'Print the help of relay or of a command')
    .helpCommand(false)
    .configureHelp({
      helpWidth: Math.min(context.io.columns, 80),
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
    })
    .addHelpText('after', '\n`relay COMMAND --help` explains a command.')
    .configureOutput({ writeOut: context.io.out, writeErr: context.io.err, outputError: () => {} });
  for (const [heading, creates] of Object.entries(COMMANDS)) {
    for (const create of creates) {
      const command = create(context).helpGroup(heading).copyInheritedSettings(program);
      for (const nested of command.commands) nested.copyInheritedSettings(command);
      program.addCommand(command);
    }
  }
  // The root help has to fit on a screen, so it has no blank lines between the headings.
  program.configureHelp({
    ...program.configureHelp(),
    formatItemList: (heading, items) => (items.length === 0 ? [] : [heading, ...items]),
  });
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands }) => commands),
  ]) {
    // A group checks its words itself, and hands that setting down to its commands.
    command.allowExcessArguments(command.commands.length > 0);
    command.exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageError(error, command);
    });
  }
  return { program, context };
}

/** Makes a sentence and a remedy of commander's "error: unknown option '--prot'\\n(Did you mean --port?)". */
function usageError({ message, code }: CommanderError, command: Command): RelayError {
  const [, what = '', hint] = /^(?:error: )?(.*?)(?:\n\(([^\n]*)\))?$/s.exec(message) ?? [];
  const see = { text: `${hint ? `${hint} ` : ''}See {command}.`, command: [...pathOf(command), '--help'] };
  const isUnknown = code === 'commander.unknownCommand' && command.parent === null;
  return new RelayError('USAGE', `${capital(what).replace(/\.$/, '')}.`, {
    remedy: see,
    ...(isUnknown ? { details: { word: command.args[0] } } : {}),
  });
}

/** Adds to the error about an unknown command that there are tools of this name, if there are. */
async function withToolHint(error: unknown): Promise<unknown> {
  if (!(error instanceof RelayError) || error.code !== 'USAGE' || !error.details?.word) return error;
  const word = String(error.details.word);
  const { ALL_TOOLS } = await import('../tools/index.ts');
  const names = ALL_TOOLS.map(({ name }) => name);
  const name = names.find((one) => one === word || one.startsWith(`${word}_`));
  if (name === undefined) return error;
  const remedy = `${name} is a tool: call it with {|relay call ${name} key=value}. {|relay tools ${name}} explains it.`;
  return error.with({ remedy });
}

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
