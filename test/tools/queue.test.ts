import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, failureOf } from '../support/answers.ts';
import { manualClock } from '../support/clock.ts';
import { at } from '../support/entries.ts';
import { sent } from '../support/requests.ts';
import { episodeShape, trackShape } from '../support/shapes.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { playing, still } from './playing.ts';

test('get_queue shows what is playing and what comes next, episodes too', () =>
  withRelay(still(), async (relay) => {
    const { account, tracks } = playing(relay, { index: 0 });
    const episode = at([...relay.provider.catalogue.episodeByUri.values()], 0);
    account.player.queue.splice(1, 0, episode.uri);
    assert.deepEqual(await relay.call('get_queue'), {
      currently_playing: trackShape(at(tracks, 0)),
      queue: [episodeShape(episode), ...tracks.slice(1).map(trackShape)],
    });
    assert.deepEqual(sent(relay), ['GET /me/player/queue']);
  }));

test('add_to_queue puts an item behind those already queued, and before the tracks that would play next', () =>
  withRelay(still(), async (relay) => {
    const { account, device, tracks } = playing(relay, { index: 0 });
    const [one, two] = [at(relay.provider.catalogue.tracks, 1), at(relay.provider.catalogue.tracks, 2)];
    const given = { uris: [one.id, two.uri], device_id: device.name };
    assert.deepEqual(await relay.call('add_to_queue', given), { ok: true, queued: 2 });
    const [first = '', ...rest] = tracks.map(({ uri }) => uri);
    assert.deepEqual(account.player.queue, [first, one.uri, two.uri, ...rest]);
    const path = '/me/player/queue';
    assert.deepEqual(
      sent(relay).slice(1),
      [one, two].map(({ uri }) => `POST ${path}?uri=${uri}&device_id=${device.id}`),
    );
    relay.provider.faults.add({ method: 'POST', path, kind: 'status', status: 404, skip: 1 });
    const stopped = failureOf(await relay.call('add_to_queue', { uris: [one.id, two.id] }));
    assert.deepEqual([stopped.details?.queued, stopped.details?.not_queued], [1, [two.id]]);
  }));

test('set_shuffle and set_repeat set what get_playback_state shows', () =>
  withRelay(still(), async (relay) => {
    const { device } = playing(relay, { index: 0 });
    assert.deepEqual(await relay.call('set_shuffle', { state: true }), { ok: true, state: true });
    const repeat = { state: 'context', device_id: device.id };
    assert.deepEqual(await relay.call('set_repeat', repeat), { ok: true, state: 'context' });
    const { shuffle_state, repeat_state } = await relay.call('get_playback_state');
    assert.deepEqual([shuffle_state, repeat_state], [true, 'context']);
    assert.deepEqual(sent(relay).slice(0, 2), [
      'PUT /me/player/shuffle?state=true',
      `PUT /me/player/repeat?state=context&device_id=${device.id}`,
    ]);
    assert.deepEqual(await relay.call('set_shuffle', { state: false, device_id: null }), {
      ok: true,
      state: false,
    });
  }));

/** For each way to repeat: which of three songs plays after the first one has ended, and whether one does after the last. */
const REPEATS: Array<[state: string, then: number, atEnd: boolean]> = [
  ['off', 1, false],
  ['context', 1, true],
  ['track', 0, true],
];

for (const [state, then, atEnd] of REPEATS) {
  test(`what plays goes on by itself with repeat ${state}`, () => {
    const clock = manualClock();
    return withRelay({ ...still(), clock }, async (relay) => {
      const { tracks } = playing(relay, { index: 0 });
      await relay.call('set_repeat', { state });
      const seen = async () => {
        const { item, is_playing } = await relay.call('get_playback_state');
        return [(item as { uri: string }).uri, is_playing];
      };
      clock.advance(at(tracks, 0).durationMs);
      assert.deepEqual(await seen(), [at(tracks, then).uri, true]);
      clock.advance(at(tracks, 1).durationMs + at(tracks, 2).durationMs);
      assert.equal((await seen())[1], atEnd);
      if (state !== 'track') assert.equal((await seen())[0], at(tracks, 0).uri);
    });
  });
}

const COMMANDS: Array<[tool: string, args: (relay: Relay) => Record<string, unknown>]> = [
  ['add_to_queue', ({ provider }) => ({ uris: [at(provider.catalogue.tracks, 0).id] })],
  ['set_shuffle', () => ({ state: true })],
  ['set_repeat', () => ({ state: 'off' })],
];

for (const [tool, args] of COMMANDS) {
  test(`${tool} refuses a missing or unknown argument, a missing device and an account without Premium`, () =>
    withRelay(still(), async (relay) => {
      const { account } = playing(relay, { index: 0 });
      for (const wrong of [{}, { ...args(relay), more: 1 }]) {
        assert.equal(codeOf(await relay.call(tool, wrong)), 'INVALID_ARGUMENT');
      }
      assert.deepEqual(relay.provider.requests, []);
      account.player.deviceId = null;
      assert.equal(codeOf(await relay.call(tool, args(relay))), 'NO_ACTIVE_DEVICE');
      account.premium = false;
      assert.equal(codeOf(await relay.call(tool, args(relay))), 'PREMIUM_REQUIRED');
    }));
}
