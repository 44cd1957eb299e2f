import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { run } from '../support/cli.ts';
import { pluck } from '../support/entries.ts';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { searches, writes } from '../support/requests.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, NOTHING, uniqueTracks } from '../support/songs.ts';
import { withClock } from '../support/waiting.ts';
import { withClockedPlaylist, withPlaylist } from '../support/withPlaylist.ts';
import { connectAccount, withRelay } from '../support/world.ts';
import { commit, createJob, itemsOf, jobOf, reach, runToEnd } from './jobCalls.ts';

const HOURS = 3_600_000;
const APPEND = { method: 'POST', path: /\/items$/ } as const;

longTest(
  'with a quota a job waits until its time, across a restart, without using an attempt, and other work continues',
  () =>
    withClock(async (relay, clock) => {
      const wanted = uniqueTracks(relay, 12);
      relay.provider.faults.add({ path: '/search', skip: 5, kind: 'quota', retryAfterSeconds: 40_000 });
      const playlist = named(relay, 'Empty Shelf');
      const id = await createJob(relay, 'add_to_playlist', wanted.map(asQuery), { playlist_id: playlist.id });
      const parked = await reach(relay, id, 'waiting');
      const until = new Date(clock.now() + 40_000_000).toISOString();
      assert.deepEqual([parked.reason, parked.run_after, parked.attempts], ['QUOTA_EXCEEDED', until, 0]);
      assert.ok(parked.resolved >= 5 && parked.resolved < 12, `${parked.resolved} resolved`);
      const other = await createJob(relay, 'save_tracks', tracks(relay, 3));
      assert.equal((await runToEnd(relay, other)).status, 'completed');

      await relay.restart();
      const made = searches(relay);
      clock.advance(11 * HOURS);
      assert.deepEqual(await jobOf(relay, id), parked);
      assert.equal(searches(relay), made, 'nothing is sent before the time');

      clock.advance(HOURS);
      const job = await reach(relay, id, 'ready');
      assert.deepEqual([job.resolved, job.attempts, job.run_after, job.reason], [12, 0, null, null]);
      assert.equal((await runToEnd(relay, id)).status, 'completed');
      assert.deepEqual(urisOf(playlist), pluck(wanted, 'uri'));
    }),
);

longTest('with a limit of half a minute a job waits too, until its time', () =>
  withClock(async (relay, clock) => {
    const wanted = uniqueTracks(relay, 1);
    relay.provider.faults.add({ path: '/search', times: 1, kind: 'rate_limit', retryAfterSeconds: 31 });
    const id = await createJob(relay, 'save_tracks', wanted.map(asQuery));
    const parked = await reach(relay, id, 'waiting');
    assert.deepEqual(
      [parked.reason, parked.run_after, parked.attempts],
      ['RATE_LIMITED', new Date(clock.now() + 31_000).toISOString(), 0],
    );
    clock.advance(31_000);
    assert.equal((await reach(relay, id, 'ready')).resolved, 1);
  }),
);

longTest('a limit during writing makes the job wait, and it continues where it stopped', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    const uris = tracks(relay, 450);
    relay.provider.faults.add({
      method: 'POST',
      path: /\/items$/,
      skip: 2,
      kind: 'quota',
      retryAfterSeconds: 7_200,
    });
    const id = await createJob(relay, 'add_to_playlist', uris, { playlist_id });
    await reach(relay, id, 'ready');
    await commit(relay, id);
    const parked = await reach(relay, id, 'waiting');
    assert.deepEqual([parked.reason, parked.written, parked.attempts], ['QUOTA_EXCEEDED', 200, 0]);
    await relay.restart();
    clock.advance(2 * HOURS);
    assert.equal((await reach(relay, id, 'completed')).written, 450);
    assert.deepEqual(urisOf(playlist), uris);
  }),
);

longTest('resume_job makes a waiting job try again at once', () =>
  withClock(async (relay) => {
    const [a] = uniqueTracks(relay, 1);
    assert.ok(a);
    relay.provider.faults.add({ path: '/search', times: 1, kind: 'status', status: 500 });
    const id = await createJob(relay, 'save_tracks', [asQuery(a)]);
    await reach(relay, id, 'waiting');
    const { job } = (await relay.call('resume_job', { job_id: id })) as { job: { status: string } };
    assert.notEqual(job.status, 'waiting');
    assert.equal((await reach(relay, id, 'ready')).resolved, 1);
  }),
);

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

