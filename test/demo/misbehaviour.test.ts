/** The faults and delays that tests can ask of the simulated Spotify. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../support/clock.ts';
import { named, tracks } from '../support/playlists.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { until } from '../support/until.ts';
import { type DemoWorld, withProvider } from './withProvider.ts';

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

test('a write under a fault is answered as the fault says, and has an effect or none', () =>
  withProvider(async (world) => {
    for (const [rule, answered, rows] of EFFECTS) {
      named(world, 'Empty Shelf').rows = [];
      assert.deepEqual(await addUnder(rule, world), [answered, rows], JSON.stringify(rule));
    }
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
