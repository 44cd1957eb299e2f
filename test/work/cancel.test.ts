import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobRecord } from '../../src/work/jobRecord.ts';
import { failureOf, withoutChange } from '../support/answers.ts';
import { tracks } from '../support/playlists.ts';
import { searches, writes } from '../support/requests.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { gate, until, withClock } from '../support/waiting.ts';
import { withPlaylist } from '../support/withPlaylist.ts';
import { withRelay } from '../support/world.ts';
import { createJob, jobOf, reach } from './jobCalls.ts';

const cancelled = async (answer: Promise<Record<string, unknown>>) => (await answer).job as JobRecord;

test('cancel_job before the first write writes nothing and keeps everything', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist_id }) => {
    const id = await createJob(relay, 'add_to_playlist', tracks(relay, 30), { playlist_id });
    await reach(relay, id, 'ready');
    const job = await cancelled(relay.call('cancel_job', { job_id: id }));
    assert.deepEqual([job.status, job.resolved, job.written, job.result], ['cancelled', 30, 0, null]);
    assert.equal(failureOf(await relay.call('commit_job', { job_id: id })).code, 'JOB_STATE');
    assert.deepEqual([writes(relay), await jobOf(relay, id)], [0, job]);
    assert.deepEqual(await cancelled(relay.call('cancel_job', { job_id: id })), job, 'again changes nothing');
  }));

test('cancel_job while searching stops the searches', () =>
  withRelay(async (relay) => {
    const held = gate();
    relay.provider.faults.add({ path: '/search', skip: 2, times: Infinity, kind: 'hook', fn: held.wait });
    const id = await createJob(relay, 'save_tracks', uniqueTracks(relay, 30).map(asQuery));
    await until(() => held.waiting === 4);
    const job = await cancelled(relay.call('cancel_job', { job_id: id }));
    held.open();
    assert.deepEqual([job.status, job.resolved], ['cancelled', 2]);
    assert.equal(searches(relay), 6);
    // The lane is free for the next job.
    await reach(relay, await createJob(relay, 'save_tracks', tracks(relay, 1)), 'ready');
    assert.equal(searches(relay), 6);
  }));

test('cancel_job ends the wait for a limit', () =>
  withClock(async (relay, clock) => {
    relay.provider.faults.add({ path: '/search', kind: 'quota', retryAfterSeconds: 50_000 });
    const id = await createJob(relay, 'save_tracks', uniqueTracks(relay, 2).map(asQuery));
    await reach(relay, id, 'waiting');
    const job = await cancelled(relay.call('cancel_job', { job_id: id }));
    assert.deepEqual([job.status, job.run_after, job.reason], ['cancelled', null, null]);
    const made = searches(relay);
    clock.advance(60_000_000);
    assert.equal((await jobOf(relay, id)).status, 'cancelled');
    assert.equal(searches(relay), made);
  }));

test('cancel_job before a lost request is sent again says that its outcome is unknown', () =>
  withRelay(async (relay) => {
    relay.provider.faults.add({ method: 'PUT', path: '/me/library', kind: 'drop', when: 'after' });
    const id = await createJob(relay, 'save_tracks', tracks(relay, 30));
    await reach(relay, id, 'ready');
    await relay.call('commit_job', { job_id: id });
    await reach(relay, id, 'waiting');
    const { status, written, result } = await cancelled(relay.call('cancel_job', { job_id: id }));
    assert.deepEqual(
      [status, written, withoutChange(result ?? {})],
      ['cancelled', 0, { written: 0, outcome_unknown: true }],
    );
  }));
