import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from '../support/answers.ts';
import { assertNone, at, owner, pluck } from '../support/entries.ts';
import { cardsOf, signIn } from '../support/ownerBrowser.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { type Relay, withRelay } from '../support/world.ts';

type Args = Record<string, unknown>;

const devicesOf = ({ provider }: Relay) => owner(provider).devices;

async function errorsOnPage(relay: Relay): Promise<string> {
  const { errors = '' } = await cardsOf(relay, { 'x-relay-owner': await signIn(relay) }, 'diagnostics');
  return errors;
}

/** Every command with arguments that it takes. */
const commands: Array<[tool: string, args: (relay: Relay) => Args]> = [
  ['play', ({ provider }) => ({ uris: [at(provider.catalogue.tracks, 0).id] })],
  ['pause', () => ({})],
  ['next_track', () => ({})],
  ['previous_track', () => ({})],
  ['seek', () => ({ position_ms: 1 })],
  ['set_volume', () => ({ volume_percent: 10 })],
  ['transfer_playback', (relay) => ({ device_id: at(devicesOf(relay), 0).id })],
];

const acceptances: Array<[what: string, rule: FaultRule]> = [
  ['204', { kind: 'status', status: 204, body: '' }],
  ['an empty 200', { kind: 'status', status: 200, body: '' }],
  [
    'an opaque 200 that claims to be JSON',
    { kind: 'status', status: 200, body: 'oPClBVDz', contentType: 'application/json' },
  ],
  ['202', { kind: 'status', status: 202, body: 'accepted' }],
];

for (const [what, rule] of acceptances) {
  test(`every command accepts ${what} as success`, () =>
    withRelay(async (relay) => {
      relay.provider.faults.add({ ...rule, times: Number.POSITIVE_INFINITY });
      for (const [tool, args] of commands) {
        const answer = await relay.call(tool, args(relay));
        assert.deepEqual([answer.ok, answer.error], [true, undefined], tool);
      }
      assert.equal(relay.provider.requests.length, commands.length);
    }));
}

for (const [tool, args] of commands) {
  test(`${tool} whose answer is lost is not sent again, and says that it may have been done`, () =>
    withRelay(async (relay) => {
      relay.provider.faults.add(
        {
          path: /^\/me\/player/,
          kind: 'status',
          status: 502,
          body: 'Bad gateway.',
          contentType: 'text/plain',
        },
        { path: /^\/me\/player/, kind: 'drop', when: 'before' },
      );
      assert.deepEqual(failureOf(await relay.call(tool, args(relay))), {
        code: 'PROVIDER_UNAVAILABLE',
        message: 'Spotify answered with a server error (502).',
        remedy: 'The change may or may not have been made: read the current state before trying again.',
        details: { status: 502 },
      });
      const dropped = failureOf(await relay.call(tool, args(relay)));
      assert.equal(dropped.code, 'PROVIDER_UNAVAILABLE');
      assert.match(dropped.remedy, /may or may not/);
      assert.equal(relay.provider.requests.length, 2);
    }));
}

test('a 404 to a reading of the player means that no device is active, since the reading names none', () =>
  withRelay({ env: { RELAY_ACCESS: 'everything' } }, async (relay) => {
    const body = { error: { status: 404, message: 'non existing id' } };
    relay.provider.faults.add({ path: /^\/me\/player/, kind: 'status', status: 404, body, times: 3 });
    for (const tool of ['get_currently_playing', 'get_playback_state', 'get_queue']) {
      const { code, remedy } = failureOf(await relay.call(tool));
      assert.equal(code, 'NO_ACTIVE_DEVICE', tool);
      assert.match(remedy, /^Open Spotify on a device/);
    }
  }));

test('an unknown item to play or to queue is not reported as a missing device', () =>
  withRelay({ env: { RELAY_ACCESS: 'everything' } }, async (relay) => {
    for (const [context_uri, more] of [
      ['spotify:album:0000invented0000album0', ''],
      [
        'spotify:playlist:00invented0000playlist',
        " Apps can never read Spotify's own editorial and personalized playlists.",
      ],
    ]) {
      assert.deepEqual(failureOf(await relay.call('play', { context_uri })), {
        code: 'NOT_FOUND',
        message: 'Spotify cannot find this item.',
        remedy: `Check the ID.${more}`,
        details: { status: 404 },
      });
    }
    const body = { error: { status: 404, message: 'Resource not found' } };
    relay.provider.faults.add({ path: '/me/player/queue', kind: 'status', status: 404, body });
    const { code, remedy } = failureOf(await relay.call('add_to_queue', { uris: [TRACK] }));
    assert.equal(code, 'NOT_FOUND');
    assert.equal(remedy, 'Check the ID. An episode is given as spotify:episode:ID.');
  }));

