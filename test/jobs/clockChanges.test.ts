/** The computer's clock is set, or was wrong: a job never waits longer than it was meant to. */

import assert from 'node:assert/strict';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { DAY, HOUR, SECOND } from '../support/clock.ts';
import { tracks } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { watchedClock } from '../support/waiting.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { createJob, jobOf, pause, reach } from './jobCalls.ts';

/** A clock that runs like any other, and that a test can set. */
function clockToSet() {
  const base = watchedClock();
  let offset = 0;
  return {
    ...base,
    now: () => base.now() + offset,
    set(by: number) {
      offset += by;
    },
  };
}

/** @param aheadMs how far ahead the clock is when relay starts */
const withSetClock = (
  work: (relay: Relay, clock: ReturnType<typeof clockToSet>) => Promise<void>,
  aheadMs = 0,
) => {
  const clock = clockToSet();
  clock.set(aheadMs);
  return withRelay({ clock }, (relay) => work(relay, clock));
};

/** A job of three searches that waits for its next try. */
async function waitingJob(relay: Relay): Promise<string> {
  const id = await createJob(relay, 'save_tracks', uniqueTracks(relay, 3).map(asQuery));
  await reach(relay, id, 'waiting');
  return id;
}

/** Milliseconds from now to the job's next try. */
const wait = (job: JobRecord, now: number) => Date.parse(job.run_after ?? '') - now;

/** Makes the runner look at all jobs. */
async function wake(relay: Relay): Promise<void> {
  await reach(relay, await createJob(relay, 'save_tracks', tracks(relay, 1)), 'ready');
}

/** Lets seconds pass one by one, `seconds` at most, until the job is ready. */
async function passUntilReady(
  relay: Relay,
  clock: { advance(ms: number): void },
  id: string,
  seconds: number,
): Promise<JobRecord> {
  for (let left = seconds; left > 0 && (await jobOf(relay, id)).status !== 'ready'; left--) {
    clock.advance(SECOND);
    for (let n = 0; n < 4 && (await jobOf(relay, id)).status !== 'ready'; n++) await pause();
  }
  return jobOf(relay, id);
}

const failing = { path: '/search', times: Infinity, kind: 'status', status: 500 } as const;

for (const [name, by] of [
  ['an hour', HOUR],
  ['a day', DAY],
  ['a year', 365 * DAY],
] as const) {
  longTest(
    `if the clock is set back by ${name} while a job waits, the job waits no longer than it was meant to`,
    () =>
      withSetClock(async (relay, clock) => {
        relay.provider.faults.add(failing);
        const id = await waitingJob(relay);
        clock.set(-by);
        await wake(relay);
        const parked = await jobOf(relay, id);
        const ms = wait(parked, clock.now());
        assert.ok(parked.status === 'waiting' && ms > 0 && ms <= 2.5 * SECOND, `${ms} ms`);
        relay.provider.faults.clear();
        clock.advance(ms);
        assert.equal((await reach(relay, id, 'ready')).resolved, 3);
      }),
  );
}

longTest('after the clock was set back a wait ends by itself, without anything that wakes the jobs', () =>
  withSetClock(async (relay, clock) => {
    relay.provider.faults.add({ ...failing, times: 4 });
    const id = await waitingJob(relay);
    clock.set(-DAY);
    assert.equal((await passUntilReady(relay, clock, id, 8)).resolved, 3);
  }),
);

longTest('an item that failed before the clock was set back is tried again within seconds', () =>
  withSetClock(async (relay, clock) => {
    const wanted = uniqueTracks(relay, 3);
    relay.provider.faults.add({ path: '/search', times: 1, kind: 'status', status: 500 });
    const id = await createJob(relay, 'save_tracks', wanted.map(asQuery));
    const parked = await reach(relay, id, 'waiting');
    assert.deepEqual([parked.resolved, parked.attempts], [2, 1]);
    clock.set(-DAY);
    await relay.restart();
    const job = await passUntilReady(relay, clock, id, 8);
    assert.deepEqual([job.resolved, job.attempts], [3, 1]);
  }),
);

longTest(
  'a job that began to wait while the clock was a year ahead waits after a restart as long as it was meant to',
  () =>
    withSetClock(async (relay, clock) => {
      relay.provider.faults.add(failing);
      const id = await waitingJob(relay);
      clock.set(-365 * DAY);
      relay.provider.faults.clear();
      await relay.restart();
      await wake(relay);
      clock.advance(2.5 * SECOND);
      assert.equal((await reach(relay, id, 'ready')).resolved, 3);
    }, 365 * DAY),
);

longTest(
  'a quota of twelve hours that began before the clock was set back lasts at most twelve hours more',
  () =>
    withSetClock(async (relay, clock) => {
      relay.provider.faults.add({ path: '/search', times: 1, kind: 'quota', retryAfterSeconds: 43_200 });
      const id = await createJob(relay, 'save_tracks', uniqueTracks(relay, 1).map(asQuery));
      await reach(relay, id, 'waiting');
      clock.set(-DAY);
      await wake(relay);
      assert.equal(wait(await jobOf(relay, id), clock.now()), 12 * HOUR);
    }),
);

longTest('time that passes while the computer sleeps counts towards the wait', () =>
  withSetClock(async (relay, clock) => {
    relay.provider.faults.add(failing);
    const id = await waitingJob(relay);
    relay.provider.faults.clear();
    clock.set(8 * HOUR);
    clock.advance(2.5 * SECOND);
    assert.deepEqual([(await reach(relay, id, 'ready')).resolved, (await jobOf(relay, id)).attempts], [3, 0]);
  }),
);
