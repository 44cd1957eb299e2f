/**
 * The server's side of the door: a Unix domain socket in the home that only the owner can open, or on Windows a named pipe. Whoever
 * opens it is the owner, so nothing else has to be proved there. A program sends lines of JSON: `{call, given}` for one of the
 * owner's calls, which is answered with `{result}` or `{error}`, or `{mcp}` with headers; after its answer both sides speak MCP.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock, Random } from '../base/clock.ts';
import { type Lines, linesOf } from '../base/textLines.ts';
import { messageOf, RelayError } from '../domain/errors.ts';
import type { DoorAddress, DoorSession } from '../domain/localApi.ts';
import { proofOf } from './client.ts';

export interface DoorOptions {
  home: string;
  clock: Clock;
  random: Random;
  /** Carries out one of the owner's calls; never rejects. */
  call(name: string, given: unknown): Promise<{ result: unknown } | { error: object }>;
  /** Speaks MCP on a stream. @param headers which tools its client gets, named in lower case */
  serve(stream: Socket, lines: Lines, headers: Record<string, string>): DoorSession;
}

export interface Door {
  address: DoorAddress;
  /** The clients of `relay stdio`. */
  sessions(): DoorSession[];
  /** Lets requests end for `graceMs`, then closes the door. */
  close(graceMs: number): Promise<void>;
}

/** How often to look whether all requests have ended, in milliseconds. */
const LOOK_AGAIN_MS = 20;

/** Opens the door. @throws RelayError `HOME_UNUSABLE` */
export async function openDoor({ home, clock, random, call, serve }: DoorOptions): Promise<Door> {
  const streams = new Map<Socket, DoorSession | null>();
  const sessions = () => [...streams.values()].filter((session) => session !== null);
  let calls = 0;
  const server = createServer((stream) => {
    streams.set(stream, null);
    stream.on('error', () => {}).once('close', () => streams.delete(stream));
    // What is no message of ours ends its own connection only.
    attend(stream).catch(() => stream.destroy());
  });

  async function attend(stream: Socket): Promise<void> {
    const lines = linesOf(stream, Number.POSITIVE_INFINITY);
    for (;;) {
      const { value: line, done } = await lines.next();
      if (done) return;
      const { hello, mcp, call: name, given } = JSON.parse(line ?? '');
      if (mcp) {
        stream.write('{"result":true}\n');
        return void streams.set(stream, serve(stream, lines, mcp));
      }
      calls += 1;
      const answer = hello ? { result: proofOf(address, hello) } : await call(name, given);
      calls -= 1;
      stream.write(`${JSON.stringify(answer)}\n`);
    }
  }

  const address = await listenAt(server, home, random);
  return {
    address,
    sessions,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const giveUpAt = clock.monotonic() + graceMs;
      const isBusy = () => calls > 0 || sessions().some((session) => session.isBusy);
      while (isBusy() && clock.monotonic() < giveUpAt) await clock.sleep(LOOK_AGAIN_MS);
      for (const stream of streams.keys()) stream.end().destroySoon();
      await closed;
      // Node has removed the socket.
      if (process.platform !== 'win32' && dirname(address.socket) !== home)
        rmSync(dirname(address.socket), { recursive: true, force: true });
    },
  };
}

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
async function listenAt(server: Server, home: string, random: Random): Promise<DoorAddress> {
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
