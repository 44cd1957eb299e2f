import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../support/clock.ts';
import { pluck } from '../support/entries.ts';
import { named, tracks } from '../support/playlists.ts';
import { until } from '../support/until.ts';
import { type DemoWorld, withProvider } from './withProvider.ts';

/** The rows, the count and the snapshot of a playlist as a reader sees them. */
async function shown({ call }: DemoWorld, id: string) {
  const { json: rows } = await call('GET', `/playlists/${id}/items`);
  const { json: playlist } = await call('GET', `/playlists/${id}`);
  const uris = rows.items.map(({ item }: { item: { uri: string } }) => item.uri);
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

test('a reader sees the state between two writes; a write builds on the newest state', () =>
  withProvider(async (world) => {
    const { provider, call, clock } = world;
    const { id } = named({ provider }, 'Empty Shelf');
    const [first = '', second = ''] = tracks({ provider }, 2);
    provider.lag.set({ lists: 600 });
    await call('POST', `/playlists/${id}/items`, { uris: [first] });
    clock.move(400);
    await call('POST', `/playlists/${id}/items`, { uris: [second] });
    assert.deepEqual((await shown(world, id)).uris, []);
    clock.move(200);
    assert.deepEqual((await shown(world, id)).uris, [first]);
    clock.move(400);
    assert.deepEqual((await shown(world, id)).uris, [first, second]);
  }));

test('another person’s edit lags too, and so do saved tracks', () =>
  withProvider(async (world) => {
    const { provider, call, clock } = world;
    const { id } = named({ provider }, 'Empty Shelf');
    const [uri = ''] = tracks({ provider }, 1);
    const isSaved = async () => (await call('GET', `/me/library/contains?uris=${uri}`)).json;
    await call('DELETE', `/me/library?uris=${uri}`);
    provider.lag.set({ lists: 600 });
    provider.editPlaylist(id, [uri]);
    await call('PUT', `/me/library?uris=${uri}`);
    assert.deepEqual([(await shown(world, id)).uris, await isSaved()], [[], [false]]);
    clock.move(600);
    assert.deepEqual([(await shown(world, id)).uris, await isSaved()], [[uri], [true]]);
  }));

test('a new playlist is unknown for a moment, to reads and writes', () =>
  withProvider(async (world) => {
    const { provider, call, clock } = world;
    provider.lag.set({ created: 500 });
    const { id } = (await call('POST', '/me/playlists', { name: 'New' })).json;
    const uris = tracks({ provider }, 1);
    const statuses = async () => [
      (await call('GET', `/playlists/${id}`)).status,
      (await call('POST', `/playlists/${id}/items`, { uris })).status,
    ];
    assert.deepEqual(await statuses(), [404, 404]);
    clock.move(500);
    assert.deepEqual(await statuses(), [200, 201]);
  }));

test('a relinked track is listed under another ID', () =>
  withProvider(async (world) => {
    const { provider, call } = world;
    const { id } = named({ provider }, 'Empty Shelf');
    const [given = '', listed = ''] = tracks({ provider }, 2);
    provider.lag.relink(given, listed);
    await call('POST', `/playlists/${id}/items`, { uris: [given] });
    assert.deepEqual((await shown(world, id)).uris, [listed]);
    assert.deepEqual(pluck(named({ provider }, 'Empty Shelf').rows, 'uri'), [given]);
  }));

test('a write may take effect after its answer, and an answer may come after the effect', async () => {
  const clock = manualClock();
  await withProvider(
    async (world) => {
      const { provider, call } = world;
      const playlist = named({ provider }, 'Empty Shelf');
      const path = `/playlists/${playlist.id}/items`;
      const held = () => playlist.rows.length;
      provider.faults.add(
        { kind: 'late', method: 'POST', path, ms: 14_000, answer: 504 },
        { kind: 'slow_answer', method: 'POST', path, ms: 5_000 },
      );
      const { status } = await call('POST', path, { uris: tracks({ provider }, 1) });
      assert.deepEqual([status, held()], [504, 0]);
      clock.advance(14_000);
      await until(() => held() === 1);
      let answered = false;
      const slow = call('POST', path, { uris: tracks({ provider }, 1, 1) }).finally(() => {
        answered = true;
      });
      await until(() => held() === 2 && clock.sleeping > 0);
      assert.equal(answered, false);
      clock.advance(5_000);
      assert.equal((await slow).status, 201);
    },
    { clock },
  );
});
