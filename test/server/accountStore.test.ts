import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../src/base/clock.ts';
import { createSealer } from '../../src/secrets/seal.ts';
import { createKeepers } from '../../src/server/accountStore.ts';
import { createVault } from '../../src/store/vault.ts';
import { testDisk } from '../store/testDisk.ts';
import { manualClock, NOON, temporaryHome, testStore } from '../store/testStore.ts';

const ACCOUNT = {
  id: 'me',
  userId: 'me',
  name: 'Me',
  scopes: ['user-read-private'],
  consentAt: NOON,
  loginExpiresAt: NOON + 180 * 86_400_000,
};

const pair = (name: string) => ({
  account: ACCOUNT.userId,
  accessToken: `access ${name}`,
  refreshToken: `refresh ${name}`,
  accessExpiresAt: NOON + 3_600_000,
});

test('a refresh token that came while the disk was full is saved once the disk has room again', async (t) => {
  const home = temporaryHome(t);
  const disk = testDisk();
  const clock = manualClock();
  const sealer = createSealer(Buffer.alloc(32, 7), systemRandom);
  const store = await testStore(t, { home, clock, disk: disk.disk });
  const { accounts, tokens } = createKeepers(store, createVault(store, sealer), clock);
  await accounts.connect(ACCOUNT, pair('first'));
  disk.fail('ENOSPC');
  await assert.rejects(
    tokens.write(pair('second'), null, () => true),
    { code: 'STORE_ERROR' },
  );
  // From here on relay knows that the disk is full before it writes.
  await assert.rejects(
    tokens.write(pair('third'), null, () => true),
    { code: 'STORE_ERROR' },
  );
  disk.fail(null);
  await store.close();
  const reopened = await testStore(t, { home, clock });
  const later = createKeepers(reopened, createVault(reopened, sealer), clock);
  assert.deepEqual(later.tokens.read(), pair('third'));
});
