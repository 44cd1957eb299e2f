import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, failureOf } from '../support/answers.ts';
import { DAY } from '../support/clock.ts';
import { at, owner, pluck } from '../support/entries.ts';
import { playlistShape } from '../support/shapes.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { gate, until, withClock } from '../support/waiting.ts';
import { type Relay, withRelay } from '../support/world.ts';

type Answer = Record<string, unknown>;

const ALWAYS = Number.POSITIVE_INFINITY;
const DEVICES = '/me/player/devices';
const statuses = ({ provider }: Relay) => provider.requests.map(({ status }) => status);
const firstPlaylist = ({ provider }: Relay) => at(owner(provider).playlists, 0);
const passing: Array<[what: string, rule: FaultRule, code: string, status: number]> = [
  ['a 502', { kind: 'status', status: 502, body: 'Bad gateway.' }, 'PROVIDER_UNAVAILABLE', 502],
  ['a 503', { kind: 'status', status: 503 }, 'PROVIDER_UNAVAILABLE', 503],
  ['a 504', { kind: 'status', status: 504, body: '' }, 'PROVIDER_TIMEOUT', 504],
  ['a connection lost before the effect', { kind: 'drop', when: 'before' }, 'PROVIDER_UNAVAILABLE', 0],
  ['a connection lost after the effect', { kind: 'drop', when: 'after' }, 'PROVIDER_UNAVAILABLE', 0],
];

for (const [what, rule, code, status] of passing) {
  test(`a read is tried again after ${what}, twice at most`, () =>
    withClock(async (relay, clock) => {
      relay.provider.faults.add({ ...rule, path: DEVICES, times: 2 });
      const retried = relay.call('get_devices');
      await clock.pass(125);
      await clock.pass(250);
      assert.equal(codeOf(await retried), undefined);
      assert.deepEqual(statuses(relay), [status, status, 200]);

      relay.provider.clearRequests();
      relay.provider.faults.add({ ...rule, path: DEVICES, times: ALWAYS });
      const lasting = relay.call('get_devices');
      await clock.pass(125);
      await clock.pass(250);
      const failure = failureOf(await lasting);
      assert.deepEqual([failure.code, failure.remedy], [code, 'Try again in a minute.']);
      assert.deepEqual(statuses(relay), [status, status, status]);
    }));
}

const final: Array<[what: string, rule: FaultRule, code: string]> = [
  ['a 500', { kind: 'status', status: 500 }, 'PROVIDER_UNAVAILABLE'],
  ['a 400', { kind: 'status', status: 400 }, 'INVALID_ARGUMENT'],
  ['a 451', { kind: 'status', status: 451 }, 'PROVIDER_INVALID_RESPONSE'],
  ['a 304', { kind: 'status', status: 304, body: '' }, 'PROVIDER_INVALID_RESPONSE'],
  ["a proxy's 400", { kind: 'html', effect: false, status: 400 }, 'PROVIDER_INVALID_RESPONSE'],
  ['JSON that breaks off', { kind: 'malformed' }, 'PROVIDER_INVALID_RESPONSE'],
  ['an empty 200', { kind: 'empty' }, 'PROVIDER_INVALID_RESPONSE'],
  ['a page in place of JSON', { kind: 'status', status: 200, body: '<html>' }, 'PROVIDER_INVALID_RESPONSE'],
  ['a list in place of an object', { kind: 'status', status: 200, body: [] }, 'PROVIDER_INVALID_RESPONSE'],
  ['an object without its list', { kind: 'status', status: 200, body: {} }, 'PROVIDER_INVALID_RESPONSE'],
];

test('what another try would not change is told at once', () =>
  withRelay(async (relay) => {
    for (const [what, rule, code] of final) {
      relay.provider.clearRequests();
      relay.provider.faults.add({ ...rule, path: DEVICES });
      assert.equal(codeOf(await relay.call('get_devices')), code, what);
      assert.equal(relay.provider.requests.length, 1, what);
    }
    assert.equal(codeOf(await relay.call('get_devices')), undefined);
  }));

test('every read answers PROVIDER_INVALID_RESPONSE to an empty body, not an empty result', () =>
  withRelay(async (relay) => {
    const { call, provider } = relay;
    const playlist_id = firstPlaylist(relay).id;
    const reads: Array<[tool: string, args: Answer]> = [
      ['search_tracks', { query: 'x' }],
      ['get_track', { track_id: at(provider.catalogue.tracks, 0).id }],
      ['get_artist', { artist_id: at(provider.catalogue.artists, 0).id }],
      ['get_my_playlists', {}],
      ['find_playlist_by_name', { name: 'x' }],
      ['get_playlist', { playlist_id }],
      ['get_playlist_tracks', { playlist_id }],
      ['get_playlist_stats', { playlist_id }],
      ['get_saved_tracks', {}],
      ['check_saved_tracks', { track_ids: [at(provider.catalogue.tracks, 0).id] }],
      ['get_top_tracks', {}],
      ['get_top_artists', {}],
      ['get_recently_played', {}],
      ['get_devices', {}],
    ];
    provider.faults.add({ kind: 'empty', times: ALWAYS });
    for (const [tool, args] of reads) {
      assert.equal(codeOf(await call(tool, args)), 'PROVIDER_INVALID_RESPONSE', tool);
    }
    assert.equal(provider.requests.length, reads.length);
  }));

