import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, failureOf } from '../support/answers.ts';
import { at, owner, pluck } from '../support/entries.ts';
import { sent } from '../support/requests.ts';
import { trackShape } from '../support/shapes.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { playing, still } from './playing.ts';

type Args = Record<string, unknown>;

const STATE_READ = 'GET /me/player?additional_types=track,episode';

/** What get_playback_state answers after `playing`. */
function stateOf({ player, device, tracks }: ReturnType<typeof playing>) {
  return {
    active: true,
    is_playing: player.isPlaying,
    device: {
      id: device.id,
      name: device.name,
      type: device.type,
      is_active: true,
      is_restricted: false,
      is_private_session: false,
      volume_percent: device.volumePercent,
      supports_volume: true,
    },
    repeat_state: 'off',
    shuffle_state: false,
    progress_ms: player.positionMs,
    item_type: 'track',
    item: trackShape(at(tracks, player.index)),
    context: null,
    disallows: [player.isPlaying ? 'resuming' : 'pausing'],
  };
}

test('play resumes what was paused, with nothing in the request', () =>
  withRelay(still(), async (relay) => {
    const { player, device } = playing(relay, { isPlaying: false });
    assert.deepEqual(await relay.call('play'), { ok: true });
    assert.deepEqual([player.isPlaying, player.positionMs, player.deviceId], [true, 10_000, device.id]);
    assert.deepEqual(sent(relay), ['PUT /me/player/play']);
  }));

interface Start {
  what: string;
  args(relay: Relay): Args;
  body(relay: Relay): unknown;
  /** The URI of the track that plays then. */
  uri(relay: Relay): string | undefined;
  positionMs?: number;
}

const album = ({ provider }: Relay) => {
  const found = provider.catalogue.albums.find(({ tracks }) => tracks.length > 3);
  if (!found) throw new Error('no album of more than three tracks');
  return found;
};
const trackAt = ({ provider }: Relay, index: number) => at(provider.catalogue.tracks, index);
const collection = ({ provider }: Relay) => `spotify:user:${owner(provider).id}:collection`;

const starts: Start[] = [
  {
    what: 'tracks as ID, URI and link, in order',
    args: (relay) => ({
      uris: [
        trackAt(relay, 7).id,
        trackAt(relay, 8).uri,
        `https://open.spotify.com/intl-de/track/${trackAt(relay, 9).id}?si=abc`,
      ],
    }),
    body: (relay) => ({ uris: [7, 8, 9].map((index) => trackAt(relay, index).uri) }),
    uri: (relay) => trackAt(relay, 7).uri,
  },
  {
    what: 'the second of several tracks, from its fifth second',
    args: (relay) => ({
      uris: [trackAt(relay, 7).uri, trackAt(relay, 8).uri],
      offset: { position: 1 },
      position_ms: 5_000,
    }),
    body: (relay) => ({
      position_ms: 5_000,
      uris: [trackAt(relay, 7).uri, trackAt(relay, 8).uri],
      offset: { position: 1 },
    }),
    uri: (relay) => trackAt(relay, 8).uri,
    positionMs: 5_000,
  },
  {
    what: 'an album by its link',
    args: (relay) => ({ context_uri: `open.spotify.com/album/${album(relay).id}?si=x` }),
    body: (relay) => ({ context_uri: album(relay).uri }),
    uri: (relay) => at(album(relay).tracks, 0).uri,
  },
  {
    what: 'an album from a position',
    args: (relay) => ({ context_uri: album(relay).uri, offset: { position: 2 } }),
    body: (relay) => ({ context_uri: album(relay).uri, offset: { position: 2 } }),
    uri: (relay) => at(album(relay).tracks, 2).uri,
  },
  {
    what: 'an album from a track, given as a link',
    args: (relay) => ({
      context_uri: album(relay).uri,
      offset: { uri: `https://open.spotify.com/track/${at(album(relay).tracks, 1).id}` },
    }),
    body: (relay) => ({ context_uri: album(relay).uri, offset: { uri: at(album(relay).tracks, 1).uri } }),
    uri: (relay) => at(album(relay).tracks, 1).uri,
  },
  {
    what: 'an artist',
    args: (relay) => ({ context_uri: at(relay.provider.catalogue.artists, 2).uri }),
    body: (relay) => ({ context_uri: at(relay.provider.catalogue.artists, 2).uri }),
    uri: ({ provider: { catalogue } }) => {
      const own = catalogue.tracks.filter(({ artists }) => artists.includes(at(catalogue.artists, 2)));
      return own.sort((a, b) => b.popularity - a.popularity)[0]?.uri;
    },
  },
  ...[
    'spotify:collection',
    'spotify:collection:tracks',
    'https://open.spotify.com/intl-de/collection/tracks?si=0000',
    null,
  ].map((short) => ({
    what: `the liked songs (${short ?? "with their owner's name"})`,
    args: (relay: Relay) => ({ context_uri: short ?? collection(relay) }),
    body: (relay: Relay) => ({ context_uri: collection(relay) }),
    uri: (relay: Relay) => at(owner(relay.provider).saved, 0).uri,
  })),
];

