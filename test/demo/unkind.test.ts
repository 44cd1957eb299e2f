/** The faults and delays that tests can ask of the simulated Spotify. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, tracks } from '../support/playlists.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { token } from './login.ts';
import { send } from './web.ts';
import { withProvider } from './withProvider.ts';

test('while the provider is offline its port refuses connections, and then it answers as before', () =>
  withProvider(async ({ provider, call }) => {
    await call('GET', '/me');
    await provider.offline(true);
    const failure = () => send(`${provider.apiUrl}/me`, 'GET', null).catch((error) => error.cause.code);
    // The first request may still be sent on the connection that was cut, and then fails with another error.
    await failure();
    assert.equal(await failure(), 'ECONNREFUSED');
    await provider.offline(false);
    assert.equal((await call('GET', '/me')).status, 200);
  }));

/** Answers to a write that do not have the new snapshot ID. */
const WITHOUT_SNAPSHOT: Array<[what: string, rule: FaultRule, answer: [number, unknown], rows: number]> = [
  ['an HTML page and no effect', { kind: 'html', effect: false }, [200, undefined], 0],
  ['an HTML page after the effect', { kind: 'html', effect: true, status: 403 }, [403, undefined], 1],
  ['no snapshot and no effect', { kind: 'no_snapshot', effect: false }, [201, {}], 0],
  ['no snapshot after the effect', { kind: 'no_snapshot', effect: true }, [201, {}], 1],
];

for (const [what, rule, answer, rows] of WITHOUT_SNAPSHOT) {
  test(`a write may be answered with ${what}`, () =>
    withProvider(async ({ provider, call }) => {
      const playlist = named({ provider }, 'Empty Shelf');
      provider.faults.add({ method: 'POST', path: /\/items$/, ...rule });
      const uris = tracks({ provider }, 1);
      const { status, json } = await call('POST', `/playlists/${playlist.id}/items`, { uris });
      assert.deepEqual([status, json], answer);
      assert.equal(playlist.rows.length, rows);
    }));
}

test('a fault may apply to every other request, or only to some queries', () =>
  withProvider(async ({ provider, call }) => {
    const statuses = async (...paths: string[]) => {
      const seen = [];
      for (const path of paths) seen.push((await call('GET', path)).status);
      return seen;
    };
    provider.faults.add({ path: '/me', every: 2, times: 2, kind: 'status', status: 400 });
    assert.deepEqual(await statuses('/me', '/me', '/me', '/me'), [400, 200, 400, 200]);
    provider.faults.add({
      path: '/search',
      where: ({ query }) => query.get('q') === 'bad',
      kind: 'status',
      status: 503,
    });
    assert.deepEqual(await statuses('/search?q=good&type=track', '/search?q=bad&type=track'), [200, 503]);
  }));

test('the total of a list may lag although its rows do not', () =>
  withProvider(async ({ provider, call, clock }) => {
    const { id } = named({ provider }, 'Empty Shelf');
    provider.lag.set({ totals: 600 });
    await call('POST', `/playlists/${id}/items`, { uris: tracks({ provider }, 1) });
    const shown = async () => {
      const { total, items } = (await call('GET', `/playlists/${id}/items`)).json;
      return [total, items.length];
    };
    assert.deepEqual(await shown(), [0, 1]);
    clock.move(600);
    assert.deepEqual(await shown(), [1, 1]);
  }));

test('a row may lose its item in lists for a while, although the playlist itself does not change', () =>
  withProvider(async ({ provider, call }) => {
    const { id } = named({ provider }, 'Empty Shelf');
    const uris = tracks({ provider }, 2);
    await call('POST', `/playlists/${id}/items`, { uris });
    const shown = async () => {
      const { items } = (await call('GET', `/playlists/${id}/items`)).json;
      return items.map(({ item }: { item: { uri: string } | null }) => item?.uri ?? null);
    };
    provider.lag.vanish(uris[0] ?? '');
    assert.deepEqual(await shown(), [null, uris[1]]);
    provider.lag.showAll();
    assert.deepEqual(await shown(), uris);
  }));

test('a fault may apply to the accounts server', () =>
  withProvider(async ({ provider }) => {
    provider.faults.add({ path: '/api/token', kind: 'html', effect: false, status: 403 });
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    const { status, headers } = await token(provider, form);
    assert.deepEqual([status, headers.get('content-type')], [403, 'text/html; charset=utf-8']);
  }));
