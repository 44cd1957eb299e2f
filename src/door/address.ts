/**
 * Where the server of a home listens for the owner's programs: a Unix domain socket that only the owner can open, or on Windows a
 * named pipe. Whoever opens it is the owner, so nothing else has to be proved there.
 */
import { createHmac } from 'node:crypto';
import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../base/clock.ts';
import { messageOf, RelayError } from '../domain/errors.ts';
import type { DoorAddress } from '../domain/localApi.ts';

/**
 * Maximum length of a socket's path, in bytes. macOS allows 103, Linux 107, and Node 20 cuts a longer path without an error, so
 * the server would listen somewhere else.
 */
const LONGEST = 100;

/**
 * Makes `server` listen at a new address for the home, whose lock this process holds. If the home cannot hold a socket (its path
 * is too long, or its file system has none), the socket is in a new private directory for temporary files.
 * @throws RelayError `HOME_UNUSABLE`
 */
export async function listenAt(server: Server, home: string, random: Random): Promise<DoorAddress> {
  if (process.platform === 'win32') {
    const secret = random.bytes(32).toString('base64url');
    return { ...(await listen(server, String.raw`\\.\pipe\relay-${random.uuid()}`)), secret };
  }
  const socket = join(home, 'relay.sock');
  try {
    // Left over from a server that was killed.
    rmSync(socket, { force: true });
    return await listen(server, socket);
  } catch {
    const temporary = async () => listen(server, join(mkdtempSync(join(tmpdir(), 'relay-')), 'relay.sock'));
    return temporary().catch((error) => {
      const reason = `No socket can be made in ${home} or in ${tmpdir()}: ${messageOf(error)}.`;
      const remedy = 'Choose a home on a local disk with --home, or a short TMPDIR.';
      throw new RelayError('HOME_UNUSABLE', reason, { remedy, details: { home }, cause: error });
    });
  }
}

async function listen(server: Server, socket: string): Promise<DoorAddress> {
  if (Buffer.byteLength(socket) > LONGEST) throw new Error(`${socket} is too long for a socket`);
  await new Promise<void>((resolve, reject) => {
    // The system makes the socket while `listen` runs, so nobody else can ever connect to it.
    const mask = process.umask(0o177);
    server.once('error', reject).listen(socket, resolve);
    process.umask(mask);
  });
  return { socket };
}

/** True if the socket is this user's own. In a directory that others may write to, it might be somebody else's. */
export function isOwn({ socket }: DoorAddress): boolean {
  if (process.platform === 'win32') return true;
  const uid = lstatSync(socket, { throwIfNoEntry: false })?.uid;
  return uid === undefined || uid === process.getuid?.() || uid === 0;
}

/** What only the server that wrote `server.json` can answer to a nonce; '' where no proof is needed. */
export function proofOf({ secret = '' }: DoorAddress, nonce: string): string {
  return secret === '' ? '' : createHmac('sha256', secret).update(nonce).digest('base64url');
}
