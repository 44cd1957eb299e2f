import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, failureOf } from '../support/answers.ts';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { gate, until, withClock } from '../support/waiting.ts';
import { withClockedPlaylist } from '../support/withPlaylist.ts';
import type { Relay } from '../support/world.ts';

const ALWAYS = Number.POSITIVE_INFINITY;
const DEVICES = '/me/player/devices';
const TRY_MS = 12_000;

/** Waits until `count` requests have arrived. One more whole call then gives relay time to read the answers so far. */
async function arrived({ provider, call }: Relay, path: string, count: number): Promise<void> {
  await until(() => provider.requests.filter((request) => request.path === path).length === count);
  await call('get_saved_tracks', { limit: 1 });
}

for (const rule of [{ kind: 'hang', when: 'before' }, { kind: 'slow_body' }] as const) {
  test(`a read that gets no whole answer (${rule.kind}) in 12 seconds is tried again, twice at most`, () =>
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
    }));
}

test('a command without an answer times out after 12 seconds', () =>
  withClock(async (relay, clock) => {
    relay.provider.faults.add({ method: 'POST', kind: 'hang', when: 'before' });
    const call = relay.call('next_track');
    await arrived(relay, '/me/player/next', 1);
    await clock.pass(TRY_MS);
    const failure = failureOf(await call);
    assert.equal(failure.code, 'PROVIDER_TIMEOUT');
    assert.match(failure.remedy, /may or may not/);
    assert.equal(relay.provider.requests.filter(({ method }) => method === 'POST').length, 1);
  }));

test('one request takes 40 seconds at most, including a slow refresh and all attempts', () =>
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
  }));

test('a write that does not fit into a call continues as a job, which the answer names', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    const fn = () => clock.advance(10_000);
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'hook', fn, times: 6 });
    const args = { playlist_id, track_ids: tracks(relay, 1_000) };
    const answer = await relay.call('add_tracks_to_playlist', args);
    assert.deepEqual([answer.ok, typeof answer.job_id, answer.error], [false, 'string', undefined]);
    await until(() => playlist.rows.length === 1_000);
    assert.deepEqual(urisOf(playlist), tracks(relay, 1_000));
  }));

test('a write in progress when the server stops finishes its request, and continues after the next start', () =>
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
  }));
