import assert from 'node:assert/strict';
import { codeOf, failureOf } from '../support/answers.ts';
import { collectGarbage } from '../support/garbage.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { gate, until, withClock } from '../support/waiting.ts';
import { withClockedPlaylist } from '../support/withPlaylist.ts';
import { type Relay, withRelay } from '../support/world.ts';

const ALWAYS = Number.POSITIVE_INFINITY;
const DEVICES = '/me/player/devices';
const TRY_MS = 12_000;

/** Waits until `count` requests have arrived. One more whole call then gives relay time to read the answers so far. */
async function arrived({ provider, call }: Relay, path: string, count: number): Promise<void> {
  await until(() => provider.requests.filter((request) => request.path === path).length === count);
  await call('get_saved_tracks', { limit: 1 });
}

for (const rule of [{ kind: 'hang', when: 'before' }, { kind: 'slow_body' }] as const) {
  longTest(
    `a read that gets no whole answer (${rule.kind}) in 12 seconds is tried again, twice at most`,
    () =>
      withClock(async (relay, clock) => {
        relay.provider.faults.add({ path: DEVICES, ...rule, times: 4 });
        const retried = async (tries: number) => {
          const call = relay.call('get_devices');
          for (let n = 1; n <= tries; n++) {
            await arrived(relay, DEVICES, n);
            await clock.pass(TRY_MS);
            if (n < 3) await clock.pass(125 * n);
          }
          return call;
        };
        const failure = failureOf(await retried(3));
        assert.equal(failure.code, 'PROVIDER_TIMEOUT');
        assert.equal(failure.message, 'Spotify did not answer in time.');
        relay.provider.clearRequests();
        assert.equal(codeOf(await retried(1)), undefined);
      }),
  );
}

longTest('an answer that stops half-way is given up in time, even if garbage is collected meanwhile', () =>
  withClock(async (relay, clock) => {
    relay.provider.faults.add({ path: DEVICES, kind: 'slow_body' });
    const call = relay.call('get_devices');
    await arrived(relay, DEVICES, 1);
    await collectGarbage();
    await clock.pass(TRY_MS);
    await clock.pass(125);
    assert.equal(codeOf(await call), undefined);
  }),
);

longTest('a write that takes 14 seconds is awaited, and its outcome is known', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'slow_answer', ms: 14_000 });
    const args = { playlist_id, track_ids: tracks(relay, 100) };
    const call = relay.call('add_tracks_to_playlist', args);
    await clock.pass(14_000);
    assert.equal((await call).written, 100);
    assert.deepEqual(urisOf(playlist), tracks(relay, 100));
  }),
);

longTest('a command without an answer times out after 12 seconds', () =>
  withClock(async (relay, clock) => {
    relay.provider.faults.add({ method: 'POST', kind: 'hang', when: 'before' });
    const call = relay.call('next_track');
    await arrived(relay, '/me/player/next', 1);
    await clock.pass(TRY_MS);
    const failure = failureOf(await call);
    assert.equal(failure.code, 'PROVIDER_TIMEOUT');
    assert.match(failure.remedy, /may or may not/);
    assert.equal(relay.provider.requests.filter(({ method }) => method === 'POST').length, 1);
  }),
);

longTest('one request takes 40 seconds at most, including a slow refresh and all attempts', () =>
  withClock(async (relay, clock) => {
    const renewal = gate();
    relay.provider.faults.add(
      { path: /\/api\/token$/, kind: 'hook', fn: renewal.wait },
      { path: DEVICES, kind: 'hang', when: 'before', times: ALWAYS },
    );
    clock.advance(3600_000 - 30_000);
    const call = relay.call('get_devices');
    await until(() => renewal.waiting === 1);
    const start = clock.now();
    clock.advance(14_000);
    renewal.open();
    for (const [n, wait] of [
      [1, 125],
      [2, 250],
    ] as const) {
      await arrived(relay, DEVICES, n);
      await clock.pass(TRY_MS);
      await clock.pass(wait);
    }
    await arrived(relay, DEVICES, 3);
    clock.advance(40_000 - (clock.now() - start));
    assert.equal(codeOf(await call), 'PROVIDER_TIMEOUT');
  }),
);

