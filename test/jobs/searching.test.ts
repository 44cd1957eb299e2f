import assert from 'node:assert/strict';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { HOUR, SECOND } from '../support/clock.ts';
import { at } from '../support/entries.ts';
import { searches } from '../support/requests.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { until, type WatchedClock, withClock } from '../support/waiting.ts';
import type { Relay } from '../support/world.ts';
import { createJob, itemsOf, jobOf, pause, reach } from './jobCalls.ts';

/** Matches searches for any of these titles. */
const anyOf = (titles: readonly { name: string }[]) =>
  new RegExp(titles.map(({ name }) => name.toLowerCase()).join('|'), 'i');

/** Lets time pass in steps, so that the waits within a request pass too. */
async function pass(clock: WatchedClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    clock.advance(500);
    await pause();
  }
}

/** Waits until the job has been worked on since `job` was read. */
async function changed(relay: Relay, job: JobRecord): Promise<void> {
  await until(async () => {
    await pause();
    return (await jobOf(relay, job.job_id)).updated_at !== job.updated_at;
  });
}

/** Lets a job's waits pass, one after another, until the job is in one of the states. */
async function ride(
  relay: Relay,
  clock: WatchedClock,
  id: string,
  end: number,
  ...states: string[]
): Promise<JobRecord> {
  for (;;) {
    const job = await reach(relay, id, 'waiting', ...states);
    if (states.includes(job.status)) return job;
    const due = Date.parse(job.run_after ?? '');
    if (!(due <= end)) return job;
    clock.advance(Math.max(0, due - clock.now()));
    await changed(relay, job);
  }
}

longTest('searches that always fail do not hold up those that work', () =>
  withClock(async (relay, clock) => {
    const all = uniqueTracks(relay, 38);
    const bad = all.slice(0, 8);
    relay.provider.faults.add({ search: anyOf(bad), times: Infinity, kind: 'status', status: 500 });
    const id = await createJob(relay, 'save_tracks', all.map(asQuery));
    const first = await reach(relay, id, 'waiting');
    assert.deepEqual([first.resolved, first.pending, first.attempts], [30, 8, 1], 'at once');
    assert.ok(searches(relay) <= 45, `${searches(relay)} searches`);

    const job = await ride(relay, clock, id, clock.now() + HOUR, 'ready');
    assert.deepEqual([job.resolved, job.failed, job.attempts], [30, 8, 5]);
    const failed = (await itemsOf(relay, id)).filter(({ status }) => status === 'failed');
    assert.deepEqual(
      failed.map(({ position, error }) => [position, error?.code]),
      bad.map((_, position) => [position, 'PROVIDER_UNAVAILABLE']),
    );
  }),
);

longTest('one song whose search always fails is given up, though nothing else is left to search for', () =>
  withClock(async (relay, clock) => {
    const all = uniqueTracks(relay, 1);
    relay.provider.faults.add({ search: anyOf(all), times: Infinity, kind: 'status', status: 500 });
    const id = await createJob(relay, 'save_tracks', all.map(asQuery), {}, { max_attempts: 3 });
    const job = await ride(relay, clock, id, clock.now() + HOUR, 'ready');
    assert.deepEqual([job.resolved, job.failed, job.attempts], [0, 1, 3]);
  }),
);

longTest(
  'while Spotify is down a job asks with one search at a time, spends no attempt and never fails',
  () =>
    withClock(async (relay, clock) => {
      const wanted = uniqueTracks(relay, 40);
      relay.provider.faults.add({ path: '/search', times: Infinity, kind: 'status', status: 500 });
      const id = await createJob(relay, 'save_tracks', wanted.map(asQuery), {}, { max_attempts: 1 });
      await reach(relay, id, 'waiting');
      assert.ok(searches(relay) <= 5, `${searches(relay)} searches`);
      const delays: number[] = [];
      for (let n = 0; n < 12; n++) {
        const before = await reach(relay, id, 'waiting');
        const delay = Date.parse(before.run_after ?? '') - clock.now();
        delays.push(delay);
        const made = searches(relay);
        clock.advance(delay);
        await changed(relay, before);
        const parked = await reach(relay, id, 'waiting');
        assert.equal(searches(relay), made + 1);
        assert.deepEqual([parked.reason, parked.attempts, parked.pending], ['PROVIDER_UNAVAILABLE', 0, 40]);
      }
      assert.ok(at(delays, 0) < 3 * SECOND && at(delays, 4) > 120 * SECOND, `${delays}`);
      assert.ok(
        delays.every((delay) => delay <= 1_125 * SECOND),
        `${delays}`,
      );

      relay.provider.faults.clear();
      const job = await ride(relay, clock, id, clock.now() + HOUR, 'ready');
      assert.deepEqual([job.resolved, job.failed, job.attempts], [40, 0, 0]);
    }),
);

