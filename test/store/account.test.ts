import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  deleteAccount,
  getAccount,
  putAccount,
  renewAccess,
  requireReauthorization,
} from '../../src/store/tables/account.ts';
import { ACCOUNT as account, NOON, testStore } from './testStore.ts';

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
