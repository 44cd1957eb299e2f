/** When kept playlists run: by the clock on the wall, also over restarts, without a login and under a limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readyRule } from '../../src/domain/keepRules.ts';
import { resize } from '../library/support.ts';
import { type ManualClock, manualClock } from '../support/clock.ts';
import { owner } from '../support/shapes.ts';
import { connectAccount, type Relay, withRelay } from '../support/world.ts';
import {
  act,
  asked,
  edit,
  keep,
  kept,
  rowsOf,
  run,
  SAVED,
  save,
  savedUris,
  spare,
  WITH_ALL,
  writes,
} from './support.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const withTime = (work: (relay: Relay, clock: ManualClock) => Promise<void>) => {
  const clock = manualClock();
  return withRelay({ ...WITH_ALL, clock }, async (relay) => {
    resize(relay, 30, 1);
    relay.provider.clearRequests();
    await work(relay, clock);
  });
};

/** Real time that something may take on a slow machine. */
const PATIENCE_MS = 60_000;

/** Waits in real time: while a run is under way no other time passes, so that it does not run out of it. */
async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`this never came true: ${isSo}`);
    // Asking without a pause would take the processor from what is waited for.
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** Real time after which the last minute has passed before its timer was set. */
const MISSED_MS = 5_000;

/** The next look at the clock. */
async function after(clock: ManualClock, isSo: () => boolean | Promise<boolean>): Promise<void> {
  // What has just ended sets its timer in a moment.
  await new Promise((resolve) => setTimeout(resolve, 200));
  let passed = 0;
  await eventually(async () => {
    if (await isSo()) return true;
    if (Date.now() - passed > MISSED_MS) {
      clock.advance(61_000);
      passed = Date.now();
    }
    return false;
  });
}

const runsOf = async (relay: Relay) => (await kept(relay)).map(({ last_run_at }) => last_run_at);

test('it runs each hour or day at its time, looked at each minute, and an idle day costs little', async () => {
  await withTime(async (relay, clock) => {
    const hourly = (await keep(relay, { name: 'Hourly', every: 'hour' })).keep;
    const daily = (await keep(relay, { name: 'Daily', sql: `${SAVED} DESC` })).keep;
    // What relay has just made is looked at again for half a minute.
    clock.advance(40_000);
    await act(relay, daily.id, 'run');
    relay.provider.clearRequests();
    clock.setWall(clock.now() + HOUR);
    await after(clock, async () => (await runsOf(relay))[0] !== hourly.last_run_at);
    assert.deepEqual(paths(relay), ['/me/tracks'], 'it reads nothing else');
    assert.equal((await kept(relay))[1]?.last_result, 'nothing to change');

    // The look that ran it is over once this one is.
    await act(relay, daily.id, 'run');
    relay.provider.clearRequests();
    const before = await runsOf(relay);
    clock.setWall(clock.now() + DAY);
    await after(clock, async () => (await runsOf(relay)).every((at, index) => at !== before[index]));
    assert.deepEqual([...new Set(paths(relay))], ['/me/tracks']);
    assert.ok(paths(relay).length <= 2, 'at most one request a rule');
    assert.deepEqual(writes(relay), []);
    const [next] = await kept(relay);
    const ahead = Date.parse(next?.next_run_at ?? '') - clock.now();
    assert.ok(ahead > 0 && ahead <= HOUR, 'the missed runs count once');
    clock.setWall(clock.now() - 10 * DAY);
    await after(clock, async () => {
      const [first] = await kept(relay);
      return Date.parse(first?.next_run_at ?? '') - clock.now() <= HOUR;
    });
  });
});

const paths = (relay: Relay) => asked(relay).map(({ path }) => path);

test('a rule alone costs one request on an idle day for each list that it reads', async () => {
  await withTime(async (relay, clock) => {
    const lists: ReadonlyArray<readonly [ready: string, requests: string[]]> = [
      ['fresh', ['/me/tracks']],
      ['best-of', ['/me/tracks']],
      ['decade', ['/me/tracks']],
      ['not-heard', ['/me/tracks']],
      ['union', ['/me/playlists']],
      ['unsorted', ['/me/tracks', '/me/playlists']],
    ];
    for (const [ready, expected] of lists) {
      const { keep: made } = await keep(relay, { name: ready, sql: readyRule(ready, ready) });
      // What relay has just made is looked at again for half a minute.
      clock.advance(40_000);
      const { keep: settled } = await act(relay, made.id, 'run');
      assert.equal(settled.status, 'active', settled.reason);
      relay.provider.clearRequests();
      clock.setWall(clock.now() + DAY);
      await after(clock, async () => (await runsOf(relay))[0] !== settled.last_run_at);
      assert.deepEqual(paths(relay), expected, ready);
      await act(relay, made.id, 'stop');
    }
  });
});

