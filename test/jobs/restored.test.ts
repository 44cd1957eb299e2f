/**
 * A state that was restored from a copy does not know what its jobs wrote after the copy was made. Even so, relay writes
 * nothing twice.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemClock, systemRandom } from '../../src/base/clock.ts';
import { loadSettings } from '../../src/config/settings.ts';
import type { RelayError } from '../../src/domain/errors.ts';
import { type Restored, restoreState } from '../../src/server/restore/restoreState.ts';
import { backUpState } from '../../src/store/copies/backup.ts';
import { temporaryHome } from '../support/cli.ts';
import { owner } from '../support/entries.ts';
import { tracks, urisOf } from '../support/playlists.ts';
import { writes } from '../support/requests.ts';
import { longTest } from '../support/scale.ts';
import type { FaultMatch } from '../support/simulator/faults.ts';
import { type WatchedClock, withClock } from '../support/waiting.ts';
import { withClockedPlaylist, withPlaylist } from '../support/withPlaylist.ts';
import type { Relay } from '../support/world.ts';
import { commit, createJob, pause, reach } from './jobCalls.ts';

const SECONDS = 100;

/** Copies the state as a running server has saved it. */
async function copyOf(t: TestContext, relay: Relay): Promise<string> {
  const folder = temporaryHome(t);
  const { path } = await relay.server.local.saveState();
  await backUpState({ source: path, file: join(folder, 'copy'), force: false });
  return join(folder, 'copy');
}

async function restoreAndStart(relay: Relay, file: string): Promise<Restored> {
  await relay.client.close();
  await relay.server.close();
  const { signal } = new AbortController();
  const restored = await restoreState({
    settings: loadSettings({ env: relay.env }),
    file,
    force: false,
    clock: systemClock,
    random: systemRandom,
    signal,
  });
  await relay.restart();
  relay.provider.clearRequests();
  return restored;
}

/** Lets a limit end, and then the job that waits for that limit. */
async function finish(relay: Relay, clock: WatchedClock, id: string): Promise<void> {
  clock.advance(SECONDS * 1_000);
  await relay.call('resume_job', { job_id: id });
  await reach(relay, id, 'completed');
}

/** A job of 250 tracks that a limit stopped at the first request that fits `where`. */
async function stopped(relay: Relay, type: string, payload: object, where: FaultMatch): Promise<string> {
  const id = await createJob(relay, type, tracks(relay, 250, 3_000), { ...payload });
  await reach(relay, id, 'ready');
  relay.provider.faults.add({ ...where, kind: 'rate_limit', retryAfterSeconds: SECONDS });
  await commit(relay, id);
  await reach(relay, id, 'waiting');
  return id;
}

longTest(
  'a half-written job that continued after the copy was made fails after a restore; resumed, it finds out what it wrote',
  (t) =>
    withClockedPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
      const payload = { playlist_id };
      const id = await stopped(relay, 'add_to_playlist', payload, {
        method: 'POST',
        path: /\/items$/,
        skip: 1,
      });
      const before = urisOf(playlist).length;
      const file = await copyOf(t, relay);
      await finish(relay, clock, id);
      const all = urisOf(playlist);
      assert.equal(all.length - before, 150);

      const restored = await restoreAndStart(relay, file);
      assert.deepEqual([restored.heldJobs, restored.jobs], [1, { failed: 1 }]);
      const held = await reach(relay, id, 'failed');
      assert.deepEqual([held.written, held.review_required, held.error?.code], [100, false, 'CONFLICT']);
      assert.match(
        held.error?.message ?? '',
        /^The state was restored from a copy made at \S+Z\. This job had not finished by then/,
      );
      assert.equal(relay.provider.requests.length, 0);

      await relay.call('resume_job', { job_id: id });
      const job = await drive(relay, clock, id);
      assert.deepEqual([job.status, job.review_required, job.written], ['completed', false, 250]);
      assert.equal(writes(relay), 0);
      assert.deepEqual(urisOf(playlist), all);
    }),
);

longTest('a half-written job whose playlist has not changed since the copy continues when resumed', (t) =>
  withClockedPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id, former }) => {
    const payload = { playlist_id };
    const id = await stopped(relay, 'add_to_playlist', payload, {
      method: 'POST',
      path: /\/items$/,
      skip: 1,
    });
    const file = await copyOf(t, relay);
    await restoreAndStart(relay, file);
    clock.advance(SECONDS * 1_000);
    await relay.call('resume_job', { job_id: id });
    const job = await drive(relay, clock, id);
    assert.deepEqual([job.status, job.written], ['completed', 250]);
    assert.deepEqual(urisOf(playlist), [...former, ...tracks(relay, 250, 3_000)]);
  }),
);

