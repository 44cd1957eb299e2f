/** Random choices that are the same on every run. */

/** Numbers in [0, 1) that are the same on every run (a linear congruential generator). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function shuffled<T>(items: readonly T[], next: () => number): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(next() * left.length), 1));
}
