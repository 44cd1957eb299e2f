/**
 * Decides on which addresses a server listens. A name of this server can mean several addresses. A program that holds one of them
 * would receive what the owner sends to relay: the owner code, or what a browser keeps for that name. So the server takes all
 * addresses that this machine has, or none.
 */
import { type AddressInfo, createServer, type Server } from 'node:net';
import { RelayError, systemCodeOf } from '../../domain/errors.ts';

const LOOPBACK = ['127.0.0.1', '::1'];

/** The addresses for hosts that are names, or stand for several addresses. On some systems `::` alone leaves IPv4 to others. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  localhost: LOOPBACK,
  '0.0.0.0': ['0.0.0.0', '::1'],
  '::': ['::', '0.0.0.0'],
};

/** If the system chooses the port, another program may hold it on one of the addresses. */
const TRIES = 50;

/** The system's error codes for an address that this machine does not have, for example if IPv6 is switched off. */
const ABSENT = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT'];

export interface Bound<S extends Server> {
  port: number;
  servers: S[];
  /** The loopback names that lead to this server and to no other, as they appear in `Host`. */
  names: string[];
}

/**
 * Listens on `host` and on every loopback address, each with a server of its own.
 * @param wanted the port; 0 for one that is free on all addresses
 * @throws RelayError `PORT_TAKEN` naming the address, `SETTINGS_INVALID`; nothing listens then
 */
export async function bindAll<S extends Server>(
  make: () => S,
  wanted: number,
  host: string,
): Promise<Bound<S>> {
  const addresses = ADDRESSES[host] ?? [...new Set([host, ...LOOPBACK])];
  for (let left = wanted === 0 ? TRIES : 1; ; left--) {
    const servers: S[] = [];
    const held: string[] = [];
    let port = wanted;
    try {
      for (const address of addresses) {
        const server = make();
        const bound = await bind(server, port, address).catch((error: unknown) => {
          if (address === host || !ABSENT.includes(systemCodeOf(error) ?? ''))
            throw bindError(error, port, address);
          return null;
        });
        if (bound === null) continue;
        port = bound;
        servers.push(server);
        held.push(address);
      }
      if (servers.length === 0) throw bindError(new Error('no loopback address'), port, host);
      const hasIpv4 = held.some((address) => !address.includes(':'));
      const hasIpv6 = held.some((address) => address.includes(':'));
      return {
        port,
        servers,
        names: [...(hasIpv4 ? ['127.0.0.1'] : []), 'localhost', ...(hasIpv6 ? ['[::1]'] : [])],
      };
    } catch (error) {
      await closeServers(servers);
      if (left <= 1 || (error as RelayError).code !== 'PORT_TAKEN') throw error;
    }
  }
}

/** Checks that `bindAll` can succeed; nothing listens afterwards. @throws what `bindAll` would throw */
export async function requirePort(port: number, host: string): Promise<void> {
  await closeServers((await bindAll(createServer, port, host)).servers);
}

function bind(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, ipv6Only: host.includes(':') }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function bindError(cause: unknown, port: number, host: string): RelayError {
  const code = systemCodeOf(cause);
  const at = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  // Windows says EACCES if another user's program holds the port exclusively.
  if (code === 'EADDRINUSE' || (code === 'EACCES' && port >= 1024)) {
    const remedy = 'Choose another port with --port (0 picks a free one), or stop the other program.';
    return new RelayError('PORT_TAKEN', `Another program is already using ${at}.`, { remedy, cause });
  }
  const why = code ?? (cause as Error).message;
  return new RelayError('SETTINGS_INVALID', `The server cannot listen on ${at} (${why}).`, {
    remedy:
      code === 'EACCES'
        ? 'Ports below 1024 require special privileges: choose another with --port.'
        : 'Check --host (RELAY_HOST) and --port (RELAY_PORT).',
    cause,
  });
}

async function closeServers(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
}
