/** Suggestions for mistyped names. */
import { editDistance } from './editDistance.ts';

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
