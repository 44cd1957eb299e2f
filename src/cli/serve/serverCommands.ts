/** Commands about the running server: its page, its log and its end. */
import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { interruptible } from '../../base/abort.ts';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';
import { LOOK_AGAIN_MS } from '../../store/home/lockFile.ts';
import { leaf, type Result, wholeNumber } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { note, printBlock, printLine } from '../terminal/output.ts';
import type { SignInEnd } from './signedInBrowser.ts';

export function openCommand(context: Context): Command {
  const description = "Open the owner's page in the browser, signed in";
  return leaf(context, 'open', description, runOpen, '\nExamples:\n  $ relay open');
}

/** Waits until the browser is signed in, at most a minute, so that the file with the ticket can be removed. */
async function runOpen(context: Context): Promise<Result> {
  const { io, json, signal } = context;
  const { local } = await context.server();
  const { openSignedIn } = await import('./signedInBrowser.ts');
  const opening = await openSignedIn(context, local, null);
  try {
    if (!json) printLine(io, opening.pageUrl);
    const end = await interruptible(signal, opening.ended);
    if (end === 'gone') {
      throw new RelayError('NO_SERVER', 'The server stopped before a browser opened the page.', {
        remedy: { text: 'Start it with {command}.', command: ['serve'] },
      });
    }
    if (!json) tellEnd(context, end, opening.pageUrl);
    return { value: { url: opening.pageUrl, signedIn: end === 'signed_in' } };
  } finally {
    await opening.stop();
  }
}

/** Tells the person what to do if no browser signed in. Says nothing if the server is gone, since there is then no page to open. */
export function tellEnd(context: Context, end: SignInEnd, pageUrl: string): void {
  if (end === 'signed_in' || end === 'gone') return;
  const what = end === 'failed' ? 'No browser could be opened.' : 'No browser opened the page.';
  const status = commandLine(context, 'status');
  note(
    context.io,
    `${what} Open ${pageUrl} yourself, and sign in with the owner code that \`${status}\` shows.`,
  );
}

/** How long a server may take to end, in milliseconds: longer than its calls may go on (`server/start.ts`). */
const PATIENCE_MS = 30_000;

const STOP_HELP = `
The server first answers what it was asked. An open \`relay stdio\` starts a
server again with its next message.

Examples:
  $ relay stop
  $ relay stop --demo`;

export function stopCommand(context: Context): Command {
  const description = 'Stop the running server, also one that an AI client started';
  return leaf(context, 'stop', description, runStop, STOP_HELP);
}

async function runStop(context: Context): Promise<Result> {
  const { clock, signal } = context;
  const { local, baseUrl } = await context.server();
  const { pid, clients } = await local.stop();
  const { startingServer } = await import('../findServer.ts');
  const { home } = await context.settings({ demo: context.demo });
  const giveUpAt = clock.monotonic() + PATIENCE_MS;
  // A server that a client started ends its process. Another one may be part of a program that goes on.
  while ((await startingServer(home)) === pid) {
    if (clock.monotonic() > giveUpAt) {
      const message = `The server (pid ${pid}) has not ended within ${PATIENCE_MS / 1_000} seconds.`;
      throw new RelayError('INTERNAL', message, {
        remedy: { text: 'Look at its log with {command}, or end its process.', command: ['logs'] },
      });
    }
    await clock.sleep(LOOK_AGAIN_MS, signal);
  }
  const again = `These clients were connected, and start a server again with their next message: ${clients.join(', ')}`;
  return {
    value: { stopped: { pid, baseUrl }, clients },
    text: [`Stopped the server (pid ${pid}, ${baseUrl}).`],
    notes: clients.length > 0 ? [again] : [],
  };
}

const LOGS_HELP = `
With --json each line is one JSON document.

Examples:
  $ relay logs -f
  $ relay logs -n 500 --json`;

/** Milliseconds between two checks of the file's size. Watching the file would not do: not every platform reports all changes. */
const LOOK_MS = 300;

export function logsCommand(context: Context): Command {
  const lines = wholeNumber(0, 100_000, 'from 0 to 100,000');
  return leaf(context, 'logs', "Show the server's log, also when it runs as a service", showLog, LOGS_HELP)
    .option('-f, --follow', 'Keep printing new lines, until Ctrl-C')
    .option('-n, --lines <n>', 'Show this many of the last lines', lines, 50);
}

/** Prints the last lines, and new ones as they come. A log that became shorter was begun anew. */
async function showLog(
  context: Context,
  { lines: count, follow = false }: { lines: number; follow?: boolean },
): Promise<undefined> {
  const { io, json, clock, signal } = context;
  const { prettyLine } = await import('../../server/log/log.ts');
  const { logPaths } = await import('../../server/log/logFile.ts');
  // If only the demo runs, it is used from here on.
  await context.running();
  const { home } = await context.settings({ demo: context.demo });
  const [, path] = logPaths(home);
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
    if (size === end) continue;
    const more = await wholeLines(path, size < end ? 0 : end);
    print(more.text);
    end = more.end;
  }
  context.exitCode = EXIT.interrupted;
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
