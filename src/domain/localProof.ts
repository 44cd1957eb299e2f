/**
 * Lets a server prove to the command line that it holds the local key. Any program may take the port of a server that was
 * killed, so the command line sends nothing but a nonce before that proof. Then the command line proves on the same connection
 * that it holds the key too. The key itself is never sent. Pure.
 */
import type { Socket } from 'node:net';
import { hmacSha256, sameBytes } from '../base/sha256.ts';

/** Route below `/local/`: POST `{nonce}` without a credential. The nonce is random, so no earlier answer can be replayed. */
export const HELLO_ROUTE = 'hello';

interface HelloAnswer {
  pid: number;
  proof: string;
}

interface End {
  address: string;
  port: number;
}

/** Both ends of a connection. The sockets of client and server name the same two ends. */
export interface ConnectionEnds {
  client: End;
  server: End;
}

/** The part of a socket that names its ends. */
export type SocketEnds = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>;

/** Returns the ends of a connection, from the socket of one side; null if the connection is not open. */
export function endsOf(socket: SocketEnds, side: keyof ConnectionEnds): ConnectionEnds | null {
  const own = endOf(socket.localAddress, socket.localPort);
  const other = endOf(socket.remoteAddress, socket.remotePort);
  if (own === null || other === null) return null;
  return side === 'client' ? { client: own, server: other } : { client: other, server: own };
}

/**
 * Returns one end of a connection; null if the connection is not open. Leaves out the `::ffff:` that a dual-stack socket puts
 * before IPv4 addresses.
 */
function endOf(address: string | undefined, port: number | undefined): End | null {
  return address && port ? { address: address.replace(/^::ffff:/i, ''), port } : null;
}

/** A proof and the credential that goes with it, each in base64url. */
export interface ConnectionSecrets {
  /** Proves that the server holds the local key. */
  proof: string;
  /** The command line's credential for `/local` and `/mcp`, on this connection alone. Both sides compute it. */
  credential: string;
}

/**
 * Returns the halves of an HMAC-SHA-256 under the local key: each has 128 bits, and neither reveals anything about the other.
 * The HMAC includes both ends of the connection. A program that took the port may forward the nonce to the real server. The
 * proof that this program gets is for its own connection to that server, so the command line refuses the proof. While a
 * connection is open, no second one has the same two ends.
 */
export function connectionSecrets(
  key: string,
  nonce: string,
  { client, server }: ConnectionEnds,
  pid: number,
): ConnectionSecrets {
  const ends = [client.address, client.port, server.address, server.port];
  const text = ['relay local connection v3', nonce, ...ends, pid].join('\n');
  const bytes = hmacSha256(Buffer.from(key), Buffer.from(text));
  return {
    proof: bytes.subarray(0, HALF).toString('base64url'),
    credential: bytes.subarray(HALF).toString('base64url'),
  };
}

const HALF = 16;

/** Returns the credential for a connection if the answer proves that the server holds `key`; otherwise null. */
export function credentialFor(
  key: string,
  nonce: string,
  ends: ConnectionEnds,
  answer: unknown,
): string | null {
  const { pid, proof } = (answer ?? {}) as Partial<HelloAnswer>;
  if (typeof pid !== 'number' || typeof proof !== 'string') return null;
  const expected = connectionSecrets(key, nonce, ends, pid);
  return sameBytes(Buffer.from(proof), Buffer.from(expected.proof)) ? expected.credential : null;
}