for (const { what, args, body, uri, positionMs = 0 } of starts) {
  test(`play starts ${what}`, () =>
    withRelay(still(), async (relay) => {
      const { player } = playing(relay);
      assert.deepEqual(await relay.call('play', args(relay)), { ok: true });
      assert.deepEqual(
        [player.queue[player.index], player.isPlaying, player.positionMs],
        [uri(relay), true, positionMs],
      );
      assert.deepEqual(sent(relay), [`PUT /me/player/play ${JSON.stringify(body(relay))}`]);
    }));
}

test('a refused play or pause that would change nothing succeeds, with the state that shows it', () =>
  withRelay(still(), async (relay) => {
    const world = playing(relay);
    const wanted = { ok: true, verified: true, state: stateOf(world) };
    assert.deepEqual(await relay.call('play', { device_id: world.device.id }), wanted);
    world.player.isPlaying = false;
    assert.deepEqual(await relay.call('pause'), { ...wanted, state: stateOf(world) });
    const play = `PUT /me/player/play?device_id=${world.device.id}`;
    assert.deepEqual(sent(relay), [play, STATE_READ, 'PUT /me/player/pause', STATE_READ]);
  }));

test('a refused pause during a private session does not pass for one that had nothing to pause', () =>
  withRelay(async (relay) => {
    const { player } = playing(relay);
    player.privateSession = true;
    relay.provider.faults.add({ ...restriction, path: '/me/player/pause' });
    assert.deepEqual(failureOf(await relay.call('pause')), {
      code: 'RESTRICTION_VIOLATED',
      message: 'The player refuses this in its current state.',
      remedy:
        'A private session is on, so Spotify hides what the player does. End the session in the Spotify app, or use the player there.',
      details: { status: 403, reason: 'UNKNOWN' },
    });
  }));

test('a refused play of several songs is not verified by the first of them if it plays in an album', () =>
  withRelay(still(), async (relay) => {
    const { player, queue, tracks } = playing(relay);
    player.contextUri = at(tracks, 1).album.uri;
    relay.provider.faults.add({ ...restriction, path: '/me/player/play', times: 2 });
    const uris = [at(queue, 1), at(queue, 0)];
    assert.equal(codeOf(await relay.call('play', { uris })), 'RESTRICTION_VIOLATED');
    assert.equal((await relay.call('play', { uris: uris.slice(0, 1) })).verified, true);
  }));

test('a refused pause with no active device succeeds too', () =>
  withRelay(async (relay) => {
    const { player } = playing(relay);
    const body = { error: { status: 403, message: 'Player command failed: Restriction violated' } };
    relay.provider.faults.add({ path: '/me/player/pause', kind: 'status', status: 403, body });
    player.deviceId = null;
    const answer = await relay.call('pause');
    assert.deepEqual(
      [answer.ok, answer.verified, (answer.state as { active: boolean }).active],
      [true, true, false],
    );
  }));

const restriction: FaultRule = {
  method: 'PUT',
  kind: 'status',
  status: 403,
  body: { error: { status: 403, message: 'Player command failed: Restriction violated', reason: 'UNKNOWN' } },
};

type Playing = ReturnType<typeof playing>;
const unmet: Array<[what: string, tool: string, isPlaying: boolean, args: (world: Playing) => Args]> = [
  ['nothing plays', 'play', false, () => ({})],
  ['another track plays', 'play', true, ({ queue }) => ({ uris: [at(queue, 0)] })],
  [
    'another track of the same list is wanted',
    'play',
    true,
    ({ queue }) => ({ uris: queue, offset: { uri: at(queue, 2) } }),
  ],
  ['it plays from another context', 'play', true, ({ tracks }) => ({ context_uri: at(tracks, 1).album.uri })],
  [
    'another place of the same album is wanted',
    'play',
    true,
    ({ tracks, player }) => {
      player.contextUri = at(tracks, 1).album.uri;
      return { context_uri: player.contextUri, offset: { position: 5 } };
    },
  ],
  ['it plays on another device', 'play', true, ({ devices }) => ({ device_id: at(devices, 2).id })],
  [
    'the songs are to play on an idle device',
    'play',
    true,
    ({ queue, devices }) => ({ uris: [at(queue, 0)], device_id: at(devices, 2).id }),
  ],
  ['it is at another place', 'play', true, () => ({ position_ms: 90_000 })],
  ['it plays on', 'pause', true, () => ({})],
];

const STATE = 'all get_playback_state: disallows lists what the player refuses right now.';

function remedyFor(args: Args): string {
  const idle = 'device_id' in args ? 'If that device is idle, call transfer_playback, then play again. ' : '';
  if (!('uris' in args) && !('context_uri' in args))
    return idle ? `${idle}Otherwise, c${STATE}` : `C${STATE}`;
  const within = 'offset' in args ? ' and contains the offset' : '';
  return `${idle}Check that the requested content exists${within}. If it does, c${STATE}`;
}