longTest('an item fails after max_attempts without blocking the others, and resume_job tries it again', () =>
  withClock(async (relay) => {
    const wanted = uniqueTracks(relay, 3);
    relay.provider.faults.add({ path: '/search', times: 1, kind: 'status', status: 500 });
    const id = await createJob(relay, 'save_tracks', wanted.map(asQuery), {}, { max_attempts: 1 });
    const job = await reach(relay, id, 'ready');
    assert.deepEqual([job.resolved, job.failed, job.attempts], [2, 1, 1]);
    const answer = await relay.call('commit_job', { job_id: id });
    assert.equal((answer.error as { code: string }).code, 'JOB_STATE');
    await relay.call('resume_job', { job_id: id });
    const again = await reach(relay, id, 'ready');
    assert.deepEqual([again.resolved, again.failed, again.attempts], [3, 0, 0]);
  }),
);

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

longTest('a job whose login ends during a commit waits, and a new login resumes it', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 250);
    const id = await createJob(relay, 'add_to_playlist', uris, { playlist_id });
    await reach(relay, id, 'ready');
    relay.provider.expireAccessTokens();
    relay.provider.revokeRefreshTokens();
    await commit(relay, id);
    assert.equal((await reach(relay, id, 'waiting')).reason, 'LOGIN_REQUIRED');
    await connectAccount(relay.baseUrl);
    assert.equal((await reach(relay, id, 'completed')).written, 250);
    assert.deepEqual(urisOf(playlist), uris);
  }),
);

longTest('a job is written only to the account it was made for', () =>
  withRelay(async (relay) => {
    const id = await createJob(relay, 'save_tracks', tracks(relay, 3));
    await reach(relay, id, 'ready');
    await relay.server.local.logout();
    relay.provider.loginAs(1);
    await connectAccount(relay.baseUrl);
    relay.provider.clearRequests();
    await commit(relay, id);
    const job = await reach(relay, id, 'failed');
    assert.deepEqual([job.error?.code, writes(relay)], ['FORBIDDEN', 0]);
  }),
);

longTest(
  'a half-written job whose account is no longer connected says how to connect it, and then continues',
  () =>
    withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
      const uris = tracks(relay, 150);
      const endLogin = () => {
        relay.provider.expireAccessTokens();
        relay.provider.revokeRefreshTokens();
      };
      relay.provider.faults.add({ ...APPEND, skip: 1, kind: 'hook', fn: endLogin });
      const id = await createJob(relay, 'add_to_playlist', uris, { playlist_id });
      await reach(relay, id, 'ready');
      await commit(relay, id);
      assert.equal((await reach(relay, id, 'waiting')).written, 100);
      const connect = async (account: number) => {
        await relay.server.local.logout();
        relay.provider.loginAs(account);
        await connectAccount(relay.baseUrl);
      };
      await connect(1);
      await relay.call('resume_job', { job_id: id });
      assert.equal((await reach(relay, id, 'waiting')).reason, 'LOGIN_REQUIRED');
      const ask = { name: 'get_job_status', arguments: { job_id: id, limit: 1 } };
      const { note, job } = (await relay.client.callTool(ask)).structuredContent as {
        note?: string;
        job: JobRecord;
      };
      assert.deepEqual(
        [note, job.error?.message, job.error?.remedy],
        [
          undefined,
          'This job belongs to a different Spotify account from the connected one.',
          'Connect that account with `relay login --switch-account`. The job then continues by itself.',
        ],
      );
      const { out } = await run(relay, ['jobs', 'show', id]);
      assert.match(out, /^status +waiting, for a login: relay login --switch-account$/m);
      await connect(0);
      const done = await reach(relay, id, 'completed');
      assert.deepEqual([done.written, done.error, urisOf(playlist)], [150, null, uris]);
    }),
);

longTest('a job that only waits costs no request, whatever the time', () =>
  withClock(async (relay, clock) => {
    const [a] = uniqueTracks(relay, 1);
    assert.ok(a);
    relay.provider.faults.add({ path: '/search', kind: 'quota', retryAfterSeconds: 86_000 });
    const id = await createJob(relay, 'save_tracks', [asQuery(a), NOTHING]);
    await reach(relay, id, 'waiting');
    relay.provider.clearRequests();
    for (let n = 0; n < 20; n++) {
      clock.advance(HOURS);
      await jobOf(relay, id);
    }
    assert.deepEqual(relay.provider.requests, []);
  }),
);
