/** Gives the program secrets by name in clear, and stores them sealed. Also tells whether the master key is the right one. */
import { keyMismatch, type Sealer } from '../secrets/seal.ts';
import type { SqlValue } from './sql/sql.ts';
import type { Store } from './store.ts';
import { deleteAccount } from './tables/account.ts';
import { deleteAllSecrets, deleteSecret, getSecret, listSecrets, putSecret } from './tables/secrets.ts';

const KEY_CHECK = 'key_check';

export type Vault = ReturnType<typeof createVault>;

/** True if the state has been sealed with some key. Then no other key may be created. */
export function isSealed(store: Store): boolean {
  return getMeta(store, KEY_CHECK) !== null || listSecrets(store).length > 0;
}

export function createVault(store: Store, sealer: Sealer) {
  /** Returns the secret; null if it is not set. @throws RelayError `KEY_MISMATCH` */
  const get = (name: string): string | null => {
    const sealed = getSecret(store, name);
    return sealed && sealer.open(name, sealed);
  };

  /**
   * Checks that the master key is the one that sealed the state. If no key is recorded, stores a value by which this key is
   * recognised later.
   * @throws RelayError `KEY_MISMATCH`, `STORE_ERROR`
   */
  async function verifyKey(): Promise<void> {
    const check = getMeta<Uint8Array>(store, KEY_CHECK);
    if (check) {
      if (sealer.matches(check)) return;
      throw keyMismatch('The master key is not the one that encrypted the state.');
    }
    for (const { name } of listSecrets(store)) get(name);
    await store.durable(() => putMeta(store, KEY_CHECK, sealer.check()));
  }

  return {
    get,
    /** Sets a secret in memory; the caller decides between `durable` and `saveSoon`. */
    set: (name: string, value: string) => putSecret(store, name, sealer.seal(name, value), store.now()),
    /** Returns true if there was such a secret. */
    delete: (name: string) => deleteSecret(store, name),
    verifyKey,
    /**
     * Drops all secrets, which cannot be opened without the lost key, and the account. Call this only if the person asked for it.
     * @throws RelayError `STORE_ERROR`
     */
    startOver: () =>
      store.durable(() => {
        deleteAllSecrets(store);
        deleteAccount(store);
        putMeta(store, KEY_CHECK, sealer.check());
      }),
  };
}

function getMeta<T extends SqlValue>(store: Store, name: string): T | null {
  return store.get<{ value: T }>('select value from meta where name = ?', [name])?.value ?? null;
}

function putMeta(store: Store, name: string, value: Exclude<SqlValue, null>): void {
  store.run('insert or replace into meta (name, value) values (?, ?)', [name, value]);
}
