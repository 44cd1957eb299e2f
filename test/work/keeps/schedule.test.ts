/** When kept playlists run and when they wait: on schedule, after restarts, without a login, and at a rate limit. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrowser } from '../../support/browser.ts';
import { run } from '../../support/cli.ts';
import { DAY, HOUR, type ManualClock, manualClock } from '../../support/clock.ts';
import { owner, pluck } from '../../support/entries.ts';
import { jumpingClock } from '../../support/jumpingClock.ts';
import { savedUris } from '../../support/playlists.ts';
import { connectAccount, type Relay } from '../../support/world.ts';
import { reach } from '../jobCalls.ts';
import { asked, edit, rowsOf, save, spare, writes } from './account.ts';
import { act, keep, kept, SAVED, withAccount } from './keptPlaylists.ts';

const withTime = (work: (relay: Relay, clock: ManualClock) => Promise<void>) => {
  const clock = manualClock();
  return withAccount({ saved: 30, clock }, (relay) => work(relay, clock));
};

/** Asking without a pause would take the processor from the work that the test waits for. */
const PAUSE_MS = 40;
const PATIENCE_MS = 60_000;
/**
 * A wait of this length is the time limit of a query or a question under way. A wait before a save is shorter, and a wait before
 * a look, or of the library for a limit, is longer.
 */
const UNDER_WAY_MS = { from: 2_000, below: 30_000 };

/** Waits in real time. relay's clock moves only if `isSo` or `meanwhile` advances it, so a run does not time out while the test waits. */
async function eventually(isSo: () => boolean | Promise<boolean>, meanwhile = () => {}): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`this never came true: ${isSo}`);
    meanwhile();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Lets a minute pass, unless a query is under way. */
function nextLook(clock: ManualClock): void {
  const { from, below } = UNDER_WAY_MS;
  if (!clock.asked.some((ms) => ms >= from && ms < below)) clock.advance(61_000);
}

/** Lets minutes pass until relay sends a request, then waits until `isSo`. No minute passes while a query is under way. */
async function after(relay: Relay, clock: ManualClock, isSo: () => boolean | Promise<boolean>) {
  const before = relay.provider.requests.length;
  await eventually(isSo, () => {
    if (relay.provider.requests.length === before) nextLook(clock);
  });
}

/** Asks the server directly, without a tool. */
const keeps = async (relay: Relay) => (await relay.server.local.listKeeps()).items;
const runsOf = async (relay: Relay) => (await keeps(relay)).map(({ last_run_at }) => last_run_at);

test('a kept playlist runs each hour or day, checked every minute, and an idle day costs few requests', async () => {
  await withTime(async (relay, clock) => {
    const hourly = (await keep(relay, { name: 'Hourly', every: 'hour' })).keep;
    const daily = (await keep(relay, { name: 'Daily', sql: `${SAVED} DESC` })).keep;
    // For half a minute, relay reads again what it has just made. That time passes here.
    clock.advance(40_000);
    await act(relay, daily.id, 'run');
    relay.provider.clearRequests();
    clock.setWall(clock.now() + HOUR);
    await after(relay, clock, async () => (await runsOf(relay))[0] !== hourly.last_run_at);
    assert.deepEqual(paths(relay), ['/me/playlists', '/me/tracks'], 'it reads nothing else');
    assert.equal((await keeps(relay))[1]?.last_result, 'nothing to change');

    // The daily list is run by hand first. A day later, both lists are due at the same check.
    await act(relay, daily.id, 'run');
    relay.provider.clearRequests();
    const before = await runsOf(relay);
    clock.setWall(clock.now() + DAY);
    await after(relay, clock, async () => (await runsOf(relay)).every((at, index) => at !== before[index]));
    assert.deepEqual(paths(relay), ['/me/playlists', '/me/tracks'], 'both share one look');
    assert.deepEqual(writes(relay), []);
    const [next] = await keeps(relay);
    const ahead = Date.parse(next?.next_run_at ?? '') - clock.now();
    assert.ok(ahead > 0 && ahead <= HOUR, 'the missed runs count once');
    clock.setWall(clock.now() - 10 * DAY);
    await after(relay, clock, async () => {
      const [first] = await keeps(relay);
      return Date.parse(first?.next_run_at ?? '') - clock.now() <= HOUR;
    });
  });
});

