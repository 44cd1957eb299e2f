/**
 * The value of `make`, made at its first use and kept. For what most starts never need: making all schemas of
 * zod took a tenth of the time in which the server is ready, and a pattern with classes of Unicode takes V8 half a millisecond.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
