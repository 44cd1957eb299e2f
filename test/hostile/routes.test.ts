/** Every route with any method, path, headers, cookies and body: never a 500, always an answer, no secret in it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { silentLog } from '../../src/base/log.ts';
import { CALLS } from '../../src/server/owner/calls.ts';
import { send } from '../support/http.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { signIn } from '../support/ownerBrowser.ts';
import { API_KEY, ENCRYPTION_KEY, type Relay, withRelay } from '../support/world.ts';
import { anyJson, anyText, knownText, near } from './inputs.ts';
import { holdsForAll } from './property.ts';

/** What a request may hold and no answer may repeat. */
const SENT = { authorization: 'sent-5c1e7a02', cookie: 'sent-93b4d6f8', field: 'sent-d07f2e1b' };
const PLANTED = Object.values(SENT);

const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND'] as const;
const PATHS: readonly string[] = [
  ...`/ /mcp /health /auth/status /auth/provider/login /auth/provider/callback
    /oauth/authorize /oauth/token /oauth/register /oauth/revoke
    /.well-known/oauth-protected-resource /.well-known/oauth-protected-resource/mcp
    /.well-known/oauth-authorization-server /.well-known/openid-configuration /favicon.ico
    /owner/cards /owner/import/read /owner/plays/import /owner/check /owner/code /owner/ticket`.split(/\s+/),
  ...Object.keys(CALLS).map((call) => `/owner/${call}`),
];

/** Calls that end something which other inputs need. */
const LEFT_OUT = /^\/owner\/(account\/disconnect|sign-out)/;

/** The fields in which a secret is sent. */
const SECRET_FIELDS = 'client_secret code code_verifier refresh_token token ticket owner_code'.split(' ');
const FIELDS = [
  ...SECRET_FIELDS,
  ...`client_id redirect_uri redirect_uris response_type code_challenge code_challenge_method grant_type
    resource scope state error decision csrf id playlist content limit offset nonce list`.split(/\s+/),
];

const field = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...FIELDS) },
  { weight: 1, arbitrary: anyText },
);
const value = near(
  'code',
  'S256',
  'authorization_code',
  'refresh_token',
  'http://127.0.0.1:7777/callback',
  'approve',
);
const fields = fc
  .array(fc.tuple(field, value), { maxLength: 8 })
  .map((pairs) =>
    pairs.map(([name, text]) => [name, SECRET_FIELDS.includes(name) ? SENT.field + text : text]),
  );

/** Leaves out what Node's own client refuses in a header. Raw bytes have a test of their own below. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 2_000);
}

const path = fc
  .tuple(
    fc.constantFrom(...PATHS),
    fc.constantFrom('', '/', '//', '/..', '%2e', '/x', ';a=b'),
    knownText,
    fc.nat(9),
  )
  .map(([known, suffix, text, chance]) => {
    const whole =
      chance === 0 ? `/${text}` : chance === 1 ? known + suffix : chance === 2 ? `${known}/${text}` : known;
    return whole.replace(/[^\x21-\x7e]/g, percentEncoded).replace(/[?#]/g, '');
  });

function percentEncoded(letter: string): string {
  return [...Buffer.from(letter)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

const body = fc.oneof(
  {
    weight: 4,
    arbitrary: fields.map((pairs) => [
      'application/x-www-form-urlencoded',
      `${new URLSearchParams(pairs as [string, string][])}`,
    ]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.dictionary(field, fc.oneof(value, anyJson), { maxKeys: 6 }))
      .map(([json]) => ['application/json', JSON.stringify(json)]),
  },
  { weight: 1, arbitrary: anyJson.map((json) => ['application/json', JSON.stringify(json)]) },
  { weight: 1, arbitrary: fc.tuple(value.map(headerText), anyText) },
);

const headers = fc.record(
  {
    accept: fc.constantFrom('text/html', '*/*', 'application/json, text/event-stream', ''),
    origin: fc.constantFrom('null', 'https://evil.example', 'SELF'),
    host: near('127.0.0.1', 'localhost', 'evil.example'),
    referer: near('https://evil.example/', '/'),
    'sec-fetch-site': fc.constantFrom('cross-site', 'same-origin', 'none', 'x'),
    'sec-fetch-mode': fc.constantFrom('navigate', 'cors', ''),
    'service-worker': fc.constant('script'),
    'x-forwarded-for': near('127.0.0.1', '::1', '1.2.3.4, 5.6.7.8'),
    forwarded: near('for=127.0.0.1;host=evil.example'),
    'if-none-match': anyText,
    'user-agent': anyText,
    'mcp-protocol-version': near('2026-07-28', '2025-11-25'),
    'x-relay-import': anyText.map((text) => encodeURIComponent(JSON.stringify(text))),
    'x-relay-owner': anyText.map((text) => SENT.field + text),
  },
  { requiredKeys: [] },
);