for (const [what, tool, isPlaying, args] of unmet) {
  test(`${tool} refused while ${what} is RESTRICTION_VIOLATED`, () =>
    withRelay(still(), async (relay) => {
      const world = playing(relay, { isPlaying });
      relay.provider.faults.add(restriction);
      assert.deepEqual(await relay.call(tool, args(world)), {
        error: {
          code: 'RESTRICTION_VIOLATED',
          message: 'The player refuses this in its current state.',
          remedy: remedyFor(args(world)),
          details: { status: 403, reason: 'UNKNOWN' },
        },
      });
      assert.deepEqual(sent(relay).slice(1), [STATE_READ]);
    }));
}

test('a refusal is reported as such if the state cannot be read', () =>
  withRelay(still(), async (relay) => {
    playing(relay);
    const path = '/me/player';
    for (const fault of [
      { path, kind: 'status', status: 500 },
      { path, kind: 'rate_limit', retryAfterSeconds: 60 },
    ] as const) {
      relay.provider.faults.add(restriction, { method: 'GET', ...fault });
      assert.equal(codeOf(await relay.call('pause')), 'RESTRICTION_VIOLATED', fault.kind);
    }
  }));

test('play is verified if the player already plays that track at that position', () =>
  withRelay(still(), async (relay) => {
    const { queue } = playing(relay);
    relay.provider.faults.add(restriction);
    const answer = await relay.call('play', { uris: queue, offset: { position: 1 }, position_ms: 9_000 });
    assert.deepEqual([answer.ok, answer.verified], [true, true]);
  }));

test('next_track and previous_track skip, even from the middle of a track', () =>
  withRelay(still(), async (relay) => {
    const { player, device } = playing(relay);
    assert.deepEqual(await relay.call('next_track'), { ok: true });
    assert.deepEqual([player.index, player.positionMs, player.isPlaying], [2, 0, true]);
    player.positionMs = 30_000;
    assert.deepEqual(await relay.call('previous_track', { device_id: device.id }), { ok: true });
    assert.deepEqual([player.index, player.positionMs, player.isPlaying], [1, 0, true]);
    assert.deepEqual(sent(relay), [
      'POST /me/player/next',
      `POST /me/player/previous?device_id=${device.id}`,
    ]);
  }));

test('with nothing to skip to the player refuses, and its state is not read', () =>
  withRelay(still(), async (relay) => {
    const { player } = playing(relay);
    player.index = 2;
    assert.equal(codeOf(await relay.call('next_track')), 'RESTRICTION_VIOLATED');
    player.index = 0;
    assert.equal(codeOf(await relay.call('previous_track')), 'RESTRICTION_VIOLATED');
    assert.equal(relay.provider.requests.length, 2);
  }));

test('seek, set_volume and transfer_playback return what they set', () =>
  withRelay(still(), async (relay) => {
    const { player, device, devices } = playing(relay);
    const speaker = at(devices, 2);
    assert.deepEqual(await relay.call('seek', { position_ms: 0 }), { ok: true, position_ms: 0 });
    assert.equal(player.positionMs, 0);
    const seek = { position_ms: 42_000, device_id: device.id };
    assert.deepEqual(await relay.call('seek', seek), { ok: true, position_ms: 42_000 });
    assert.equal(player.positionMs, 42_000);
    assert.deepEqual(await relay.call('set_volume', { volume_percent: 0 }), { ok: true, volume_percent: 0 });
    assert.equal(device.volumePercent, 0);
    const loud = { volume_percent: 100, device_id: speaker.id };
    assert.deepEqual(await relay.call('set_volume', loud), { ok: true, volume_percent: 100 });
    assert.deepEqual([device.volumePercent, speaker.volumePercent], [0, 100]);
    const there = { ok: true, device_id: speaker.id };
    assert.deepEqual(await relay.call('transfer_playback', { device_id: speaker.id }), there);
    assert.equal(player.deviceId, speaker.id);
    assert.deepEqual(sent(relay), [
      'PUT /me/player/seek?position_ms=0',
      `PUT /me/player/seek?position_ms=42000&device_id=${device.id}`,
      'PUT /me/player/volume?volume_percent=0',
      `PUT /me/player/volume?volume_percent=100&device_id=${speaker.id}`,
      `PUT /me/player {"device_ids":["${speaker.id}"]}`,
    ]);
  }));

test('transfer_playback wakes a device, and starts playing only if asked to', () =>
  withRelay(still(), async (relay) => {
    const { player, devices } = playing(relay, { isPlaying: false });
    const phone = at(devices, 1);
    phone.asleep = true;
    await relay.call('transfer_playback', { device_id: phone.id, play: false });
    assert.deepEqual([player.deviceId, phone.asleep, player.isPlaying], [phone.id, false, false]);
    await relay.call('transfer_playback', { device_id: phone.id, play: true });
    assert.equal(player.isPlaying, true);
    assert.deepEqual(pluck(relay.provider.requests, 'body'), [
      { device_ids: [phone.id], play: false },
      { device_ids: [phone.id], play: true },
    ]);
  }));
