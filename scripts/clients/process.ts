/** Runs commands of clients, for a limited time and without leaving processes behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** Keys to type once the screen shows something. */
export interface Keys {
  once: RegExp;
  type: string;
}

export interface Command {
  words: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Time limit, after which the process is ended. */
  patienceMs: number;
  /** Text to write to stdin at the start. */
  input?: string;
  /** Runs the command on a terminal (with `script` of util-linux), and types these keys in turn. */
  keys?: readonly Keys[];
  /** Ends the process once all keys are typed and its output matches. For programs that run until somebody quits them. */
  until?: RegExp;
}

export interface Ended {
  /** null if the process had to be ended. */
  code: number | null;
  /** The output on stdout and stderr, without control sequences. */
  text: string;
}

const ESC = String.fromCharCode(27);
const CONTROLS = new RegExp(
  `${ESC}\\[[0-9;?<>=]*[ -/]*[@-~]|${ESC}\\][^${ESC}\\x07]*(\\x07|${ESC}\\\\\\\\)?|\\r`,
  'g',
);

/** Milliseconds after a screen appears until the program accepts keys. */
const SETTLE_MS = 1_500;

/** Runs a command to its end. */
export async function run(command: Command): Promise<Ended> {
  const { cwd, env, keys, input, until } = command;
  const [program = '', ...args] = keys === undefined ? command.words : onTerminal(command.words);
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  let seen = 0;
  let typing = false;
  const waiting = [...(keys ?? [])];
  const type = (next: string) => {
    waiting.shift();
    seen = text.length;
    typing = false;
    child.stdin.write(next);
  };
  const take = (chunk: string) => {
    text += chunk.replaceAll(CONTROLS, '');
    const [next] = waiting;
    if (next === undefined) {
      if (until?.test(text)) endGroup(child);
    } else if (!typing && next.once.test(text.slice(seen))) {
      typing = true;
      setTimeout(type, SETTLE_MS, next.type);
    }
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take);
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.write(input);
  // Closing stdin of a terminal would end its program.
  if (keys === undefined && until === undefined) child.stdin.end();
  const timer = setTimeout(() => endGroup(child), command.patienceMs);
  child.on('error', (error) => take(error.message));
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { code: code as number | null, text: text.trim() };
}

/** Runs the words on a terminal that is wide enough not to break any expected line. */
function onTerminal(words: readonly string[]): string[] {
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return [
    'script',
    '--quiet',
    '--return',
    '--flush',
    '--command',
    `stty cols 200 rows 50; exec ${quoted}`,
    '/dev/null',
  ];
}

function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) end(-pid);
}

/**
 * Ends all processes with this home, since some clients leave processes behind. Needs a system that shows the environment of
 * processes (Linux).
 */
export function endAllOf(home: string): void {
  for (const name of listed('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const variables = read(`/proc/${pid}/environ`).split('\0');
    if (variables.includes(`HOME=${home}`)) end(pid);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