const paths = (relay: Relay) => asked(relay).map(({ path }) => path);

test('a weekly list that is added beside a daily one runs a week later, at the time of the daily one', async () => {
  await withTime(async (relay, clock) => {
    const daily = (await keep(relay, { name: 'Daily' })).keep;
    clock.advance(5 * HOUR);
    const weekly = (await keep(relay, { name: 'Weekly', every: 'week' })).keep;
    const hourly = (await keep(relay, { name: 'Hourly', every: 'hour' })).keep;
    const again = (await keep(relay, { name: 'Another', sql: `${SAVED} DESC` })).keep;
    const ms = (at: string | null) => Date.parse(at ?? '');
    assert.equal(again.next_run_at, daily.next_run_at, 'both share one look');
    assert.equal(ms(weekly.next_run_at) - ms(daily.next_run_at), 6 * DAY);
    assert.equal(ms(hourly.next_run_at) - ms(daily.next_run_at), -18 * HOUR);
  });
});

test('changes by others to a kept playlist are noticed by the next run, even if its rule reads no playlist', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Next look' });
    clock.advance(40_000);
    await act(relay, made.id, 'run');
    edit(relay, made.playlist_id, (uris) => uris.slice(1));
    const [before] = await runsOf(relay);
    clock.setWall(clock.now() + DAY);
    await after(relay, clock, async () => (await runsOf(relay))[0] !== before);
    assert.equal((await keeps(relay))[0]?.status, 'review');
  });
});

test('one run makes up for all that were missed while relay was off, and a paused kept playlist stays paused', async () => {
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
    const next = Date.parse((await keeps(relay))[0]?.next_run_at ?? '');
    assert.ok(next > clock.now() && next <= clock.now() + DAY);
    assert.equal((await act(relay, paused.id, 'resume')).keep.status, 'active');
    await eventually(() => rowsOf(relay, paused.playlist_id)[0] === savedUris(relay)[0]);
  });
});

test('a person may have a paused playlist run once: even if that run is reviewed and accepted, it stays paused', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Paused' });
    await act(relay, made.id, 'pause');
    const all = [...owner(relay.provider).saved];
    owner(relay.provider).saved.splice(5);
    clock.advance(60_000);
    const { keep: held } = await act(relay, made.id, 'run');
    assert.deepEqual([held.status, held.next_run_at, held.preview?.removed_count], ['review', null, 25]);
    assert.match((await run(relay, ['status'])).out, /1 kept playlist, 1 to review\n/);
    // The cause passes, but nobody has resumed the playlist.
    owner(relay.provider).saved = all;
    save(relay, spare(relay, 0, 1));
    clock.advance(2 * DAY);
    await aMinute(clock);
    await relay.restart();
    await aMinute(clock);
    assert.equal((await keeps(relay))[0]?.status, 'review');
    assert.equal(rowsOf(relay, made.playlist_id).length, 30);
    const accepted = await run(relay, ['keep', 'run', 'Paused', '--accept']);
    assert.equal(accepted.out, '"Paused" is paused: 1 added.\n');
    assert.equal(accepted.code, 0);
    const [after] = await keeps(relay);
    assert.deepEqual([after?.status, after?.next_run_at], ['paused', null]);
    owner(relay.provider).saved.splice(0, 31);
    clock.advance(60_000);
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'review');
    const { keep: resumed } = await act(relay, made.id, 'resume');
    assert.equal(resumed.status, 'review');
    assert.notEqual(resumed.next_run_at, null);
  });
});

