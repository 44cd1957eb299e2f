/**
 * Finds out which user of this machine a connection comes from. On Linux `/proc/net/tcp` and `tcp6` name the user of each
 * socket, and so of the other end of a loopback connection too. Other systems do not tell this to an unprivileged program.
 */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/**
 * `self`: this user, or root, who can do everything anyway. `other`: another user of this machine, or nobody any more: a program
 * that sends a request and closes at once must not pass for the owner's. `unknown`: the system does not say.
 */
export type Peer = 'self' | 'other' | 'unknown';

/** True if the system can name the user of any program on this machine that keeps its end of the connection open. */
export const PEERS_ARE_KNOWN = process.platform === 'linux';

/** Number of tries: the kernel returns the tables in pieces, and a table that changes meanwhile may lack a line. */
const TRIES = 3;

/** Peers that were found, by connection. A connection counts as its first user's, even if another user holds it later. */
const known = new WeakMap<Socket, Peer>();

export async function peerOf(socket: Socket): Promise<Peer> {
  const peer = known.get(socket) ?? (await lookUp(socket));
  if (peer !== 'unknown') known.set(socket, peer);
  return peer;
}

/** True for a connection of another user of this machine, and for one that is closed, since it may have been another user's. */
export async function isFromStranger(socket: Socket): Promise<boolean> {
  return (await peerOf(socket)) === 'other';
}

async function lookUp({ remotePort, localPort }: Socket): Promise<Peer> {
  const own = process.getuid?.();
  if (!PEERS_ARE_KNOWN || own === undefined) return 'unknown';
  // The connection was reset before it could be looked at.
  if (!remotePort || !localPort) return 'other';
  let seen: Peer | 'nothing' = 'unknown';
  for (let attempt = 0; attempt < TRIES && seen !== 'self' && seen !== 'other'; attempt++) {
    // Without IPv6 there is no `tcp6`.
    const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((path) =>
      readFile(path, 'latin1').catch(() => ''),
    );
    seen = peerIn((await Promise.all(tables)).join('\n'), { remotePort, localPort, own });
  }
  return seen === 'nothing' ? 'other' : seen;
}

/**
 * Reads the peer from the kernel's tables; `nothing` if they have neither end of the connection. Only the two ports are compared: a
 * connection of another user between the same ports of other addresses refuses too, which harms only that moment.
 * @internal
 */
export function peerIn(
  tables: string,
  { remotePort, localPort, own }: { remotePort: number; localPort: number; own: number },
): Peer | 'nothing' {
  const [theirs, ours] = [remotePort, localPort].map(
    (port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`,
  ) as [string, string];
  // Tables that lack even our listening socket show nothing of this system.
  let seen: Peer | 'nothing' = new RegExp(`${ours} 0+:0000 ${LISTEN} `).test(tables) ? 'nothing' : 'unknown';
  for (const line of tables.split('\n')) {
    // The columns: number, both ends, state, queues, timer, retransmits, user, timeout, inode.
    const [, from = '', to = '', state, , , , uid, , inode] = line.trim().split(/\s+/);
    if (from.endsWith(theirs) && to.endsWith(ours)) {
      // A closed end is shown as root's, and without an inode.
      if (inode === '0' || (uid !== String(own) && uid !== '0')) return 'other';
      seen = 'self';
    } else if (from.endsWith(ours) && to.endsWith(theirs)) {
      if (state !== ESTABLISHED) return 'other';
      if (seen === 'nothing') seen = 'unknown';
    }
  }
  return seen;
}

const ESTABLISHED = '01';
const LISTEN = '0A';
