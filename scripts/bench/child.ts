/** One server under test: `provider`, `plain` or `bare`. It prints its address and runs until it is ended. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startDemoProvider } from '../../src/demo/provider.ts';
import { bareListener } from './bareServer.ts';
import { plainListener } from './plainServer.ts';
import type { ChildReady } from './servers.ts';

const SCOPES = 'user-read-playback-state user-read-private';

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serve(listener: RequestListener): Promise<ChildReady> {
  return { url: `${await listen(listener)}/mcp` };
}

async function provider(): Promise<ChildReady> {
  const { apiUrl, accountsUrl, clientId, grants, world } = await startDemoProvider({
    accessTokenSeconds: 86_400,
  });
  const [account] = world.accounts;
  if (!account) throw new Error('the provider has no account');
  const { token } = grants.issueAccess(account, SCOPES);
  return { url: await listen(await inFrontOf(apiUrl, token)), accountsUrl, clientId, token };
}

const DEVICES = '/me/player/devices';

/** Answers the measured request at once, so that the provider's own work is not measured. Passes other requests on. */
async function inFrontOf(apiUrl: string, token: string): Promise<RequestListener> {
  const ask = (path: string, authorization: string) =>
    fetch(`${apiUrl}${path}`, { headers: { authorization } });
  const devices = Buffer.from(await (await ask(DEVICES, `Bearer ${token}`)).arrayBuffer());
  return async (request, response) => {
    const { url = '', headers } = request;
    const other = url === DEVICES ? null : await ask(url, headers.authorization ?? '');
    const body = other ? Buffer.from(await other.arrayBuffer()) : devices;
    response.writeHead(other?.status ?? 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.byteLength,
    });
    response.end(body);
  };
}

const roles: Record<string, () => Promise<ChildReady>> = {
  provider,
  plain: () => serve(plainListener(JSON.parse(process.env.BENCH_PROVIDER ?? '{}') as ChildReady)),
  bare: () => serve(bareListener()),
};

const role = roles[process.argv[2] ?? ''];
if (!role) throw new Error('child.ts needs a role');
console.log(JSON.stringify(await role()));
