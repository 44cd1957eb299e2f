/** Plays another user of this machine who listens on ports: a child process under another user ID. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { STRANGER_UID } from './stranger.ts';

/** The result of listening on each address: `held`, or the system's error code. */
type Held = Record<string, string>;

export interface PortHolder {
  hold(port: number, addresses: readonly string[]): Promise<Held>;
  /** Closes the ports; the connections stay. */
  release(): Promise<void>;
  send(request: {
    url: string;
    method?: string;
    headers?: Record<string, string>;
    body?: string;
  }): Promise<{ status: number; location: string | null; cookies: string[]; text: string }>;
  /** Everything that was received. */
  report(): Promise<{ heard: string[] }>;
}

export async function startPortHolder(context: TestContext): Promise<PortHolder> {
  const script = readFileSync(new URL('./portHolder.mjs', import.meta.url), 'utf8');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    uid: STRANGER_UID,
    gid: STRANGER_UID,
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  context.after(() => void child.kill('SIGKILL'));
  const waiting = new Map<number, (answer: unknown) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, answer } = JSON.parse(line) as { id: number; answer: unknown };
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  let count = 0;
  const ask = <T>(action: string, rest: object = {}): Promise<T> =>
    new Promise((resolve) => {
      count += 1;
      waiting.set(count, resolve as (answer: unknown) => void);
      child.stdin.write(`${JSON.stringify({ id: count, action, ...rest })}\n`);
    });
  return {
    hold: (port, addresses) => ask('hold', { port, addresses }),
    release: () => ask('release'),
    send: (request) => ask('send', request),
    report: () => ask('report'),
  };
}
