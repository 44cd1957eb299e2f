/** How far two texts are apart, and suggestions for mistyped names. Pure. */

/**
 * Returns the known names nearest to `name`, nearest first, at most three. A known name is near if one letter differs, or at
 * most a third of the letters. It is near too if it contains a `name` of four letters or more.
 */
export function nearestNames(name: string, known: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  return known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => isNear(wanted, candidate.toLowerCase(), distance))
    .sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** `Did you mean "a" or "b"?`, or nothing when no name is near. */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const names = nearestNames(name, known).map((candidate) => `"${candidate}"`);
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`;
}

function isNear(wanted: string, candidate: string, distance: number): boolean {
  if (wanted.length >= 4 && candidate.includes(wanted)) return true;
  return distance <= Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3));
}

/**
 * Returns how many letters have to be inserted, dropped, replaced or swapped with their neighbour (optimal string alignment) to
 * turn one text into the other.
 */
export function editDistance(a: string, b: string): number {
  if (a === b) return 0;
  const width = b.length + 1;
  // All rows in one array: for near misses of songs this is the innermost loop.
  const cost = new Uint32Array((a.length + 1) * width);
  for (let j = 0; j < width; j += 1) cost[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    const row = i * width;
    const above = row - width;
    cost[row] = i;
    for (let j = 1; j < width; j += 1) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let least = (cost[above + j - 1] as number) + (isSame ? 0 : 1);
      least = Math.min(least, (cost[above + j] as number) + 1, (cost[row + j - 1] as number) + 1);
      if (i > 1 && j > 1 && !isSame && isSwapped(a, i - 2, b, j - 2)) {
        least = Math.min(least, (cost[above - width + j - 2] as number) + 1);
      }
      cost[row + j] = least;
    }
  }
  return cost[cost.length - 1] as number;
}

/** True if two texts are equal, or differ by one letter that is inserted, dropped or replaced, or by two swapped neighbours. */
export function isOneChange(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shorter - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end))
    end += 1;
  const [left, other] = [a.length - start - end, b.length - start - end];
  return (left <= 1 && other <= 1) || (left === 2 && other === 2 && isSwapped(a, start, b, start));
}

/** True if two letters of `a` from `i` on are the two letters of `b` from `j` on, swapped. */
function isSwapped(a: string, i: number, b: string, j: number): boolean {
  return a.charCodeAt(i) === b.charCodeAt(j + 1) && a.charCodeAt(i + 1) === b.charCodeAt(j);
}
