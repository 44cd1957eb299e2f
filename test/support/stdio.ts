/** MCP clients that start a real `relay stdio`. */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Stream } from 'node:stream';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const SCRIPT = fileURLToPath(new URL('../../bin/relay.mjs', import.meta.url));

/** The program and its first arguments; `RELAY_BIN` names a packaged program. */
const STDIO_COMMAND: [string, ...string[]] = process.env.RELAY_BIN
  ? [process.env.RELAY_BIN, 'stdio']
  : [process.execPath, SCRIPT, 'stdio'];

/** Put before a command, these words run it with stderr closed. */
const WITHOUT_STDERR = ['/bin/sh', '-c', 'exec "$@" 2>&-', 'sh'];

interface StdioOptions {
  env: Record<string, string>;
  args?: readonly string[];
}

function parameters({ env, args = [] }: StdioOptions) {
  const [command, ...words] = STDIO_COMMAND;
  return { command, args: [...words, ...args], env, stderr: 'pipe' as const };
}

/** A client of the 2026 era. Closing it closes the program's stdin. */
export async function stdioClient(options: StdioOptions): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const transport = new StdioClientTransport(parameters(options));
  await client.connect(transport);
  spaceOut(transport);
  drain(transport.stderr);
  return client;
}

/**
 * Hands over messages one by one. If progress arrived together with the answer, the SDK's client would handle the answer first
 * and lose the progress.
 */
function spaceOut(transport: StdioClientTransport): void {
  const take = transport.onmessage;
  let queue = Promise.resolve();
  transport.onmessage = (message) => {
    queue = queue.then(() => new Promise((resolve) => setImmediate(resolve))).then(() => take?.(message));
  };
}

export async function olderStdioClient(options: StdioOptions): Promise<OlderClient> {
  const client = new OlderClient({ name: 'older', version: '1.0.0' });
  const transport = new OlderTransport(parameters(options));
  await client.connect(transport as Parameters<OlderClient['connect']>[0]);
  drain(transport.stderr);
  return client;
}

function drain(stream: Stream | null): void {
  (stream as NodeJS.ReadableStream | null)?.resume();
}

/** A running `relay stdio`, to which a test writes lines itself, without an MCP client. */
export interface RawStdio {
  pid: number;
  /** Every line of stdout so far, parsed. Throws if a line is not JSON. */
  lines(): Array<Record<string, unknown>>;
  send(message: object): void;
  /** Sends a line as it is. */
  write(line: string): void;
  /** Sends a request of the older era and waits for its answer. */
  ask(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Calls a tool and returns its structured content, or the JSON-RPC error. */
  call(tool: string, args?: object): Promise<Record<string, unknown>>;
  /** Closes stdin and waits for the end of the process. */
  close(): Promise<number | null>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

export interface RawOptions extends StdioOptions {
  /** Words on the command line before `stdio`. */
  before?: readonly string[];
  stderr?: 'ignore' | 'pipe' | 'closed' | 'full';
}

/** Starts `relay stdio`. If it still runs after the test, it is killed. */
export function rawStdio(
  t: TestContext,
  { env, before = [], args = [], stderr = 'ignore' }: RawOptions,
): RawStdio {
  const [command, ...script] = STDIO_COMMAND;
  const first = [...script.slice(0, -1), ...before, ...script.slice(-1)];
  const [shell = '', ...closing] = WITHOUT_STDERR;
  const words = [command, ...first, ...args];
  const child =
    stderr === 'closed'
      ? spawn(shell, [...closing, ...words], { env, stdio: ['pipe', 'pipe', 'ignore'] })
      : spawn(command, [...first, ...args], {
          env,
          stdio: ['pipe', 'pipe', stderr === 'ignore' ? 'ignore' : 'pipe'],
        });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('relay stdio has no pipes');
  // Reads stderr and discards it. With `full` nobody reads it, so the pipe is full after 64 KiB.
  if (stderr === 'pipe') child.stderr?.resume();
  let text = '';
  let lastId = 0;
  const changed = new EventEmitter();
  stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    changed.emit('line');
  });
  stdin.on('error', () => {});
  const ended = once(child, 'close').then(([code]) => {
    changed.emit('line');
    return code as number | null;
  });
  t.after(() => {
    child.kill('SIGKILL');
    return ended;
  });
  const lines = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const answerTo = async (id: number): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = lines().find((line) => line.id === id);
      if (found) return found;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`relay stdio ended before the answer to request ${id}`);
      await once(changed, 'line', { signal: AbortSignal.timeout(120_000) });
    }
  };
  const write = (line: string) => void stdin.write(`${line}\n`);
  const send = (message: object) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const ask: RawStdio['ask'] = (method, params = {}) => {
    const id = ++lastId;
    send({ id, method, params });
    return answerTo(id);
  };
  return {
    pid: child.pid ?? 0,
    lines,
    send,
    write,
    ask,
    async call(name, args = {}) {
      const { result, error } = await ask('tools/call', { name, arguments: args });
      return (error ?? (result as { structuredContent: unknown }).structuredContent) as Record<
        string,
        unknown
      >;
    },
    close() {
      stdin.end();
      return ended;
    },
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
