import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { codeOf } from '../support/answers.ts';
import { at } from '../support/entries.ts';
import { longTest } from '../support/scale.ts';
import { until, withClock } from '../support/waiting.ts';
import { type Relay, withRelay } from '../support/world.ts';

type Args = Record<string, unknown>;
interface Diagnostics {
  database: Args;
  counts: Args;
  requests_24h: Args;
  uptime_seconds: number;
}
interface Rows {
  items: Args[];
}

const iso = (time: number) => new Date(time).toISOString();
const diagnose = async ({ call }: Relay) => (await call('get_state_diagnostics')) as unknown as Diagnostics;
const limits = async ({ call }: Relay, args: Args = {}) =>
  ((await call('get_rate_limit_status', args)) as unknown as Rows).items;
const errors = async ({ call }: Relay, args: Args = {}) =>
  ((await call('get_recent_api_errors', args)) as unknown as Rows).items;
/** The rows without `id`, whose values a test cannot know. */
const described = (items: Args[]) => items.map(({ id: _, ...rest }) => rest);

test('diagnostic tools send nothing to Spotify and work without an account', () =>
  withRelay({ connect: false }, async (relay) => {
    assert.deepEqual(await limits(relay), []);
    assert.deepEqual(await errors(relay), []);
    assert.deepEqual((await diagnose(relay)).requests_24h, {});
    assert.deepEqual(relay.provider.requests, []);
  }));

test('get_state_diagnostics reports the state file: health and contents', () =>
  withClock(async (relay, clock) => {
    const { database } = await relay.server.local.status();
    const track = at(relay.provider.catalogue.tracks, 3);
    clock.advance(90_500);
    await relay.call('remember_track', { track_id: track.uri });
    const savedAt = iso(clock.now());
    await relay.call('get_track', { track_id: '0000invented0000track0' });
    assert.deepEqual(await diagnose(relay), {
      database: {
        status: 'ok',
        schema_version: database.schemaVersion,
        size_bytes: (await stat(join(relay.home, 'relay.db'))).size,
        last_saved_at: savedAt,
        unsaved_changes: true,
      },
      counts: {
        tracks: 1,
        aliases: 1,
        jobs: {},
        job_items: 0,
        api_errors: 1,
        unresolved_errors: 1,
        oauth_clients: 0,
        oauth_tokens: 0,
      },
      requests_24h: { tracks: 2 },
      uptime_seconds: 90,
    });
    await clock.pass(500);
    let after = await diagnose(relay);
    await until(async () => {
      after = await diagnose(relay);
      return !after.database.unsaved_changes;
    });
    assert.deepEqual(
      [after.database.last_saved_at, after.database.unsaved_changes],
      [iso(clock.now()), false],
    );
  }));

longTest('get_state_diagnostics counts unresolved errors separately, and the time since the last start', () =>
  withClock(async (relay, clock) => {
    await relay.call('get_track', { track_id: '0000invented0000track0' });
    await relay.call('get_track', { track_id: at(relay.provider.catalogue.tracks, 0).id });
    clock.advance(7_000);
    await relay.restart();
    clock.advance(61_999);
    const { counts, requests_24h, uptime_seconds } = await diagnose(relay);
    assert.deepEqual([counts.api_errors, counts.unresolved_errors], [1, 0]);
    assert.deepEqual([requests_24h, uptime_seconds], [{ tracks: 2 }, 61]);
    clock.advance(24 * 3600_000);
    assert.deepEqual((await diagnose(relay)).requests_24h, {});
    // Somebody sets the computer's clock back.
    clock.setWall(clock.now() - 7 * 24 * 3600_000);
    assert.equal((await diagnose(relay)).uptime_seconds, 24 * 3600 + 61);
  }),
);