for (const action of ['pause', 'stop']) {
  test(`${action}: a run under way whose write has not begun writes nothing`, async () => {
    await withTime(async (relay, clock) => {
      const { keep: made } = await keep(relay, { name: 'Halted' });
      const before = rowsOf(relay, made.playlist_id);
      save(relay, spare(relay, 0, 2));
      clock.advance(60_000);
      relay.provider.clearRequests();
      const fn = async () => void (await act(relay, made.id, action));
      relay.provider.faults.add({ path: '/me/tracks', kind: 'hook', fn });
      await act(relay, made.id, 'run');
      assert.deepEqual([writes(relay), rowsOf(relay, made.playlist_id)], [[], before]);
      const [left] = await kept(relay);
      assert.equal(left?.status, action === 'pause' ? 'paused' : undefined);
      if (!left) return;
      await act(relay, made.id, 'resume');
      await act(relay, made.id, 'run');
      assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    });
  });
}

test('the first kept playlist runs when it is due even if the caller left during its first run', async () => {
  await withTime(async (relay, clock) => {
    const leave = new AbortController();
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'hook', fn: () => leave.abort() });
    const args = { name: 'Left', sql: SAVED };
    const call = relay.client.callTool({ name: 'keep_playlist', arguments: args }, { signal: leave.signal });
    await assert.rejects(call);
    await eventually(async () => (await runsOf(relay))[0] != null);
    clock.advance(40_000);
    save(relay, spare(relay, 0, 2));
    clock.setWall(clock.now() + DAY);
    const [made] = await keeps(relay);
    const isSaved = () => rowsOf(relay, made?.playlist_id ?? '').length === savedUris(relay).length;
    await after(relay, clock, isSaved);
    assert.deepEqual(rowsOf(relay, made?.playlist_id ?? ''), savedUris(relay));
  });
});

test('keep_playlist answers in time even if reading the library takes most of it; the run continues', async () => {
  await withAccount({ saved: 30, clock: jumpingClock() }, async (relay) => {
    await keep(relay, { name: 'First', dry_run: true });
    relay.provider.faults.add({ path: /./, times: 20, kind: 'latency', ms: 10_500 });
    const { keep: made, error, note } = await keep(relay, { name: 'Slow' });
    assert.equal(error, undefined);
    assert.deepEqual([made.status, made.last_run_at], ['active', null]);
    assert.match(
      note ?? '',
      /^The run has not ended yet and continues by itself\. Call list_kept_playlists /,
    );
    relay.provider.faults.clear();
    await eventually(async () => (await runsOf(relay))[0] != null);
    const [done] = await keeps(relay);
    assert.deepEqual(rowsOf(relay, done?.playlist_id ?? ''), savedUris(relay));
  });
});

test('without a login a kept playlist waits, and continues after the next login; logout --erase forgets it', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Login' });
    assert.equal((await run(relay, ['logout'])).code, 0);
    const [waiting] = await keeps(relay);
    assert.deepEqual(
      [waiting?.status, waiting?.reason],
      ['waiting', 'The account that it was made for is not connected.'],
    );
    assert.match((await run(relay, ['status'])).out, /1 kept playlist, 1 waiting\n/);
    const told = await run(relay, ['keep', 'run', 'Login', '--json']);
    assert.deepEqual([told.code, JSON.parse(told.err).error.code], [3, 'LOGIN_REQUIRED']);
    save(relay, spare(relay, 0, 1));
    relay.provider.clearRequests();
    clock.setWall(clock.now() + DAY);
    await aMinute(clock);
    assert.equal((await keeps(relay))[0]?.status, 'waiting');
    assert.deepEqual(relay.provider.requests, []);
    assert.equal((await keep(relay, { name: 'No' })).error?.code, 'LOGIN_REQUIRED');
    await connectAccount(relay.baseUrl);
    await eventually(async () => rowsOf(relay, made.playlist_id).length === savedUris(relay).length);
    await eventually(async () => (await keeps(relay))[0]?.status === 'active');
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    assert.equal((await run(relay, ['logout', '--erase'])).code, 0);
    assert.deepEqual(await keeps(relay), []);
  });
});