test('a command of the player is not sent again, whatever happened to its answer', () =>
  withRelay(async (relay) => {
    for (const [what, rule, code] of passing) {
      relay.provider.clearRequests();
      relay.provider.faults.add({ ...rule, method: 'POST' });
      const failure = failureOf(await relay.call('next_track'));
      assert.equal(failure.code, code, what);
      assert.match(failure.remedy, /may or may not have been made: read the current state/);
      assert.equal(relay.provider.requests.length, 1);
    }
  }));

test('a request that cannot have reached Spotify is retried, even a write', () =>
  withClock(async (relay, clock) => {
    await relay.provider.close();
    // The read finds out that the connections kept so far are gone.
    for (const [tool, args] of [
      ['get_devices', {}],
      ['update_playlist_details', { playlist_id: firstPlaylist(relay).id, name: 'Other' }],
    ] as const) {
      const call = relay.call(tool, args);
      await clock.pass(125);
      await clock.pass(250);
      const failure = failureOf(await call);
      assert.equal(failure.code, 'PROVIDER_UNAVAILABLE', tool);
      if (tool !== 'get_devices') {
        assert.equal(failure.message, 'Spotify cannot be reached (ECONNREFUSED).');
        assert.equal(failure.remedy, 'Check the network connection, then try again.');
      }
    }
  }));

test('a redirect is not followed, since the token would go with it, and is named as the cause', () =>
  withRelay(async (relay) => {
    const location = `${relay.provider.url}/elsewhere`;
    relay.provider.faults.add({ path: DEVICES, kind: 'status', status: 302, headers: { location } });
    const failure = failureOf(await relay.call('get_devices'));
    assert.equal(failure.code, 'PROVIDER_INVALID_RESPONSE');
    assert.match(failure.message, /leads to another address, and relay does not follow it \(302\)/);
    assert.deepEqual(pluck(relay.provider.requests, 'path'), [DEVICES]);
  }));

test('an answer above 8 MiB is named as the cause, and is not requested again', () =>
  withRelay(async (relay) => {
    const body = 'x'.repeat(8 * 1024 * 1024 + 1);
    relay.provider.faults.add({ path: DEVICES, kind: 'status', status: 200, body });
    const failure = failureOf(await relay.call('get_devices'));
    assert.deepEqual(
      [failure.code, failure.message],
      ['PROVIDER_INVALID_RESPONSE', 'The answer to GET /me/player/devices is too large for relay to read.'],
    );
    assert.deepEqual(pluck(relay.provider.requests, 'path'), [DEVICES]);
    // A write may have taken effect.
    relay.provider.faults.add({ method: 'POST', kind: 'status', status: 200, body });
    assert.match(failureOf(await relay.call('next_track')).remedy, /may or may not have been made/);
  }));

test('pages that answer out of order are put in order', () =>
  withRelay(async (relay) => {
    const { provider, call } = relay;
    const { playlists } = owner(provider);
    const template = firstPlaylist(relay);
    while (playlists.length < 140) {
      const id = `${String(playlists.length).padStart(8, '0')}inventedlist00`;
      playlists.push({ ...template, id, name: `List ${playlists.length}`, rows: [] });
    }
    const hold = gate();
    provider.faults.add({ path: '/me/playlists', skip: 1, kind: 'hook', fn: hold.wait });
    const all = call('get_my_playlists', { all: true });
    await until(() => statuses(relay).filter((status) => status === 200).length === 2);
    hold.open();
    assert.deepEqual((await all).items, playlists.map(playlistShape));
  }));

test('rows that were read are reused for a minute, no more and no less, whatever happens to the wall clock', () =>
  withClock(async (relay, clock) => {
    const { provider, call } = relay;
    const { id: playlist_id } = firstPlaylist(relay);
    const read = async () => {
      provider.clearRequests();
      await call('get_playlist_stats', { playlist_id });
      return provider.requests.some(({ path }) => path === `/playlists/${playlist_id}/items`);
    };
    assert.equal(await read(), true);
    clock.setWall(clock.now() + DAY);
    clock.advance(59_000);
    assert.equal(await read(), false);
    clock.advance(1_000);
    assert.equal(await read(), true);
  }));
