/** A provider on a clock that stands still, logins to it, and an HTTP client for it. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../support/simulator/simulator.ts';

/** The time at which the clock begins. */
const START = Date.UTC(2026, 10, 20, 12);

/** The scopes with which most tests log in: all that relay needs. */
export const USUAL_SCOPES = [
  'playlist-read-private',
  'playlist-read-collaborative',
  'playlist-modify-public',
  'playlist-modify-private',
  'user-library-read',
  'user-library-modify',
  'user-top-read',
  'user-read-recently-played',
  'user-read-playback-state',
  'user-read-currently-playing',
  'user-modify-playback-state',
].join(' ');

const REDIRECT_URI = 'http://127.0.0.1:4980/auth/provider/callback';
const VERIFIER = 'a-verifier-of-at-least-forty-three-characters.~_0';

/** The answer to a request, read to its end. */
interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of many shapes and compare them as a whole
  json: any;
}

type Call = (method: string, path: string, body?: unknown) => Promise<Reply>;

export interface DemoWorld {
  provider: Simulator;
  /** Stands still until a test moves it or the provider sleeps. */
  clock: Clock & { move(ms: number): void };
  /** Calls the API with an access token of the default account; `path` is below `/v1`. */
  call: Call;
  /** Returns a function like `call` whose token has these scopes, for the account with the given index. */
  callerWith(scope: string, accountIndex?: number): Promise<Call>;
}

/** Starts a provider on a still clock for `run`, and closes it afterwards. */
export async function withProvider(
  run: (world: DemoWorld) => Promise<void>,
  options: SimulatorOptions = {},
): Promise<void> {
  const clock = stillClock();
  const provider = await startSimulator({ clock, ...options });
  const callerWith = async (scope: string, accountIndex = 0): Promise<Call> => {
    provider.loginAs(accountIndex);
    const { access_token } = await logIn(provider, scope);
    provider.loginAs(0);
    return (method, path, body) => send(`${provider.apiUrl}${path}`, method, access_token, body);
  };
  let mine: Call | undefined;
  try {
    const call: Call = async (...request) => {
      mine ??= await callerWith(USUAL_SCOPES);
      return mine(...request);
    };
    await run({ provider, clock, call, callerWith });
  } finally {
    await provider.close();
  }
}

function stillClock(now = START): DemoWorld['clock'] {
  const move = (ms: number) => {
    now += ms;
  };
  return { now: () => now, monotonic: () => now - START, move, sleep: async (ms) => move(ms) };
}

/** Logs in, and returns the form that exchanges the code for tokens. */
export async function codeForm(provider: Simulator, scope = USUAL_SCOPES): Promise<Record<string, string>> {
  const query = new URLSearchParams({
    client_id: provider.clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope,
    state: 'the-state',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  });
  const { headers } = await fetch(`${provider.accountsUrl}/authorize?${query}`, { redirect: 'manual' });
  return {
    grant_type: 'authorization_code',
    code: new URL(headers.get('location') ?? '').searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    client_id: provider.clientId,
    code_verifier: VERIFIER,
  };
}

/** Sends `form` to the token endpoint. */
export async function token(provider: Simulator, form: Record<string, string>): Promise<Reply> {
  return read(
    await fetch(`${provider.accountsUrl}/api/token`, { method: 'POST', body: new URLSearchParams(form) }),
  );
}

/** Logs in and returns the tokens. */
export async function logIn(
  provider: Simulator,
  scope = USUAL_SCOPES,
): Promise<{ access_token: string; refresh_token: string }> {
  return (await token(provider, await codeForm(provider, scope))).json;
}

/** Sends a request with a bearer token, if there is one, and a JSON body. */
export async function send(
  url: string,
  method: string,
  token: string | null,
  body?: unknown,
): Promise<Reply> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const payload = body === undefined ? {} : { body: JSON.stringify(body) };
  return read(await fetch(url, { method, headers, ...payload }));
}

async function read(response: Response): Promise<Reply> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The body of a Web API error. */
export function errorBody(status: number, message: string, reason?: string) {
  return { error: reason === undefined ? { status, message } : { status, message, reason } };
}
