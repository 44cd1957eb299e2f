import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  blockScope,
  countRequest,
  listRateLimits,
  requestTotals,
} from '../../src/store/tables/rateLimits.ts';
import { DAY, MINUTE } from '../support/clock.ts';
import { pluck } from '../support/entries.ts';
import { until } from '../support/until.ts';
import { NOON, storeOnDisk, testStore } from './testStore.ts';

const block = (scope: string, until: number, provider = 'spotify') => ({
  provider,
  scope,
  blockedUntil: until,
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
