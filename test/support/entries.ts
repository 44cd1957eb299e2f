/** Gets entries of lists, which have to be there. */
import assert from 'node:assert/strict';

/** The entry at `index`. Throws beyond the end of the list. */
export function at<T>(list: readonly T[], index: number): T {
  const entry = list[index];
  if (entry === undefined) throw new Error(`there is no entry ${index}`);
  return entry;
}

/** One field of every entry. */
export const pluck = <K extends string, T>(list: ReadonlyArray<Readonly<Record<K, T>>>, key: K): T[] =>
  list.map((entry) => entry[key]);

/** Fails, and shows the entries, if `holds` is true of any entry. */
export function assertNone<T>(
  list: readonly T[],
  holds: (entry: T, index: number) => boolean,
  why?: string,
): void {
  assert.deepEqual(list.filter(holds), [], why);
}

/** The lines of a text that ends with one or more line breaks. */
export const linesOf = (text: string) => text.trimEnd().split('\n');

/** The account that logins get by default. */
export function owner<T>(provider: { accounts: readonly T[] }): T {
  return at(provider.accounts, 0);
}
