/** Typos, and how near two names are. */
import { editDistance, isOneChange } from '../base/nearest.ts';
import { without } from '../domain/rows.ts';
import { compact, normaliseName } from './names.ts';
import { isFiller, SHORT_VERSION_WORDS } from './title.ts';

const MIN_WORD = 4;
/** A word in one alphabet. A word of mixed alphabets, or in a script without letters, is never taken for a typo. */
const ALPHABETIC =
  /^(?:\p{Script=Latin}+|\p{Script=Greek}+|\p{Script=Cyrillic}+|\p{Script=Armenian}+|\p{Script=Georgian}+|\p{Script=Hebrew}+|\p{Script=Arabic}+)$/u;
const NUMERALS = new Set(
  (
    'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
    'eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred ' +
    'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx'
  ).split(' '),
);
/** Negations as normalised words, without apostrophes. */
const NEGATION =
  /^(?:(?:ai|are|ca|could|did|do|does|had|has|have|is|must|need|should|was|were|wo|would)nt|never|neither|none|nor|nobody|nothing|nowhere)$/;
/** Number of characters to compare; of longer texts only the beginnings are compared. */
const MAX_COMPARED = 60;

/**
 * True if `written` is `right` with one letter wrong, missing, doubled or swapped with its neighbor, in a word of at least four
 * letters. Everything else must be equal, and a word that means something else is not a typo: a plural, a number, a negation, a
 * short version word.
 */
export function isTypo(written: string, right: string): boolean {
  const [a, b] = [normaliseName(written).split(' '), normaliseName(right).split(' ')];
  const [at = -1, ...others] = a.flatMap((word, n) => (word === b[n] ? [] : [n]));
  return a.length === b.length && others.length === 0 && isWordTypo(a[at] ?? '', b[at] ?? '');
}

function isWordTypo(written: string, right: string): boolean {
  if ([...right].length < MIN_WORD || !ALPHABETIC.test(written) || !ALPHABETIC.test(right)) return false;
  if (isMeantAsWritten(written) || isMeantAsWritten(right)) return false;
  if (isPluralTypo(written, right) || isNegated(written, right)) return false;
  // A letter too many is a typo only if it repeats its neighbor.
  return (
    isOneChange(written, right) && (written.length <= right.length || undoubled(written) === undoubled(right))
  );
}

function isMeantAsWritten(word: string): boolean {
  return SHORT_VERSION_WORDS.has(word) || NUMERALS.has(word) || isFiller(word);
}

/** True if only the plural's "s" of `right` differs: it is missing, or another letter is in its place. */
function isPluralTypo(written: string, right: string): boolean {
  const stem = right.slice(0, -1);
  return right.endsWith('s') && (written === stem || written.slice(0, -1) === stem);
}

/** True if one word is the negation of the other: "can't" of "can", "don't" of "do", "never" of "ever". */
function isNegated(a: string, b: string): boolean {
  const [plain = '', negation = ''] = [a, b].sort((one, other) => one.length - other.length);
  return (
    NEGATION.test(negation) && plain !== negation && (negation.startsWith(plain) || negation.endsWith(plain))
  );
}

function undoubled(word: string): string {
  return word.replace(/(.)\1+/gu, '$1');
}

/** True for names that are equal or one change apart: a letter added, missing or replaced, or two swapped. */
export function isOneAway(a: string, b: string): boolean {
  return isOneChange(compact(normaliseName(a)), compact(normaliseName(b)));
}

/** True if two names differ in a word that means something else: "Part 2" is not a misspelling of "Part 1". */
export function differsInMeaning(a: string, b: string): boolean {
  const [one, other] = [normaliseName(a), normaliseName(b)];
  if (one.replace(/\D/g, '') !== other.replace(/\D/g, '')) return true;
  const [left, right] = [
    without(one.split(' '), other.split(' ')),
    without(other.split(' '), one.split(' ')),
  ];
  if ([...left, ...right].some((word) => SHORT_VERSION_WORDS.has(word) || NUMERALS.has(word))) return true;
  const [word = '', instead = ''] = [...left, ...right];
  if (left.length !== 1 || right.length !== 1) return false;
  return word === `${instead}s` || instead === `${word}s` || isNegated(word, instead);
}

/** How many letters differ between two names, as they are compared. */
export function distance(a: string, b: string): number {
  const [one, other] = [a, b].map((name) => compact(normaliseName(name)).slice(0, MAX_COMPARED));
  return editDistance(one ?? '', other ?? '');
}

/** 1 for equal names, 0 for names that share nothing. */
export function similarity(a: string, b: string): number {
  const longest = Math.max(...[a, b].map((name) => compact(normaliseName(name)).length));
  return longest === 0 ? 0 : 1 - distance(a, b) / Math.min(MAX_COMPARED, longest);
}
