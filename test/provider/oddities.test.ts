import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { codeOf } from '../support/answers.ts';
import { at, owner } from '../support/entries.ts';
import { type Relay, withRelay } from '../support/world.ts';

type Answer = Record<string, unknown>;

const TRACK = 'spotify:track:0000000000000000000001';
const EMPTY_TRACK = {
  id: null,
  uri: TRACK,
  type: 'track',
  name: '',
  artists: [],
  album: { id: null, name: null, release_date: null },
  duration_ms: null,
  explicit: null,
  is_local: false,
  isrc: null,
  url: null,
};
const EMPTY_DEVICE = {
  id: null,
  name: '',
  type: null,
  is_active: false,
  is_restricted: false,
  is_private_session: false,
  volume_percent: null,
  supports_volume: null,
};

const sparse: Array<[what: string, tool: string, args: Answer, body: unknown, expected: Answer]> = [
  ['a track with only a URI', 'get_track', { track_id: TRACK }, { uri: TRACK }, EMPTY_TRACK],
  [
    'a track whose fields are null',
    'get_track',
    { track_id: TRACK },
    { uri: TRACK, name: null, artists: [null, { id: null, name: null }], album: null, external_ids: null },
    { ...EMPTY_TRACK, artists: [{ id: null, name: '' }] },
  ],
  [
    'an artist with no more than a name',
    'get_artist',
    { artist_id: 'spotify:artist:0000000000000000000003' },
    { uri: 'spotify:artist:0000000000000000000003', name: 'A', genres: null },
    { id: null, uri: 'spotify:artist:0000000000000000000003', name: 'A', genres: null, url: null },
  ],
  [
    'a playlist with only an ID',
    'get_playlist',
    { playlist_id: '0000000000000000000004' },
    { id: '0000000000000000000004', owner: null, description: null, images: null, public: null },
    {
      id: '0000000000000000000004',
      uri: 'spotify:playlist:0000000000000000000004',
      name: '',
      description: null,
      public: null,
      collaborative: null,
      owner: { id: null, name: null },
      snapshot_id: null,
      total_items: null,
      url: null,
    },
  ],
  [
    'playlist rows without items',
    'get_playlist_tracks',
    { playlist_id: '0000000000000000000004' },
    { items: [null, {}, { item: null, added_at: null }, { track: { uri: TRACK } }], total: 4 },
    {
      items: [
        { position: 0, added_at: null, item_type: 'unknown', is_local: false, item: null },
        { position: 1, added_at: null, item_type: 'unknown', is_local: false, item: null },
        { position: 2, added_at: null, item_type: 'unknown', is_local: false, item: null },
        { position: 3, added_at: null, item_type: 'track', is_local: false, item: EMPTY_TRACK },
      ],
      total: 4,
      limit: 50,
      offset: 0,
      next_offset: null,
    },
  ],
  [
    'devices with few fields',
    'get_devices',
    {},
    { devices: [null, {}, { id: null, name: 'TV', volume_percent: null, supports_volume: false }] },
    { devices: [EMPTY_DEVICE, { ...EMPTY_DEVICE, name: 'TV', supports_volume: false }] },
  ],
  [
    'a player state with almost no fields',
    'get_playback_state',
    {},
    { item: null, context: null, progress_ms: null, device: null, actions: null },
    {
      active: true,
      is_playing: false,
      device: null,
      repeat_state: null,
      shuffle_state: null,
      progress_ms: null,
      item_type: 'unknown',
      item: null,
      context: null,
      disallows: [],
    },
  ],
  [
    'a play without a context',
    'get_recently_played',
    {},
    { items: [{ track: { uri: TRACK }, played_at: '2026-01-01T00:00:00Z', context: null }], cursors: null },
    { items: [{ played_at: '2026-01-01T00:00:00Z', track: EMPTY_TRACK, context: null }], cursors: null },
  ],
];

for (const [what, tool, args, body, expected] of sparse) {
  test(`${what} gives nulls, not a failure`, () =>
    withRelay(async ({ call, provider }) => {
      provider.faults.add({ kind: 'status', status: 200, body });
      assert.deepEqual(await call(tool, args), expected);
    }));
}

test('a local file that is playing has its name and no ID', () =>
  withRelay(async ({ call, provider }) => {
    const { player, devices } = owner(provider);
    const queue = ['spotify:local:Kettle+Household::Kettle+Song:187'];
    Object.assign(player, { deviceId: at(devices, 0).id, queue, index: 0, isPlaying: false });
    const { item_type, item } = await call('get_currently_playing');
    const { id, name, is_local, uri } = item as Answer;
    assert.deepEqual([item_type, id, name, is_local, uri], ['track', null, 'Kettle Song', true, queue[0]]);
  }));

