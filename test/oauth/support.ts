/**
 * A small OAuth client and a small browser, for short tests. Requests are written by hand, so that a test can also send
 * invalid ones.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { systemClock } from '../../src/base/clock.ts';
import { type ManualClock, manualClock } from '../support/clock.ts';
import { type Answer, send } from '../support/http.ts';
import { until } from '../support/until.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

export const VERIFIER = 'a-verifier-that-is-long-enough-0123456789-0123456789';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
export const REDIRECT = 'http://127.0.0.1:7777/callback';
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A relay without account and MCP client, on a clock that stands still. */
export async function withServer(
  options: RelayOptions,
  work: (relay: Relay, clock: ReturnType<typeof manualClock>) => Promise<void>,
): Promise<void> {
  const clock = manualClock();
  await withRelay({ connect: false, client: false, clock, ...options }, (relay) => {
    const { restart } = relay;
    const know = () => clocks.set(new URL(relay.baseUrl).port, clock);
    know();
    relay.restart = async () => {
      await restart();
      know();
    };
    return work(relay, clock);
  });
}

/** The clock of a relay in this process, by its port: a browser that reads a page there has to advance it. */
const clocks = new Map<string, ReturnType<typeof manualClock>>();

/** The state file as text, to check what it contains. */
export const stateText = ({ home }: Pick<Relay, 'home'>) => readFile(`${home}/relay.db`, 'latin1');

/** Does `work` while the state cannot be saved. */
export async function whileUnsaved<T>({ home }: Pick<Relay, 'home'>, work: () => Promise<T>): Promise<T> {
  // A directory in the place of the file: the rename at the end of a save fails, for root as well.
  await rename(`${home}/relay.db`, `${home}/kept.db`);
  await mkdir(`${home}/relay.db/full`, { recursive: true });
  const result = await work();
  await rm(`${home}/relay.db`, { recursive: true });
  await rename(`${home}/kept.db`, `${home}/relay.db`);
  return result;
}

/** Advances the clock by half a second at a time until `asked` is answered. */
export async function answeredMeanwhile<T>(clock: ManualClock, asked: Promise<T>): Promise<T> {
  let isOver = false;
  asked.finally(() => {
    isOver = true;
  });
  await until(() => {
    clock.advance(500);
    return isOver;
  });
  return asked;
}

/** How long a person reads the approval page: before that, Approve does nothing. */
export const READING_MS = 500;

export const json = (answer: Answer): Record<string, unknown> => JSON.parse(answer.text);

export function register(
  baseUrl: string,
  metadata: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = { 'content-type': 'application/json' };
  const body = JSON.stringify(metadata);
  return send(`${baseUrl}/oauth/register`, { method: 'POST', headers: { ...type, ...headers }, body });
}

export interface Registered {
  client_id: string;
  client_secret?: string;
  redirect_uris: string[];
  [field: string]: unknown;
}

/** A public client unless `metadata` says otherwise. */
export async function newClient(baseUrl: string, metadata: object = {}): Promise<Registered> {
  const answer = await register(baseUrl, {
    client_name: 'Story client',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...metadata,
  });
  assert.equal(answer.status, 201, answer.text);
  return json(answer) as Registered;
}

/** An address to authorize at; null takes a parameter out, a list repeats it. */
export function authorizeUrl(
  baseUrl: string,
  parameters: Record<string, string | string[] | null> = {},
): string {
  const query = new URLSearchParams();
  const all: Record<string, string | string[] | null> = {
    response_type: 'code',
    redirect_uri: REDIRECT,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 'some state',
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) {
    for (const one of value === null ? [] : [value].flat()) query.append(name, one);
  }
  return `${baseUrl}/oauth/authorize?${query}`;
}

export interface OwnerBrowser {
  open(url: string, headers?: Record<string, string>): Promise<Answer>;
  /**
   * Sends the form of a page, once it was read, with the button that a person presses; `changes` replace fields, null takes
   * one out.
   */
  submit(
    page: Answer,
    decision: 'approve' | 'deny',
    changes?: Record<string, string | null>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  cookies: Map<string, string>;
}

export function ownerBrowser(baseUrl: string, { readingMs = READING_MS } = {}): OwnerBrowser {
  const clock = clocks.get(new URL(baseUrl).port);
  const now = () => (clock ?? systemClock).now();
  let shownAt = now();
  const read = async () => {
    const left = shownAt + readingMs - now();
    if (left <= 0) return;
    if (clock) clock.advance(left);
    else await systemClock.sleep(left);
  };
  const cookies = new Map<string, string>();
  const visit = async (url: string, options: Parameters<typeof send>[1] = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie === '' ? {} : { cookie }), ...options.headers };
    const answer = await send(url, { ...options, headers });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    shownAt = now();
    return answer;
  };
  return {
    cookies,
    open: (url, headers = {}) => visit(url, { headers }),
    async submit(page, decision, changes = {}, headers = {}) {
      if (decision === 'approve') await read();
      const form = new URLSearchParams([...formFields(page), ['decision', decision]]);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) form.delete(name);
        else form.set(name, value);
      }
      const type = { 'content-type': 'application/x-www-form-urlencoded', origin: baseUrl };
      return visit(`${baseUrl}/oauth/authorize`, {
        method: 'POST',
        headers: { ...type, ...headers },
        body: form.toString(),
      });
    },
  };
}

