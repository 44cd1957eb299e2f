import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { systemRandom } from '../../src/base/clock.ts';
import { createSealer } from '../../src/secrets/seal.ts';
import type { Store } from '../../src/store/store.ts';
import { getAccount, putAccount } from '../../src/store/tables/account.ts';
import { createVault, isSealed } from '../../src/store/vault.ts';
import { NOON, storeOnDisk, testStore } from './testStore.ts';

const vaultWith = (store: Store, keyByte: number) =>
  createVault(store, createSealer(Buffer.alloc(32, keyByte), systemRandom));

const account = {
  providerUserId: 'ada',
  accountId: null,
  displayName: 'Ada',
  scopes: ['user-top-read'],
  consentAt: NOON,
  loginExpiresAt: NOON,
  accessExpiresAt: null,
  reauthorizationRequired: false,
  reauthorizationReason: null,
};

test('a secret is read back after a restart and is nowhere in the file', async (t) => {
  const { store, home } = await storeOnDisk(t);
  const vault = vaultWith(store, 1);
  await vault.verifyKey();
  await store.durable(() => vault.set('refresh_token', 'correct horse battery staple'));
  const bytes = await readFile(store.state().path);
  assert.equal(bytes.includes('refresh_token'), true);
  assert.equal(bytes.includes('correct horse'), false);
  await store.close();
  const reopened = vaultWith(await testStore(t, { home }), 1);
  assert.equal(reopened.get('refresh_token'), 'correct horse battery staple');
  assert.deepEqual([reopened.delete('refresh_token'), reopened.delete('refresh_token')], [true, false]);
  assert.equal(reopened.get('refresh_token'), null);
});

test('a state is sealed by the first check of its key, and that check is on disk', async (t) => {
  const store = await testStore(t);
  assert.equal(isSealed(store), false);
  await vaultWith(store, 1).verifyKey();
  assert.equal(isSealed(store), true);
  assert.equal(store.state().unsavedChanges, false);
  await vaultWith(store, 1).verifyKey();
});

test('another key is refused with what to do, and changes nothing', async (t) => {
  const store = await testStore(t);
  await vaultWith(store, 1).verifyKey();
  vaultWith(store, 1).set('api_key', 'secret');
  await store.saveNow();
  const wrong = vaultWith(store, 2);
  await assert.rejects(wrong.verifyKey(), {
    code: 'KEY_MISMATCH',
    message: 'The master key is not the one that encrypted the state.',
    remedy:
      'Put back the key that was used before (in your keychain, master.key or RELAY_ENCRYPTION_KEY), or start over with `relay login`.',
  });
  assert.throws(() => wrong.get('api_key'), { code: 'KEY_MISMATCH' });
  assert.equal(store.state().unsavedChanges, false);
  assert.equal(vaultWith(store, 1).get('api_key'), 'secret');
});

test('a secret without the check value still refuses another key', async (t) => {
  const store = await testStore(t);
  vaultWith(store, 1).set('api_key', 'secret');
  assert.equal(isSealed(store), true);
  await assert.rejects(vaultWith(store, 2).verifyKey(), { code: 'KEY_MISMATCH' });
  await vaultWith(store, 1).verifyKey();
});

test('starting over drops secrets and account and takes the new key', async (t) => {
  const store = await testStore(t);
  await vaultWith(store, 1).verifyKey();
  vaultWith(store, 1).set('api_key', 'secret');
  putAccount(store, account, NOON);
  const next = vaultWith(store, 2);
  await next.startOver();
  assert.deepEqual([next.get('api_key'), getAccount(store)], [null, null]);
  assert.equal(store.state().unsavedChanges, false);
  await next.verifyKey();
  await assert.rejects(vaultWith(store, 1).verifyKey(), { code: 'KEY_MISMATCH' });
});
