import assert from 'node:assert/strict';
import { at, owner } from '../support/entries.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { named, savedUris, tracks, urisOf } from '../support/playlists.ts';
import { longTest, sized } from '../support/scale.ts';
import type { FaultAction, FaultRule } from '../support/simulator/faults.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { commit, createJob, reach } from './jobCalls.ts';

/** Runs on a fast clock: relay takes 20 s to find out that a write had no effect, and its pauses grow to a minute. */
const inFastTime = (work: (relay: Relay) => Promise<void>) => withRelay({ clock: jumpingClock() }, work);
const end = (relay: Relay, id: string) => reach(relay, id, 'completed', 'failed');

async function begin(
  relay: Relay,
  type: string,
  items: readonly string[],
  payload: object,
  fault: FaultRule,
): Promise<string> {
  const id = await createJob(relay, type, items, { ...payload });
  await reach(relay, id, 'ready');
  relay.provider.faults.add(fault);
  await commit(relay, id);
  return id;
}

const LOST: Array<[what: string, action: FaultAction]> = [
  ['the connection is cut after the write took effect', { kind: 'drop', when: 'after' }],
  ['the connection is cut before the write', { kind: 'drop', when: 'before' }],
  ['a 502 comes after the write took effect', { kind: 'status_after', status: 502 }],
  ['a 503 comes instead of the write', { kind: 'status', status: 503 }],
  ['a 500 comes after the write took effect', { kind: 'status_after', status: 500 }],
];

const WRITES: Array<[what: string, type: string, match: Pick<FaultRule, 'method' | 'path' | 'skip'>]> = [
  ['the first append', 'add_to_playlist', { method: 'POST', path: /\/items$/ }],
  ['an append in the middle', 'add_to_playlist', { method: 'POST', path: /\/items$/, skip: 1 }],
  ['the last append', 'add_to_playlist', { method: 'POST', path: /\/items$/, skip: 2 }],
  ['the replacing request', 'replace_playlist', { method: 'PUT', path: /\/items$/ }],
  ['an append after the replacing request', 'replace_playlist', { method: 'POST', path: /\/items$/ }],
  ['the making of a playlist', 'create_playlist', { method: 'POST', path: '/me/playlists' }],
  ['the filling of the playlist', 'create_playlist', { method: 'POST', path: /\/items$/, skip: 1 }],
  ['saving', 'save_tracks', { method: 'PUT', path: '/me/library', skip: 1 }],
  ['removing', 'remove_saved_tracks', { method: 'DELETE', path: '/me/library' }],
];

/** How many entries of `LOST` each write meets: all, or one at reduced size. The entries take turns, so that all come up. */
const TRIED = sized(LOST.length, 1);

for (const [row, [where, type, match]] of WRITES.entries()) {
  for (const [column, [what, action]] of LOST.entries()) {
    if ((row + column) % LOST.length >= TRIED) continue;
    longTest(`${type}, ${where}: ${what}, and everything is written once, in order`, async () => {
      await inFastTime(async (relay) => {
        const { expected, present, payload, items } = scene(relay, type);
        const id = await begin(relay, type, items, payload, { ...match, ...action });
        const job = await end(relay, id);
        assert.deepEqual([job.status, job.error, job.written], ['completed', null, items.length]);
        assert.deepEqual(present(), expected);
        assert.equal(job.attempts, 0, 'a lost answer says nothing about the items');
      });
    });
  }
}

/** What a kind of job starts from and has to lead to. */
function scene(relay: Relay, type: string) {
  const account = owner(relay.provider);
  const items = tracks(relay, 250, 3_000);
  const saved = () => savedUris(relay);
  const before = saved();
  if (type === 'create_playlist') {
    const made = () => account.playlists.filter(({ name }) => name === 'Made Once').map(urisOf);
    return { items, payload: { name: 'Made Once' }, expected: [items], present: made };
  }
  if (type === 'save_tracks' || type === 'remove_saved_tracks') {
    const fresh = items.filter((uri) => !before.includes(uri)).slice(0, 100);
    if (type === 'save_tracks') {
      return { items: fresh, payload: {}, expected: [...fresh.toReversed(), ...before], present: saved };
    }
    account.saved.unshift(...fresh.map((uri) => ({ uri, addedAt: '2026-01-01T00:00:00Z' })));
    return { items: fresh, payload: {}, expected: before, present: saved };
  }
  const playlist = named(relay, 'Exactly Two Hundred');
  const expected = type === 'add_to_playlist' ? [...urisOf(playlist), ...items] : items;
  return { items, payload: { playlist_id: playlist.id }, expected, present: () => urisOf(playlist) };
}