/** The hidden fields of the page's form. */
export function formFields(page: Answer): Array<[string, string]> {
  const inputs = page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return [...inputs].map(([, name = '', value = '']) => [name, unescaped(value)]);
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** The parameters with which the browser comes back to the client. */
export function answerOf(answer: Answer): Record<string, string> {
  assert.ok(answer.status === 302 || answer.status === 303, `${answer.status}: ${answer.text}`);
  return Object.fromEntries(new URL(String(answer.headers.location)).searchParams);
}

/** A new client, and its approval page in the owner's browser. */
export async function openPage(
  baseUrl: string,
  metadata: object = {},
): Promise<{ client: Registered; browser: OwnerBrowser; page: Answer }> {
  const client = await newClient(baseUrl, metadata);
  const browser = ownerBrowser(baseUrl);
  const page = await browser.open(authorizeUrl(baseUrl, { client_id: client.client_id }));
  return { client, browser, page };
}

/** Opens the page, types the owner code, approves; returns the code. */
export async function approve(
  relay: Relay,
  clientId: string,
  parameters: Record<string, string | string[] | null> = {},
): Promise<string> {
  const { baseUrl, server } = relay;
  const browser = ownerBrowser(baseUrl);
  const page = await browser.open(authorizeUrl(baseUrl, { client_id: clientId, ...parameters }));
  assert.equal(page.status, 200, page.text);
  const answer = await browser.submit(page, 'approve', { owner_code: server.ownerCode ?? '' });
  const { code } = answerOf(answer);
  assert.ok(code, String(answer.headers.location));
  return code;
}

/** @param form its fields, or the body as it is */
export function postForm(
  url: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  return send(url, { method: 'POST', headers: { ...type, ...headers }, body });
}

export const askToken = (
  baseUrl: string,
  form: Record<string, string> | string,
  headers?: Record<string, string>,
) => postForm(`${baseUrl}/oauth/token`, form, headers);

/** What the token endpoint gives for a form that it accepts. */
export async function exchanged(
  baseUrl: string,
  form: Record<string, string>,
  headers?: Record<string, string>,
): Promise<Tokens> {
  const answer = await askToken(baseUrl, form, headers);
  assert.equal(answer.status, 200, answer.text);
  return json(answer) as unknown as Tokens;
}

/** The header with which a confidential client authenticates. */
export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

/**
 * Sends each try with `ask`, and checks that it is refused with its error. The refusal of a header has to name the scheme to
 * use.
 */
export async function assertUnauthenticated(
  tries: ReadonlyArray<[error: string, form: Record<string, string>, headers: Record<string, string>]>,
  ask: (form: Record<string, string>, headers: Record<string, string>) => Promise<Answer>,
): Promise<void> {
  for (const [error, form, headers] of tries) {
    const answer = await ask(form, headers);
    const status = error === 'invalid_client' ? 401 : 400;
    assert.deepEqual(refusal(answer), [status, error], JSON.stringify([form, headers]));
    const scheme = status === 401 && headers.authorization ? 'Basic realm="relay"' : undefined;
    assert.equal(answer.headers['www-authenticate'], scheme);
  }
}

export const codeForm = (client: Registered, code: string): Record<string, string> => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
  client_id: client.client_id,
});

export const refreshForm = (client: Registered, token: string): Record<string, string> => ({
  grant_type: 'refresh_token',
  refresh_token: token,
  client_id: client.client_id,
});

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
}

/** Registers and approves a client, and returns its tokens. */
export async function connect(
  relay: Relay,
  metadata: object = {},
): Promise<{ client: Registered; tokens: Tokens }> {
  const client = await newClient(relay.baseUrl, metadata);
  const form = codeForm(client, await approve(relay, client.client_id));
  return { client, tokens: await exchanged(relay.baseUrl, form) };
}

/** Status and error of a refusal. Checks that it has nothing else but a description, and must not be cached. */
export function refusal(answer: Answer): [number, unknown] {
  assert.equal(answer.headers['cache-control'], 'no-store');
  const { error, error_description, ...rest } = json(answer);
  assert.equal(typeof error_description, 'string');
  assert.deepEqual(rest, {});
  return [answer.status, error];
}

/** The status with which `/mcp` answers a tools/list under this credential. */
export async function mcpStatus(mcpUrl: string, token: string | null, host?: string): Promise<number> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(host === undefined ? {} : { host }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return (await send(mcpUrl, { method: 'POST', headers, body })).status;
}

/** Sends a request as the script of a page does. */
export function askOwner(
  baseUrl: string,
  path: 'check' | 'code' | 'ticket',
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = { 'content-type': 'application/json', origin: baseUrl };
  return send(`${baseUrl}/owner/${path}`, {
    method: 'POST',
    headers: { ...type, ...headers },
    body: JSON.stringify(body),
  });
}

/** Types the owner code as the script does; returns the secret that proves this browser from then on. */
export async function signIn(relay: Pick<Relay, 'baseUrl' | 'server'>, userAgent?: string): Promise<string> {
  const headers: Record<string, string> = userAgent === undefined ? {} : { 'user-agent': userAgent };
  const answer = await askOwner(relay.baseUrl, 'code', { code: relay.server.ownerCode ?? '' }, headers);
  assert.equal(answer.status, 200, answer.text);
  return String(json(answer).secret);
}
