/**
 * The command line's way to a running server: one POST for each call of `domain/localApi.ts`. Each call has its own connection.
 * The server has to prove itself on that connection before the command line sends anything else.
 */
import { type Random, systemRandom } from '../base/clock.ts';
import { readJson } from '../base/parsing.ts';
import { isErrorCode, messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import { LOCAL_ROUTES, type LocalApi, type LocalCall, localApiOf } from '../domain/localApi.ts';
import { credentialFor, HELLO_ROUTE } from '../domain/localProof.ts';
import { readRemedy } from '../domain/remedy.ts';
import { type Answer, type Connection, openConnection, SilentServer } from './connection.ts';

/** How long a server may take for its whole proof, in milliseconds. A proof takes hardly any time. */
const HELLO_MS = 10_000;
const HELLO_BYTES = 16 * 1024;

const ANSWER_MS = 60_000;
/** Reading 100,000 lines takes a slow machine more than a minute. */
const LIST_MS = 300_000;
const LIST_CALLS: ReadonlySet<string> = new Set(['previewImport', 'startImport'] satisfies LocalCall[]);

export interface LocalClientOptions {
  /** Base URL, as in `server.json`. */
  baseUrl: string;
  /** Derived from the master key; never sent. */
  key: string;
  /** Process of the server, if it is known. */
  pid?: number;
  /** Aborting this signal ends every running call, with the signal's reason. */
  signal?: AbortSignal;
  /**
   * How long the server may be silent, in milliseconds. By default a minute, and five minutes for a call that reads a list.
   * Waiting for a login takes up to 25 s at a time.
   */
  timeoutMs?: number;
  random?: Random;
}

/**
 * The local API over HTTP. Errors of the server come back as `RelayError` with their code; a server that does not
 * listen, or falls silent, is `NO_SERVER`.
 */
export function createLocalClient(options: LocalClientOptions): LocalApi {
  // The server that answers is this program, so the shape of its answers is not checked again.
  return localApiOf((name) => (given) => {
    const timeoutMs = options.timeoutMs ?? (LIST_CALLS.has(name) ? LIST_MS : ANSWER_MS);
    return post({ ...options, timeoutMs }, LOCAL_ROUTES[name], given);
  });
}

async function post(
  options: LocalClientOptions & { timeoutMs: number },
  route: string,
  body: object,
): Promise<unknown> {
  const { baseUrl, key, signal, timeoutMs } = options;
  const { origin } = new URL(baseUrl);
  const greeting = greet(baseUrl, options);
  const { connection } = greeting;
  let answer: Answer;
  try {
    const authorization = `Bearer ${await requireProof(greeting, key)}`;
    answer = await connection.post(`/local/${route}`, body, {
      headers: { authorization },
      signal,
      timeoutMs,
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof RelayError ? error : unreachable(greeting, error);
  } finally {
    connection.close();
  }
  const content = readJson(answer.text);
  if (answer.status >= 200 && answer.status < 300) return content;
  throw errorFrom(content, answer.status, origin);
}

/** A new connection, and the answer of its other end, which was asked for a proof. */
export interface Greeting {
  origin: string;
  /** Process of the server, if it is known. */
  pid: number | undefined;
  connection: Connection;
  nonce: string;
  answer: Promise<Answer>;
}

/** Opens a connection and asks its other end for a proof. Needs no key, so that the key can be loaded meanwhile. */
export function greet(
  baseUrl: string,
  { signal, pid, timeoutMs = HELLO_MS, random = systemRandom }: Omit<LocalClientOptions, 'baseUrl' | 'key'>,
): Greeting {
  const { origin } = new URL(baseUrl);
  const connection = openConnection(origin);
  const nonce = random.bytes(32).toString('base64url');
  const limits = { timeoutMs: Math.min(timeoutMs, HELLO_MS), withinMs: HELLO_MS, maxBytes: HELLO_BYTES };
  const answer = connection.post(`/local/${HELLO_ROUTE}`, { nonce }, { signal, ...limits });
  // The caller may never await the answer. Its failure must not end the process then.
  answer.catch(() => {});
  return { origin, pid, connection, nonce, answer };
}

/**
 * Makes sure that the other end of the connection is the server of this home. Until the server has proved that, nothing that it
 * sends is trusted or shown, not even errors.
 * @returns the credential for this connection
 * @throws RelayError `NO_SERVER`, or the error of the network
 */
export async function requireProof({ origin, nonce, answer }: Greeting, key: string): Promise<string> {
  const { status, text, ends } = await answer;
  if (status !== 200) throw notRelay(origin, status);
  const credential = ends && credentialFor(key, nonce, ends, readJson(text));
  if (credential === null) throw impostor(origin);
  return credential;
}

/** Returns the error for a server that cannot be reached, with the reason in `error`. */
export function unreachable({ origin, pid }: Pick<Greeting, 'origin' | 'pid'>, error: unknown): RelayError {
  const reason = systemCodeOf(error) === 'ECONNREFUSED' ? 'nothing listens there' : messageOf(error);
  // No server can be started in a home whose server is only silent.
  const text =
    error instanceof SilentServer
      ? `Try again in a minute. If it still does not answer, end its process (${pid === undefined ? 'its pid is in server.json in the home directory' : `pid ${pid}`}) and start it again with {command}.`
      : 'Start it with {command}.';
  return new RelayError('NO_SERVER', `The server at ${origin} cannot be reached: ${reason}.`, {
    remedy: { text, command: ['serve'] },
    cause: error,
  });
}

/** The error that an answer contains. An answer without an error code does not come from relay, which is an error too. */
function errorFrom(content: unknown, status: number, origin: string): RelayError {
  const error = (content as { error?: Record<string, unknown> } | null)?.error;
  const code = error?.code;
  if (error === undefined || !isErrorCode(code)) {
    return notRelay(origin, status);
  }
  const remedy = readRemedy(error.fix) ?? readRemedy(error.remedy);
  return new RelayError(code, String(error.message), {
    ...(remedy ? { remedy } : {}),
    ...(typeof error.retryAfterSeconds === 'number' ? { retryAfterSeconds: error.retryAfterSeconds } : {}),
    ...(typeof error.details === 'object' && error.details !== null
      ? { details: error.details as Record<string, unknown> }
      : {}),
  });
}

function notRelay(origin: string, status: number): RelayError {
  return new RelayError(
    'NO_SERVER',
    `The program listening at ${origin} does not answer like relay (HTTP ${status}).`,
    {
      remedy: {
        text: 'If it is an older relay, stop it and start it again with {command}. If another program has taken the port, add --port.',
        command: ['serve'],
      },
    },
  );
}

function impostor(origin: string): RelayError {
  const message = `The program listening at ${origin} is not the server for this home, so nothing was sent to it.`;
  return new RelayError('NO_SERVER', message, {
    remedy: {
      text: 'If another program has taken the port, start with {command} and another --port. If it is your server, run this as the user who started it, with the same RELAY_ENCRYPTION_KEY and RELAY_KEYCHAIN.',
      command: ['serve'],
    },
  });
}
