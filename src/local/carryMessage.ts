/**
 * Carries one MCP message to a running server, and its answers back, on a connection of its own on which the server has
 * proved itself. What fails before the message is sent is a `RelayError`, so that it can be sent again for certain.
 */
import { RelayError } from '../domain/errors.ts';
import { LOCAL_ROUTES } from '../domain/localApi.ts';
import { type Connection, type OpenAnswer, openConnection } from './connection.ts';
import { type LocalClientOptions, requireProof, unreachable } from './localClient.ts';

export interface CarryOptions extends Omit<LocalClientOptions, 'timeoutMs' | 'signal'> {
  /** Aborting it tells the server that the client no longer waits. */
  signal: AbortSignal;
  /** Everything but the credential, and the type and length of the body. */
  headers: Record<string, string>;
  /** For `/mcp`; null: the server is asked for one first. */
  credential: string | null;
  onCredential(credential: string): void;
}

/** What the credential takes to answer, at most, in milliseconds. */
const CREDENTIAL_MS = 10_000;

/**
 * Gives every JSON-RPC message of the answer to `take`, as its JSON text, but nothing of a 401, which is about the
 * credential that this side chose.
 * @returns the HTTP status
 * @throws RelayError `NO_SERVER` where nothing was sent; anything else means that the answer was cut off
 */
export async function carryMessage(
  text: string,
  options: CarryOptions,
  take: (json: string) => Promise<void>,
): Promise<number> {
  const { headers, signal, credential, onCredential, ...server } = options;
  const { origin } = new URL(server.baseUrl);
  const connection = openConnection(origin);
  try {
    await requireProof(connection, { ...server, signal }, origin).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error instanceof RelayError ? error : unreachable(origin, error);
    });
    const bearer = credential ?? (await askForCredential(connection, server.token, origin, signal));
    if (credential === null) onCredential(bearer);
    const authorization = `Bearer ${bearer}`;
    const answer = await connection.open('/mcp', text, { headers: { ...headers, authorization }, signal });
    if (answer.status !== 401) for await (const json of messagesOf(answer)) await take(json);
    return answer.status;
  } finally {
    connection.close();
  }
}

/** On the connection on which the server has proved itself: a second one would take longer than the question. */
async function askForCredential(
  connection: Connection,
  localToken: string,
  origin: string,
  signal: AbortSignal,
): Promise<string> {
  const headers = { authorization: `Bearer ${localToken}` };
  try {
    const timing = { signal, timeoutMs: CREDENTIAL_MS, withinMs: CREDENTIAL_MS };
    const { status, text } = await connection.post(
      `/local/${LOCAL_ROUTES.mcpToken}`,
      {},
      { headers, ...timing },
    );
    const { token } = JSON.parse(text) as { token?: unknown };
    if (status === 200 && typeof token === 'string') return token;
    throw new Error(`it answers HTTP ${status}`);
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(origin, error);
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
