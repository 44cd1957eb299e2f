/** Prepares a home with a connected account, as after a real login. */
import type { Clock, Random } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { PROVIDER_SCOPES } from '../../src/provider/account/accountsApi.ts';
import { createSealer } from '../../src/secrets/seal.ts';
import { createKeepers } from '../../src/server/accountStore.ts';
import { machineDisk } from '../../src/store/disk.ts';
import { openStore } from '../../src/store/store.ts';
import { createVault } from '../../src/store/vault.ts';
import { owner } from './entries.ts';
import type { Simulator } from './simulator/simulator.ts';

interface StoredLogin {
  home: string;
  /** The master key with which the server will open the home. */
  key: Buffer;
  provider: Simulator;
  clock: Clock;
  random: Random;
}

/** Stores a login of the default account that was made at this moment. */
export async function storeLogin({ home, key, provider, clock, random }: StoredLogin): Promise<void> {
  // Skips syncing, since nothing has to survive a power loss.
  const disk = { ...machineDisk, syncDirectory: async () => {} };
  const store = await openStore({ home, clock, log: silentLog, disk });
  const vault = createVault(store, createSealer(key, random));
  await vault.verifyKey();
  const account = owner(provider);
  const scope = PROVIDER_SCOPES.join(' ');
  const { token, seconds } = provider.logins.issueAccess(account, scope);
  const loginExpiresAt = new Date(clock.now());
  loginExpiresAt.setUTCMonth(loginExpiresAt.getUTCMonth() + 6);
  await createKeepers(store, vault, clock).accounts.connect(
    {
      id: account.accountId,
      userId: account.id,
      name: account.displayName,
      scopes: [...PROVIDER_SCOPES],
      consentAt: clock.now(),
      loginExpiresAt: loginExpiresAt.getTime(),
    },
    {
      account: account.id,
      accessToken: token,
      refreshToken: provider.logins.issueRefresh(account, scope),
      accessExpiresAt: clock.now() + seconds * 1_000,
    },
  );
  await store.close();
}
