/** A provider and an HTTP client for it, which all of these tests use. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../support/simulator/simulator.ts';

export const ALL_SCOPES = [
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

export const REDIRECT_URI = 'http://127.0.0.1:4980/auth/provider/callback';
export const VERIFIER = 'a-verifier-of-at-least-forty-three-characters.~_0';
export const START = Date.UTC(2026, 10, 20, 12);

/** A clock that stands still until a test moves it. */
interface StillClock extends Clock {
  move(ms: number): void;
  readonly sleeps: number[];
}

function stillClock(now = START): StillClock {
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    monotonic: () => now - START,
    move: (ms) => {
      now += ms;
    },
    sleep: async (ms) => {
      sleeps.push(ms);
      now += ms;
    },
  };
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of many shapes and compare them as a whole
  json: any;
}

export type Call = (method: string, path: string, body?: unknown) => Promise<Reply>;

export interface DemoWorld {
  provider: Simulator;
  clock: StillClock;
  /** Calls the API with an access token of the default account; `path` is below `/v1`. */
  call: Call;
  /** Returns a function like `call` that has these scopes, and perhaps another account. */
  callerWith(scope: string, accountIndex?: number): Promise<Call>;
}

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
      mine ??= await callerWith(ALL_SCOPES);
      return mine(...request);
    };
    await run({ provider, clock, call, callerWith });
  } finally {
    await provider.close();
  }
}

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

/** The URL of a correct authorization request, with changes; null omits a parameter. */
export function authorizeUrl(provider: Simulator, changes: Record<string, string | null> = {}): string {
  const parameters: Record<string, string | null> = {
    client_id: provider.clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: ALL_SCOPES,
    state: 'the-state',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value);
  return `${provider.accountsUrl}/authorize?${query}`;
}

/** Where the browser is sent; null when a page is shown instead. */
export async function visit(url: string): Promise<{ status: number; location: URL | null; text: string }> {
  const response = await fetch(url, { redirect: 'manual' });
  const location = response.headers.get('location');
  return {
    status: response.status,
    location: location ? new URL(location) : null,
    text: await response.text(),
  };
}

export async function token(
  provider: Simulator,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const body = new URLSearchParams(form);
  return read(await fetch(`${provider.accountsUrl}/api/token`, { method: 'POST', body, headers }));
}

export async function codeFor(
  provider: Simulator,
  changes: Record<string, string | null> = {},
): Promise<string> {
  const { location } = await visit(authorizeUrl(provider, changes));
  return location?.searchParams.get('code') ?? '';
}

/** The form that exchanges `code` for tokens. */
export function codeForm(provider: Simulator, code: string): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    client_id: provider.clientId,
    code_verifier: VERIFIER,
  };
}

export async function logIn(
  provider: Simulator,
  scope = ALL_SCOPES,
): Promise<{ access_token: string; refresh_token: string }> {
  const reply = await token(provider, codeForm(provider, await codeFor(provider, { scope })));
  return reply.json;
}

/** The body of a Web API error. */
export function errorBody(status: number, message: string, reason?: string) {
  return { error: reason === undefined ? { status, message } : { status, message, reason } };
}

/** The default account's own playlist of that name. */
export function playlistNamed(provider: Simulator, name: string) {
  const playlist = provider.accounts[0]?.playlists.find((one) => one.name === name);
  if (!playlist) throw new Error(`There is no playlist "${name}".`);
  return playlist;
}

/** URIs of `count` tracks of the catalogue from `start` on. */
export function trackUris(provider: Simulator, count: number, start = 0): string[] {
  return provider.catalogue.tracks.slice(start, start + count).map((track) => track.uri);
}
