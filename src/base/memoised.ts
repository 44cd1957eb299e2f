/** Values that are made once and kept. */

/** `work`, with up to `max` of its results kept; all are dropped when there are more. Results must not be changed. */
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
 * The value of `make`, made at its first use and kept. For zod schemas that most starts never need: making them all
 * took a tenth of the time in which the server is ready.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
