/** Returns the indexes of a longest subsequence whose values strictly increase. The values must not be negative. Pure. */
export function longestIncreasing(values: readonly number[]): Set<number> {
  const tails: number[] = [];
  const before: number[] = [];
  values.forEach((value, index) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] ?? -1] ?? -1) < value) low = middle + 1;
      else high = middle;
    }
    before[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  });
  const found = new Set<number>();
  for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) found.add(index);
  return found;
}
