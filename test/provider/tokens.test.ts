import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createTokenSource, type StoredTokens } from '../../src/provider/account/tokenSource.ts';
import { createLimits } from '../../src/provider/http/limits.ts';
import { machineDisk } from '../../src/store/disk.ts';
import { testStore } from '../store/testStore.ts';
import { codeOf, failureOf } from '../support/answers.ts';
import { owner } from '../support/entries.ts';
import { send } from '../support/http.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { startSimulator } from '../support/simulator/simulator.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { gate, until, withClock } from '../support/waiting.ts';
import { connectAccount, type Relay, withRelay } from '../support/world.ts';
import { createJob, reach } from '../work/jobCalls.ts';

const TOKEN = /\/api\/token$/;
const refreshes = ({ provider }: Relay) => provider.requests.filter(({ path }) => TOKEN.test(path));
const authStatus = async ({ baseUrl }: Relay) => JSON.parse((await send(`${baseUrl}/auth/status`)).text);

test('an access token near its end is refreshed before it is used', () =>
  withClock(async (relay, clock) => {
    clock.advance(3600_000 - 60_000);
    assert.equal(codeOf(await relay.call('get_devices')), undefined);
    assert.deepEqual(
      relay.provider.requests.map(({ path, status }) => [path.replace(TOKEN, 'token'), status]),
      [
        ['token', 200],
        ['/me/player/devices', 200],
      ],
    );
  }));

test('twenty calls with an expired token refresh it once', () =>
  withRelay(async (relay) => {
    relay.provider.expireAccessTokens();
    const answers = await Promise.all(Array.from({ length: 20 }, () => relay.call('get_devices')));
    assert.deepEqual([...new Set(answers.map(codeOf))], [undefined]);
    assert.equal(refreshes(relay).length, 1);
  }));

test('a caller that leaves does not stop the refresh that it began', () =>
  withRelay({ provider: { rotateRefreshTokens: true } }, async (relay) => {
    const { provider, client } = relay;
    const held = gate();
    provider.expireAccessTokens();
    provider.faults.add({ path: TOKEN, kind: 'hook', fn: held.wait });
    const leave = new AbortController();
    const call = client.callTool({ name: 'get_devices', arguments: {} }, { signal: leave.signal });
    await until(() => held.waiting === 1);
    leave.abort();
    await assert.rejects(call);
    held.open();
    // The old refresh token is void by now, so this succeeds only if the new one was kept.
    assert.equal(codeOf(await relay.call('get_devices')), undefined);
    assert.equal(refreshes(relay).length, 1);
  }));

for (const [what, rotateRefreshTokens, different] of [
  ['without a new refresh token the old one is kept, also across a restart', false, 1],
  ['a rotated refresh token is on disk before its access token is used', true, 3],
] as const) {
  test(what, () =>
    withRelay({ provider: { rotateRefreshTokens } }, async (relay) => {
      for (let round = 0; round < 3; round++) {
        relay.provider.expireAccessTokens();
        assert.equal(codeOf(await relay.call('get_devices')), undefined);
        await relay.restart();
      }
      const sent = refreshes(relay).map(({ body }) => (body as { refresh_token: string }).refresh_token);
      assert.deepEqual([sent.length, new Set(sent).size], [3, different]);
    }),
  );
}

for (const [what, rotateRefreshTokens, code] of [
  ['a new refresh token is an error, and is kept once there is room', true, 'STORE_ERROR'],
  ['a new access token alone fails no call', false, undefined],
] as const) {
  test(`while the disk is full, ${what}`, (t) =>
    withRelay({ provider: { rotateRefreshTokens } }, async (relay) => {
      const disk = t.mock.method(machineDisk, 'writeSynced', async () => {
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      });
      relay.provider.expireAccessTokens();
      assert.equal(codeOf(await relay.call('get_devices')), code);
      assert.equal(refreshes(relay).length, 1);
      disk.mock.restore();
      await relay.restart();
      relay.provider.expireAccessTokens();
      assert.equal(codeOf(await relay.call('get_devices')), undefined);
    }));
}

