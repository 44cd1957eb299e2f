/** Values that are made once and kept. */

/** Caches up to `max` results of `work`; when there are more, it drops all of them. Callers must not change a result. */
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
 * Calls `make` at the first use and keeps its value. This saves time for what most starts never need: making all zod schemas
 * took a tenth of the server's start.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
