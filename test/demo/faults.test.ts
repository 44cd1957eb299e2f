import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, tracks } from '../support/playlists.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { until } from '../support/until.ts';
import { logIn } from './login.ts';
import { errorBody } from './web.ts';
import { type DemoWorld, withProvider } from './withProvider.ts';

/** Each kind of fault with the answer to `GET /me`. */
const ANSWERS: [string, FaultRule, { status: number; text: string; header?: [string, string | null] }][] = [
  [
    'status',
    { kind: 'status', status: 502 },
    { status: 502, text: JSON.stringify(errorBody(502, 'Server error.')) },
  ],
  [
    'status with plain text',
    { kind: 'status', status: 403, body: 'the user may not be registered', contentType: 'text/plain' },
    { status: 403, text: 'the user may not be registered', header: ['content-type', 'text/plain'] },
  ],
  [
    'status with a JSON body and headers',
    { kind: 'status', status: 401, body: errorBody(401, 'x'), headers: { 'x-y': 'z' } },
    { status: 401, text: JSON.stringify(errorBody(401, 'x')), header: ['x-y', 'z'] },
  ],
  [
    'rate limit',
    { kind: 'rate_limit', retryAfterSeconds: 7 },
    {
      status: 429,
      text: JSON.stringify(errorBody(429, 'API rate limit exceeded')),
      header: ['retry-after', '7'],
    },
  ],
  [
    'rate limit without a time',
    { kind: 'rate_limit', retryAfterSeconds: null },
    {
      status: 429,
      text: JSON.stringify(errorBody(429, 'API rate limit exceeded')),
      header: ['retry-after', null],
    },
  ],
  [
    'quota',
    { kind: 'quota', retryAfterSeconds: 46_649 },
    {
      status: 429,
      text: JSON.stringify(errorBody(429, 'Too many requests', 'QUOTA_EXCEEDED')),
      header: ['retry-after', '46649'],
    },
  ],
  ['empty', { kind: 'empty' }, { status: 200, text: '' }],
  ['malformed', { kind: 'malformed' }, { status: 200, text: '{"items": [{"id": "' }],
];

for (const [what, rule, expected] of ANSWERS) {
  test(`the fault ${what} applies once`, () =>
    withProvider(async ({ provider, call }) => {
      await call('GET', '/me');
      provider.faults.add(rule);
      const { status, text, headers } = await call('GET', '/me');
      assert.deepEqual({ status, text }, { status: expected.status, text: expected.text });
      if (expected.header) assert.equal(headers.get(expected.header[0]), expected.header[1]);
      assert.equal((await call('GET', '/me')).json.id, 'demo.listener');
    }));
}

