import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createTokenSource, type StoredTokens } from '../../src/provider/account/tokenSource.ts';
import type { ProviderRequest } from '../../src/provider/api.ts';
import { createErrorHistory } from '../../src/provider/http/errorHistory.ts';
import { createLimits } from '../../src/provider/http/limits.ts';
import { createProviderApi } from '../../src/provider/http/send.ts';
import { testStore } from '../store/testStore.ts';
import { manualClock } from '../support/clock.ts';
import { startSimulator } from '../support/simulator/simulator.ts';
import { gate, until } from '../support/waiting.ts';

const PATH = '/me/player/devices';
const READ: ProviderRequest = { method: 'GET', path: PATH, template: PATH, scope: 'player' };
const CALL = { signal: new AbortController().signal };
const OTHER_ACCOUNT = {
  code: 'LOGIN_REQUIRED',
  message: 'This belongs to a different Spotify account from the connected one.',
  remedy: 'Connect that account with `relay login --switch-account`, then try again.',
  details: { reason: 'other_account' },
};

/** relay's client for the provider, with account `one` connected. The provider answers only what the test adds. */
async function connectedAsOne(t: TestContext) {
  const provider = await startSimulator();
  t.after(() => provider.close());
  const clock = manualClock();
  const store = await testStore(t, { clock });
  const tokensOf = (account: string, lifeMs = 3_600_000): StoredTokens => ({
    account,
    accessToken: `token-of-${account}`,
    refreshToken: `refresh-token-of-${account}`,
    accessExpiresAt: clock.now() + lifeMs,
  });
  const limits = createLimits(store, clock);
  let present = tokensOf('one');
  const tokens = createTokenSource({
    app: () => ({ accountsUrl: provider.accountsUrl, clientId: provider.clientId, clientSecret: null }),
    keeper: { read: () => present, write: async () => {}, endLogin: () => assert.fail('no login has ended') },
    limits,
    clock,
    log: silentLog,
  });
  const history = createErrorHistory(store, clock);
  const random = { ...systemRandom, fraction: () => 0 };
  const api = createProviderApi({ apiUrl: provider.apiUrl, tokens, limits, history, clock, random });
  const connect = (account: string, lifeMs?: number) =>
    tokens.during(async () => {
      present = tokensOf(account, lifeMs);
    });
  return { provider, clock, api, connect };
}

const OK = { path: PATH, kind: 'status', status: 200, body: { devices: [] } } as const;
const sent = ({ requests }: { requests: Array<{ path: string }> }) => requests.map(({ path }) => path);

test('a request for an account is sent while that account is connected, and not otherwise', async (t) => {
  const { provider, api, connect } = await connectedAsOne(t);
  provider.faults.add({ ...OK, times: 2 });
  assert.equal((await api.send(READ, { ...CALL, account: 'one' })).status, 200);
  await connect('two');
  await assert.rejects(api.send(READ, { ...CALL, account: 'one' }), OTHER_ACCOUNT);
  assert.equal((await api.send(READ, CALL)).status, 200);
  assert.deepEqual(sent(provider), [PATH, PATH]);
});

for (const [what, first] of [
  ['a retry', { path: PATH, kind: 'status', status: 503 }],
  ['the attempt after a 401', { path: PATH, kind: 'status', status: 401 }],
  ['the attempt after a wait', { path: PATH, kind: 'rate_limit', retryAfterSeconds: 2 }],
] as const) {
  test(`${what} is not sent when another account has been connected meanwhile`, async (t) => {
    const { provider, clock, api, connect } = await connectedAsOne(t);
    provider.faults.add({ path: PATH, kind: 'hook', fn: () => connect('two') }, first, OK);
    const failed = assert.rejects(api.send(READ, { ...CALL, account: 'one' }), OTHER_ACCOUNT);
    if (first.kind === 'rate_limit') await clock.pass(2_000);
    else if (first.status === 503) await clock.pass(125);
    await failed;
    assert.deepEqual(sent(provider), [PATH]);
  });
}

test('a request that waits for a refresh is not sent with the token of another account', async (t) => {
  const { provider, api, connect } = await connectedAsOne(t);
  await connect('one', 0);
  const refresh = gate();
  const body = { access_token: 'renewed', token_type: 'Bearer', expires_in: 3600 };
  provider.faults.add(
    { path: '/api/token', kind: 'hook', fn: refresh.wait },
    { path: '/api/token', kind: 'status', status: 200, body },
    OK,
  );
  const failed = assert.rejects(api.send(READ, { ...CALL, account: 'one' }), OTHER_ACCOUNT);
  await until(() => refresh.waiting === 1);
  await connect('two');
  refresh.open();
  await failed;
  assert.deepEqual(sent(provider), ['/api/token']);
});
