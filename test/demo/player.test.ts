import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, tracks } from '../support/playlists.ts';
import { USUAL_SCOPES } from './login.ts';
import { errorBody } from './web.ts';
import { type DemoWorld, withProvider } from './withProvider.ts';

const failed = (status: number, what: string, reason: string) => {
  return errorBody(status, `Player command failed: ${what}`, reason);
};
const RESTRICTION = failed(403, 'Restriction violated', 'UNKNOWN');

/** What a listener would hear. */
async function heard({ call }: DemoWorld) {
  const { json } = await call('GET', '/me/player?additional_types=track,episode');
  return { uri: json.item.uri, at: json.progress_ms, playing: json.is_playing, device: json.device.name };
}

const device = ({ provider }: DemoWorld, name: string) => {
  const found = provider.accounts[0]?.devices.find((one) => one.name === name);
  assert.ok(found);
  return found;
};

test('initially the computer is active and paused in the first playlist', () =>
  withProvider(async (world) => {
    const first = named(world, 'Morning Ferry');
    const { json } = await world.call('GET', '/me/player');
    assert.deepEqual(json.device, {
      id: device(world, 'Writing Desk').id,
      is_active: true,
      is_private_session: false,
      is_restricted: false,
      name: 'Writing Desk',
      supports_volume: true,
      type: 'Computer',
      volume_percent: 64,
    });
    assert.deepEqual(await heard(world), {
      uri: first.rows[0]?.uri,
      at: 61_000,
      playing: false,
      device: 'Writing Desk',
    });
    assert.equal(json.context.uri, `spotify:playlist:${first.id}`);
    assert.deepEqual(json.actions, { disallows: { pausing: true, skipping_prev: true } });
    const { device: _device, repeat_state, shuffle_state, smart_shuffle, ...playing } = json;
    assert.deepEqual([repeat_state, shuffle_state, smart_shuffle], ['off', false, false]);
    assert.deepEqual((await world.call('GET', '/me/player/currently-playing')).json, playing);
  }));

test('without an active device or in a private session, the player answers 204 without a body', () =>
  withProvider(async ({ provider, call, callerWith }) => {
    const guest = await callerWith(USUAL_SCOPES, 1);
    const player = provider.accounts[0]?.player;
    assert.ok(player);
    player.privateSession = true;
    for (const path of ['/me/player', '/me/player/currently-playing']) {
      for (const ask of [call, guest]) {
        const { status, text } = await ask('GET', path);
        assert.deepEqual({ status, text }, { status: 204, text: '' });
      }
    }
    assert.deepEqual((await guest('GET', '/me/player/devices')).json, { devices: [] });
  }));

test('playback follows the clock: after the end of a track the next one plays, and the first is in the history', () =>
  withProvider(async (world) => {
    const { provider, clock, call } = world;
    const [a, b] = provider.catalogue.tracks;
    assert.ok(a && b);
    await call('PUT', '/me/player/play', { uris: [a.uri, b.uri] });
    clock.move(5_000);
    assert.deepEqual(await heard(world), { uri: a.uri, at: 5_000, playing: true, device: 'Writing Desk' });
    clock.move(a.durationMs);
    assert.deepEqual(await heard(world), { uri: b.uri, at: 5_000, playing: true, device: 'Writing Desk' });
    const latest = (await call('GET', '/me/player/recently-played?limit=1')).json.items[0];
    assert.deepEqual([latest.track.uri, Date.parse(latest.played_at)], [a.uri, clock.now() - 5_000]);
    clock.move(b.durationMs);
    assert.deepEqual(await heard(world), { uri: a.uri, at: 0, playing: false, device: 'Writing Desk' });
  }));

test('with repeat, a context starts again after its end, and a track plays again and again', () =>
  withProvider(async (world) => {
    const { provider, clock, call } = world;
    const [a, b] = provider.catalogue.tracks;
    const player = provider.accounts[0]?.player;
    assert.ok(a && b && player);
    await call('PUT', '/me/player/play', { uris: [a.uri, b.uri] });
    player.repeat = 'context';
    clock.move(a.durationMs + b.durationMs + 1_000);
    assert.deepEqual(await heard(world), { uri: a.uri, at: 1_000, playing: true, device: 'Writing Desk' });
    player.repeat = 'track';
    clock.move(a.durationMs * 2);
    assert.equal((await heard(world)).uri, a.uri);
  }));

