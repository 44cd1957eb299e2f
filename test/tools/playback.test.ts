import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, owner, pluck } from '../support/entries.ts';
import { episodeShape, trackShape } from '../support/shapes.ts';
import { withRelay } from '../support/world.ts';

const SILENCE = { playing: false, item_type: null, item: null, progress_ms: null, context: null };
const INACTIVE = {
  active: false,
  is_playing: false,
  device: null,
  repeat_state: null,
  shuffle_state: null,
  progress_ms: null,
  item_type: null,
  item: null,
  context: null,
  disallows: [],
};

test('no active device is a state, not an error', () =>
  withRelay(async ({ call, provider }) => {
    owner(provider).player.deviceId = null;
    assert.deepEqual(await call('get_currently_playing'), SILENCE);
    assert.deepEqual(await call('get_playback_state'), INACTIVE);
    assert.deepEqual(
      provider.requests.map(({ path, query, status }) => [path, query.additional_types, status]),
      [
        ['/me/player/currently-playing', 'track,episode', 204],
        ['/me/player', 'track,episode', 204],
      ],
    );
  }));

test('an empty 200 instead of the 204 also means that nothing is playing', () =>
  withRelay(async ({ call, provider }) => {
    provider.faults.add({ path: '/me/player/currently-playing', kind: 'empty' });
    assert.deepEqual(await call('get_currently_playing'), SILENCE);
  }));

test('a playing track comes with its device, context and what the player refuses', () =>
  withRelay(async ({ call, provider }) => {
    const { player, devices } = owner(provider);
    const track = at(provider.catalogue.tracks, 5);
    Object.assign(player, {
      deviceId: at(devices, 0).id,
      queue: [track.uri],
      index: 0,
      contextUri: track.album.uri,
      isPlaying: false,
      positionMs: 61_000,
      repeat: 'context',
      shuffle: true,
    });
    const context = {
      type: 'album',
      uri: track.album.uri,
      url: `https://open.spotify.com/album/${track.album.id}`,
    };
    const playing = await call('get_currently_playing');
    assert.deepEqual(playing, {
      playing: false,
      item_type: 'track',
      item: trackShape(track),
      progress_ms: 61_000,
      context,
    });
    const state = await call('get_playback_state');
    const device = at(devices, 0);
    assert.deepEqual(state, {
      active: true,
      is_playing: false,
      device: {
        id: device.id,
        name: device.name,
        type: device.type,
        is_active: true,
        is_restricted: device.isRestricted,
        is_private_session: false,
        volume_percent: device.volumePercent,
        supports_volume: device.supportsVolume,
      },
      repeat_state: 'context',
      shuffle_state: true,
      progress_ms: 61_000,
      item_type: 'track',
      item: trackShape(track),
      context,
      disallows: (state.disallows as string[]).filter((name) => /^[a-z_]+$/.test(name)),
    });
    assert.ok((state.disallows as string[]).includes('pausing'));
  }));

test('an episode is reported as an episode', () =>
  withRelay(async ({ call, provider }) => {
    const { player, devices } = owner(provider);
    const episode = at(provider.catalogue.episodes, 0);
    Object.assign(player, { deviceId: at(devices, 0).id, queue: [episode.uri], index: 0, isPlaying: false });
    const state = await call('get_currently_playing');
    assert.deepEqual([state.item_type, state.item], ['episode', episodeShape(episode)]);
  }));

test('during an ad there is no item', () =>
  withRelay(async ({ call, provider }) => {
    const fn = (body: unknown) => ({
      ...(body as object),
      item: null,
      currently_playing_type: 'ad',
      is_playing: true,
    });
    provider.faults.add({ path: '/me/player/currently-playing', kind: 'transform', fn });
    const state = await call('get_currently_playing');
    assert.deepEqual([state.playing, state.item_type, state.item], [true, 'ad', null]);
  }));

test('get_devices lists what is awake', () =>
  withRelay(async ({ call, provider }) => {
    const { devices } = owner(provider);
    const result = (await call('get_devices')) as { devices: Array<{ name: string }> };
    assert.deepEqual(
      pluck(result.devices, 'name'),
      devices.filter(({ asleep }) => !asleep).map(({ name }) => name),
    );
  }));

test('no devices at all is an empty list', () =>
  withRelay(async ({ call, provider }) => {
    owner(provider).devices.length = 0;
    owner(provider).player.deviceId = null;
    assert.deepEqual(await call('get_devices'), { devices: [] });
  }));