longTest('an undo of a half-written job says that the restored job does not continue by itself', (t) =>
  withClockedPlaylist('Exactly Two Hundred', async ({ relay, playlist_id }) => {
    const payload = { playlist_id };
    const where = { method: 'POST', path: /\/items$/, skip: 1 };
    const id = await stopped(relay, 'add_to_playlist', payload, where);
    await restoreAndStart(relay, await copyOf(t, relay));
    const { local } = relay.server;
    const [held] = (await local.listChanges({ limit: 1 })).items;
    const undo = () => local.undoChange({ change: held?.change_id ?? null, force: false, dryRun: false });
    await assert.rejects(undo, (error: RelayError) => {
      assert.deepEqual(
        [error.message, error.remedy],
        [
          `The change ${held?.change_id} is still being written, but its job has stopped.`,
          `The job does not continue by itself. Call resume_job or cancel_job with job_id ${id}, then undo the change.`,
        ],
      );
      return true;
    });
  }),
);

longTest('a job that had written nothing when the copy was made does not write again by itself', (t) =>
  withClockedPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const payload = { playlist_id };
    const id = await stopped(relay, 'add_to_playlist', payload, { method: 'GET', path: /\/playlists\// });
    const file = await copyOf(t, relay);
    await finish(relay, clock, id);
    const all = urisOf(playlist);
    await restoreAndStart(relay, file);
    const held = await reach(relay, id, 'failed');
    assert.match(held.error?.remedy ?? '', /^Check in Spotify whether this job has done its work already/);
    assert.equal((await relay.call('cancel_job', { job_id: id })).error, undefined);
    assert.equal(writes(relay), 0);
    assert.deepEqual(urisOf(playlist), all);
  }),
);

longTest('a job that was creating a playlist creates no second one', (t) =>
  withClock(async (relay, clock) => {
    const fault = { method: 'POST', path: '/me/playlists' };
    const id = await stopped(relay, 'create_playlist', { name: 'Made Once' }, fault);
    const file = await copyOf(t, relay);
    await finish(relay, clock, id);
    await restoreAndStart(relay, file);
    await reach(relay, id, 'failed');
    await relay.call('resume_job', { job_id: id });
    const job = await drive(relay, clock, id);
    assert.deepEqual([job.status, job.review_required], ['failed', true]);
    const made = owner(relay.provider).playlists.filter(({ name }) => name === 'Made Once');
    assert.deepEqual(made.map(urisOf), [tracks(relay, 250, 3_000)]);
    assert.equal(writes(relay), 0);
  }),
);

longTest('jobs that were not writing continue as before', async (t) => {
  await withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const id = await createJob(relay, 'add_to_playlist', tracks(relay, 3), { playlist_id });
    await reach(relay, id, 'ready');
    const file = await copyOf(t, relay);
    await relay.call('cancel_job', { job_id: id });
    const restored = await restoreAndStart(relay, file);
    assert.deepEqual([restored.heldJobs, restored.jobs], [0, { ready: 1 }]);
    const before = urisOf(playlist);
    await commit(relay, id);
    await reach(relay, id, 'completed');
    assert.deepEqual(urisOf(playlist), [...before, ...tracks(relay, 3)]);
  });
});

/** Lets time pass until the job has ended. */
async function drive(relay: Relay, clock: WatchedClock, id: string) {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const { job } = (await relay.call('get_job_status', { job_id: id, limit: 1 })) as {
      job: { status: string; review_required: boolean; written: number };
    };
    if (job.status === 'completed' || job.status === 'failed') return job;
    // Each step is shorter than a request may take, so that no request on its way runs out of time.
    if (clock.sleeping > 0) clock.advance(500);
    else await pause();
  }
  throw new Error('the job did not end');
}

longTest('a failed job whose undo was refused finds out what it wrote after the copy was made', (t) =>
  withClockedPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const where = { method: 'POST', path: /\/items$/ } as const;
    const id = await stopped(relay, 'add_to_playlist', { playlist_id }, { ...where, skip: 1 });
    relay.provider.faults.add({ ...where, times: 20, kind: 'status', status: 403 });
    clock.advance(SECONDS * 1_000);
    await relay.call('resume_job', { job_id: id });
    assert.equal((await drive(relay, clock, id)).status, 'failed');
    relay.provider.faults.clear();
    relay.provider.faults.add({ method: 'DELETE', path: /\/items$/, kind: 'status', status: 403 });
    const undo = relay.server.local.undoChange({ change: null, force: false, dryRun: false });
    await assert.rejects(undo, { code: 'FORBIDDEN' });
    const file = await copyOf(t, relay);
    await finish(relay, clock, id);
    const all = urisOf(playlist);
    await restoreAndStart(relay, file);
    await relay.call('resume_job', { job_id: id });
    assert.equal((await drive(relay, clock, id)).status, 'completed');
    assert.deepEqual(urisOf(playlist), all);
  }),
);
