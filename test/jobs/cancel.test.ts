import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { signIn } from '../oauth/ownerBrowser.ts';
import { failureOf, withoutChange } from '../support/answers.ts';
import { send } from '../support/http.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { searches, writes } from '../support/requests.ts';
import { longTest } from '../support/scale.ts';
import type { FaultAction } from '../support/simulator/faults.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { gate, until, withClock } from '../support/waiting.ts';
import { withPlaylist } from '../support/withPlaylist.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { commit, createJob, jobOf, reach } from './jobCalls.ts';

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

/**
 * Cancels an addition of 350 tracks while its second request is held. Once released, that request meets `faults`.
 * @param meanwhile called when the job is cancelled and the request is still held
 */
async function cancelDuringWrite(
  relay: Relay,
  faults: readonly FaultAction[],
  meanwhile: () => Promise<void> = async () => {},
) {
  const playlist = named(relay, 'Empty Shelf');
  const uris = tracks(relay, 350);
  const held = gate();
  const match = { method: 'POST', path: /\/items$/, skip: 1 };
  const hold = { ...match, kind: 'hook' as const, fn: held.wait };
  relay.provider.faults.add(hold, ...faults.map((fault) => ({ ...match, ...fault })));
  const id = await createJob(relay, 'add_to_playlist', uris, { playlist_id: playlist.id });
  await reach(relay, id, 'ready');
  await commit(relay, id);
  await until(() => held.waiting === 1);
  const answer = cancelled(relay.call('cancel_job', { job_id: id }));
  await reach(relay, id, 'cancelled');
  await meanwhile();
  held.open();
  return { job: await answer, playlist, uris };
}

longTest(
  'cancel_job during a write waits until the write has ended, writes nothing more, and says how far the job got',
  () =>
    withRelay(async (relay) => {
      const { job, playlist, uris } = await cancelDuringWrite(relay, []);
      assert.deepEqual(
        [job.status, job.written, withoutChange(job.result)],
        ['cancelled', 200, { playlist_id: playlist.id, written: 200 }],
      );
      assert.deepEqual(urisOf(playlist), uris.slice(0, 200));
    }),
);

/** Presses "Clear" on the page, and returns how many jobs were dropped. */
async function clear(relay: Relay): Promise<number> {
  const cleared = await send(`${relay.baseUrl}/owner/events/clear`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-relay-owner': await signIn(relay) },
    body: '{}',
  });
  return (JSON.parse(cleared.text) as { cleared: number }).cleared;
}

longTest('a cancelled job is cleared only once its last write has ended', () =>
  withRelay(async (relay) => {
    const { job } = await cancelDuringWrite(relay, [], async () => {
      assert.equal(await clear(relay), 0);
    });
    assert.deepEqual([job.status, job.written], ['cancelled', 200]);
    assert.equal(await clear(relay), 1);
  }),
);

for (const when of ['before', 'after'] as const) {
  longTest(
    `cancel_job during a write whose answer is lost (${when} its effect) finds out how the write ended`,
    () =>
      withRelay({ clock: jumpingClock() }, async (relay) => {
        const { job, playlist, uris } = await cancelDuringWrite(relay, [{ kind: 'drop', when }]);
        const written = when === 'after' ? 200 : 100;
        assert.deepEqual(
          [job.status, job.written, job.error, withoutChange(job.result)],
          ['cancelled', written, null, { playlist_id: playlist.id, written }],
        );
        assert.deepEqual(urisOf(playlist), uris.slice(0, written));
      }),
  );
}

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

longTest('a stopping server finishes the write in transit, and the next start continues with the rest', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 350);
    const held = gate();
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, kind: 'hook', fn: held.wait });
    const id = await createJob(relay, 'add_to_playlist', uris, { playlist_id });
    await reach(relay, id, 'ready');
    await commit(relay, id);
    await until(() => held.waiting === 1);
    const restarted = relay.restart();
    held.open();
    await restarted;
    assert.equal((await reach(relay, id, 'completed')).written, 350);
    assert.deepEqual(urisOf(playlist), uris);
    // No write was left without an answer, so none was sent twice.
    assert.equal(relay.provider.requests.filter(({ method }) => method === 'POST').length, 4);
  }),
);