test('a wrong 401 to a new token costs no second refresh', () =>
  withRelay(async ({ provider, call }) => {
    const body = { error: { status: 401, message: 'No token provided' } };
    for (let n = 0; n < 3; n++) {
      provider.faults.add({ path: '/me/player', kind: 'status', status: 401, body });
      assert.equal(codeOf(await call('get_playback_state')), undefined);
    }
    assert.deepEqual(
      provider.requests.map(({ path, status }) => `${path} ${status}`),
      [
        ...['/me/player 401', '/api/token 200', '/me/player 200'],
        ...['/me/player 401', '/me/player 200'],
        ...['/me/player 401', '/me/player 200'],
      ],
    );
  }));

test('after a mistaken PREMIUM_REQUIRED the next attempt works, and the remedy says to try again', () =>
  withRelay(async ({ call, provider }) => {
    const error = { status: 403, message: 'Player command failed: Premium required' };
    provider.faults.add({ path: '/me/player/next', kind: 'status', status: 403, body: { error } });
    const answer = await call('next_track');
    assert.equal(codeOf(answer), 'PREMIUM_REQUIRED');
    assert.match((answer.error as { remedy: string }).remedy, /try again/);
    assert.deepEqual(await call('next_track'), { ok: true });
  }));

/** What must never be found in the error history. */
const HIDDEN = [
  'secret words',
  'secret+words',
  '0000invented0000track0',
  'BQtoken',
  'Invalid base62',
  'a whole page',
];

async function failInEveryWay({ call, provider }: Relay): Promise<void> {
  const words = (message: string) => ({ error: { status: 400, message } });
  const playlist_id = at(owner(provider).playlists, 0).id;
  provider.faults.add(
    { path: '/search', kind: 'status', status: 400, body: words('Bad query: secret words, Bearer BQtoken') },
    {
      path: /^\/tracks/,
      kind: 'status',
      status: 400,
      body: words('Invalid base62 id 0000invented0000track0'),
    },
    { path: /\/items$/, kind: 'status', status: 500, body: 'a whole page about 0000invented0000track0' },
    { path: /\/items$/, kind: 'status', status: 403, body: 'secret words', contentType: 'text/plain' },
    { path: '/me/player/devices', kind: 'status', status: 401, body: words('BQtoken is over') },
    { path: '/me/tracks', kind: 'quota', retryAfterSeconds: 3600 },
  );
  // Words in the place of a code, as gateways send them.
  provider.faults.add(
    { path: '/search', kind: 'status', status: 400, body: { error: 'Not found: /search?q=secret+words' } },
    {
      path: '/me/top/tracks',
      kind: 'status',
      status: 403,
      body: { error: { status: 403, message: 'secret words', reason: 'no rights for secret words' } },
    },
  );
  await call('search_tracks', { query: 'secret words' });
  await call('search_tracks', { query: 'secret words' });
  await call('get_top_tracks');
  await call('get_track', { track_id: '0000invented0000track0' });
  await call('get_playlist_tracks', { playlist_id });
  await call('get_playlist_tracks', { playlist_id });
  await call('get_devices');
  await call('get_saved_tracks');
}

test('the error history holds no ID, no query, no token and none of the provider’s words', () =>
  withRelay(async (relay) => {
    await failInEveryWay(relay);
    const playlistId = at(owner(relay.provider).playlists, 0).id;
    const { items } = (await relay.call('get_recent_api_errors')) as { items: Answer[] };
    assert.deepEqual(
      items
        .map(({ method, path, status_code, code, reason }) => [method, path, status_code, code, reason])
        .sort(),
      [
        ['GET', '/me/player/devices', 401, 'PROVIDER_UNAVAILABLE', null],
        ['GET', '/me/top/tracks', 403, 'FORBIDDEN', null],
        ['GET', '/me/tracks', 429, 'QUOTA_EXCEEDED', 'QUOTA_EXCEEDED'],
        ['GET', '/playlists/{id}/items', 403, 'FORBIDDEN', null],
        ['GET', '/playlists/{id}/items', 500, 'PROVIDER_UNAVAILABLE', null],
        ['GET', '/search', 400, 'PROVIDER_INVALID_RESPONSE', null],
        ['GET', '/tracks/{id}', 400, 'INVALID_ARGUMENT', null],
      ],
    );
    await relay.restart();
    const kept = await readFile(join(relay.home, 'relay.db'), 'latin1');
    for (const hidden of [...HIDDEN, playlistId]) {
      assert.ok(!JSON.stringify(items).includes(hidden), `the history shows ${hidden}`);
      assert.ok(!kept.includes(hidden), `the state file holds ${hidden}`);
    }
  }));

test('the caller gets the provider’s message about a refused argument', () =>
  withRelay(async ({ call, provider }) => {
    const long = 'x'.repeat(5_000);
    for (const [body, shown] of [
      [{ error: { status: 400, message: 'Invalid limit' } }, 'Invalid limit'],
      [{ error: { status: 400, message: long } }, `${'x'.repeat(299)}…`],
    ] as const) {
      provider.faults.add({ path: '/search', kind: 'status', status: 400, body });
      const { message } = (await call('search_tracks', { query: 'x' })).error as { message: string };
      assert.equal(message, `Spotify refused the request (400): ${shown}.`);
    }
  }));