test('invalid_grant ends the login until the next one', () =>
  withRelay(async (relay) => {
    relay.provider.revokeRefreshTokens();
    relay.provider.expireAccessTokens();
    assert.equal(codeOf(await relay.call('get_devices')), 'LOGIN_REQUIRED');
    assert.deepEqual(await authStatus(relay), { providerConnected: false, reauthorizationRequired: true });
    relay.provider.clearRequests();
    assert.equal(codeOf(await relay.call('get_devices')), 'LOGIN_REQUIRED');
    assert.deepEqual(relay.provider.requests, []);
    await relay.restart();
    assert.deepEqual(await authStatus(relay), { providerConnected: false, reauthorizationRequired: true });
  }));

const refused = { path: TOKEN, kind: 'status', status: 400 } as const;
const passing: Array<[what: string, rule: FaultRule, code: string]> = [
  ['a server error', { ...refused, status: 503 }, 'PROVIDER_UNAVAILABLE'],
  ['a lost connection', { path: TOKEN, kind: 'drop', when: 'before' }, 'PROVIDER_UNAVAILABLE'],
  [
    'a page in place of JSON',
    { ...refused, status: 403, body: '<html>Blocked</html>' },
    'PROVIDER_UNAVAILABLE',
  ],
  ['a refusal of another kind', { ...refused, body: { error: 'invalid_request' } }, 'PROVIDER_UNAVAILABLE'],
  ['an unknown client', { ...refused, body: { error: 'invalid_client' } }, 'PROVIDER_UNAVAILABLE'],
  ['an unreadable answer', { path: TOKEN, kind: 'malformed' }, 'PROVIDER_INVALID_RESPONSE'],
];

test('a refresh that fails for another reason keeps the login', () =>
  withClock(async (relay, clock) => {
    for (const [what, rule, code] of passing) {
      // A token that was issued within the last minute would be tried again as it is.
      clock.advance(60_000);
      relay.provider.expireAccessTokens();
      relay.provider.faults.add(rule);
      assert.equal(codeOf(await relay.call('get_devices')), code, what);
      const status = { providerConnected: true, reauthorizationRequired: false };
      assert.deepEqual(await authStatus(relay), status, what);
      assert.equal(codeOf(await relay.call('get_devices')), undefined, what);
    }
  }));

test('a refresh that ends while the login changes is dropped', async (t) => {
  const provider = await startSimulator();
  const kept: StoredTokens[] = [];
  const old = { account: 'one', accessToken: 'old', refreshToken: 'old-refresh', accessExpiresAt: 0 };
  let present: StoredTokens | null = old;
  const source = createTokenSource({
    app: () => ({ accountsUrl: provider.accountsUrl, clientId: provider.clientId, clientSecret: null }),
    keeper: {
      read: () => present,
      write: async (tokens, _scopes, isCurrent) => {
        if (isCurrent()) kept.push(tokens);
      },
      endLogin: () => assert.fail('the login has not ended'),
    },
    limits: createLimits(await testStore(t), systemClock),
    clock: systemClock,
    log: silentLog,
  });
  const answered = gate();
  const fn = answered.wait;
  const body = { access_token: 'new', token_type: 'Bearer', expires_in: 3600, refresh_token: 'new-refresh' };
  provider.faults.add({ path: TOKEN, kind: 'hook', fn }, { path: TOKEN, kind: 'status', status: 200, body });
  const refreshing = source.current(new AbortController().signal);
  await until(() => provider.requests.length === 1);
  // The change has been made and waits for the disk when the answer comes.
  await source.during(async () => {
    present = null;
    answered.open();
    assert.equal(await refreshing, 'old');
  });
  assert.deepEqual(kept, []);
  await assert.rejects(source.current(new AbortController().signal), { code: 'LOGIN_REQUIRED' });
  await provider.close();
});

