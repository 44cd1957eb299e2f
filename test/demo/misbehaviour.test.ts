/** The faults and delays that tests can ask of the simulated Spotify. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../support/clock.ts';
import { pluck } from '../support/entries.ts';
import { named, tracks } from '../support/playlists.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { until } from '../support/until.ts';
import { type DemoWorld, errorBody, withProvider } from './withProvider.ts';

/** Faults with the answer to `GET /me`. */
const ANSWERS: Array<[rule: FaultRule, status: number, body: unknown, retryAfter?: string]> = [
  [{ kind: 'status', status: 502 }, 502, errorBody(502, 'Server error.')],
  [{ kind: 'status', status: 403, body: 'not registered', contentType: 'text/plain' }, 403, 'not registered'],
  [{ kind: 'rate_limit', retryAfterSeconds: 7 }, 429, errorBody(429, 'API rate limit exceeded'), '7'],
  [{ kind: 'rate_limit', retryAfterSeconds: null }, 429, errorBody(429, 'API rate limit exceeded')],
  [
    { kind: 'quota', retryAfterSeconds: 46_649 },
    429,
    errorBody(429, 'Too many requests', 'QUOTA_EXCEEDED'),
    '46649',
  ],
  [{ kind: 'empty' }, 200, ''],
  [{ kind: 'malformed' }, 200, '{"items": [{"id": "'],
  [{ kind: 'transform', fn: () => ({ id: null }) }, 200, { id: null }],
];

test('each fault gives its answer once', () =>
  withProvider(async ({ provider, call }) => {
    await call('GET', '/me');
    for (const [rule, status, body, retryAfter = null] of ANSWERS) {
      provider.faults.add(rule);
      const reply = await call('GET', '/me');
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      assert.deepEqual(
        [reply.status, reply.text, reply.headers.get('retry-after')],
        [status, text, retryAfter],
      );
      assert.equal((await call('GET', '/me')).json.id, 'demo.listener');
    }
  }));

test('a rule applies to its method, path and query, after `skip` requests, `times` times or to every other one', () =>
  withProvider(async ({ provider, call }) => {
    await call('GET', '/me');
    const statuses = async (...paths: string[]) => {
      const seen = [];
      for (const path of paths) seen.push((await call('GET', path)).status);
      return seen;
    };
    const path = '/me/tracks';
    provider.faults.add({ method: 'GET', path, skip: 1, times: 2, kind: 'status', status: 503 });
    assert.deepEqual(await statuses('/me/playlists', path, path, path, path), [200, 200, 503, 503, 200]);
    provider.faults.add({ path: '/me', every: 2, times: 2, kind: 'status', status: 400 });
    assert.deepEqual(await statuses('/me', '/me', '/me', '/me'), [400, 200, 400, 200]);
    const isBad = ({ query }: { query: URLSearchParams }) => query.get('q') === 'bad';
    provider.faults.add({ path: /^\/search/, where: isBad, kind: 'status', status: 500 });
    assert.deepEqual(await statuses('/search?q=x&type=track', '/search?q=bad&type=track'), [200, 500]);
    provider.faults.add({ path: '/me', times: Infinity, kind: 'status', status: 500 });
    provider.faults.clear();
    assert.deepEqual(await statuses('/me'), [200]);
  }));

/** Adds one item under a fault; returns the status of the answer, and the number of rows afterwards. */
async function addUnder(rule: FaultRule, { provider, call }: DemoWorld) {
  const list = named({ provider }, 'Empty Shelf');
  await call('GET', '/me');
  provider.faults.add({ method: 'POST', path: /\/items$/, ...rule });
  const sent = call('POST', `/playlists/${list.id}/items`, { uris: tracks({ provider }, 1) });
  const answered = await sent.then(
    ({ status }) => status,
    () => 'cut off',
  );
  return [answered, list.rows.length];
}

const EFFECTS: Array<[rule: FaultRule, answered: number | string, rows: number]> = [
  [{ kind: 'drop', when: 'before' }, 'cut off', 0],
  [{ kind: 'drop', when: 'after' }, 'cut off', 1],
  [{ kind: 'status', status: 500 }, 500, 0],
  [{ kind: 'status_after', status: 502 }, 502, 1],
  [{ kind: 'malformed' }, 200, 1],
  [{ kind: 'html', effect: false }, 200, 0],
  [{ kind: 'html', effect: true, status: 403 }, 403, 1],
  [{ kind: 'no_snapshot', effect: false }, 201, 0],
  [{ kind: 'no_snapshot', effect: true }, 201, 1],
];

