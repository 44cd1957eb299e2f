import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOK_AGAIN_MS, SETTLE_MS } from '../../src/jobs/intents.ts';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { sized } from '../support/scale.ts';
import { at, owner } from '../support/shapes.ts';
import type { FaultAction, FaultRule } from '../support/simulator/faults.ts';
import { until, type WatchedClock, watchedClock } from '../support/waiting.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { commit, createJob, jobOf, named, pause, reach, tracks, urisOf } from './support.ts';

/** Lets exactly the time pass that the job waits for, until it has ended. */
async function drive(relay: Relay, clock: WatchedClock, id: string): Promise<JobRecord> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const job = await jobOf(relay, id);
    if (job.status === 'completed' || job.status === 'failed') return job;
    if (clock.waiting(SETTLE_MS) > 0) clock.advance(SETTLE_MS);
    else if (clock.waiting(LOOK_AGAIN_MS) > 0) clock.advance(LOOK_AGAIN_MS);
    else if (job.status === 'waiting') clock.advance(Date.parse(job.run_after ?? '') - clock.now());
    else await pause();
  }
  throw new Error('the job did not end');
}

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
  ['an append after it', 'replace_playlist', { method: 'POST', path: /\/items$/ }],
  ['the making of a playlist', 'create_playlist', { method: 'POST', path: '/me/playlists' }],
  ['the filling of it', 'create_playlist', { method: 'POST', path: /\/items$/, skip: 1 }],
  ['saving', 'save_tracks', { method: 'PUT', path: '/me/library', skip: 1 }],
  ['removing', 'remove_saved_tracks', { method: 'DELETE', path: '/me/library' }],
];

/** Of what can happen to each write: everything, or one thing in turn, so that all of them come up. */
const TRIED = sized(LOST.length, 1);

for (const [row, [where, type, match]] of WRITES.entries()) {
  for (const [column, [what, action]] of LOST.entries()) {
    if ((row + column) % LOST.length >= TRIED) continue;
    test(`${type}, ${where}: ${what}, and everything is written once, in order`, async () => {
      const clock = watchedClock();
      await withRelay({ clock }, async (relay) => {
        const { expected, present, payload, items } = scene(relay, type);
        const id = await begin(relay, type, items, payload, { ...match, ...action });
        const job = await drive(relay, clock, id);
        assert.deepEqual([job.status, job.error, job.written], ['completed', null, items.length]);
        assert.deepEqual(present(), expected);
        const landed = action.kind === 'status_after' || (action.kind === 'drop' && action.when === 'after');
        const isLibrary = type === 'save_tracks' || type === 'remove_saved_tracks';
        assert.equal(job.attempts, landed && !isLibrary ? 0 : 1);
      });
    });
  }
}

/** What a kind of job starts from and has to lead to. */
function scene(relay: Relay, type: string) {
  const account = owner(relay.provider);
  const items = tracks(relay, 250, 3_000);
  const saved = () => account.saved.map(({ uri }) => uri);
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

test('the outcome of a write that is not answered in time is found out like any other', async () => {
  const clock = watchedClock();
  await withRelay({ clock }, async (relay) => {
    const { expected, present, payload, items } = scene(relay, 'add_to_playlist');
    const fault: FaultRule = { method: 'POST', path: /\/items$/, skip: 1, kind: 'hang', when: 'after' };
    const id = await begin(relay, 'add_to_playlist', items, payload, fault);
    const posts = () => relay.provider.requests.filter(({ method }) => method === 'POST').length;
    await until(() => posts() >= 2);
    await clock.pass(30_000);
    const job = await drive(relay, clock, id);
    assert.deepEqual([job.status, job.written], ['completed', 250]);
    assert.deepEqual(present(), expected);
  });
});

test('a list that lags behind a write is read again before it counts as a conflict', async () => {
  const clock = watchedClock();
  await withRelay({ clock }, async (relay) => {
    const { expected, present, payload, items } = scene(relay, 'add_to_playlist');
    const stale = (body: unknown) => ({ ...(body as object), total: 230 });
    const id = await begin(relay, 'add_to_playlist', items, payload, {
      method: 'POST',
      path: /\/items$/,
      skip: 1,
      kind: 'drop',
      when: 'after',
    });
    await until(() => relay.provider.requests.some(({ method }) => method === 'POST'));
    relay.provider.faults.add({ method: 'GET', path: /\/items$/, kind: 'transform', fn: stale });
    const job = await drive(relay, clock, id);
    assert.deepEqual([job.status, job.review_required], ['completed', false]);
    assert.deepEqual(present(), expected);
  });
});

test('someone else’s change around a lost answer ends in review_required with both lists', async () => {
  const clock = watchedClock();
  await withRelay({ clock }, async (relay) => {
    const { payload, items } = scene(relay, 'add_to_playlist');
    const playlist = named(relay, 'Exactly Two Hundred');
    const before = urisOf(playlist);
    const edited = [...before.slice(1), ...items.slice(0, 100)];
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
      { method: 'POST', path: /\/items$/, skip: 1, kind: 'drop', when: 'before' },
    );
    await commit(relay, id);
    const job = await drive(relay, clock, id);
    assert.deepEqual(
      [job.status, job.review_required, job.error?.code, job.written],
      ['failed', true, 'CONFLICT', 100],
    );
    assert.deepEqual(job.result, {
      playlist_id: playlist.id,
      written: 100,
      expected_count: 300,
      present_count: 299,
      shown_from: 0,
      expected_uris: [...before, ...items.slice(0, 100)],
      present_uris: edited,
    });
    assert.deepEqual(urisOf(playlist), edited, 'nothing more is written');

    // Once it is as it was, the job finds its way again.
    relay.provider.editPlaylist(playlist.id, [...before, ...items.slice(0, 100)]);
    await relay.call('resume_job', { job_id: id });
    assert.deepEqual((await drive(relay, clock, id)).status, 'completed');
    assert.deepEqual(urisOf(playlist), [...before, ...items]);
  });
});

test('a playlist that appears by itself and is not empty is never mistaken for the one that was created', async () => {
  const clock = watchedClock();
  await withRelay({ clock }, async (relay) => {
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
    const job = await drive(relay, clock, id);
    assert.deepEqual([job.status, job.review_required], ['failed', true]);
    assert.equal(other.rows.length, 200);
  });
});

test('a write that keeps failing uses up its attempts, and the job can be resumed', async () => {
  const clock = watchedClock();
  await withRelay({ clock }, async (relay) => {
    const { expected, present, payload, items } = scene(relay, 'replace_playlist');
    const former = present();
    const fault: FaultRule = {
      method: 'POST',
      path: /\/items$/,
      times: Infinity,
      kind: 'status',
      status: 503,
    };
    const id = await begin(relay, 'replace_playlist', items, payload, fault);
    const job = await drive(relay, clock, id);
    assert.deepEqual(
      [job.status, job.attempts, job.written, job.error?.code, job.result?.former_uris],
      ['failed', 5, 100, 'PROVIDER_UNAVAILABLE', former],
    );
    relay.provider.faults.clear();
    await relay.call('resume_job', { job_id: id });
    assert.equal((await drive(relay, clock, id)).status, 'completed');
    assert.deepEqual(present(), expected);
  });
});