test('the Retry-After of a refresh is obeyed', () =>
  withClock(async (relay, clock) => {
    relay.provider.expireAccessTokens();
    relay.provider.faults.add({ path: TOKEN, kind: 'rate_limit', retryAfterSeconds: 30 });
    const at = new Date(clock.now() + 30_000).toISOString();
    const failure = {
      code: 'RATE_LIMITED',
      message: `Spotify asks relay to wait 30 seconds before it may renew its access again (until ${at}).`,
      remedy:
        'Wait until then: the login is kept, and no other request works. `relay login` may end the wait.',
      retryAfterSeconds: 30,
      details: { scope: 'login', blocked_until: at },
    };
    assert.deepEqual(await relay.call('get_devices'), { error: failure });
    clock.advance(10_000);
    await relay.restart();
    const again = { ...failure, message: failure.message.replace('30', '20'), retryAfterSeconds: 20 };
    assert.equal((await relay.call('list_jobs')).total, 0);
    const { rateLimits, entries } = await relay.server.local.status();
    assert.deepEqual(rateLimits.blocked, [{ scope: 'login', blockedUntil: at, reason: null }]);
    const line = entries.find(({ part }) => part === 'rate_limits');
    assert.match(line?.summary ?? '', /^blocked: login until /);
    assert.match(line?.remedy?.text ?? '', /^wait, or \{command\}/);
    assert.deepEqual(await relay.call('get_devices'), { error: again });
    assert.equal(refreshes(relay).length, 1);
    clock.advance(20_000);
    assert.equal(codeOf(await relay.call('get_devices')), undefined);
  }));

test('while the login service asks to wait, a refused token is not sent again, and a login ends the wait of jobs', () =>
  withClock(async (relay, clock) => {
    const { provider } = relay;
    provider.expireAccessTokens();
    provider.faults.add({ path: TOKEN, kind: 'rate_limit', retryAfterSeconds: 50_400 });
    const failure = failureOf(await relay.call('get_devices'));
    assert.deepEqual([failure.code, failure.retryAfterSeconds], ['RATE_LIMITED', 50_400]);
    assert.match(failure.message, /wait 14 hours before it may renew its access/);
    const sent = provider.requests.length;
    assert.equal(codeOf(await relay.call('get_devices')), 'RATE_LIMITED');
    const id = await createJob(relay, 'save_tracks', uniqueTracks(relay, 1).map(asQuery));
    const parked = await reach(relay, id, 'waiting');
    assert.deepEqual(
      [parked.reason, parked.run_after],
      ['RATE_LIMITED', new Date(clock.now() + 50_400_000).toISOString()],
    );
    assert.equal(provider.requests.length, sent);
    await connectAccount(relay.baseUrl);
    assert.equal((await reach(relay, id, 'ready')).resolved, 1);
    assert.deepEqual((await relay.server.local.status()).rateLimits.blocked, []);
  }));

test('a write that fails for want of a token is known not to have been sent', () =>
  withRelay(async (relay) => {
    const [playlist] = owner(relay.provider).playlists;
    const body = '<html>Blocked</html>';
    relay.provider.expireAccessTokens();
    relay.provider.faults.add({ path: TOKEN, kind: 'status', status: 403, body, contentType: 'text/html' });
    const args = { playlist_id: playlist?.id, track_ids: [relay.provider.catalogue.tracks[0]?.uri] };
    assert.deepEqual(await relay.call('add_tracks_to_playlist', args), {
      error: {
        code: 'PROVIDER_UNAVAILABLE',
        message: "Spotify's login service returned an error (403).",
        remedy: 'Try again in a minute. The login is kept.',
        retryAfterSeconds: 60,
        details: { status: 403, sent: false },
      },
    });
    assert.equal(codeOf(await relay.call('add_tracks_to_playlist', args)), undefined);
  }));

test('a new token that is refused does not end the login, and another is requested a minute later', () =>
  withClock(async (relay, clock) => {
    const body = { error: { status: 401, message: 'Missing/invalid/expired access token' } };
    relay.provider.faults.add({ path: '/me/player/devices', kind: 'status', status: 401, body, times: 6 });
    const failure = {
      code: 'PROVIDER_UNAVAILABLE',
      message: 'Spotify refuses the token that it has just issued.',
      remedy: 'Try again in a minute. If it happens again, run `relay login`.',
      retryAfterSeconds: 60,
      details: { status: 401, sent: false },
    };
    assert.deepEqual(await relay.call('get_devices'), { error: failure });
    clock.advance(20_000);
    assert.deepEqual(await relay.call('get_devices'), { error: failure });
    assert.equal(refreshes(relay).length, 1);
    assert.deepEqual(await authStatus(relay), { providerConnected: true, reauthorizationRequired: false });
    clock.advance(40_000);
    assert.deepEqual(await relay.call('get_devices'), { error: failure });
    assert.equal(refreshes(relay).length, 2);
    assert.equal(codeOf(await relay.call('get_devices')), undefined);
  }));
