/** Starts the servers under test, each in its own process, so that none shares an event loop with another or with the load. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { API_KEY, connectAccount, ENCRYPTION_KEY } from '../../test/support/world.ts';
import { end } from './program.ts';

export interface Servers {
  /** MCP URLs. All three servers take the same requests. */
  relay: URL;
  plain: URL;
  bare: URL;
}

/** What the child processes print once they listen. */
export interface ChildReady {
  url: string;
  accountsUrl?: string;
  clientId?: string;
  /** A token of the simulated provider, for a server that has no login. */
  token?: string;
}

const RUN = fileURLToPath(new URL('../run.mjs', import.meta.url));
const RELAY = fileURLToPath(new URL('../../bin/relay.mjs', import.meta.url));

/**
 * Starts the simulated provider and three servers: relay and a plain SDK server, which use it, and a bare server, which does
 * not. Ends all of them when the work is done.
 */
export async function withServers<T>(work: (servers: Servers) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'relay-bench-'));
  const children: ChildProcess[] = [];
  const basics = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' };
  const start = async (args: string[], env: Record<string, string>) => {
    const child = spawn(process.execPath, args, {
      env: { ...basics, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('{')) return JSON.parse(line) as Record<string, string>;
    }
    throw new Error(`${args.join(' ')} ended before it was ready`);
  };
  const startChild = async (role: string, env = {}) =>
    (await start([RUN, 'bench/child', role], env)) as unknown as ChildReady;
  try {
    const provider = await startChild('provider');
    const plain = await startChild('plain', { BENCH_PROVIDER: JSON.stringify(provider) });
    const bare = await startChild('bare');
    const relay = await start([RELAY, 'serve', '--json', '--port', '0'], {
      RELAY_HOME: home,
      RELAY_KEYCHAIN: 'file',
      RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY,
      RELAY_TOOLSETS: 'all',
      MCP_API_KEY: API_KEY,
      PROVIDER_CLIENT_ID: provider.clientId ?? '',
      PROVIDER_API_URL: provider.url,
      PROVIDER_ACCOUNTS_URL: provider.accountsUrl ?? '',
    });
    await connectAccount(relay.baseUrl ?? '');
    return await work({
      relay: new URL(relay.mcpUrl ?? ''),
      plain: new URL(plain.url),
      bare: new URL(bare.url),
    });
  } finally {
    await Promise.all(children.map(end));
    rmSync(home, { recursive: true, force: true });
  }
}
