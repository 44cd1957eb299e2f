import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, failureOf } from '../support/answers.ts';
import { DAY } from '../support/clock.ts';
import { owner, pluck } from '../support/entries.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { until, withClock } from '../support/waiting.ts';
import type { Relay } from '../support/world.ts';
import { connectAccount } from '../support/world.ts';
import { createJob, reach } from '../work/jobCalls.ts';

type Answer = Record<string, unknown>;

const ALWAYS = Number.POSITIVE_INFINITY;
const DEVICES = '/me/player/devices';
const limited = (answer: Answer) => [codeOf(answer), failureOf(answer)?.retryAfterSeconds];
const arrivals = ({ provider }: Relay, start: number) => provider.requests.map(({ at }) => at - start);
const longPlaylist = ({ provider }: Relay) => {
  const found = owner(provider).playlists.find(({ rows }) => rows.length === 2_500);
  if (!found) throw new Error('no playlist of 2,500 rows');
  return { playlist_id: found.id };
};
test('a read waits out a Retry-After of 5 seconds, exactly, and not one of 6', () =>
  withClock(async (relay, clock) => {
    const start = clock.now();
    relay.provider.faults.add({ path: DEVICES, kind: 'rate_limit', retryAfterSeconds: 5 });
    const waited = relay.call('get_devices');
    await clock.pass(5_000);
    assert.equal(codeOf(await waited), undefined);
    assert.deepEqual(arrivals(relay, start), [0, 5_000]);
    relay.provider.faults.add({ path: DEVICES, kind: 'rate_limit', retryAfterSeconds: 6 });
    const at = new Date(clock.now() + 6_000).toISOString();
    assert.deepEqual(await relay.call('get_devices'), {
      error: {
        code: 'RATE_LIMITED',
        message: `Spotify asks relay to wait 6 seconds before it may use the player again (until ${at}).`,
        remedy:
          'Do not retry before then; other kinds of requests still work. `relay status` shows what is blocked.',
        retryAfterSeconds: 6,
        details: { scope: 'player', blocked_until: at },
      },
    });
    assert.equal(relay.provider.requests.length, 3);
  }));

test('without a Retry-After the waits of a read grow, and end after three tries', () =>
  withClock(async (relay, clock) => {
    const start = clock.now();
    relay.provider.faults.add({ path: DEVICES, kind: 'rate_limit', retryAfterSeconds: null, times: ALWAYS });
    const call = relay.call('get_devices');
    await clock.pass(1_000);
    await clock.pass(2_000);
    assert.deepEqual(limited(await call), ['RATE_LIMITED', 4]);
    assert.deepEqual(arrivals(relay, start), [0, 1_000, 3_000]);
  }));

test('without a Retry-After each further 429 of a kind of request doubles the wait, until one succeeds', () =>
  withClock(async (relay, clock) => {
    const pause = async () => {
      const answer = await relay.call('pause');
      const seconds = failureOf(answer)?.retryAfterSeconds ?? 0;
      clock.advance(seconds * 1_000);
      return seconds;
    };
    const rule = { path: '/me/player/pause', kind: 'rate_limit', retryAfterSeconds: null } as const;
    relay.provider.faults.add({ ...rule, times: 11 }, { ...rule, skip: 1, retryAfterSeconds: '0' });
    const waits: number[] = [];
    for (let n = 0; n < 13; n++) waits.push(await pause());
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 0, 1]);
    relay.provider.faults.add({ path: '/search', kind: 'rate_limit', retryAfterSeconds: null });
    const search = relay.call('search_tracks', { query: 'x' });
    await clock.pass(1_000);
    assert.equal(codeOf(await search), undefined);
  }));

