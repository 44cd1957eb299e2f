/**
 * Carries one MCP message to a running server, and brings its answers back. Each message has its own connection, on which the
 * server must first prove itself. A failure before the message is sent is a `RelayError`, so that the caller can safely send
 * the message again.
 */
import { RelayError } from '../domain/errors.ts';
import type { OpenAnswer } from './connection.ts';
import { type Greeting, requireProof, unreachable } from './localClient.ts';

export interface CarryOptions {
  /** Derived from the master key; never sent. */
  key: string;
  /** Aborting this signal tells the server that the client no longer waits. */
  signal: AbortSignal;
  /** The request headers, to which the credential and the body's type and length are added. */
  headers: Record<string, string>;
}

/**
 * Passes every JSON-RPC message of the answer to `take`, as JSON text. The body of a 401 is not passed on, since it concerns
 * only the credential that relay itself added. Closes the connection.
 * @param greeting a greeting whose connection has carried no message yet
 * @returns the HTTP status
 * @throws RelayError `NO_SERVER` if nothing was sent; any other error means that the answer was cut off
 */
export async function carryMessage(
  text: string,
  greeting: Greeting,
  { key, headers, signal }: CarryOptions,
  take: (json: string) => Promise<void>,
): Promise<number> {
  const { connection } = greeting;
  const giveUp = () => connection.close();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const credential = await requireProof(greeting, key).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error instanceof RelayError ? error : unreachable(greeting, error);
    });
    const authorization = `Bearer ${credential}`;
    const answer = await connection.open('/mcp', text, { headers: { ...headers, authorization }, signal });
    if (answer.status !== 401) for await (const json of messagesOf(answer)) await take(json);
    return answer.status;
  } finally {
    signal.removeEventListener('abort', giveUp);
    connection.close();
  }
}

/** A JSON body is one message; an event stream has one in each event (HTML standard, 9.2.6). */
async function* messagesOf({ contentType, text }: OpenAnswer): AsyncGenerator<string> {
  const isStream = contentType.startsWith('text/event-stream');
  let pending = '';
  for await (const chunk of text) {
    pending += chunk;
    if (!isStream) continue;
    const events = pending.split(/\r?\n\r?\n/);
    pending = events.pop() ?? '';
    for (const event of events) yield* dataOf(event);
  }
  if (isStream) yield* dataOf(pending);
  else if (pending.trim() !== '') yield pending;
}

function dataOf(event: string): string[] {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? [] : [lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n')];
}
