/** One server under test: `provider`, `plain` or `bare`. It prints where it listens and runs until it is ended. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startDemoProvider } from '../../src/demo/provider.ts';
import { bareListener } from './bareServer.ts';
import { plainListener } from './plainServer.ts';
import type { ChildReady } from './servers.ts';

const SCOPES = 'user-read-playback-state user-read-private';

async function listen(listener: RequestListener): Promise<ChildReady> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

async function provider(): Promise<ChildReady> {
  const { apiUrl, accountsUrl, clientId, grants, world } = await startDemoProvider({
    accessTokenSeconds: 86_400,
  });
  const [account] = world.accounts;
  if (!account) throw new Error('the provider has no account');
  return { url: apiUrl, accountsUrl, clientId, token: grants.issueAccess(account, SCOPES).token };
}

const roles: Record<string, () => Promise<ChildReady>> = {
  provider,
  plain: () => listen(plainListener(JSON.parse(process.env.BENCH_PROVIDER ?? '{}') as ChildReady)),
  bare: () => listen(bareListener()),
};

const role = roles[process.argv[2] ?? ''];
if (!role) throw new Error('child.ts needs a role');
console.log(JSON.stringify(await role()));
