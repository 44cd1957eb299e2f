/** Runs a relay command in a real pseudo-terminal, with `script` of util-linux. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

const SCRIPT = '/usr/bin/script';
const RELAY = fileURLToPath(new URL('../../bin/relay.mjs', import.meta.url));

/** Why tests in a terminal are skipped; false if they run. Debian and Ubuntu always have `script`. */
export const withoutTerminal =
  process.platform !== 'linux'
    ? 'script of util-linux is for Linux'
    : existsSync(SCRIPT) || process.env.CI === 'true'
      ? false
      : 'script of util-linux is not installed';

export interface Screen {
  /** The whole output, with colours and the line ends of a terminal. */
  readonly raw: string;
  /** The lines as a person sees them at the end: without colours, each as last drawn. */
  lines(): string[];
  /** Waits for a question and answers it. */
  answer(question: RegExp, text: string): Promise<void>;
  /** Closes the terminal, while the command runs in it. */
  close(): void;
  /** Resolves with the exit code. */
  ended(): Promise<number | null>;
}

/** @param env the command's environment, besides the system's path */
export function inTerminal(words: readonly string[], columns: number, env: Record<string, string>): Screen {
  const command = `stty cols ${columns} rows 40; exec "$NODE" "$RELAY" ${words.map(quoted).join(' ')}`;
  const child = spawn(SCRIPT, ['-qefc', command, '/dev/null'], {
    env: {
      PATH: process.env.PATH ?? '',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      ...env,
      NODE: process.execPath,
      RELAY,
      SHELL: '/bin/sh',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let raw = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    raw += part;
  });
  const closed = once(child, 'close');
  const plain = (text: string) =>
    text
      .split('\u001b[')
      .map((part, at) => (at === 0 ? part : part.replace(/^[0-9;]*[mK]/, '')))
      .join('');
  return {
    get raw() {
      return raw;
    },
    lines: () =>
      plain(raw)
        .split('\r\n')
        .map((line) => line.slice(line.lastIndexOf('\r') + 1)),
    async answer(question, text) {
      await until(() => question.test(plain(raw.slice(read))) || child.exitCode !== null);
      if (!question.test(plain(raw.slice(read)))) throw new Error(`it never asked ${question}: ${raw}`);
      read = raw.length;
      child.stdin.write(`${text}\n`);
    },
    close: () => void child.kill('SIGKILL'),
    async ended() {
      const [code] = await closed;
      return code as number | null;
    },
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
