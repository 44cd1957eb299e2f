/** Settling what a job did not find, at the terminal and on the owner's page: the same words and threshold. Pure. */

/** A decision about the item at a 0-based position of a job: a track, as a Spotify URI, or that the item is left out. */
export type Fix = { position: number; uri: string } | { position: number; skip: true };

/** Maximum number of fixes that a job takes at once. */
export const MAX_FIXES = 500;

/**
 * Score of a near match. A candidate that differs by a typo, or by two in a title, scores at least this much. Another kind of
 * version scores less (`music/nearness.ts`).
 */
export const NEAR_SCORE = 0.36;
/** Minimum score of a candidate that counts as similar; below it, little more than a word is the same. */
const SIMILAR_SCORE = 0.2;

/** Says how close a candidate is to what was asked for. @param score 0 to 1 */
export function nearnessWords(score: number): string {
  if (score >= NEAR_SCORE) return 'close match';
  return score >= SIMILAR_SCORE ? 'similar' : 'weak match';
}

/** Asks before all near matches are accepted: `Accept the first match for 22 near-identical songs?` */
export function acceptWords(count: number): string {
  return count === 1
    ? 'Accept the first match for this near-identical song?'
    : `Accept the first match for ${count} near-identical songs?`;
}

/** An entry as text: `Title by Artist`, `ISRC GBAYE0000001`, or its URI. The text is not cleaned yet. */
export function inputWords(input: unknown): string {
  if (typeof input !== 'object' || input === null) return String(input);
  const { title, artist, isrc, uri, url, id, track_id } = input as Record<string, unknown>;
  if (isName(title)) return isName(artist) ? `${title} by ${artist}` : title;
  if (isName(isrc)) return `ISRC ${isrc}`;
  return [uri, url, id, track_id].find(isName) ?? JSON.stringify(input);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