test('a blocked kind of request is not sent, others are, and near its end the block is waited out', () =>
  withClock(async (relay, clock) => {
    const start = clock.now();
    relay.provider.faults.add({ path: DEVICES, kind: 'rate_limit', retryAfterSeconds: 60 });
    await relay.call('get_devices');
    clock.advance(54_500);
    assert.deepEqual(limited(await relay.call('get_playback_state')), ['RATE_LIMITED', 6]);
    assert.deepEqual(limited(await relay.call('pause')), ['RATE_LIMITED', 6]);
    assert.equal(codeOf(await relay.call('get_saved_tracks', { limit: 1 })), undefined);
    clock.advance(1_500);
    const waiting = relay.call('get_playback_state');
    await clock.pass(4_000);
    assert.equal(codeOf(await waiting), undefined);
    assert.deepEqual(
      relay.provider.requests.map(({ path, at }) => [path, at - start]),
      [
        [DEVICES, 0],
        ['/me/tracks', 54_500],
        ['/me/player', 60_000],
      ],
    );
  }));

test('a command is not sent any more if its caller leaves while a limit is waited out', () =>
  withClock(async (relay, clock) => {
    const { provider, client } = relay;
    provider.faults.add({ path: '/me/player/pause', kind: 'rate_limit', retryAfterSeconds: 4 });
    assert.deepEqual(limited(await relay.call('pause')), ['RATE_LIMITED', 4]);
    const leave = new AbortController();
    const next = client.callTool({ name: 'next_track', arguments: {} }, { signal: leave.signal });
    await until(() => clock.waiting(4_000) === 1);
    leave.abort();
    await assert.rejects(next);
    await until(() => clock.waiting(45_000) === 0);
    clock.advance(4_000);
    assert.equal(codeOf(await relay.call('get_devices')), undefined);
    assert.deepEqual(pluck(provider.requests, 'path'), ['/me/player/pause', DEVICES]);
  }));

test('pages that meet one short limit together wait once, and no page is lost', () =>
  withClock(async (relay, clock) => {
    const { provider } = relay;
    const rule = { path: /\/items$/, skip: 4, times: 5, kind: 'rate_limit', retryAfterSeconds: 2 } as const;
    provider.faults.add(rule);
    const reading = relay.call('get_playlist_stats', longPlaylist(relay));
    await until(() => clock.waiting(2_000) === 8);
    const before = provider.requests.length;
    clock.advance(2_000);
    const stats = await reading;
    assert.deepEqual([stats.total_items, stats.unique_track_count], [2_500, 2_500]);
    assert.equal(provider.requests.filter(({ status }) => status === 429).length, 5);
    assert.equal(provider.requests.length, 50 + 5);
    // Nothing was sent during the wait: all later requests came when it was over.
    assert.deepEqual([...new Set(provider.requests.slice(before).map(({ at }) => at))], [clock.now()]);
  }));

test('a quota is not waited for, survives a restart, and does not affect other kinds', () =>
  withClock(async (relay, clock) => {
    relay.provider.faults.add({ path: '/search', kind: 'quota', retryAfterSeconds: 46_649 });
    const at = new Date(clock.now() + 46_649_000).toISOString();
    assert.deepEqual(await relay.call('search_tracks', { query: 'x' }), {
      error: {
        code: 'QUOTA_EXCEEDED',
        message: `The Spotify app's quota is used up: relay may search again at ${at}.`,
        remedy:
          'Do not retry before then; other kinds of requests still work. `relay status` shows what is blocked.',
        retryAfterSeconds: 46_649,
        details: { scope: 'search', blocked_until: at },
      },
    });
    await relay.restart();
    relay.provider.clearRequests();
    clock.advance(46_600_000);
    assert.deepEqual(limited(await relay.call('search_artists', { query: 'x' })), ['QUOTA_EXCEEDED', 49]);
    // Even the last seconds of a quota are not waited out: hours may follow.
    clock.advance(47_000);
    assert.deepEqual(limited(await relay.call('search_tracks', { query: 'x' })), ['QUOTA_EXCEEDED', 2]);
    assert.deepEqual(relay.provider.requests, []);
    assert.equal(codeOf(await relay.call('get_devices')), undefined);
    clock.advance(2_000);
    assert.equal(codeOf(await relay.call('search_tracks', { query: 'x' })), undefined);
  }));

