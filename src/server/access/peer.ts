/**
 * Finds out which user of this machine a connection comes from. On Linux `/proc/net/tcp` and `tcp6` name the user of each
 * socket, and so of the other end of a loopback connection too. Other systems do not tell this to an unprivileged program.
 *
 * The look-up is too slow for every request: the tables hold all connections of the machine.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { bytesOf, groupsOf } from '../http/address.ts';

/**
 * `self`: this user, or root, who can do everything anyway. `other`: another user of this machine. `unknown`: the system
 * does not say, or the other end is already closing or is on another machine.
 */
export type Peer = 'self' | 'other' | 'unknown';

/** True if the system can name the user of any program on this machine that keeps its end of the connection open. */
export const PEERS_ARE_KNOWN = process.platform === 'linux';

/** The two ends of a connection as the server sees them. @internal */
export interface Ends {
  remoteAddress: string;
  remotePort: number;
  localAddress: string;
  localPort: number;
}

/** Number of tries: the kernel returns the tables in pieces, and a table that changes meanwhile may lack a line. */
const TRIES = 3;

/** Peers that were found, by connection. A connection counts as its first user's, even if another user holds it later. */
const known = new WeakMap<Socket, Peer>();

/** Tells which user is at the other end of a connection. Asks the system only until the answer is known. */
export async function peerOf(socket: Socket): Promise<Peer> {
  const peer = known.get(socket) ?? (await lookUp(socket));
  if (peer !== 'unknown') known.set(socket, peer);
  return peer;
}

async function lookUp(socket: Socket): Promise<Peer> {
  const own = process.getuid?.();
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (!PEERS_ARE_KNOWN || own === undefined) return 'unknown';
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return 'unknown';
  const ends = { remoteAddress, remotePort, localAddress, localPort };
  for (let attempt = 0; attempt < TRIES; attempt++) {
    for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
      const uid = await findUid(table, ends);
      if (uid !== null) return uid === own || uid === 0 ? 'self' : 'other';
    }
  }
  return 'unknown';
}

/** Maximum number of bytes that the kernel returns at once. */
const PIECE_BYTES = 4_096;
/** Number of pieces to read before other work has its turn. Reading them takes about a millisecond. */
const PIECES_PER_TURN = 32;

/**
 * Finds the user of the other end in a table, and reads no further than that line. Returns null if the table does not have the
 * connection or cannot be read. The kernel returns the table in small pieces.
 * Reading a piece in Node's threads would take longer than the kernel needs to produce it, so the pieces are read
 * synchronously.
 * @internal
 */
export async function findUid(path: string, ends: Ends): Promise<number | null> {
  const piece = Buffer.alloc(PIECE_BYTES);
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    let rest = '';
    for (let count = 1; ; count++) {
      const length = readSync(file, piece);
      if (length === 0) return null;
      const text = rest + piece.toString('latin1', 0, length);
      const end = text.lastIndexOf('\n') + 1;
      const uid = uidOfPeer(text.slice(0, end), ends, endianness());
      if (uid !== null) return uid;
      rest = text.slice(end);
      if (count % PIECES_PER_TURN === 0) await setImmediate();
    }
  } catch {
    // Without IPv6 there is no `tcp6`.
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/**
 * The user of the other end, from a table of the kernel; null if the table does not have it.
 *
 * Only an end that a program still holds counts, whether established or half closed. For a closed end, the kernel shows root
 * and no inode. If such an end counted, a program that sends a request and closes at once would pass for root.
 * @internal
 */
export function uidOfPeer(table: string, ends: Ends, order: 'LE' | 'BE'): number | null {
  const ofPeer = encode(ends.remoteAddress, ends.remotePort, order);
  const ofServer = encode(ends.localAddress, ends.localPort, order);
  for (const form of ['v4', 'v6'] as const) {
    const line = ` ${ofPeer[form]} ${ofServer[form]} `;
    const at = table.indexOf(line);
    if (at < 0) continue;
    // The columns: state, queues, timer, retransmits, user, timeout, inode.
    const [, , , , uid = '', , inode = ''] = table
      .slice(at + line.length, at + line.length + 200)
      .split(/\s+/);
    if (/^\d+$/.test(uid) && inode !== '0') return Number(uid);
  }
  return null;
}

/**
 * One end of a connection as the tables write it. An IPv4 address is in `tcp`, or as a mapped address in `tcp6`: either side of
 * the connection may be in either table.
 */
function encode(address: string, port: number, order: 'LE' | 'BE'): { v4: string; v6: string } {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  const v4 = plain.includes('.') ? plain.split('.').map(Number) : null;
  const v6 = v4 ? [...MAPPED, ...v4] : bytesOf(groupsOf(plain));
  const suffix = `:${hex(port >> 8)}${hex(port & 255)}`;
  return { v4: `${v4 ? words(v4, order) : '-'}${suffix}`, v6: `${words(v6, order)}${suffix}` };
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

/** The bytes as the kernel prints them: 32-bit words in the byte order of the machine. */
function words(bytes: number[], order: 'LE' | 'BE'): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const word = bytes.slice(at, at + 4);
    text += (order === 'LE' ? word.reverse() : word).map(hex).join('');
  }
  return text;
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}
