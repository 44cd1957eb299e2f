/** Shows the last lines of the server's log, and new ones as they come. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';
import { prettyLine } from '../../server/log/log.ts';
import { logPaths } from '../../server/log/logFile.ts';
import type { Context } from '../context.ts';
import { runningServer } from '../findServer.ts';
import { printBlock } from '../terminal/output.ts';

/** Milliseconds between two checks of the file's size. Watching the file would not do: not every platform reports all changes. */
const LOOK_MS = 300;

/**
 * @param count how many of the last lines to show first
 * @returns true if there was no log at the start
 */
export async function showLog(context: Context, count: number, follow: boolean): Promise<boolean> {
  const { io, json, clock, signal } = context;
  const [older, path] = logPaths(await homeOf(context));
  const print = (all: readonly string[]) => {
    for (const line of all) printBlock(io, json ? `${line}\n` : pretty(line));
  };
  let text = await contentOf(path);
  const isShort = text === '' || text.split('\n').length <= count;
  const before = isShort ? await contentOf(older) : '';
  const lines = [...linesOf(before), ...linesOf(text)];
  print(lines.slice(Math.max(0, lines.length - count)));
  while (follow && !signal.aborted) {
    await clock.sleep(LOOK_MS, signal).catch(() => {});
    const size = await stat(path).then(
      (file) => file.size,
      () => 0,
    );
    if (size === Buffer.byteLength(text)) continue;
    const now = await contentOf(path);
    // If the beginning differs, the log was rotated, and the old file may have lines that were not shown yet.
    const isSame = now.startsWith(text);
    const rest = isSame ? '' : (await contentOf(older)).slice(text.length);
    print([...linesOf(rest), ...linesOf(isSame ? now.slice(text.length) : now)]);
    text = now;
  }
  return lines.length === 0;
}

/** Returns the home whose log to show: the demo's home if only the demo runs. */
async function homeOf(context: Context): Promise<string> {
  const settings = await context.settings();
  const { home, demo } = settings;
  const demoHome = join(home, 'demo');
  if (demo || (await runningServer(home)) || !(await runningServer(demoHome))) return home;
  context.remark('Using the running demo.');
  return demoHome;
}

/**
 * Reads the whole lines of a file; '' if there is none. The last line is left out if it has no line end, since it may be half
 * written.
 * @throws RelayError `STORE_ERROR` if the file cannot be read
 */
async function contentOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return '';
    throw new RelayError('STORE_ERROR', `The log ${path} cannot be read: ${messageOf(error)}.`, {
      remedy: 'Make it readable for the user that runs this command.',
    });
  });
  return text.slice(0, text.lastIndexOf('\n') + 1);
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function pretty(line: string): string {
  try {
    return prettyLine(line, false);
  } catch {
    return `${line}\n`;
  }
}