test('a rule applies to its method and path, after `skip` requests, `times` times', () =>
  withProvider(async ({ provider, call }) => {
    const statuses = async (count: number, method: string, path: string) => {
      const seen: number[] = [];
      for (let n = 0; n < count; n += 1) seen.push((await call(method, path)).status);
      return seen;
    };
    await call('GET', '/me');
    provider.faults.add({
      method: 'GET',
      path: '/me/tracks',
      skip: 1,
      times: 2,
      kind: 'status',
      status: 503,
    });
    provider.faults.add({ path: /^\/tracks\//, times: Infinity, kind: 'status', status: 500 });
    assert.deepEqual(await statuses(2, 'GET', '/me/playlists'), [200, 200]);
    assert.deepEqual(await statuses(5, 'GET', '/me/tracks'), [200, 503, 503, 200, 200]);
    assert.deepEqual(await statuses(3, 'GET', '/tracks/x'), [500, 500, 500]);
    provider.faults.clear();
    assert.deepEqual(await statuses(1, 'GET', '/tracks/x'), [400]);
  }));

test('faults apply to the accounts service too, if the rule names the full path', () =>
  withProvider(async ({ provider }) => {
    provider.faults.add({ path: '/api/token', kind: 'status', status: 503, body: 'down' });
    await assert.rejects(logIn(provider).then(({ access_token }) => access_token));
    assert.equal(typeof (await logIn(provider)).access_token, 'string');
  }));

/**
 * Adds one item under a fault; returns the number of rows afterwards, and the status of the answer if there was one.
 */
async function addUnder(rule: FaultRule, { provider, call }: DemoWorld) {
  const { id } = named({ provider }, 'Empty Shelf');
  await call('GET', '/me');
  provider.clearRequests();
  provider.faults.add(rule);
  const sent = call('POST', `/playlists/${id}/items`, { uris: tracks({ provider }, 1) });
  const answered = await sent.then(
    ({ status }) => status,
    () => 'cut off',
  );
  return {
    answered,
    rows: named({ provider }, 'Empty Shelf').rows.length,
    recorded: provider.requests[0]?.status,
  };
}

const EFFECTS: [FaultRule, { answered: number | string; rows: number; recorded: number }][] = [
  [
    { kind: 'drop', when: 'before' },
    { answered: 'cut off', rows: 0, recorded: 0 },
  ],
  [
    { kind: 'drop', when: 'after' },
    { answered: 'cut off', rows: 1, recorded: 0 },
  ],
  [
    { kind: 'status', status: 500 },
    { answered: 500, rows: 0, recorded: 500 },
  ],
  [
    { kind: 'status_after', status: 502 },
    { answered: 502, rows: 1, recorded: 502 },
  ],
  [{ kind: 'malformed' }, { answered: 200, rows: 1, recorded: 200 }],
];

for (const [rule, expected] of EFFECTS) {
  test(`a write under ${JSON.stringify(rule)} leaves ${expected.rows} rows`, () =>
    withProvider(async (world) => assert.deepEqual(await addUnder(rule, world), expected)));
}

for (const [when, rows] of [
  ['before', 0],
  ['after', 1],
] as const) {
  test(`closing the provider ends a request that hangs ${when} its effect`, () =>
    withProvider(async (world) => {
      const playlist = named(world, 'Empty Shelf');
      const hanging = addUnder({ kind: 'hang', when }, world);
      await until(() => world.provider.requests[0]?.method === 'POST');
      await world.provider.close();
      assert.equal((await hanging).answered, 'cut off');
      assert.equal(playlist.rows.length, rows);
    }));
}

test('a slow body sends its headers and its first half only', () =>
  withProvider(async ({ provider }) => {
    const { access_token } = await logIn(provider);
    provider.faults.add({ path: '/me', kind: 'slow_body' });
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${access_token}` };
    const response = await fetch(`${provider.apiUrl}/me`, { headers, signal: stop.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    assert.equal(response.status, 200);
    assert.equal(value?.length, Math.floor(Number(response.headers.get('content-length')) / 2));
    stop.abort();
  }));

test('latency waits on the provider’s clock', () =>
  withProvider(async ({ provider, clock, call }) => {
    provider.faults.add({ path: '/me', kind: 'latency', ms: 30_000 });
    assert.equal((await call('GET', '/me')).status, 200);
    assert.deepEqual(clock.sleeps, [30_000]);
  }));

test('a transform changes the answer and not the state', () =>
  withProvider(async ({ provider, call }) => {
    provider.faults.add({
      path: '/me',
      kind: 'transform',
      fn: (body) => ({ ...Object(body), display_name: null }),
    });
    assert.equal((await call('GET', '/me')).json.display_name, null);
    assert.equal((await call('GET', '/me')).json.display_name, 'Demo Listener');
  }));

test('a hook runs just before the request is handled', () =>
  withProvider(async ({ provider, call }) => {
    const { id } = named({ provider }, 'Morning Ferry');
    const fn = async () => {
      provider.editPlaylist(id, []);
    };
    provider.faults.add({ path: `/playlists/${id}/items`, kind: 'hook', fn });
    assert.equal((await call('GET', `/playlists/${id}/items`)).json.total, 0);
  }));

test('latency can be combined with a failure', () =>
  withProvider(async ({ provider, clock, call }) => {
    provider.faults.add(
      { path: '/me', kind: 'latency', ms: 10 },
      { path: '/me', kind: 'status', status: 504 },
    );
    assert.equal((await call('GET', '/me')).status, 504);
    assert.deepEqual(clock.sleeps, [10]);
  }));
