/** How often each URI is in a list. */
export type Counts = ReadonlyMap<string, number>;

export function countsOf(rows: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const uri of rows) counts.set(uri, (counts.get(uri) ?? 0) + 1);
  return counts;
}

/**
 * By how much the count of each URI is higher in `after` than in `before`; negative if lower. URIs with equal counts are left
 * out.
 */
export function difference(before: Counts, after: Counts): Map<string, number> {
  const changes = new Map<string, number>();
  for (const [uri, count] of after) changes.set(uri, count);
  for (const [uri, count] of before) changes.set(uri, (changes.get(uri) ?? 0) - count);
  for (const [uri, count] of changes) if (count === 0) changes.delete(uri);
  return changes;
}