test('a device without remote volume is VOLUME_NOT_SUPPORTED', () =>
  withRelay(async (relay) => {
    const phone = devicesOf(relay).find(
      ({ supportsVolume, isRestricted }) => !supportsVolume && !isRestricted,
    );
    const answer = await relay.call('set_volume', { volume_percent: 20, device_id: phone?.id });
    assert.deepEqual(failureOf(answer), {
      code: 'VOLUME_NOT_SUPPORTED',
      message: 'The volume of this device cannot be set remotely.',
      remedy:
        'Set the volume on the device itself, or choose one with supports_volume true from get_devices.',
      details: { status: 403, reason: 'VOLUME_CONTROL_DISALLOW' },
    });
    assert.equal(phone?.volumePercent, 100);
    // Such a phone is not a problem for the owner to solve.
    const { entries, recentErrors } = await relay.server.local.status();
    assert.deepEqual(pluck(recentErrors, 'code'), ['VOLUME_NOT_SUPPORTED']);
    assertNone(entries, ({ state }) => state === 'warning' || state === 'bad');
    assert.match(await errorsOnPage(relay), /No unresolved errors\./);
  }));

test('a free account is PREMIUM_REQUIRED for every command, after one request', () =>
  withRelay(async (relay) => {
    owner(relay.provider).premium = false;
    for (const [tool, args] of commands) {
      assert.equal(failureOf(await relay.call(tool, args(relay))).code, 'PREMIUM_REQUIRED', tool);
    }
    assert.equal(relay.provider.requests.length, commands.length);
  }));

const TRACK = 'spotify:track:0000000000000000000001';
const ALBUM = 'spotify:album:0000000000000000000002';
const ARTIST = 'spotify:artist:0000000000000000000003';

const bad: Array<[tool: string, args: Args, message: RegExp]> = [
  ['play', { context_uri: ALBUM, uris: [TRACK] }, /context_uri and uris cannot be combined/],
  ['play', { offset: { position: 1 } }, /offset needs context_uri or uris/],
  ['play', { context_uri: ARTIST, offset: { position: 1 } }, /offset cannot be used with an artist/],
  ['play', { context_uri: ALBUM, offset: { position: 1, uri: TRACK } }, /either position or uri/],
  [
    'play',
    { uris: [TRACK, TRACK], offset: { position: 2 } },
    /offset\.position must be less than the number of uris, 2/,
  ],
  [
    'play',
    { uris: [TRACK, TRACK], offset: { uri: '0000000000000000000002' } },
    /offset\.uri is not among uris/,
  ],
  ['play', { context_uri: ALBUM, offset: {} }, /either position or uri/],
  ['play', { context_uri: ALBUM, offset: { index: 1 } }, /Unknown argument "offset.index"/],
  ['play', { context_uri: ALBUM, offset: { position: -1 } }, /offset\.position: Too small/],
  ['play', { context_uri: ALBUM, offset: { uri: ALBUM } }, /is an album/],
  ['play', { uris: [] }, /uris: Too small/],
  ['play', { uris: Array.from({ length: 101 }, () => TRACK) }, /uris: Too big/],
  ['play', { uris: [TRACK, ALBUM] }, /uris\[1\].*is an album/],
  ['play', { context_uri: TRACK }, /context_uri: .*is a track/],
  ['play', { context_uri: '0000000000000000000002' }, /does not say what kind of item it is/],
  ['play', { uris: ['https://spotify.link/abc'] }, /short link/],
  ['play', { position_ms: -1 }, /position_ms: Too small/],
  ['pause', { device_id: '' }, /device_id: Too small/],
  ['seek', { position_ms: -1 }, /position_ms: Too small/],
  ['seek', { position_ms: 0.5 }, /position_ms/],
  ['seek', {}, /position_ms is missing/],
  ['set_volume', { volume_percent: -1 }, /volume_percent: Too small/],
  ['set_volume', { volume_percent: 101 }, /volume_percent: Too big/],
  ['transfer_playback', {}, /device_id is missing/],
  ['transfer_playback', { device_id: ['a', 'b'] }, /device_id: Invalid input: expected string/],
  ['next_track', { count: 2 }, /Unknown argument "count"/],
];

test('a refused context_uri is answered with what play takes there, which is no bare ID', () =>
  withRelay(async (relay) => {
    for (const context_uri of [TRACK, '0000000000000000000002', 'spotify:album:x', 'jazz']) {
      const { message, remedy } = failureOf(await relay.call('play', { context_uri }));
      assert.match(
        `${message} ${remedy}`,
        /(?:Give|Pass) (?:the URI|a URI),? such as spotify:album:…,? or (?:the|an open\.spotify\.com) link|Give the URI or link of an album, an artist, a playlist, a show or an audiobook/,
      );
      assert.doesNotMatch(`${message} ${remedy}`, /22-character|the ID/);
    }
  }));

test('unusable arguments are refused before anything is sent', () =>
  withRelay(async (relay) => {
    for (const [tool, args, message] of bad) {
      const failure = failureOf(await relay.call(tool, args));
      assert.equal(failure?.code, 'INVALID_ARGUMENT', String(message));
      assert.match(failure.message, message);
      assert.ok(failure.remedy.length > 10, String(message));
    }
    assert.deepEqual(relay.provider.requests, []);
  }));
