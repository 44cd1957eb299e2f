/** Sealed secrets by name. `vault.ts` seals and opens them. */
import { blob, defineTable, integer, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

const COLUMNS = {
  name: text(),
  sealed: blob,
  /** Time of the last change, in Unix milliseconds. */
  updatedAt: integer,
};
const SECRETS = defineTable('secrets', COLUMNS);
const SEALED = SECRETS.pick('sealed');

export type SealedSecret = RowOf<typeof COLUMNS>;

export function getSecret(store: Store, name: string): Uint8Array | null {
  return SEALED.first(store, 'where name = ?', [name])?.sealed ?? null;
}

export function listSecrets(store: Store): SealedSecret[] {
  return SECRETS.all(store, 'order by name');
}

export function putSecret(store: Store, name: string, sealed: Uint8Array, now: number): void {
  SECRETS.insert(store, { name, sealed, updatedAt: now }, 'or replace');
}

export function deleteSecret(store: Store, name: string): boolean {
  return store.run('delete from secrets where name = ?', [name]).changes > 0;
}

export function deleteAllSecrets(store: Store): void {
  store.run('delete from secrets');
}
