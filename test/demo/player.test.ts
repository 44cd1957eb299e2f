/** What the player of the simulated Spotify refuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { owner } from '../support/entries.ts';
import { tracks } from '../support/playlists.ts';
import { type DemoWorld, errorBody, withProvider } from './withProvider.ts';

const failed = (status: number, what: string, reason: string) =>
  errorBody(status, `Player command failed: ${what}`, reason);
const RESTRICTION = failed(403, 'Restriction violated', 'UNKNOWN');

const device = ({ provider }: DemoWorld, name: string) =>
  owner(provider).devices.find((one) => one.name === name) ?? assert.fail(name);

test('a command that changes nothing is refused; the others answer 204, or 200 with a text that is not JSON', () =>
  withProvider(async (world) => {
    const { call } = world;
    assert.deepEqual((await call('PUT', '/me/player/pause')).json, RESTRICTION);
    const seen = [];
    for (const command of ['play', 'pause']) {
      const { status, text, json } = await call('PUT', `/me/player/${command}`);
      seen.push([status, text.length > 0, json]);
    }
    assert.deepEqual(seen, [
      [204, false, undefined],
      [200, true, undefined],
    ]);
    const [a = '', b = ''] = tracks(world, 2);
    await call('PUT', '/me/player/play', { uris: [a, b] });
    assert.deepEqual((await call('POST', '/me/player/previous')).json, RESTRICTION);
    await call('POST', '/me/player/next');
    assert.deepEqual((await call('POST', '/me/player/next')).json, RESTRICTION);
  }));

/** Bodies of `play` that are refused; ARTIST and TRACK stand for existing ones. */
const BAD_PLAYS: Array<[body: object, status: number, message: string]> = [
  [{ context_uri: 'ARTIST', offset: { position: 1 } }, 400, "Can't have offset for context type: ARTIST"],
  [{ context_uri: 'ARTIST', uris: ['TRACK'] }, 400, 'Only one of context_uri and uris is allowed'],
  [{ context_uri: `spotify:album:${'0'.repeat(22)}` }, 404, 'Resource not found'],
  [{ uris: ['spotify:track:x'] }, 400, 'Invalid track uri: spotify:track:x'],
  [{ uris: Array(101).fill('TRACK') }, 413, 'Request entity too large'],
  [{ uris: [`spotify:track:${'0'.repeat(22)}`] }, 403, 'Player command failed: Restriction violated'],
  [{ uris: ['TRACK'], offset: { position: 5 } }, 403, 'Player command failed: Restriction violated'],
];

test('what cannot be played is refused, and nothing changes', () =>
  withProvider(async (world) => {
    const before = structuredClone(owner(world.provider).player);
    const { artists, tracks: all } = world.provider.catalogue;
    for (const [body, status, message] of BAD_PLAYS) {
      const text = JSON.stringify(body)
        .replaceAll('ARTIST', artists[0]?.uri ?? '')
        .replaceAll('TRACK', all[0]?.uri ?? '');
      const { error } = (await world.call('PUT', '/me/player/play', JSON.parse(text))).json;
      assert.deepEqual([error.status, error.message], [status, message]);
    }
    assert.deepEqual(owner(world.provider).player, before);
  }));

test('a device that sleeps is not listed and takes no command; without an active one there is nothing to see', () =>
  withProvider(async (world) => {
    const { call } = world;
    const phone = device(world, 'Pocket Phone');
    phone.asleep = true;
    assert.doesNotMatch((await call('GET', '/me/player/devices')).text, /Pocket Phone/);
    const asleep = await call('PUT', `/me/player/play?device_id=${phone.id}`);
    assert.deepEqual(asleep.json, errorBody(404, 'Device not found'));
    owner(world.provider).player.deviceId = null;
    for (const path of ['/me/player', '/me/player/currently-playing']) {
      const { status, text } = await call('GET', path);
      assert.deepEqual({ status, text }, { status: 204, text: '' });
    }
  }));

test('every command needs Premium and a device that accepts commands, the volume one that allows it', () =>
  withProvider(async (world) => {
    const { provider, call } = world;
    const account = owner(provider);
    const ALL = ['play', 'pause', 'next', 'previous', 'seek?position_ms=1', 'volume?volume_percent=1'];
    const refusalsOf = async (query: string) => {
      const found = new Set<string>();
      for (const command of [...ALL, 'shuffle?state=true', 'repeat?state=off']) {
        const method = /next|previous/.test(command) ? 'POST' : 'PUT';
        const path = `/me/player/${command}${query && (command.includes('?') ? '&' : '?')}${query}`;
        found.add(JSON.stringify((await call(method, path)).json));
      }
      return [...found].map((text) => JSON.parse(text));
    };
    assert.deepEqual(await refusalsOf('device_id=nonsense'), [errorBody(404, 'Device not found')]);
    const hall = `device_id=${device(world, 'Hall Screen').id}`;
    assert.deepEqual(await refusalsOf(hall), [failed(403, 'Restricted device', 'UNKNOWN')]);
    const loud = `/me/player/volume?volume_percent=7&device_id=${device(world, 'Pocket Phone').id}`;
    const disallowed = failed(403, 'Cannot control device volume', 'VOLUME_CONTROL_DISALLOW');
    assert.deepEqual((await call('PUT', loud)).json, disallowed);
    account.player.deviceId = null;
    assert.deepEqual(await refusalsOf(''), [failed(404, 'No active device found', 'NO_ACTIVE_DEVICE')]);
    account.premium = false;
    assert.deepEqual(await refusalsOf(''), [failed(403, 'Premium required', 'PREMIUM_REQUIRED')]);
  }));
