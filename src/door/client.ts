/** The programs' side of the door (`server.ts`). */
import { createHmac, randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Lines, linesOf } from '../base/textLines.ts';
import { messageOf, RelayError, systemCodeOf, toldError } from '../domain/errors.ts';
import { callsOf, type DoorAddress } from '../domain/localApi.ts';

/** How long a server may be silent, in milliseconds: reading a list of 100,000 lines takes a slow machine minutes. */
const PATIENCE_MS = 300_000;
/** The same for opening a stream, which takes no work. */
const GREETING_MS = 10_000;

/** A stream on which the server speaks MCP, one message a line. */
export interface McpStream {
  stream: Socket;
  /** What the server sends. Rejects if the connection breaks. */
  lines: Lines;
}

/**
 * Calls of the server at this address. Errors of the server come back as `RelayError` with their code; a server that cannot be
 * reached or stops is `NO_SERVER`. The server that answers is this program, so the shape of its answers is not checked.
 * @typeParam Api the calls that the server knows
 * @param signal aborting it ends every call, with the signal's reason
 */
export function openCalls<Api extends object>(address: DoorAddress, signal?: AbortSignal): Api {
  return callsOf<Api>(async (name, given) => {
    const { stream, lines } = await enter(address);
    const leave = () => stream.destroy();
    signal?.addEventListener('abort', leave);
    try {
      signal?.throwIfAborted();
      const answer = await ask(stream, lines, { call: name, given });
      if ('error' in answer) throw toldError(answer.error as object);
      return answer.result;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', leave);
      leave();
    }
  });
}

/** @param headers which tools the client gets, named in lower case. @throws RelayError `NO_SERVER` */
export async function openMcp(address: DoorAddress, headers: Record<string, string>): Promise<McpStream> {
  const { stream, lines } = await enter(address);
  stream.setTimeout(GREETING_MS);
  // A server that is being killed still takes connections for a moment.
  await ask(stream, lines, { mcp: headers });
  stream.setTimeout(0);
  return { stream, lines };
}

/** True if a server listens at this address. */
export async function answers(address: DoorAddress): Promise<boolean> {
  const entered = await enter(address).catch(() => null);
  entered?.stream.destroy();
  return entered !== null;
}

/** Connects, and makes sure that the server is the one of `server.json`. A socket that is this user's own needs no proof. */
async function enter(address: DoorAddress): Promise<McpStream> {
  if (!isOwn(address)) throw away(new Error(`${address.socket} belongs to another user`));
  const stream = await new Promise<Socket>((resolve, reject) => {
    const made = connect(address.socket, () => resolve(made)).once('error', (error) => reject(away(error)));
  });
  stream.on('error', () => {}).setTimeout(PATIENCE_MS, () => stream.destroy(new Error('it does not answer')));
  const lines = linesOf(stream, Number.POSITIVE_INFINITY);
  if (address.secret === undefined) return { stream, lines };
  const nonce = randomBytes(32).toString('base64url');
  try {
    const { result } = await ask(stream, lines, { hello: nonce });
    if (result === proofOf(address, nonce)) return { stream, lines };
    throw away(new Error(`another program listens at ${address.socket}`));
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

async function ask(stream: Socket, lines: Lines, message: object): Promise<Record<string, unknown>> {
  try {
    stream.write(`${JSON.stringify(message)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('it stopped before it answered');
    return JSON.parse(value ?? '') as Record<string, unknown>;
  } catch (error) {
    throw away(error);
  }
}

/** True if the socket is this user's own. In a directory that others may write to, it might be somebody else's. */
function isOwn({ socket }: DoorAddress): boolean {
  if (process.platform === 'win32') return true;
  const uid = lstatSync(socket, { throwIfNoEntry: false })?.uid;
  return uid === undefined || uid === process.getuid?.() || uid === 0;
}

/** What only the server that wrote `server.json` can answer to a nonce; '' where no proof is needed. */
export function proofOf({ secret = '' }: DoorAddress, nonce: string): string {
  return secret === '' ? '' : createHmac('sha256', secret).update(nonce).digest('base64url');
}

/** The error for a server that cannot be reached, or has gone while it was asked. */
function away(error: unknown): RelayError {
  const isAbsent = ['ENOENT', 'ECONNREFUSED'].includes(systemCodeOf(error) ?? '');
  const reason = isAbsent ? 'nothing listens there' : messageOf(error);
  return new RelayError('NO_SERVER', `The server cannot be reached: ${reason}.`, {
    remedy: {
      text: 'Start it with {command}. If it does not answer, end its process first.',
      command: ['serve'],
    },
    cause: error,
  });
}