test('play resumes and pause stops; each is refused when there is nothing to do', () =>
  withProvider(async (world) => {
    const { clock, call } = world;
    assert.deepEqual((await call('PUT', '/me/player/pause')).json, RESTRICTION);
    assert.ok((await call('PUT', '/me/player/play')).status < 300);
    assert.deepEqual((await call('PUT', '/me/player/play')).json, RESTRICTION);
    clock.move(2_000);
    assert.ok((await call('PUT', '/me/player/pause')).status < 300);
    clock.move(9_000);
    assert.equal((await heard(world)).at, 63_000);
  }));

test('commands alternate between 204 and 200 with a text that is not JSON', () =>
  withProvider(async ({ call }) => {
    const seen = [];
    for (let n = 0; n < 4; n += 1) {
      const { status, text, json } = await call('PUT', `/me/player/volume?volume_percent=${n}`);
      seen.push([status, text.length > 0, json]);
    }
    assert.deepEqual(seen, [
      [204, false, undefined],
      [200, true, undefined],
      [204, false, undefined],
      [200, true, undefined],
    ]);
  }));

test('a context plays from its start, from a position, and from a URI', () =>
  withProvider(async (world) => {
    const { provider, call } = world;
    const playlist = named({ provider }, 'Exactly Two Hundred');
    const context_uri = `spotify:playlist:${playlist.id}`;
    const play = (rest: object) => call('PUT', '/me/player/play', { context_uri, ...rest });
    await play({});
    assert.equal((await heard(world)).uri, playlist.rows[0]?.uri);
    await play({ offset: { position: 7 }, position_ms: 1_500 });
    const atSeven = await heard(world);
    assert.deepEqual([atSeven.uri, atSeven.at], [playlist.rows[7]?.uri, 1_500]);
    await play({ offset: { uri: playlist.rows[9]?.uri } });
    assert.equal((await heard(world)).uri, playlist.rows[9]?.uri);
    assert.equal((await call('GET', '/me/player')).json.context.uri, context_uri);
  }));

test('albums, artists, saved tracks and episodes can be played too', () =>
  withProvider(async (world) => {
    const { provider, call } = world;
    const { albums, episodes, artists } = provider.catalogue;
    await call('PUT', '/me/player/play', { context_uri: albums[3]?.uri });
    assert.equal((await heard(world)).uri, albums[3]?.tracks[0]?.uri);
    await call('PUT', '/me/player/play', { context_uri: 'spotify:user:demo.listener:collection' });
    assert.equal((await heard(world)).uri, provider.accounts[0]?.saved[0]?.uri);
    await call('PUT', '/me/player/play', { context_uri: artists[0]?.uri });
    const { item } = (await call('GET', '/me/player')).json;
    assert.ok(item.artists.some((one: { id: string }) => one.id === artists[0]?.id));
    await call('PUT', '/me/player/play', { uris: [episodes[0]?.uri] });
    const plain = (await call('GET', '/me/player')).json;
    assert.deepEqual([plain.item, plain.currently_playing_type], [null, 'episode']);
    assert.equal((await heard(world)).uri, episodes[0]?.uri);
  }));

const UNKNOWN = `spotify:track:${'0'.repeat(22)}`;

/** Bodies of `play` that are refused; ARTIST and TRACK stand for existing ones. */
const BAD_PLAYS: [object, number, unknown][] = [
  [{ context_uri: 'ARTIST', offset: { position: 1 } }, 400, "Can't have offset for context type: ARTIST"],
  [{ context_uri: 'ARTIST', uris: ['TRACK'] }, 400, 'Only one of context_uri and uris is allowed'],
  [{ context_uri: 'nonsense' }, 400, 'Invalid context uri'],
  [{ context_uri: `spotify:album:${'0'.repeat(22)}` }, 404, 'Resource not found'],
  [{ uris: ['spotify:track:x'] }, 400, 'Invalid track uri: spotify:track:x'],
  [{ uris: Array(101).fill('TRACK') }, 413, 'Request entity too large'],
  [{ uris: ['TRACK'], position_ms: -1 }, 400, 'Invalid position_ms'],
  [{ uris: [UNKNOWN] }, 403, 'Player command failed: Restriction violated'],
  [{ uris: ['TRACK'], offset: { position: 5 } }, 403, 'Player command failed: Restriction violated'],
];