const credential = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('none', 'basic', 'key', 'owner') },
  { weight: 1, arbitrary: anyText },
);
const cookie = near('relay_login', 'relay_form', 'a=b; relay_login');

const requests = fc.record({
  method: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('GET', 'POST') },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  ),
  path,
  query: fields,
  headers,
  credential,
  cookie,
  body: fc.option(body, { nil: undefined, freq: 4 }),
});
type Sent = typeof requests extends fc.Arbitrary<infer T> ? T : never;

/** The Authorization header for a kind of credential. */
function authorizationOf(word: string): string | null {
  if (word === 'none' || word === 'owner') return null;
  if (word === 'key') return `Bearer ${API_KEY}`;
  if (word === 'basic') return `Basic ${Buffer.from(`client:${SENT.authorization}`).toString('base64')}`;
  return headerText(`Bearer ${SENT.authorization}${word}`);
}

async function tryOne(relay: Relay, owner: string, sent: Sent): Promise<void> {
  const { host: _host, ...given } = sent.headers;
  const own = new URL(relay.baseUrl).host;
  const head: Record<string, string> = { cookie: headerText(`${sent.cookie}=${SENT.cookie}`) };
  for (const [name, text] of Object.entries(given))
    head[name] = text === 'SELF' ? relay.baseUrl : headerText(text);
  if (sent.headers.host !== undefined) head.host = `${headerText(sent.headers.host)}:${own.split(':')[1]}`;
  const authorization = authorizationOf(sent.credential);
  if (authorization !== null) head.authorization = authorization;
  if (sent.credential === 'owner') Object.assign(head, { 'x-relay-owner': owner, origin: relay.baseUrl });
  const [type, text] = sent.body ?? [];
  if (type !== undefined) head['content-type'] = type;
  if (LEFT_OUT.test(sent.path)) return;
  const query = new URLSearchParams(sent.query as [string, string][]);
  const hasBody = text !== undefined && sent.method !== 'TRACE';
  const target = `${sent.path}?${query}`;
  const options = { method: sent.method, headers: head, ...(hasBody ? { body: text } : {}) };
  const answer = await send(`${relay.baseUrl}${target}`, options);
  const where = `${sent.method} ${sent.path}`;
  assert.ok(
    answer.status < 500 || PLAIN_FAILURE.has(answer.status),
    `${where}: ${answer.status} ${answer.text}`,
  );
  assert.ok(answer.status >= 200);
  const all = `${JSON.stringify(answer.headers)}\n${answer.text}`;
  for (const secret of [...PLANTED, API_KEY, ENCRYPTION_KEY, owner])
    assert.ok(!all.includes(secret), `${where} answers with ${secret}`);
}

/** Statuses of answers that say that the provider or the state is not available, and what to do. */
const PLAIN_FAILURE = new Set([502, 503, 504]);

test('no request to any route is answered by 500, hangs or gets a secret back', async (t) => {
  const bugs: unknown[] = [];
  const log = { ...silentLog, error: (told: object) => void bugs.push(told) };
  // On a fast clock, the limits of guesses and registrations refuse only some of the requests.
  await withRelay({ client: false, clock: jumpingClock(), log }, async (relay) => {
    const owner = await signIn(relay);
    await holdsForAll(t, 25, requests, async (sent) => {
      await tryOne(relay, owner, sent);
      assert.deepEqual(bugs.splice(0), []);
    });
  });
});
