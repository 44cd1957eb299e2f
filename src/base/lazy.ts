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
