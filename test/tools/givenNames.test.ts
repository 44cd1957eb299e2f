/** Names in place of IDs, as a person says them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from '../support/answers.ts';
import { at, owner } from '../support/entries.ts';
import { named } from '../support/playlists.ts';
import { withRelay } from '../support/world.ts';

test('a playlist may be given by its name, if exactly one has it', () =>
  withRelay(async (relay) => {
    const { id, name, rows } = named(relay, 'Exactly Two Hundred');
    const { playlist_id, total_items } = await relay.call('get_playlist_stats', {
      playlist_id: 'exactly two-hundred',
    });
    assert.deepEqual([playlist_id, total_items], [id, rows.length]);
    const { job_id } = await relay.call('create_bulk_job', {
      type: 'add_to_playlist',
      payload: { playlist_id: name },
      items: [at(relay.provider.catalogue.tracks, 0).uri],
    });
    assert.equal(typeof job_id, 'string');
    const { message, remedy } = failureOf(
      await relay.call('get_playlist_stats', { playlist_id: 'exactly two hundrd' }),
    );
    assert.match(
      `${message} ${remedy}`,
      /no playlist called "exactly two hundrd".*Did you mean "Exactly Two Hundred"/,
    );
  }));

test('two playlists of one name are listed with their IDs, and nothing is written', () =>
  withRelay(async (relay) => {
    const account = owner(relay.provider);
    const [one, two] = account.playlists.filter(({ ownerId }) => ownerId === account.id);
    assert.ok(one && two);
    two.name = one.name;
    const args = { playlist_id: one.name, track_ids: [at(relay.provider.catalogue.tracks, 0).uri] };
    const { code, remedy } = failureOf(await relay.call('add_tracks_to_playlist', args));
    assert.equal(code, 'INVALID_ARGUMENT');
    assert.ok(remedy?.includes(one.id) && remedy.includes(two.id), remedy);
    assert.ok(relay.provider.requests.every(({ method }) => method === 'GET'));
  }));

test('a device may be given by its name', () =>
  withRelay(async (relay) => {
    const { devices, player } = owner(relay.provider);
    const device = devices.find(
      ({ asleep, isRestricted, id }) => !asleep && !isRestricted && id !== player.deviceId,
    );
    assert.ok(device);
    await relay.call('transfer_playback', { device_id: device.name.toUpperCase(), play: true });
    assert.equal(player.deviceId, device.id);
    const { code, remedy } = failureOf(await relay.call('pause', { device_id: 'the moon' }));
    assert.deepEqual([code, /get_devices/.test(remedy ?? '')], ['INVALID_ARGUMENT', true]);
  }));
