/** Sealed secrets by name. Only sealed bytes come here; `vault.ts` seals and opens. */
import type { Store } from '../types.ts';

export interface SealedSecret {
  name: string;
  sealed: Uint8Array;
  /** Unix milliseconds. */
  updatedAt: number;
}

export function getSecret(store: Store, name: string): Uint8Array | null {
  return (
    store.get<{ sealed: Uint8Array }>('select sealed from secrets where name = ?', [name])?.sealed ?? null
  );
}

export function listSecrets(store: Store): SealedSecret[] {
  return store.all('select name, sealed, updated_at as updatedAt from secrets order by name');
}

export function putSecret(store: Store, name: string, sealed: Uint8Array, now: number): void {
  store.run('insert or replace into secrets (name, sealed, updated_at) values (?, ?, ?)', [
    name,
    sealed,
    now,
  ]);
}

/** True when it was there. */
export function deleteSecret(store: Store, name: string): boolean {
  return store.run('delete from secrets where name = ?', [name]).changes > 0;
}

export function deleteAllSecrets(store: Store): void {
  store.run('delete from secrets');
}