longTest('without a network, for 79 seconds or 14 hours, a job waits and then continues', () =>
  withClock(async (relay, clock) => {
    const wanted = uniqueTracks(relay, 6);
    for (const [tracks, ms] of [
      [wanted.slice(0, 3), 79 * SECOND],
      [wanted.slice(3), 14 * HOUR],
    ] as const) {
      relay.provider.faults.add({ path: '/search', times: Infinity, kind: 'drop', when: 'before' });
      const id = await createJob(relay, 'save_tracks', tracks.map(asQuery), {}, { max_attempts: 1 });
      await pass(clock, 79 * SECOND);
      clock.advance(ms - 79 * SECOND);
      await until(async () => {
        await pass(clock, SECOND);
        return (await jobOf(relay, id)).status === 'waiting';
      });
      const parked = await jobOf(relay, id);
      // Time passes faster here than a busy machine answers, so a search may also time out.
      assert.match(parked.reason ?? '', /^PROVIDER_(UNAVAILABLE|TIMEOUT)$/);
      assert.equal(parked.attempts, 0);
      relay.provider.faults.clear();
      const job = await ride(relay, clock, id, clock.now() + HOUR, 'ready');
      assert.deepEqual([job.resolved, job.failed, job.attempts], [3, 0, 0]);
    }
  }),
);

longTest('a search that Spotify refuses with 400 spends an attempt and is tried again, later each time', () =>
  withClock(async (relay, clock) => {
    const wanted = uniqueTracks(relay, 3);
    const refused = anyOf(wanted.slice(1, 2));
    relay.provider.faults.add({ search: refused, times: 6, kind: 'status', status: 400 });
    const id = await createJob(relay, 'save_tracks', wanted.map(asQuery));
    const delays: number[] = [];
    for (let n = 1; n <= 3; n++) {
      const parked = await reach(relay, id, 'waiting');
      assert.deepEqual([parked.reason, parked.attempts, parked.resolved], ['INVALID_ARGUMENT', n, 2]);
      const delay = Date.parse(parked.run_after ?? '') - clock.now();
      delays.push(delay);
      clock.advance(delay);
      await changed(relay, parked);
    }
    assert.ok(at(delays, 2) > at(delays, 1) && at(delays, 1) > at(delays, 0), `${delays}`);
    const job = await reach(relay, id, 'ready');
    assert.deepEqual([job.resolved, job.failed, job.attempts], [3, 0, 3]);
  }),
);

longTest('if Spotify answers sixteen searches with 400 and then recovers, every track is still found', () =>
  withClock(async (relay, clock) => {
    const wanted = uniqueTracks(relay, 2);
    relay.provider.faults.add({ path: '/search', times: 16, kind: 'status', status: 400 });
    const id = await createJob(relay, 'save_tracks', wanted.map(asQuery));
    const job = await ride(relay, clock, id, clock.now() + 24 * HOUR, 'ready');
    assert.deepEqual([job.resolved, job.failed], [2, 0]);
  }),
);

longTest(
  'an alias, or a search sent before the failures, does not count as a sign that searches work again',
  () =>
    withClock(async (relay, clock) => {
      const { provider } = relay;
      const wanted = uniqueTracks(relay, 5);
      const known = wanted.slice(4).map(asQuery);
      await reach(relay, await createJob(relay, 'save_tracks', known), 'ready');
      const failures = () => provider.requests.filter(({ status }) => status === 500).length;
      const afterTheOthers = async () => {
        await until(() => failures() === 3);
        for (let n = 0; n < 5; n++) await pause();
      };
      provider.faults.add(
        { search: anyOf(wanted.slice(0, 3)), times: Infinity, kind: 'status', status: 500 },
        { search: anyOf(wanted.slice(3, 4)), kind: 'hook', fn: afterTheOthers },
        { search: /^love$/, times: Infinity, kind: 'status', status: 500 },
      );
      const id = await createJob(relay, 'save_tracks', wanted.map(asQuery), {}, { max_attempts: 1 });
      const parked = await reach(relay, id, 'waiting', 'ready');
      assert.deepEqual([parked.resolved, parked.failed, parked.attempts], [2, 0, 0]);
      provider.faults.clear();
      const job = await ride(relay, clock, id, clock.now() + HOUR, 'ready');
      assert.deepEqual([job.resolved, job.failed, job.attempts], [5, 0, 0]);
    }),
);