longTest('a read that takes more than 45 seconds fails with that reason, and sends nothing more', () =>
  withClockedPlaylist('The Whole Granary', async ({ relay, provider, clock, playlist_id }) => {
    const fn = () => clock.advance(11_000);
    const items = `/playlists/${playlist_id}/items`;
    provider.faults.add(
      { path: `/playlists/${playlist_id}`, kind: 'hook', fn },
      { path: items, kind: 'hook', fn },
      { path: items, skip: 1, kind: 'hang', when: 'before', times: ALWAYS },
    );
    const call = relay.call('get_playlist_stats', { playlist_id });
    await until(() => provider.requests.length === 10);
    clock.advance(TRY_MS);
    await until(() => clock.waiting(125) === 8);
    clock.advance(11_000);
    assert.deepEqual(await call, {
      error: {
        code: 'DEADLINE_EXCEEDED',
        message: 'The call took longer than 45 seconds.',
        remedy: 'Ask for less at a time, or try again when Spotify responds faster.',
      },
    });
    await relay.call('get_devices');
    assert.equal(provider.requests.length, 11);
  }),
);

longTest('a write that does not fit into a call continues as a job, which the answer names', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    const fn = () => clock.advance(10_000);
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'hook', fn, times: 6 });
    const args = { playlist_id, track_ids: tracks(relay, 1_000) };
    const { code, details } = failureOf(await relay.call('add_tracks_to_playlist', args));
    assert.deepEqual([code, typeof details.job_id], ['DEADLINE_EXCEEDED', 'string']);
    await until(() => playlist.rows.length === 1_000);
    assert.deepEqual(urisOf(playlist), tracks(relay, 1_000));
  }),
);

longTest(
  'a write in progress when the server stops finishes its request, and continues after the next start',
  () =>
    withClock(async (relay, clock) => {
      const { provider, server, call } = relay;
      const playlist = named(relay, 'Empty Shelf');
      const hold = gate();
      provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, kind: 'hook', fn: hold.wait });
      const args = { playlist_id: playlist.id, track_ids: tracks(relay, 300) };
      const working = call('add_tracks_to_playlist', args);
      await until(() => hold.waiting === 1);
      const stopped = server.close();
      await assert.rejects(call('get_devices'), 'a server that stops takes no new calls');
      clock.advance(5_000);
      hold.open();
      const { code, message, details } = failureOf(await working);
      assert.deepEqual([code, typeof details.change_id], ['SHUTTING_DOWN', 'string']);
      assert.match(message, /continues after the next start/);
      await stopped;
      assert.deepEqual(urisOf(playlist), tracks(relay, 200));
    }),
);

longTest('a write whose first request ends while the server stops names the job that sends the rest', () =>
  withRelay({ clock: jumpingClock() }, async (relay) => {
    const { provider, server, call } = relay;
    const playlist = named(relay, 'Empty Shelf');
    provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'slow_answer', ms: 3_000 });
    const args = { playlist_id: playlist.id, track_ids: tracks(relay, 150) };
    const working = call('add_tracks_to_playlist', args);
    await until(() => playlist.rows.length === 100);
    const stopped = server.close();
    const { code, details } = failureOf(await working);
    assert.equal(code, 'SHUTTING_DOWN');
    assert.deepEqual([typeof details.job_id, details.job_id], ['string', details.change_id]);
    await stopped;
  }),
);

longTest('a read that is tried again while the server stops ends after 5 seconds', () =>
  withClock(async (relay, clock) => {
    relay.provider.faults.add({ path: DEVICES, kind: 'rate_limit', retryAfterSeconds: 5 });
    const working = relay.call('get_devices');
    await until(() => clock.waiting(5_000) === 1);
    // Otherwise the read's 5 seconds and those of the server would end at the same moment.
    clock.advance(1);
    const stopped = relay.server.close();
    await until(() => clock.waiting(5_000) === 2);
    relay.provider.faults.add({ path: DEVICES, kind: 'hang', when: 'before' });
    clock.advance(4_999);
    await until(() => relay.provider.requests.length === 2);
    clock.advance(1);
    assert.equal(codeOf(await working), 'SHUTTING_DOWN');
    await stopped;
  }),
);
