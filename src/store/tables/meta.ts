/** Facts about the file itself, by name. */
import type { SqlValue, Store } from '../types.ts';

export function getMeta<T extends SqlValue>(store: Store, name: string): T | null {
  return store.get<{ value: T }>('select value from meta where name = ?', [name])?.value ?? null;
}

export function putMeta(store: Store, name: string, value: Exclude<SqlValue, null>): void {
  store.run('insert or replace into meta (name, value) values (?, ?)', [name, value]);
}