/** Lets a minute pass, after which relay looks at its clock. */
async function aMinute(clock: ManualClock): Promise<void> {
  clock.advance(61_000);
  await eventually(() => clock.asked.includes(60_000));
}

test('if another account is connected during a run, nothing is written, and the rule waits for its own account', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Mine' });
    const before = rowsOf(relay, made.playlist_id);
    save(relay, spare(relay, 0, 2));
    clock.advance(60_000);
    const connect = async (index: number) => {
      relay.provider.loginAs(index);
      const { browserUrl } = await relay.server.local.startLogin({ switchAccount: true });
      assert.equal((await createBrowser().open(browserUrl)).status, 200);
    };
    relay.provider.faults.add({ path: '/me/tracks', kind: 'hook', fn: () => connect(1) });
    relay.provider.clearRequests();
    const { keep: waiting } = await act(relay, made.id, 'run');
    assert.deepEqual(
      [waiting.status, waiting.reason],
      ['waiting', 'The account that it was made for is not connected.'],
    );
    assert.deepEqual([writes(relay), rowsOf(relay, made.playlist_id)], [[], before]);
    await connect(0);
    await eventually(async () => (await keeps(relay))[0]?.status === 'active');
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
  });
});

for (const action of ['pause', 'stop']) {
  test(`${action}: a write that waits for a limit and has not begun is not made later`, async () => {
    await withTime(async (relay, clock) => {
      const { keep: made } = await keep(relay, { name: 'Halted' });
      const before = rowsOf(relay, made.playlist_id);
      clock.advance(40_000);
      save(relay, spare(relay, 0, 3));
      const limit = { kind: 'rate_limit', retryAfterSeconds: 120 } as const;
      relay.provider.faults.add({ method: 'POST', path: /\/items$/, ...limit });
      assert.match((await act(relay, made.id, 'run')).keep.reason ?? '', /continues as job/);
      relay.provider.clearRequests();
      assert.equal((await act(relay, made.id, action)).error, undefined);
      const { items } = (await relay.call('list_jobs')) as { items: Array<{ status: string }> };
      assert.deepEqual(
        items.map(({ status }) => status),
        ['cancelled'],
      );
      clock.advance(300_000);
      await relay.call('get_playlist', { playlist_id: made.playlist_id });
      assert.deepEqual([writes(relay), rowsOf(relay, made.playlist_id)], [[], before]);
      if (action === 'stop') return;
      await act(relay, made.id, 'resume');
      assert.equal((await act(relay, made.id, 'run')).keep.status, 'active');
      assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    });
  });
}

test('if the job of a write has failed, its rule is in review until somebody resumes the job', async () => {
  await withTime(async (relay, clock) => {
    const { held, jobs, ends } = await failedWrite(relay, clock);
    assert.equal(held.status, 'review');
    assert.match(held.reason ?? '', /last write has failed: see job/);
    relay.provider.faults.clear();
    await relay.call('resume_job', { job_id: (await jobs())[0]?.job_id });
    await ends('completed');
    assert.equal((await act(relay, held.id, 'run')).keep.status, 'active');
    assert.deepEqual(rowsOf(relay, held.playlist_id), savedUris(relay));
  });
});

/** A kept playlist in review because Spotify refuses the write that a job continues. */
async function failedWrite(relay: Relay, clock: ManualClock) {
  const { keep: made } = await keep(relay, { name: 'Refused' });
  clock.advance(40_000);
  save(relay, spare(relay, 0, 3));
  const append = { path: /^\/playlists\/[^/]+\/items$/, method: 'POST' };
  relay.provider.faults.add(
    { ...append, kind: 'rate_limit', retryAfterSeconds: 120 },
    { ...append, times: Infinity, kind: 'status', status: 403 },
  );
  assert.equal((await act(relay, made.id, 'run')).keep.status, 'waiting');
  const jobs = async () =>
    ((await relay.call('list_jobs')) as { items: Array<{ job_id: string; status: string }> }).items;
  const ends = (status: string) =>
    eventually(async () => {
      clock.advance(5_000);
      return (await jobs())[0]?.status === status;
    });
  await ends('failed');
  const { keep: held } = await act(relay, made.id, 'run');
  return { held, jobs, ends };
}

