/** Artists as whole names: a billing of several is taken apart, and a name is never part of another. */
import { tidy } from './letters.ts';
import { nameKey } from './normalise.ts';

/** What joins names. The whole text is compared first, so that a band whose name holds one of these is found too. */
const JOINTS = /\s*[,;、|&+×]\s*|\s*\/\s*|\s+(?:and|x|vs\.?|y|et|und|och|og|и)\s+/iu;
/** Joints of a search text: a tight slash is part of a name there. */
const LOOSE_JOINTS = /\s*[,;、|&×]\s*|\s+(?:[+/]|and|x|vs\.?)\s+/iu;
const GUEST_CUE = /[\s([]+(?:feat\.?|ft\.?|featuring|with|w\/)\s+/iu;

export interface Billing {
  /** Names as written, in order. */
  readonly main: readonly string[];
  /** Those after "feat." or "with". */
  readonly guests: readonly string[];
}

/** Takes "A & B feat. C" apart. A text that is nothing but joints ("&") is one name. */
export function readBilling(text: string): Billing {
  const { main, guests } = cutGuests(text);
  return { main: splitNames(main), guests: guests === '' ? [] : splitNames(guests) };
}

/** The names in a text that joins them. */
export function splitNames(text: string): string[] {
  const names = splitAt(text, JOINTS);
  return names.length > 0 ? names : [text];
}

/** The name to search for: the longest of the main artists, which a joint billing and a band's own name both hold. */
export function nameToSearch(text: string): string {
  const main = cutGuests(text).main;
  const names = splitAt(main, LOOSE_JOINTS);
  return names.reduce((longest, name) => (name.length > longest.length ? name : longest), '') || main;
}

/** True for one artist, or one billing of the same artists in any order. */
export function sameArtist(a: string, b: string): boolean {
  const key = nameKey(a);
  return key !== '' && (key === nameKey(b) || namesKey(splitNames(a)) === namesKey(splitNames(b)));
}

/** One key for a set of names, whatever their order. */
export function namesKey(names: readonly string[]): string {
  return joinedKey(names.map(nameKey));
}

function joinedKey(keys: readonly string[]): string {
  return [...new Set(keys)].sort().join('|');
}

/**
 * Which of `names` make up the joint billing `main`, or null when some artist of it is not among them. "A, B & C" is made
 * up by A, B and C, and by "A" and "B & C".
 */
export function coveredBy(main: readonly string[], names: readonly string[]): string[] | null {
  const keys = main.map(nameKey);
  const offered = names.map((name) => ({ name, parts: splitNames(name) }));
  const byKey = new Map(offered.map(({ name, parts }) => [namesKey(parts), name]));
  byKey.delete('');
  const longest = Math.max(0, ...offered.map(({ parts }) => parts.length));
  // From the end, one step for each place: trying all ways to group a long list would take for ever.
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
  const whole = articleFirst(tidy(text));
  const cue = GUEST_CUE.exec(whole);
  if (!cue || cue.index === 0) return { main: whole, guests: '' };
  const guests = whole
    .slice(cue.index + cue[0].length)
    .replace(/[)\]]+/gu, ' ')
    .trim();
  return { main: whole.slice(0, cue.index), guests };
}

function splitAt(text: string, joints: RegExp): string[] {
  return articleFirst(tidy(text))
    .split(joints)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** "Kettles, The" as "The Kettles". */
function articleFirst(name: string): string {
  return name.replace(/^([^,]+), the$/iu, 'The $1');
}
