/** MCP clients that start a real `relay stdio`. */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { COMMAND } from './program.ts';

type Env = Record<string, string>;

const [command, script] = COMMAND;
const parameters = (env: Env) => ({ command, args: [script, 'stdio'], env, stderr: 'ignore' as const });

/** A client of the 2026 era. Closing it closes the program's stdin. */
export async function stdioClient(env: Env): Promise<Client> {
  const versionNegotiation = { mode: { pin: '2026-07-28' } };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation });
  await client.connect(new StdioClientTransport(parameters(env)));
  return client;
}

export async function olderStdioClient(env: Env): Promise<OlderClient> {
  const client = new OlderClient({ name: 'older', version: '1.0.0' });
  const transport = new OlderTransport(parameters(env));
  await client.connect(transport as Parameters<OlderClient['connect']>[0]);
  return client;
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

/** Starts `relay stdio`. If it still runs after the test, it is killed. */
export function rawStdio(t: TestContext, env: Env): RawStdio {
  const child = spawn(command, [script, 'stdio'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const { stdin, stdout } = child;
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
      const answer = error ?? (result as { structuredContent: unknown }).structuredContent;
      return answer as Record<string, unknown>;
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