for (const [rule, answered, rows] of EFFECTS) {
  test(`a write under ${JSON.stringify(rule)} is answered with ${answered} and leaves ${rows} rows`, () =>
    withProvider(async (world) => assert.deepEqual(await addUnder(rule, world), [answered, rows])));
}

test('closing the provider ends a request that hangs after its effect', () =>
  withProvider(async (world) => {
    const hanging = addUnder({ kind: 'hang', when: 'after' }, world);
    await until(() => named(world, 'Empty Shelf').rows.length === 1);
    await world.provider.close();
    assert.deepEqual(await hanging, ['cut off', 1]);
  }));

test('a write may take effect after its answer, and an answer may come after the effect', async () => {
  const clock = manualClock();
  await withProvider(
    async (world) => {
      const held = () => named(world, 'Empty Shelf').rows.length;
      assert.deepEqual(await addUnder({ kind: 'late', ms: 14_000, answer: 504 }, world), [504, 0]);
      clock.advance(14_000);
      await until(() => held() === 1);
      let answered = false;
      const slow = addUnder({ kind: 'slow_answer', ms: 5_000 }, world).finally(() => {
        answered = true;
      });
      await until(() => held() === 2 && clock.sleeping > 0);
      assert.equal(answered, false);
      clock.advance(5_000);
      assert.deepEqual(await slow, [201, 2]);
    },
    { clock },
  );
});

/** The rows, the count and the snapshot of a playlist as a reader sees them. */
async function shown({ call }: DemoWorld, id: string) {
  const { json: rows } = await call('GET', `/playlists/${id}/items`);
  const { json: playlist } = await call('GET', `/playlists/${id}`);
  const uris = rows.items.map(({ item }: { item: { uri: string } | null }) => item?.uri ?? null);
  return { uris, total: rows.total, snapshot: playlist.snapshot_id };
}

test('a write is shown in rows, count and snapshot, in each after a delay of its own', () =>
  withProvider(async (world) => {
    const { provider, call, clock } = world;
    const { id } = named({ provider }, 'Empty Shelf');
    const uris = tracks({ provider }, 2);
    provider.lag.set({ lists: 600, totals: 900, snapshots: 30_000 });
    const { snapshot } = await shown(world, id);
    const written = (await call('POST', `/playlists/${id}/items`, { uris })).json.snapshot_id;
    assert.deepEqual(await shown(world, id), { uris: [], total: 0, snapshot });
    clock.move(600);
    assert.deepEqual(await shown(world, id), { uris, total: 0, snapshot });
    clock.move(300);
    assert.deepEqual(await shown(world, id), { uris, total: 2, snapshot });
    clock.move(29_100);
    assert.deepEqual(await shown(world, id), { uris, total: 2, snapshot: written });
  }));

test('the state between two writes is shown too; saved tracks and the list of playlists lag as well', () =>
  withProvider(async (world) => {
    const { provider, call, clock } = world;
    const { id } = named({ provider }, 'Empty Shelf');
    const [first = '', second = ''] = tracks({ provider }, 2);
    const isSaved = async () => (await call('GET', `/me/library/contains?uris=${second}`)).json[0];
    await call('DELETE', `/me/library?uris=${second}`);
    provider.lag.set({ lists: 600 });
    await call('POST', `/playlists/${id}/items`, { uris: [first] });
    clock.move(400);
    provider.editPlaylist(id, [first, second]);
    await call('PUT', `/me/library?uris=${second}`);
    await call('POST', '/me/playlists', { name: 'New' });
    const seen = async () => [
      (await shown(world, id)).uris.length,
      await isSaved(),
      (await call('GET', '/me/playlists')).json.items[0].name === 'New',
    ];
    assert.deepEqual(await seen(), [0, false, false]);
    clock.move(200);
    assert.deepEqual(await seen(), [1, false, false]);
    clock.move(400);
    assert.deepEqual(await seen(), [2, true, true]);
  }));

test('a row may be listed under another ID or without its item, although the playlist does not change', () =>
  withProvider(async (world) => {
    const { provider, call } = world;
    const { id } = named({ provider }, 'Empty Shelf');
    const [a = '', b = '', other = ''] = tracks({ provider }, 3);
    await call('POST', `/playlists/${id}/items`, { uris: [a, b] });
    provider.lag.relink(a, other);
    provider.lag.vanish(b);
    assert.deepEqual((await shown(world, id)).uris, [other, null]);
    assert.deepEqual(pluck(named({ provider }, 'Empty Shelf').rows, 'uri'), [a, b]);
    provider.lag.showAll();
    assert.deepEqual((await shown(world, id)).uris[1], b);
  }));