for (const [body, status, message] of BAD_PLAYS) {
  test(`play ${JSON.stringify(body).slice(0, 70)} is refused and nothing changes`, () =>
    withProvider(async (world) => {
      const before = await heard(world);
      const { catalogue } = world.provider;
      const text = JSON.stringify(body)
        .replaceAll('ARTIST', catalogue.artists[0]?.uri ?? '')
        .replaceAll('TRACK', catalogue.tracks[0]?.uri ?? '');
      const { json } = await world.call('PUT', '/me/player/play', JSON.parse(text));
      assert.deepEqual([json.error.status, json.error.message], [status, message]);
      assert.deepEqual(await heard(world), before);
    }));
}

test('next and previous move by one, also mid-track, and are refused at the ends', () =>
  withProvider(async (world) => {
    const { call, clock } = world;
    const [a = '', b = ''] = tracks(world, 2);
    await call('PUT', '/me/player/play', { uris: [a, b] });
    assert.deepEqual((await call('POST', '/me/player/previous')).json, RESTRICTION);
    assert.ok((await call('POST', '/me/player/next')).status < 300);
    clock.move(40_000);
    assert.equal((await heard(world)).uri, b);
    assert.deepEqual((await call('POST', '/me/player/next')).json, RESTRICTION);
    await call('POST', '/me/player/previous');
    assert.deepEqual(await heard(world), { uri: a, at: 0, playing: true, device: 'Writing Desk' });
    assert.equal((await call('GET', '/me/player/recently-played')).json.items[0].track.uri, b);
  }));

test('seek moves within the track, or to the next one past its end', () =>
  withProvider(async (world) => {
    const { call } = world;
    const rows = named(world, 'Morning Ferry').rows;
    await call('PUT', '/me/player/seek?position_ms=5000');
    assert.deepEqual(await heard(world), {
      uri: rows[0]?.uri,
      at: 5_000,
      playing: false,
      device: 'Writing Desk',
    });
    await call('PUT', '/me/player/seek?position_ms=0');
    assert.equal((await heard(world)).at, 0);
    await call('PUT', '/me/player/seek?position_ms=99999999');
    assert.deepEqual(await heard(world), {
      uri: rows[1]?.uri,
      at: 0,
      playing: false,
      device: 'Writing Desk',
    });
    assert.equal((await call('PUT', '/me/player/seek')).status, 400);
    assert.equal((await call('PUT', '/me/player/seek?position_ms=-1')).status, 400);
  }));

test('the volume is set if the device allows it', () =>
  withProvider(async (world) => {
    const { call } = world;
    const phone = device(world, 'Pocket Phone').id;
    await call('PUT', '/me/player/volume?volume_percent=7');
    assert.equal((await call('GET', '/me/player')).json.device.volume_percent, 7);
    assert.deepEqual(
      (await call('PUT', `/me/player/volume?volume_percent=7&device_id=${phone}`)).json,
      failed(403, 'Cannot control device volume', 'VOLUME_CONTROL_DISALLOW'),
    );
    for (const bad of ['', '?volume_percent=101', '?volume_percent=-1', '?volume_percent=loud']) {
      assert.equal((await call('PUT', `/me/player/volume${bad}`)).status, 400, bad);
    }
  }));

test('what is queued plays next, in the order in which it was queued, and then the rest continues', () =>
  withProvider(async (world) => {
    const { call, provider } = world;
    const rest = named({ provider }, 'Morning Ferry')
      .rows.slice(1)
      .map(({ uri }) => uri);
    const [one = '', two = ''] = tracks({ provider }, 30)
      .filter((uri) => !rest.includes(uri))
      .slice(-2);
    const coming = async (): Promise<string[]> => {
      const { json } = await call('GET', '/me/player/queue');
      assert.equal(json.currently_playing.uri, (await heard(world)).uri);
      return json.queue.map(({ uri }: { uri: string }) => uri);
    };
    assert.deepEqual(await coming(), rest.slice(0, 20));
    for (const uri of [one, two]) {
      assert.ok((await call('POST', `/me/player/queue?uri=${encodeURIComponent(uri)}`)).status < 300);
    }
    assert.deepEqual(await coming(), [one, two, ...rest].slice(0, 20));
    await call('POST', '/me/player/next');
    await call('POST', `/me/player/queue?uri=${one}`);
    assert.equal((await heard(world)).uri, one);
    assert.deepEqual((await coming()).slice(0, 3), [two, one, rest[0]]);
    assert.equal((await call('POST', '/me/player/queue')).status, 400);
    assert.equal((await call('POST', '/me/player/queue?uri=spotify:track:nonsense')).status, 400);
  }));

test('without an active device the queue is empty', () =>
  withProvider(async ({ call, provider }) => {
    const { player } = provider.accounts[0] ?? assert.fail();
    player.deviceId = null;
    assert.deepEqual((await call('GET', '/me/player/queue')).json, { currently_playing: null, queue: [] });
  }));

