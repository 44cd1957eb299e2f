/** Compares artists by whole names. A billing of several artists is split, and a part of a name never matches. */
import { tidyName } from './letters.ts';
import { nameKey } from './normalise.ts';

/** Separators of names. The whole text is compared first, so a band with one of these in its name is found too. */
const SEPARATORS = /\s*[,;、|&+×]\s*|\s*\/\s*|\s+(?:and|x|vs\.?|y|et|und|och|og|и)\s+/iu;
/** Separators for a search text. Here a slash or plus without spaces is part of a name, and so is "and" in other languages. */
const SEARCH_SEPARATORS = /\s*[,;、|&×]\s*|\s+(?:[+/]|and|x|vs\.?)\s+/iu;
const GUEST_CUE = /[\s([]+(?:feat\.?|ft\.?|featuring|with|w\/)\s+/iu;

/** Maximum length of a text with many artists, in UTF-16 units. */
const MAX_BILLING = 1_000;

export interface Billing {
  /** Names as written, in order. */
  readonly main: readonly string[];
  /** The artists after "feat." or "with". */
  readonly guests: readonly string[];
}

/** Splits "A & B feat. C". A text of nothing but separators ("&") is one name. */
export function readBilling(text: string): Billing {
  const { main, guests } = cutGuests(text);
  return { main: splitNames(main), guests: guests === '' ? [] : splitNames(guests) };
}

/** Splits the names in a text with one or several artists. */
export function splitNames(text: string): string[] {
  const names = splitAt(text, SEPARATORS);
  return names.length > 0 ? names : [text];
}

/**
 * The name to search for: the longest among the main artists. A search for it also finds recordings billed to several
 * artists, and a band whose full name contains a separator.
 */
export function nameToSearch(text: string): string {
  const main = cutGuests(text).main;
  const names = splitAt(main, SEARCH_SEPARATORS);
  return names.reduce((longest, name) => (name.length > longest.length ? name : longest), '') || main;
}

/** True for the same artist, or the same artists in any order. */
export function sameArtist(a: string, b: string): boolean {
  const key = nameKey(a);
  return key !== '' && (key === nameKey(b) || namesKey(splitNames(a)) === namesKey(splitNames(b)));
}

/** A key for a set of names, independent of their order. */
export function namesKey(names: readonly string[]): string {
  return joinedKey(names.map(nameKey));
}

function joinedKey(keys: readonly string[]): string {
  return [...new Set(keys)].sort().join('|');
}

/**
 * The entries of `names` that together make up the joint billing `main`; null if an artist is missing. "A, B & C" is covered by
 * the three names "A", "B" and "C", and also by the two names "A" and "B & C".
 */
export function coveredBy(main: readonly string[], names: readonly string[]): string[] | null {
  const keys = main.map(nameKey);
  const offered = names.map((name) => ({ name, parts: splitNames(name) }));
  const byKey = new Map(offered.map(({ name, parts }) => [namesKey(parts), name]));
  byKey.delete('');
  const longest = Math.max(0, ...offered.map(({ parts }) => parts.length));
  // Dynamic programming from the end: trying all ways to group a long list would take forever.
  const covers: (string[] | null)[] = [...keys.map(() => null), []];
  for (let from = keys.length - 1; from >= 0; from -= 1) {
    for (let count = Math.min(longest, keys.length - from); count >= 1 && !covers[from]; count -= 1) {
      const name = byKey.get(joinedKey(keys.slice(from, from + count)));
      const others = covers[from + count];
      if (name !== undefined && others) covers[from] = [name, ...others];
    }
  }
  return covers[0] ?? null;
}

function cutGuests(text: string): { main: string; guests: string } {
  const whole = articleFirst(tidyName(text, MAX_BILLING));
  const cue = GUEST_CUE.exec(whole);
  if (!cue || cue.index === 0) return { main: whole, guests: '' };
  const guests = whole
    .slice(cue.index + cue[0].length)
    .replace(/[)\]]+/gu, ' ')
    .trim();
  return { main: whole.slice(0, cue.index), guests };
}

function splitAt(text: string, separators: RegExp): string[] {
  return articleFirst(tidyName(text, MAX_BILLING))
    .split(separators)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** "Kettles, The" as "The Kettles". */
function articleFirst(name: string): string {
  return name.replace(/^([^,]+), the$/iu, 'The $1');
}
