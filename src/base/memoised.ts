/** Values that are kept after they are made. */

/**
 * Returns `work` with a cache for up to `max` results. If the cache is full, it is emptied before the next result is stored.
 * Callers must not change a result.
 */
export function memoised<T>(max: number, work: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly result: T }>();
  return (text) => {
    const before = known.get(text);
    if (before) return before.result;
    const result = work(text);
    if (known.size >= max) known.clear();
    known.set(text, { result });
    return result;
  };
}

/**
 * Returns a function that calls `make` on first use and keeps its value. Most runs need only a few of these values. When the
 * server made all zod schemas at startup, this took a tenth of the startup time.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