test('shuffle and repeat are kept, and a repeated track starts again', () =>
  withProvider(async (world) => {
    const { call, clock, provider } = world;
    await call('PUT', '/me/player/shuffle?state=true');
    await call('PUT', '/me/player/repeat?state=track');
    const { json } = await call('GET', '/me/player');
    assert.deepEqual([json.shuffle_state, json.repeat_state], [true, 'track']);
    await call('PUT', '/me/player/play');
    const before = (await heard(world)).uri;
    const track = provider.catalogue.trackByUri.get(before) ?? assert.fail();
    clock.move(track.durationMs);
    assert.deepEqual([(await heard(world)).uri, (await heard(world)).at], [before, 61_000]);
    for (const path of ['shuffle', 'shuffle?state=maybe', 'repeat', 'repeat?state=on']) {
      assert.equal((await call('PUT', `/me/player/${path}`)).status, 400, path);
    }
  }));

test('a transfer keeps playback paused or playing unless it says to play', () =>
  withProvider(async (world) => {
    const { call } = world;
    const to = (name: string, rest = {}) => {
      return call('PUT', '/me/player', { device_ids: [device(world, name).id], ...rest });
    };
    assert.ok((await to('Kitchen Speaker')).status < 300);
    assert.deepEqual([(await heard(world)).device, (await heard(world)).playing], ['Kitchen Speaker', false]);
    await to('Pocket Phone', { play: true });
    assert.deepEqual([(await heard(world)).device, (await heard(world)).playing], ['Pocket Phone', true]);
    await to('Kitchen Speaker', { play: false });
    assert.equal((await heard(world)).playing, true);
    assert.deepEqual((await to('Hall Screen')).json, failed(403, 'Restricted device', 'UNKNOWN'));
    assert.equal((await call('PUT', '/me/player', { device_ids: ['a', 'b'] })).status, 400);
    assert.equal((await call('PUT', '/me/player', { device_ids: ['a'] })).status, 404);
  }));

test('a sleeping device is not listed and takes no command until playback is transferred to it', () =>
  withProvider(async (world) => {
    const { call } = world;
    const phone = device(world, 'Pocket Phone');
    phone.asleep = true;
    const names = async () => {
      return (await call('GET', '/me/player/devices')).json.devices.map((one: { name: string }) => one.name);
    };
    assert.deepEqual(await names(), ['Writing Desk', 'Kitchen Speaker', 'Hall Screen']);
    const refused = await call('PUT', `/me/player/play?device_id=${phone.id}`);
    assert.deepEqual(refused.json, errorBody(404, 'Device not found'));
    await call('PUT', '/me/player', { device_ids: [phone.id] });
    assert.ok((await call('PUT', `/me/player/play?device_id=${phone.id}`)).status < 300);
    assert.equal((await heard(world)).device, 'Pocket Phone');
  }));

/** Every command, for the rules that apply to all commands. */
const COMMANDS: [string, string][] = [
  ['PUT', '/me/player/play'],
  ['PUT', '/me/player/pause'],
  ['POST', '/me/player/next'],
  ['POST', '/me/player/previous'],
  ['PUT', '/me/player/seek?position_ms=1'],
  ['PUT', '/me/player/volume?volume_percent=1'],
  ['PUT', '/me/player/shuffle?state=true'],
  ['PUT', '/me/player/repeat?state=off'],
];

for (const [method, path] of COMMANDS) {
  test(`${method} ${path} needs Premium and a device that accepts commands`, () =>
    withProvider(async (world) => {
      const { provider, call } = world;
      const account = provider.accounts[0];
      assert.ok(account);
      const onDevice = async (id: string) => {
        return (await call(method, `${path}${path.includes('?') ? '&' : '?'}device_id=${id}`)).json;
      };
      const restricted = failed(403, 'Restricted device', 'UNKNOWN');
      assert.deepEqual(await onDevice('nonsense'), errorBody(404, 'Device not found'));
      assert.deepEqual(await onDevice(device(world, 'Hall Screen').id), restricted);
      account.player.deviceId = null;
      const idle = failed(404, 'No active device found', 'NO_ACTIVE_DEVICE');
      assert.deepEqual((await call(method, path)).json, idle);
      account.premium = false;
      const unpaid = failed(403, 'Premium required', 'PREMIUM_REQUIRED');
      assert.deepEqual((await call(method, path)).json, unpaid);
    }));
}
