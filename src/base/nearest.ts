/** Suggestions for mistyped names. */

/**
 * The known names nearest to `name`, nearest first: at most three, and none that differs in more than a third of its
 * letters.
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

/** Edits from `a` to `b`: a letter added, removed or replaced, or neighbours swapped (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(before, j - 2) + 1 : replaced;
      next.push(Math.min(replaced, swapped, at(row, j) + 1, at(next, j - 1) + 1));
    }
    before = row;
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
