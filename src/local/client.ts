/** The command line's way to a running server: one POST per question, as `domain/localApi.ts` lists them. */
import http from 'node:http';
import https from 'node:https';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import { LOCAL_ROUTES, type LocalApi } from '../domain/localApi.ts';
import { isErrorCode } from './errorCode.ts';

export interface LocalClientOptions {
  /** As in `server.json`. */
  baseUrl: string;
  /** Derived from the master key. */
  token: string;
  /** Ends every call under way, with the signal's reason. */
  signal?: AbortSignal;
  /** How long the server may be silent, in milliseconds. A login is waited for up to 25 s at a time. */
  timeoutMs?: number;
}

/**
 * The local API over HTTP. Errors of the server come back as `RelayError` with their code; a server that does not
 * listen, or falls silent, is `NO_SERVER`.
 */
export function createLocalClient(options: LocalClientOptions): LocalApi {
  // The server that answers is this program, so the shape of its answers is not checked again.
  const ask = <T>(route: string, body: object): Promise<T> => post(options, route, body) as Promise<T>;
  return {
    status: () => ask(LOCAL_ROUTES.status, {}),
    startLogin: ({ switchAccount }) => ask(LOCAL_ROUTES.startLogin, { switchAccount }),
    loginProgress: (attemptId, waitSeconds) => ask(LOCAL_ROUTES.loginProgress, { attemptId, waitSeconds }),
    pasteLogin: (attemptId, address) => ask(LOCAL_ROUTES.pasteLogin, { attemptId, address }),
    ownerTicket: ({ attemptId }) => ask(LOCAL_ROUTES.ownerTicket, { attemptId }),
    ownerTicketWaits: (id) => ask(LOCAL_ROUTES.ownerTicketWaits, { id }),
    logout: () => ask(LOCAL_ROUTES.logout, {}),
    showKey: () => ask(LOCAL_ROUTES.showKey, {}),
    rotateKey: () => ask(LOCAL_ROUTES.rotateKey, {}),
    mcpToken: () => ask(LOCAL_ROUTES.mcpToken, {}),
    setClientSecret: async (value) => {
      await ask(LOCAL_ROUTES.setClientSecret, { value });
    },
    saveState: () => ask(LOCAL_ROUTES.saveState, {}),
    listClients: () => ask(LOCAL_ROUTES.listClients, {}),
    addClient: (client) => ask(LOCAL_ROUTES.addClient, client),
    revokeClient: (client) => ask(LOCAL_ROUTES.revokeClient, { client }),
  };
}

async function post(options: LocalClientOptions, route: string, body: object): Promise<unknown> {
  const url = new URL(`/local/${route}`, options.baseUrl);
  let answer: Answer;
  try {
    answer = await send(url, options, JSON.stringify(body));
  } catch (error) {
    options.signal?.throwIfAborted();
    throw unreachable(url.origin, error);
  }
  const content = parseJson(answer.text);
  if (answer.status >= 200 && answer.status < 300) return content;
  throw errorFrom(content, answer.status, url.origin);
}

interface Answer {
  status: number;
  text: string;
}

function send(
  url: URL,
  { token, signal, timeoutMs = 60_000 }: LocalClientOptions,
  body: string,
): Promise<Answer> {
  const { request } = url.protocol === 'https:' ? https : http;
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    // An agent of its own: the global one may be told by the environment to go through a proxy.
    const sent = request(
      url,
      { method: 'POST', headers, signal, agent: false, timeout: timeoutMs },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('it does not answer')));
    sent.on('error', reject);
    sent.end(body);
  });
}

function unreachable(origin: string, error: unknown): RelayError {
  const reason = systemCodeOf(error) === 'ECONNREFUSED' ? 'nothing listens there' : messageOf(error);
  return new RelayError('NO_SERVER', `The server at ${origin} cannot be reached: ${reason}.`, {
    remedy: 'Start it with `relay serve`.',
    cause: error,
  });
}

/** What an error answer of the server says, whatever else may stand at its address. */
function errorFrom(content: unknown, status: number, origin: string): RelayError {
  const error = (content as { error?: Record<string, unknown> } | null)?.error;
  const code = error?.code;
  if (status === 401) return wrongToken(origin);
  if (error === undefined || !isErrorCode(code)) {
    return new RelayError(
      'NO_SERVER',
      `What listens at ${origin} does not answer as relay (HTTP ${status}).`,
      {
        remedy: 'Stop the server with its own version of the program and start it again with `relay serve`.',
      },
    );
  }
  return new RelayError(code, String(error.message), {
    ...(typeof error.remedy === 'string' ? { remedy: error.remedy } : {}),
    ...(typeof error.retryAfterSeconds === 'number' ? { retryAfterSeconds: error.retryAfterSeconds } : {}),
    ...(typeof error.details === 'object' && error.details !== null
      ? { details: error.details as Record<string, unknown> }
      : {}),
  });
}

function wrongToken(origin: string): RelayError {
  const message = `The server at ${origin} does not let this command in: it uses another master key.`;
  return new RelayError('NO_SERVER', message, {
    remedy: 'Run the command as the same user, with the same RELAY_ENCRYPTION_KEY and RELAY_KEYCHAIN.',
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
