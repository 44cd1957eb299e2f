/** Helpers for lists, amounts and texts: counts in words, chunks, cuts, bounded parallel work. */

export function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Returns the positions of the entries with each key, in order. */
export function placesBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, number[]> {
  const places = new Map<K, number[]>();
  for (const [at, item] of items.entries()) {
    const key = keyOf(item);
    const list = places.get(key);
    if (list) list.push(at);
    else places.set(key, [at]);
  }
  return places;
}

/**
 * Maps with at most `width` calls at a time; results are in the order of the input. Rejects with the first failure. After a
 * failure, no further call starts.
 */
export async function inParallel<T, R>(
  inputs: readonly T[],
  width: number,
  work: (input: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(inputs.length);
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < inputs.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(inputs[index] as T, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, inputs.length) }, lane));
  return results;
}

/** `1 request`, `2 requests`: a count with its noun, for nouns that take an `s`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns the size of a file in KiB, at least 1: `12 KiB`. */
export function sizeText(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 1024))} KiB`;
}

/** Returns the first `max` UTF-16 units of the text. Half a surrogate pair at the end is left out: it would not be valid text. */
export function cutAt(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