test('get_rate_limit_status reports what is blocked, until when, and what is not', () =>
  withClock(async (relay, clock) => {
    const start = clock.now();
    await relay.call('get_track', { track_id: at(relay.provider.catalogue.tracks, 0).id });
    relay.provider.faults.add({ path: '/search', kind: 'rate_limit', retryAfterSeconds: 30 });
    assert.equal(codeOf(await relay.call('search_tracks', { query: 'x' })), 'RATE_LIMITED');
    const search = {
      provider: 'spotify',
      scope: 'search',
      blocked: true,
      blocked_until: iso(start + 30_000),
      remaining_seconds: 30,
      reason: null,
      last_status: 429,
      requests_24h: 1,
    };
    const tracks = {
      provider: 'spotify',
      scope: 'tracks',
      blocked: false,
      blocked_until: null,
      remaining_seconds: 0,
      reason: null,
      last_status: null,
      requests_24h: 1,
    };
    assert.deepEqual(await limits(relay), [search, tracks]);
    assert.deepEqual(await limits(relay, { provider: 'spotify', scope: 'search' }), [search]);
    assert.deepEqual(await limits(relay, { scope: 'tracks' }), [tracks]);
    assert.deepEqual(await limits(relay, { provider: 'another' }), []);
    clock.advance(10_400);
    assert.deepEqual(await limits(relay, { scope: 'search' }), [{ ...search, remaining_seconds: 20 }]);
    await relay.restart();
    assert.deepEqual(await limits(relay), [{ ...search, remaining_seconds: 20 }, tracks]);
    clock.advance(19_600);
    const free = { ...search, blocked: false, blocked_until: null, remaining_seconds: 0 };
    assert.deepEqual(await limits(relay, { scope: 'search' }), [free]);
    clock.advance(24 * 3600_000);
    assert.deepEqual(await limits(relay), [{ ...free, requests_24h: 0 }]);
  }));

test('a used-up quota is named as the reason', () =>
  withClock(async (relay, clock) => {
    relay.provider.faults.add({ path: '/me/tracks', kind: 'quota', retryAfterSeconds: 86_207 });
    assert.equal(codeOf(await relay.call('get_saved_tracks')), 'QUOTA_EXCEEDED');
    assert.deepEqual(await limits(relay), [
      {
        provider: 'spotify',
        scope: 'library.read',
        blocked: true,
        blocked_until: iso(clock.now() + 86_207_000),
        remaining_seconds: 86_207,
        reason: 'QUOTA_EXCEEDED',
        last_status: 429,
        requests_24h: 1,
      },
    ]);
  }));

longTest('requests are counted by kind, including refused ones but not those never sent', () =>
  withClock(async (relay) => {
    const { call, provider } = relay;
    const playlist_id = at(provider.accounts[0]?.playlists ?? [], 0).id;
    const track_ids = provider.catalogue.tracks.slice(0, 81).map(({ id }) => id);
    const artist = at(provider.catalogue.artists, 0).id;
    await call('search_tracks', { query: 'x', limit: 1 });
    await call('get_track', { track_id: '0000invented0000track0' });
    await call('get_artist', { artist_id: artist });
    await call('get_playlist_tracks', { playlist_id });
    await call('add_tracks_to_playlist', { playlist_id, track_ids: track_ids.slice(0, 1) });
    await call('save_tracks', { track_ids });
    await call('check_saved_tracks', { track_ids: track_ids.slice(0, 41) });
    await call('get_saved_tracks');
    await call('get_top_artists');
    await call('get_recently_played');
    await call('pause');
    await call('seek', { position_ms: -1 });
    assert.deepEqual((await diagnose(relay)).requests_24h, {
      artists: 1,
      'library.read': 3,
      'library.write': 3,
      player: 2,
      'playlists.read': 3,
      'playlists.write': 1,
      recently_played: 1,
      search: 1,
      top: 1,
      tracks: 1,
    });
  }),
);

longTest('get_recent_api_errors has one row for each kind of error, with its times', () =>
  withClock(async (relay, clock) => {
    const { call, provider } = relay;
    const start = clock.now();
    await call('get_track', { track_id: '0000invented0000track0' });
    clock.advance(60_000);
    await call('get_track', { track_id: '0000invented0000track1' });
    clock.advance(60_000);
    provider.faults.add({ path: '/me/player/devices', kind: 'status', status: 500 });
    await call('get_devices');
    const notFound = {
      provider: 'spotify',
      scope: 'tracks',
      method: 'GET',
      path: '/tracks/{id}',
      status_code: 404,
      code: 'NOT_FOUND',
      reason: null,
      message: 'Spotify cannot find this item.',
      occurrences: 2,
      first_seen_at: iso(start),
      last_seen_at: iso(start + 60_000),
      resolved_at: null,
    };
    const server = {
      provider: 'spotify',
      scope: 'player',
      method: 'GET',
      path: '/me/player/devices',
      status_code: 500,
      code: 'PROVIDER_UNAVAILABLE',
      reason: null,
      message: 'Spotify answered with a server error (500).',
      occurrences: 1,
      first_seen_at: iso(start + 120_000),
      last_seen_at: iso(start + 120_000),
      resolved_at: null,
    };
    assert.deepEqual(described(await errors(relay)), [server, notFound]);
    assert.deepEqual(described(await errors(relay, { limit: 1 })), [server]);
    assert.deepEqual(described(await errors(relay, { status_code: 404 })), [notFound]);
    assert.deepEqual(described(await errors(relay, { provider: 'spotify' })), [server, notFound]);
    assert.deepEqual(await errors(relay, { provider: 'another' }), []);
    assert.equal(new Set((await errors(relay)).map(({ id }) => id)).size, 2);

    clock.advance(60_000);
    await call('get_playback_state');
    await call('get_track', { track_id: at(provider.catalogue.tracks, 0).id });
    const resolved = { ...notFound, resolved_at: iso(start + 180_000) };
    assert.deepEqual(described(await errors(relay, { unresolved_only: true })), [server]);
    await relay.restart();
    assert.deepEqual(described(await errors(relay)), [server, resolved]);

    clock.advance(60_000);
    await call('get_track', { track_id: '0000invented0000track2' });
    const reopened = { ...notFound, occurrences: 3, last_seen_at: iso(start + 240_000) };
    assert.deepEqual(described(await errors(relay)), [reopened, server]);
  }),
);

