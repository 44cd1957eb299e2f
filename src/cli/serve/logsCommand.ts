import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';
import { answering, wholeNumber } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { note, printBlock } from '../terminal/output.ts';

interface LogsOptions {
  follow?: boolean;
  lines: number;
}

const HELP = `
With --json each line is one JSON document.

Examples:
  $ relay logs -f
  $ relay logs -n 500 --json`;

/** Milliseconds between two checks of the file's size. Watching the file would not do: not every platform reports all changes. */
const LOOK_MS = 300;

export function logsCommand(context: Context): Command {
  const lines = wholeNumber(0, 100_000, 'from 0 to 100,000');
  return new Command('logs')
    .description("Show the server's log, also when it runs as a service")
    .option('-f, --follow', 'Keep printing new lines, until Ctrl-C')
    .option('-n, --lines <n>', 'Show this many of the last lines', lines, 50)
    .addHelpText('after', HELP)
    .action(
      answering(context, async (options: LogsOptions) => {
        await showLog(context, options);
        return undefined;
      }),
    );
}

/** Prints the last lines, and new ones as they come. A log that became shorter was begun anew. */
async function showLog(context: Context, { lines: count, follow = false }: LogsOptions): Promise<void> {
  const { io, json, clock, signal } = context;
  const { prettyLine } = await import('../../server/log/log.ts');
  const { logPaths } = await import('../../server/log/logFile.ts');
  const [, path] = logPaths(await homeOf(context));
  const pretty = (line: string) => {
    try {
      return prettyLine(line, false);
    } catch {
      return `${line}\n`;
    }
  };
  const print = (text: string, most = Number.POSITIVE_INFINITY) => {
    const all = text.split('\n').filter((line) => line !== '');
    for (const line of all.slice(Math.max(0, all.length - most)))
      printBlock(io, json ? `${line}\n` : pretty(line));
  };
  const first = await wholeLines(path, 0);
  print(first.text, count);
  if (!follow) {
    if (first.text === '') note(io, 'There is no log yet: no server has logged anything for this home.');
    return;
  }
  for (let end = first.end; !signal.aborted; await clock.sleep(LOOK_MS, signal).catch(() => {})) {
    const size = await stat(path).then(
      (file) => file.size,
      () => 0,
    );
    if (size < end) end = 0;
    const more = size > end ? await wholeLines(path, end) : { text: '', end };
    print(more.text);
    end = more.end;
  }
  context.exitCode = EXIT.interrupted;
}

/** Returns the home whose log to show: the demo's home if only the demo runs. */
async function homeOf(context: Context): Promise<string> {
  const { runningServer } = await import('../findServer.ts');
  const { home, demo } = await context.settings();
  const demoHome = join(home, 'demo');
  if (demo || (await runningServer(home)) || !(await runningServer(demoHome))) return home;
  context.remark('Using the running demo.');
  return demoHome;
}

/**
 * Reads the whole lines of a file from a byte on; '' if there is no file. The last line is left out if it has no line end, since
 * it may be half written.
 * @throws RelayError `STORE_ERROR` if the file cannot be read
 */
async function wholeLines(path: string, from: number): Promise<{ text: string; end: number }> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw new RelayError('STORE_ERROR', `The log ${path} cannot be read: ${messageOf(error)}.`, {
      remedy: 'Make it readable for the user that runs this command.',
    });
  });
  const whole = bytes.subarray(from, bytes.lastIndexOf('\n') + 1);
  return { text: whole.toString('utf8'), end: from + whole.length };
}
