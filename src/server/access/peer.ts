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
 * `self`: this user, or root, who can do everything anyway. `other`: another user of this machine. `gone`: the other end is
 * closed, so nothing says whose it was; a program that sends a request and closes at once must not pass for the owner's.
 * `unknown`: the system does not say, or the other end is on another machine.
 */
export type Peer = 'self' | 'other' | 'gone' | 'unknown';

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

/** True for a connection of another user of this machine, and for one that is closed, since it may have been another user's. */
export async function isFromStranger(socket: Socket): Promise<boolean> {
  const peer = await peerOf(socket);
  return peer === 'other' || peer === 'gone';
}

async function lookUp(socket: Socket): Promise<Peer> {
  const own = process.getuid?.();
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (!PEERS_ARE_KNOWN || own === undefined) return 'unknown';
  // The connection was reset before it could be looked at.
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return 'gone';
  const ends = { remoteAddress, remotePort, localAddress, localPort };
  let seen: Seen = {};
  for (let attempt = 0; attempt < TRIES; attempt++) {
    seen = {};
    for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
      seen = { ...seen, ...(await seenIn(table, ends)) };
      if (seen.uid !== undefined) return seen.uid === own || seen.uid === 0 ? 'self' : 'other';
    }
  }
  if (seen.isClosed) return 'gone';
  // A table without our own end lacks it because the connection was reset, unless the tables of this system show nothing.
  return seen.isOpen || !seen.isComplete ? 'unknown' : 'gone';
}

/** Maximum number of bytes that the kernel returns at once. */
const PIECE_BYTES = 4_096;
/** Number of pieces to read before other work has its turn. Reading them takes about a millisecond. */
const PIECES_PER_TURN = 32;

/** What a table of the kernel shows of a connection. What it does not show is left out. @internal */
export interface Seen {
  /** The user of the other end. */
  uid?: number;
  /** True if no program holds the other end any more, or if that end has told ours that it is closed. */
  isClosed?: true;
  /** True if our own end is established. */
  isOpen?: true;
  /** True if the table has our listening socket, so that it can be expected to have our end of each connection. */
  isComplete?: true;
}

/**
 * Looks for a connection in a table, and reads no further than the line with the user of the other end. If reading fails,
 * returns what was seen until then. The kernel returns the table in small pieces. They are read synchronously, since handing a
 * piece to Node's threads takes longer than the kernel needs to produce it.
 */
async function seenIn(path: string, ends: Ends): Promise<Seen> {
  const piece = Buffer.alloc(PIECE_BYTES);
  let file: number | null = null;
  let seen: Seen = {};
  try {
    file = openSync(path, 'r');
    let rest = '';
    for (let count = 1; ; count++) {
      const length = readSync(file, piece);
      if (length === 0) return seen;
      const text = rest + piece.toString('latin1', 0, length);
      const end = text.lastIndexOf('\n') + 1;
      seen = { ...seen, ...seenInText(text.slice(0, end), ends, endianness()) };
      if (seen.uid !== undefined) return seen;
      rest = text.slice(end);
      if (count % PIECES_PER_TURN === 0) await setImmediate();
    }
  } catch {
    // Without IPv6 there is no `tcp6`.
    return seen;
  } finally {
    if (file !== null) closeSync(file);
  }
}

const ESTABLISHED = '01';

/**
 * What a part of a table shows of a connection.
 *
 * The user of the other end counts only while a program still holds that end, whether established or half closed. For a closed
 * end, the kernel shows root and no inode.
 * @internal
 */
export function seenInText(table: string, ends: Ends, order: 'LE' | 'BE'): Seen {
  const ofPeer = encode(ends.remoteAddress, ends.remotePort, order);
  const ofServer = encode(ends.localAddress, ends.localPort, order);
  const seen: Seen = {};
  for (const form of ['v4', 'v6'] as const) {
    const peer = columnsOf(table, ` ${ofPeer[form]} ${ofServer[form]} `);
    if (peer) {
      // The columns: state, queues, timer, retransmits, user, timeout, inode.
      const [, , , , uid = '', , inode = ''] = peer;
      if (/^\d+$/.test(uid) && inode !== '0') return { uid: Number(uid) };
      seen.isClosed = true;
    }
    const own = columnsOf(table, ` ${ofServer[form]} ${ofPeer[form]} `);
    if (own?.[0] === ESTABLISHED) seen.isOpen = true;
    else if (own) seen.isClosed = true;
  }
  const port = ofServer.v4.slice(-5);
  if (new RegExp(` [0-9A-F]+${port} 0+:0000 0A `).test(table)) seen.isComplete = true;
  return seen;
}

/** The columns after the two ends of a connection; null if the table does not have the connection. */
function columnsOf(table: string, connection: string): string[] | null {
  const at = table.indexOf(connection);
  if (at < 0) return null;
  return table.slice(at + connection.length, at + connection.length + 200).split(/\s+/);
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