test('what others did to a playlist whose rule reads no playlist is seen within a week', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Weekly look' });
    clock.advance(40_000);
    await act(relay, made.id, 'run');
    edit(relay, made.playlist_id, (uris) => uris.slice(1));
    const states: string[] = [];
    for (let day = 0; day < 8; day++) {
      const [before] = await runsOf(relay);
      clock.setWall(clock.now() + DAY);
      await after(clock, async () => (await runsOf(relay))[0] !== before);
      states.push((await kept(relay))[0]?.status ?? '');
    }
    assert.deepEqual([states.at(0), states.at(-1)], ['active', 'review']);
  });
});

test('runs that were missed while relay was off are run once, and a pause stays', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Missed' });
    const { keep: paused } = await keep(relay, { name: 'Paused', sql: `${SAVED} LIMIT 5` });
    const stopped = (await act(relay, paused.id, 'pause')).keep;
    assert.deepEqual([stopped.status, stopped.next_run_at], ['paused', null]);
    save(relay, spare(relay, 0, 3));
    await relay.server.close();
    clock.advance(5 * DAY);
    relay.provider.clearRequests();
    await relay.restart();
    await eventually(async () => (await runsOf(relay))[0] !== made.last_run_at);
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    assert.equal(writes(relay).length, 1);
    assert.equal(rowsOf(relay, paused.playlist_id).length, 5);
    const next = Date.parse((await kept(relay))[0]?.next_run_at ?? '');
    assert.ok(next > clock.now() && next <= clock.now() + DAY);
    assert.equal((await act(relay, paused.id, 'resume')).keep.status, 'active');
    await eventually(() => rowsOf(relay, paused.playlist_id)[0] === savedUris(relay)[0]);
  });
});

test('without a login it waits, and goes on after it; --erase forgets it', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Login' });
    assert.equal((await run(relay, ['logout'])).code, 0);
    save(relay, spare(relay, 0, 1));
    relay.provider.clearRequests();
    clock.setWall(clock.now() + DAY);
    await after(clock, async () => (await kept(relay))[0]?.status === 'waiting');
    assert.match((await kept(relay))[0]?.reason ?? '', /not connected/);
    assert.deepEqual(relay.provider.requests, []);
    assert.equal((await keep(relay, { name: 'No' })).error?.code, 'LOGIN_REQUIRED');
    await connectAccount(relay.baseUrl);
    await eventually(async () => (await kept(relay))[0]?.status === 'active');
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    assert.equal((await run(relay, ['logout', '--erase'])).code, 0);
    assert.deepEqual(await kept(relay), []);
  });
});

test('a limit is waited out, and a write that is cut off goes on', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Limits' });
    clock.advance(40_000);
    save(relay, spare(relay, 0, 3));
    relay.provider.faults.add({
      path: /^\/playlists\/[^/]+\/items$/,
      method: 'POST',
      times: 1,
      kind: 'rate_limit',
      retryAfterSeconds: 120,
    });
    const { keep: waiting } = await act(relay, made.id, 'run');
    assert.equal(waiting.status, 'waiting');
    assert.match(waiting.reason ?? '', /continues as job/);
    await eventually(async () => {
      clock.advance(2_000);
      const { items } = (await relay.call('list_jobs')) as { items: Array<{ status: string }> };
      return items[0]?.status === 'completed';
    });
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'active');
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    const { items } = (await relay.call('list_changes')) as { items: unknown[] };
    assert.equal(items.length, 2);
  });
});

test('two that read each other stop in a review, and write no more', async () => {
  await withTime(async (relay, clock) => {
    const rows = (name: string) =>
      `FROM playlist_rows JOIN playlists ON id = playlist_id WHERE name = '${name}' AND uri IS NOT NULL`;
    const [one, two] = owner(relay.provider).saved.map(({ uri }) => uri);
    // A is B turned around, and B is A.
    const a = `SELECT uri FROM (SELECT uri, position ${rows('B')} UNION ALL SELECT column1, column2 FROM (VALUES ('${one}', 0), ('${two}', 1)) WHERE NOT EXISTS (SELECT 1 ${rows('B')})) ORDER BY position DESC`;
    await keep(relay, { name: 'A', sql: a });
    await keep(relay, { name: 'B', sql: `SELECT uri ${rows('A')} ORDER BY position` });
    let last = '';
    for (let day = 0; day < 12 && !last.includes('review'); day++) {
      const before = await runsOf(relay);
      clock.setWall(clock.now() + DAY);
      await after(clock, async () => (await runsOf(relay)).every((at, index) => at !== before[index]));
      last = (await kept(relay)).map(({ status }) => status).join();
    }
    assert.match(last, /review/);
    assert.match(
      (await kept(relay)).find(({ status }) => status === 'review')?.reason ?? '',
      /back and forth/,
    );
    relay.provider.clearRequests();
    const before = await runsOf(relay);
    clock.setWall(clock.now() + DAY);
    await after(clock, async () => (await runsOf(relay)).every((at, index) => at !== before[index]));
    assert.deepEqual(writes(relay), []);
  });
});