test('the limits of one Spotify app do not hold for another: a login works, and jobs continue', async () => {
  const env: Record<string, string> = {};
  await withClock({ env }, async (relay) => {
    const { provider } = relay;
    provider.faults.add(
      { path: '/search', kind: 'quota', retryAfterSeconds: 50_400 },
      { path: '/me', kind: 'quota', retryAfterSeconds: 50_400 },
    );
    const id = await createJob(relay, 'save_tracks', uniqueTracks(relay, 1).map(asQuery));
    assert.equal((await reach(relay, id, 'waiting')).reason, 'QUOTA_EXCEEDED');
    await assert.rejects(connectAccount(relay.baseUrl));
    await relay.restart();
    const blocked = async () =>
      (await relay.server.local.status()).rateLimits.blocked.map(({ scope }) => scope);
    assert.deepEqual(await blocked(), ['me', 'search']);
    assert.equal(codeOf(await relay.call('search_tracks', { query: 'x' })), 'QUOTA_EXCEEDED');
    env.PROVIDER_CLIENT_ID = 'f'.repeat(32);
    await relay.restart();
    assert.deepEqual(await blocked(), []);
    assert.equal(codeOf(await relay.call('search_tracks', { query: 'x' })), undefined);
    // The simulated login service knows only the first app.
    delete env.PROVIDER_CLIENT_ID;
    await relay.restart();
    await connectAccount(relay.baseUrl);
    assert.equal((await reach(relay, id, 'ready')).resolved, 1);
  });
});

test('a short limit that arrives beside a quota does not end the quota', () =>
  withClock(async (relay, clock) => {
    const path = /\/items$/;
    relay.provider.faults.add(
      { path, skip: 1, kind: 'quota', retryAfterSeconds: 3_600 },
      { path, skip: 1, kind: 'rate_limit', retryAfterSeconds: 2, times: 7 },
    );
    const first = await relay.call('get_playlist_stats', longPlaylist(relay));
    assert.equal(codeOf(first), 'QUOTA_EXCEEDED');
    await until(() => relay.provider.requests.filter(({ status }) => status === 429).length === 8);
    // A call of another kind passes, so that all eight answers have been read.
    await relay.call('get_devices');
    clock.advance(2_000);
    relay.provider.clearRequests();
    const again = await relay.call('get_playlist_stats', longPlaylist(relay));
    assert.deepEqual(limited(again), ['QUOTA_EXCEEDED', 3_598]);
    assert.deepEqual(relay.provider.requests, []);
  }));

for (const restarted of [false, true]) {
  const when = restarted ? 'over a restart' : 'while it runs';
  test(`a block lasts as long as Spotify said, even if the clock is set back by a day ${when}`, () =>
    withClock(async (relay, clock) => {
      relay.provider.faults.add({ path: '/search', kind: 'quota', retryAfterSeconds: 600 });
      const search = async () => limited(await relay.call('search_tracks', { query: 'x' }));
      await search();
      clock.setWall(clock.now() - DAY);
      if (restarted) await relay.restart();
      clock.advance(100_000);
      assert.deepEqual(await search(), ['QUOTA_EXCEEDED', 500]);
      clock.advance(500_000);
      assert.deepEqual(await search(), [undefined, undefined]);
    }));
}

test('a block ends by the wall clock too: the computer may have slept', () =>
  withClock(async (relay, clock) => {
    relay.provider.faults.add({ path: '/search', kind: 'quota', retryAfterSeconds: 600 });
    assert.deepEqual(limited(await relay.call('search_tracks', { query: 'x' })), ['QUOTA_EXCEEDED', 600]);
    clock.setWall(clock.now() + 600_000);
    assert.equal(codeOf(await relay.call('search_tracks', { query: 'x' })), undefined);
  }));
