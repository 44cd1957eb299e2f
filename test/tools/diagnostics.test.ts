import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { codeOf } from '../support/answers.ts';
import { at } from '../support/entries.ts';
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
    const [{ scope, blocked_until, reason } = {}] = await limits(relay);
    const end = iso(clock.now() + 86_207_000);
    assert.deepEqual([scope, blocked_until, reason], ['library.read', end, 'QUOTA_EXCEEDED']);
  }));

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