test('the error of an access token that has lapsed does not call it new', () =>
  withClock(async (relay, clock) => {
    const time = iso(clock.now());
    relay.provider.expireAccessTokens();
    await relay.call('get_devices');
    assert.deepEqual(described(await errors(relay)), [
      {
        provider: 'spotify',
        scope: 'player',
        method: 'GET',
        path: '/me/player/devices',
        status_code: 401,
        code: 'PROVIDER_UNAVAILABLE',
        reason: null,
        message: 'Spotify refused the access token.',
        occurrences: 1,
        first_seen_at: time,
        last_seen_at: time,
        resolved_at: time,
      },
    ]);
  }));

longTest(
  'a list of errors that is too long ends early, and says how many there are and how to see others',
  () =>
    withRelay(async (relay) => {
      for (let status = 402; status < 499; status += 1) {
        if (status === 429) continue;
        relay.provider.faults.add({ path: '/me/playlists', kind: 'status', status });
        await relay.call('get_my_playlists');
      }
      const { items: fitting } = (await relay.call('get_recent_api_errors', {
        limit: 30,
      })) as unknown as Rows;
      assert.equal(fitting.length, 30);
      const long = await relay.call('get_recent_api_errors', { limit: 90 });
      const { items } = long as unknown as Rows;
      assert.ok(items.length >= 30, `${items.length} rows`);
      assert.deepEqual(items.slice(0, 30), fitting);
      assert.equal(
        long.note,
        `Ended after ${items.length} of 90 rows: an answer holds 10,000 characters. To see others, pass status_code or unresolved_only.`,
      );
    }),
);

test('the filters accept only meaningful values', () =>
  withClock(async (relay) => {
    const bad: Array<[string, Args]> = [
      ['get_recent_api_errors', { limit: 0 }],
      ['get_recent_api_errors', { limit: 101 }],
      ['get_recent_api_errors', { status_code: 42 }],
      ['get_rate_limit_status', { scope: '' }],
      ['get_state_diagnostics', { all: true }],
    ];
    for (const [tool, args] of bad) assert.equal(codeOf(await relay.call(tool, args)), 'INVALID_ARGUMENT');
  }));

test('get_artist_top_tracks says that Spotify has removed the endpoint, and sends no request', () =>
  withRelay(async ({ client, provider }) => {
    for (const artist_id of [at(provider.catalogue.artists, 0).id, 'spotify:artist:0000invented0000artist']) {
      const result = await client.callTool({ name: 'get_artist_top_tracks', arguments: { artist_id } });
      assert.notEqual(result.isError, true);
      const { message, alternative, ...rest } = result.structuredContent as Args;
      assert.deepEqual(rest, { supported: false, reason: 'endpoint_removed' });
      assert.match(String(message), /removed/);
      const { tool, hint } = alternative as Args;
      assert.equal(tool, 'search_tracks');
      assert.match(String(hint), /artist:.*detail full/);
    }
    const wrong = await client.callTool({
      name: 'get_artist_top_tracks',
      arguments: { artist_id: 'spotify:track:0000invented0000track0' },
    });
    assert.equal(codeOf(wrong.structuredContent as Args), 'INVALID_ARGUMENT');
    assert.deepEqual(provider.requests, []);
  }));
