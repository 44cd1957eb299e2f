import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { withClock } from '../support/waiting.ts';
import { connectAccount, withRelay } from '../support/world.ts';
import { createJob, itemsOf, reach } from './jobCalls.ts';

test('a failed search uses one attempt of its item and is repeated later', () =>
  withClock(async (relay, clock) => {
    const wanted = uniqueTracks(relay, 3);
    relay.provider.faults.add({ path: '/search', times: 1, kind: 'status', status: 500 });
    const id = await createJob(relay, 'save_tracks', wanted.map(asQuery));
    const parked = await reach(relay, id, 'waiting');
    assert.deepEqual(
      [parked.reason, parked.attempts, parked.resolved, parked.pending],
      ['PROVIDER_UNAVAILABLE', 1, 2, 1],
    );
    const delay = Date.parse(parked.run_after ?? '') - clock.now();
    assert.ok(delay >= 1_500 && delay <= 2_500, `${delay} ms`);
    const failed = (await itemsOf(relay, id)).filter(({ error }) => error);
    assert.deepEqual(
      failed.map(({ status, error }) => [status, error?.code]),
      [['pending', 'PROVIDER_UNAVAILABLE']],
    );
    clock.advance(delay);
    const job = await reach(relay, id, 'ready');
    assert.deepEqual([job.resolved, job.attempts], [3, 1]);
  }));

test('without a login a job waits for one, then continues by itself', () =>
  withRelay({ connect: false }, async (relay) => {
    const [a] = uniqueTracks(relay, 1);
    assert.ok(a);
    const id = await createJob(relay, 'save_tracks', [asQuery(a)]);
    const parked = await reach(relay, id, 'waiting');
    assert.deepEqual([parked.reason, parked.run_after, parked.attempts], ['LOGIN_REQUIRED', null, 0]);
    const ask = { name: 'get_job_status', arguments: { job_id: id } };
    const { note } = (await relay.client.callTool(ask)).structuredContent as { note: string };
    assert.match(note, /waits until the user logs in to Spotify: call get_devices for the link/);
    assert.match(JSON.stringify(await relay.call('get_devices')), /auth\/provider\/login|login_url/);
    await connectAccount(relay.baseUrl);
    assert.equal((await reach(relay, id, 'ready')).resolved, 1);
  }));
