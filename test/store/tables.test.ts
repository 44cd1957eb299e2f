/** The tables of the state: the account, remembered songs, limits and errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Track } from '../../src/domain/shapes.ts';
import {
  deleteAccount,
  getAccount,
  putAccount,
  renewAccess,
  requireReauthorization,
} from '../../src/store/tables/account.ts';
import { countAliases, countTracks, getAlias, putAlias } from '../../src/store/tables/aliases.ts';
import {
  countApiErrors,
  listApiErrors,
  type NewApiError,
  recordApiError,
  resolveApiErrors,
} from '../../src/store/tables/apiErrors.ts';
import {
  blockScope,
  countRequest,
  listRateLimits,
  requestTotals,
} from '../../src/store/tables/rateLimits.ts';
import { DAY, MINUTE } from '../support/clock.ts';
import { pluck } from '../support/entries.ts';
import { until } from '../support/until.ts';
import { ACCOUNT as account, NOON, storeOnDisk, testStore } from './testStore.ts';

test('there is no account, then one, then another in its place, then none', async (t) => {
  const store = await testStore(t);
  assert.equal(getAccount(store), null);
  putAccount(store, account, NOON);
  assert.deepEqual(getAccount(store), account);
  const other = { ...account, providerUserId: 'bob', accountId: null, displayName: null, scopes: [] };
  putAccount(store, other, NOON);
  assert.deepEqual(getAccount(store), other);
  assert.deepEqual([deleteAccount(store), deleteAccount(store), getAccount(store)], [true, false, null]);
});

test('a refresh moves the end of access and keeps the scopes unless new ones were named', async (t) => {
  const store = await testStore(t);
  putAccount(store, account, NOON);
  const accessExpiresAt = NOON + 7_200_000;
  renewAccess(store, { accessExpiresAt, scopes: null }, NOON);
  assert.deepEqual(getAccount(store), { ...account, accessExpiresAt });
  renewAccess(store, { accessExpiresAt, scopes: ['user-top-read'] }, NOON);
  assert.deepEqual(getAccount(store), { ...account, accessExpiresAt, scopes: ['user-top-read'] });
});

test('a refused login keeps the account known and says why', async (t) => {
  const store = await testStore(t);
  putAccount(store, account, NOON);
  requireReauthorization(store, 'Refresh token revoked', NOON);
  assert.deepEqual(getAccount(store), {
    ...account,
    accessExpiresAt: null,
    reauthorizationRequired: true,
    reauthorizationReason: 'Refresh token revoked',
  });
});

function track(id: string): Track {
  const album = { id: null, name: null, release_date: null };
  const rest = { duration_ms: null, explicit: null, is_local: false, isrc: null, url: null };
  return { id, uri: `spotify:track:${id}`, type: 'track', name: id, artists: [], album, ...rest };
}

const aliasOf = (key: string, id: string, source: 'learned' | 'person') =>
  ({ key, title: key, artist: 'Someone', album: null, track: track(id), source }) as const;

test('an alias is replaced by one with its key', async (t) => {
  const store = await testStore(t);
  assert.equal(putAlias(store, aliasOf('key', 'one', 'learned'), NOON), false);
  assert.equal(putAlias(store, aliasOf('key', 'two', 'person'), NOON), true);
  assert.deepEqual(getAlias(store, 'key'), { track: track('two'), source: 'person', isConfirmed: false });
  assert.deepEqual([countAliases(store), countTracks(store)], [1, 1]);
});

const block = (scope: string, end: number, provider = 'spotify') => ({
  provider,
  scope,
  blockedUntil: end,
  reason: 'QUOTA_EXCEEDED',
  lastStatus: 429,
});

test('a block is kept over a restart and replaced by a later one', async (t) => {
  const { store: first, home, clock } = await storeOnDisk(t);
  blockScope(first, block('search', NOON + 1_000), NOON);
  blockScope(first, block('search', NOON + 5_000), NOON + 1);
  clock.advance(500);
  await until(() => !first.state().unsavedChanges);
  await first.close();
  const store = await testStore(t, { home, clock });
  const row = { ...block('search', NOON + 5_000), updatedAt: NOON + 1 };
  assert.deepEqual(listRateLimits(store), [row]);
});

test('a block that was stored while the clock was ahead is listed with its own length', async (t) => {
  const store = await testStore(t);
  blockScope(store, block('search', NOON + 365 * DAY + 5_000), NOON + 365 * DAY);
  assert.deepEqual(pluck(listRateLimits(store), 'blockedUntil'), [NOON + 5_000]);
});

test('blocks are listed by provider and scope', async (t) => {
  const store = await testStore(t);
  for (const [scope, provider] of [
    ['top', 'spotify'],
    ['me', 'spotify'],
    ['me', 'other'],
  ] as const) {
    blockScope(store, block(scope, NOON, provider), NOON);
  }
  const named = (filter?: Parameters<typeof listRateLimits>[1]) =>
    listRateLimits(store, filter).map(({ provider, scope }) => `${provider}/${scope}`);
  assert.deepEqual(named(), ['other/me', 'spotify/me', 'spotify/top']);
  assert.deepEqual(named({ scope: 'me' }), ['other/me', 'spotify/me']);
  assert.deepEqual(named({ provider: 'spotify', scope: 'top' }), ['spotify/top']);
});

test('requests are counted per scope over the last 24 hours, to the minute', async (t) => {
  const store = await testStore(t);
  countRequest(store, 'search', NOON);
  countRequest(store, 'search', NOON + 59_999);
  countRequest(store, 'search', NOON + MINUTE);
  countRequest(store, 'me', NOON + MINUTE);
  const totals = (at: number) => requestTotals(store, at);
  assert.deepEqual(totals(NOON), { search: 2 });
  assert.deepEqual(totals(NOON + MINUTE), { me: 1, search: 3 });
  assert.deepEqual(totals(NOON + DAY - 1), { me: 1, search: 3 });
  assert.deepEqual(totals(NOON + DAY), { me: 1, search: 1 });
  assert.deepEqual(totals(NOON + DAY + MINUTE), {});
});

test('counts that are older than a day are dropped', async (t) => {
  const store = await testStore(t);
  const rows = () => store.all('select minute, scope, count from request_counts');
  countRequest(store, 'search', NOON);
  countRequest(store, 'search', NOON + DAY);
  assert.deepEqual(rows(), [{ minute: (NOON + DAY) / MINUTE, scope: 'search', count: 1 }]);
});

const failure: NewApiError = {
  provider: 'spotify',
  scope: 'playlists.write',
  method: 'POST',
  path: '/playlists/{id}/items',
  statusCode: 502,
  code: 'PROVIDER_UNAVAILABLE',
  reason: null,
  message: 'Spotify answers with a server error.',
};

test('the same failure is counted in one row; another status, reason or method is another row', async (t) => {
  const store = await testStore(t);
  recordApiError(store, failure, NOON);
  recordApiError(store, { ...failure, message: 'Spotify answers with 502.' }, NOON + 5);
  recordApiError(store, { ...failure, statusCode: null }, NOON + 6);
  recordApiError(store, { ...failure, statusCode: null }, NOON + 7);
  recordApiError(store, { ...failure, reason: 'UNKNOWN' }, NOON + 8);
  recordApiError(store, { ...failure, method: 'PUT' }, NOON + 9);
  const times = { firstSeenAt: NOON, lastSeenAt: NOON + 5, resolvedAt: null };
  const rows = listApiErrors(store);
  assert.deepEqual(
    rows.map(({ method, statusCode, reason, occurrences }) => [method, statusCode, reason, occurrences]),
    [
      ['PUT', 502, null, 1],
      ['POST', 502, 'UNKNOWN', 1],
      ['POST', null, null, 2],
      ['POST', 502, null, 2],
    ],
  );
  assert.deepEqual(rows[3], {
    ...failure,
    ...times,
    id: 1,
    occurrences: 2,
    message: 'Spotify answers with 502.',
  });
});

test('a success resolves what failed before on the same method and path, and a new failure reopens it', async (t) => {
  const store = await testStore(t);
  recordApiError(store, failure, NOON);
  recordApiError(store, { ...failure, statusCode: 503 }, NOON);
  recordApiError(store, { ...failure, path: '/me' }, NOON);
  assert.equal(resolveApiErrors(store, failure.method, failure.path, NOON + 1), 2);
  assert.equal(resolveApiErrors(store, failure.method, failure.path, NOON + 2), 0);
  assert.deepEqual(countApiErrors(store), { total: 3, unresolved: 1 });
  recordApiError(store, failure, NOON + 3);
  const [latest] = listApiErrors(store);
  assert.deepEqual(
    [latest?.statusCode, latest?.occurrences, latest?.firstSeenAt, latest?.resolvedAt],
    [502, 2, NOON, null],
  );
});

test('a success where nothing had failed leaves nothing to save', async (t) => {
  const store = await testStore(t);
  resolveApiErrors(store, 'GET', '/me', NOON);
  assert.equal(store.state().unsavedChanges, false);
});

test('the list is filtered and bounded, latest first', async (t) => {
  const store = await testStore(t);
  for (let n = 0; n < 30; n++) recordApiError(store, { ...failure, path: `/p/${n}` }, NOON + n);
  recordApiError(store, { ...failure, provider: 'other', statusCode: 429 }, NOON + 30);
  resolveApiErrors(store, 'POST', '/p/29', NOON + 31);
  const paths = (filter: Parameters<typeof listApiErrors>[1]) =>
    listApiErrors(store, filter).map(({ path }) => path);
  assert.equal(paths({}).length, 20);
  assert.deepEqual(paths({ limit: 2 }), [failure.path, '/p/29']);
  assert.deepEqual(paths({ limit: 2, unresolved_only: true }), [failure.path, '/p/28']);
  assert.deepEqual(paths({ limit: 2, provider: 'spotify' }), ['/p/29', '/p/28']);
  assert.deepEqual(paths({ status_code: 429 }), [failure.path]);
});

test('of more than 500 rows the oldest resolved ones go first, then the oldest', async (t) => {
  const store = await testStore(t);
  for (let n = 0; n < 500; n++) recordApiError(store, { ...failure, path: `/p/${n}` }, NOON + n);
  resolveApiErrors(store, 'POST', '/p/100', NOON + 500);
  resolveApiErrors(store, 'POST', '/p/50', NOON + 501);
  const dropped = () => {
    const kept = new Set(listApiErrors(store, { limit: 1_000 }).map(({ path }) => path));
    assert.equal(kept.size, 500);
    return Array.from({ length: 500 }, (_, n) => `/p/${n}`).filter((path) => !kept.has(path));
  };
  recordApiError(store, { ...failure, path: '/new/1' }, NOON + 502);
  assert.deepEqual(dropped(), ['/p/50']);
  recordApiError(store, { ...failure, path: '/new/2' }, NOON + 503);
  assert.deepEqual(dropped(), ['/p/50', '/p/100']);
  recordApiError(store, { ...failure, path: '/new/3' }, NOON + 504);
  assert.deepEqual(dropped(), ['/p/0', '/p/50', '/p/100']);
});