longTest('the outcome of a write that is not answered in time is found out like any other', async () => {
  await inFastTime(async (relay) => {
    const { expected, present, payload, items } = scene(relay, 'add_to_playlist');
    const fault: FaultRule = { method: 'POST', path: /\/items$/, skip: 1, kind: 'hang', when: 'after' };
    const id = await begin(relay, 'add_to_playlist', items, payload, fault);
    const job = await end(relay, id);
    assert.deepEqual([job.status, job.written], ['completed', 250]);
    assert.deepEqual(present(), expected);
  });
});

longTest('a list that lags behind a write is read again before it counts as a conflict', async () => {
  await inFastTime(async (relay) => {
    const { expected, present, payload, items } = scene(relay, 'add_to_playlist');
    const stale = (body: unknown) => ({ ...(body as object), total: 230 });
    const second = { method: 'POST', path: /\/items$/, skip: 1 };
    const look: FaultRule = { method: 'GET', path: /\/items$/, kind: 'transform', fn: stale };
    const id = await createJob(relay, 'add_to_playlist', items, payload);
    await reach(relay, id, 'ready');
    relay.provider.faults.add(
      { ...second, kind: 'hook', fn: () => relay.provider.faults.add(look) },
      { ...second, kind: 'drop', when: 'after' },
    );
    await commit(relay, id);
    const job = await end(relay, id);
    assert.deepEqual([job.status, job.review_required], ['completed', false]);
    assert.deepEqual(present(), expected);
  });
});

longTest('someone else’s change around a lost answer stays, and the job writes the rest', async () => {
  await inFastTime(async (relay) => {
    const { payload, items } = scene(relay, 'add_to_playlist');
    const playlist = named(relay, 'Exactly Two Hundred');
    const edited = [...urisOf(playlist).slice(1), ...items.slice(0, 100)];
    const id = await createJob(relay, 'add_to_playlist', items, payload);
    await reach(relay, id, 'ready');
    relay.provider.faults.add(
      {
        method: 'POST',
        path: /\/items$/,
        skip: 1,
        kind: 'hook',
        fn: () => void relay.provider.editPlaylist(playlist.id, edited),
      },
      { method: 'POST', path: /\/items$/, skip: 1, kind: 'drop', when: 'after' },
    );
    await commit(relay, id);
    const job = await end(relay, id);
    assert.deepEqual([job.status, job.review_required, job.written], ['completed', false, 250]);
    assert.deepEqual(urisOf(playlist), [...edited, ...items.slice(100)]);
  });
});

longTest(
  'a playlist that appears by itself and is not empty is never mistaken for the playlist that the job created',
  async () => {
    await inFastTime(async (relay) => {
      const account = owner(relay.provider);
      const id = await createJob(relay, 'create_playlist', tracks(relay, 10), { name: 'Made Once' });
      await reach(relay, id, 'ready');
      const model = at(account.playlists, 0);
      const other = {
        ...model,
        id: 'o'.repeat(22),
        name: 'Made Once',
        rows: [...named(relay, 'Exactly Two Hundred').rows],
      };
      relay.provider.faults.add(
        { method: 'POST', path: '/me/playlists', kind: 'hook', fn: () => void account.playlists.push(other) },
        { method: 'POST', path: '/me/playlists', kind: 'drop', when: 'before' },
      );
      await commit(relay, id);
      const job = await end(relay, id);
      assert.deepEqual([job.status, job.review_required], ['failed', true]);
      assert.equal(other.rows.length, 200);
    });
  },
);

longTest('a write that keeps being refused uses up its attempts, and the job can be resumed', async () => {
  await inFastTime(async (relay) => {
    const { expected, present, payload, items } = scene(relay, 'replace_playlist');
    const former = present();
    const fault: FaultRule = {
      method: 'POST',
      path: /\/items$/,
      times: Infinity,
      kind: 'status',
      status: 403,
    };
    const id = await begin(relay, 'replace_playlist', items, payload, fault);
    const job = await end(relay, id);
    assert.deepEqual(
      [job.status, job.attempts, job.written, job.error?.code, job.result?.former_uris],
      ['failed', 5, 100, 'FORBIDDEN', former],
    );
    relay.provider.faults.clear();
    await relay.call('resume_job', { job_id: id });
    assert.equal((await end(relay, id)).status, 'completed');
    assert.deepEqual(present(), expected);
  });
});