test('stop says of a write that has begun and waits that its job finishes it', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Halted' });
    clock.advance(40_000);
    save(relay, spare(relay, 0, 150));
    const limit = { kind: 'rate_limit', retryAfterSeconds: 120 } as const;
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, ...limit });
    assert.match((await act(relay, made.id, 'run')).keep.reason ?? '', /continues as job/);
    assert.equal(rowsOf(relay, made.playlist_id).length, 130);
    assert.deepEqual(await run(relay, ['keep', 'stop', 'Halted']), {
      code: 0,
      out: '"Halted" is no longer kept. Its last write has begun and is not over yet.\n',
      err: 'To see how it ends: relay history\n',
    });
    assert.deepEqual(await kept(relay), []);
    await eventually(() => {
      clock.advance(5_000);
      return rowsOf(relay, made.playlist_id).length === 180;
    });
  });
});

test('a run names the job that holds its playlist, and follows once that job is over', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Held' });
    clock.advance(40_000);
    const [newer = '', ...extra] = spare(relay, 0, 151);
    const limit = { kind: 'rate_limit', retryAfterSeconds: 120 } as const;
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, ...limit });
    const { job_id } = await relay.call('add_tracks_to_playlist', {
      playlist_id: made.playlist_id,
      track_ids: extra,
    });
    save(relay, [newer]);
    const { keep: waiting } = await act(relay, made.id, 'run');
    assert.deepEqual(
      [waiting.status, waiting.reason],
      [
        'waiting',
        `Job ${String(job_id).slice(0, 8)} writes to this playlist and is not over; the run follows it.`,
      ],
    );
    clock.advance(120_000);
    await reach(relay, String(job_id), 'completed');
    clock.advance(60_000);
    await eventually(async () => (await keeps(relay))[0]?.status === 'review');
    assert.match((await keeps(relay))[0]?.reason ?? '', /^Somebody changed this playlist/, 'it has run');
  });
});

test('a kept playlist that was being made when relay stopped follows that one, and makes no second', async () => {
  await withTime(async (relay, clock) => {
    const limit = { kind: 'rate_limit', retryAfterSeconds: 120 } as const;
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, ...limit });
    const { keep: made } = await keep(relay, { name: 'Once' });
    assert.match(made.reason ?? '', /continues as job/);
    await relay.restart();
    const called = () => owner(relay.provider).playlists.filter(({ name }) => name === 'Once');
    assert.deepEqual(pluck(called(), 'id'), [made.playlist_id]);
    await eventually(
      async () => (await keeps(relay))[0]?.status === 'active',
      () => nextLook(clock),
    );
    assert.deepEqual(pluck(called(), 'id'), [made.playlist_id]);
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
  });
});

test('a login that has ended is the reason why a kept playlist waits', async () => {
  await withTime(async (relay, clock) => {
    const { keep: made } = await keep(relay, { name: 'Login' });
    save(relay, spare(relay, 0, 1));
    relay.provider.faults.add({
      path: '/api/token',
      times: 9,
      kind: 'status',
      status: 400,
      body: { error: 'invalid_grant' },
    });
    clock.advance(2 * HOUR);
    const { keep: waiting } = await act(relay, made.id, 'run');
    const reason = 'The Spotify login has ended: log in again.';
    assert.deepEqual([waiting.status, waiting.reason], ['waiting', reason]);
    assert.equal((await keeps(relay))[0]?.reason, reason);
  });
});
