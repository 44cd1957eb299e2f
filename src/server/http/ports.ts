/**
 * Decides on which addresses a server listens. A name of this server can mean several addresses. A program that holds one of them
 * would receive what the owner sends to relay: the owner code, or what a browser keeps for that name. So the server takes all
 * addresses that this machine has, or none.
 */
import { type AddressInfo, createServer, type Server } from 'node:net';
import { RelayError, systemCodeOf } from '../../domain/errors.ts';

const IPV4 = '127.0.0.1';
const IPV6 = '::1';

/**
 * Maximum number of ports to try if the system chooses the port: another program may hold the chosen port on one of the
 * addresses.
 */
const TRIES = 50;

/** The system's error codes for an address that this machine does not have, for example if IPv6 is switched off. */
const ABSENT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT']);

export interface Bound<S extends Server> {
  port: number;
  servers: S[];
  /** The loopback names that lead to this server and to no other, as they appear in `Host`. */
  names: string[];
}

/**
 * Listens on `host` and on every loopback address, each with a server of its own.
 * @param port the port; 0 for one that is free on all addresses
 * @throws RelayError `PORT_TAKEN` naming the address, `SETTINGS_INVALID`; nothing listens then
 */
export async function bindAll<S extends Server>(
  make: () => S,
  port: number,
  host: string,
): Promise<Bound<S>> {
  for (let left = port === 0 ? TRIES : 1; ; left--) {
    try {
      return await bindOnce(make, port, host);
    } catch (error) {
      const isTaken = error instanceof RelayError && error.code === 'PORT_TAKEN';
      if (!isTaken || left <= 1) throw error;
    }
  }
}

/** Checks that `bindAll` can succeed; nothing listens afterwards. @throws what `bindAll` would throw */
export async function requirePort(port: number, host: string): Promise<void> {
  const { servers } = await bindAll(createServer, port, host);
  await closeServers(servers);
}

async function bindOnce<S extends Server>(make: () => S, wanted: number, host: string): Promise<Bound<S>> {
  const servers: S[] = [];
  const held = new Set<string>();
  let port = wanted;
  try {
    for (const address of ADDRESSES.get(host) ?? [host, IPV4, IPV6]) {
      const server = make();
      const bound = await bind(server, port, address).catch((error: unknown) => {
        if (address === host || !ABSENT.has(systemCodeOf(error) ?? '')) throw bindError(error, port, address);
        return null;
      });
      if (bound === null) continue;
      port = bound;
      servers.push(server);
      held.add(address);
    }
    // With the host `localhost`, one of the two addresses is enough.
    if (servers.length === 0) throw bindError(new Error('no loopback address'), port, host);
  } catch (error) {
    await closeServers(servers);
    throw error;
  }
  return { port, servers, names: namesOf(held) };
}

/** The addresses to listen on, by host. If the host is an address itself, that address comes first. */
const ADDRESSES: ReadonlyMap<string, readonly string[]> = new Map([
  [IPV4, [IPV4, IPV6]],
  ['localhost', [IPV4, IPV6]],
  [IPV6, [IPV6, IPV4]],
  ['0.0.0.0', ['0.0.0.0', IPV6]],
  // Two servers are needed: on some systems, one server for both families could share the port with a program that holds it for
  // one family.
  ['::', ['::', '0.0.0.0']],
]);

function namesOf(held: ReadonlySet<string>): string[] {
  const hasAny = (...addresses: string[]) => addresses.some((address) => held.has(address));
  return [
    ...(hasAny(IPV4, '0.0.0.0') ? [IPV4] : []),
    // `localhost` may mean either address, and this server holds each of them that exists.
    'localhost',
    ...(hasAny(IPV6, '::') ? [`[${IPV6}]`] : []),
  ];
}

/** Binds a server to an address. @returns the port */
function bind(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, ipv6Only: host.includes(':') }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function bindError(error: unknown, port: number, host: string): RelayError {
  const code = systemCodeOf(error);
  const at = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  // Windows gives this error if another user's program holds the port exclusively.
  const isHeldByOther = code === 'EACCES' && port >= 1024;
  if (code === 'EADDRINUSE' || isHeldByOther) {
    return new RelayError('PORT_TAKEN', `Another program is already using ${at}.`, {
      remedy: 'Choose another port with --port (0 picks a free one), or stop the other program.',
      cause: error,
    });
  }
  const why = code ?? (error as Error).message;
  return new RelayError('SETTINGS_INVALID', `The server cannot listen on ${at} (${why}).`, {
    remedy:
      code === 'EACCES'
        ? 'Ports below 1024 require special privileges: choose another with --port.'
        : 'Check --host (RELAY_HOST) and --port (RELAY_PORT).',
    cause: error,
  });
}

async function closeServers(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
}
