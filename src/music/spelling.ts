/** Recognises typos: one letter wrong, missing or doubled, or two letters swapped, in a word of at least four letters. */
import { editDistance, isOneChange } from '../base/nearest.ts';
import { without } from '../domain/rows.ts';
import { compact } from './normalise.ts';
import { isFiller, NUMERALS, PHRASES } from './vocabulary.ts';

const MIN_WORD = 4;
/** A word in one alphabet. A word of mixed alphabets, or in a script without letters, is never taken for a typo. */
const ALPHABETIC =
  /^(?:\p{Script=Latin}+|\p{Script=Greek}+|\p{Script=Cyrillic}+|\p{Script=Armenian}+|\p{Script=Georgian}+|\p{Script=Hebrew}+|\p{Script=Arabic}+)$/u;
/** Short words of version notes, in which a changed letter is no typo: "Plinth Life" is not "Plinth (Live)". */
const SHORT_VERSION_WORDS: ReadonlySet<string> = new Set(
  PHRASES.flatMap(({ words, version }) => (version && words.length === 1 ? words : [])).filter(
    ({ length }) => length < 6,
  ),
);
/** Number of characters to compare; of longer texts only the beginnings are compared. */
const MAX_COMPARED = 60;

/**
 * True if normalised `written` is `right` with one typo. Everything else must be equal, and a word that means
 * something else is not a typo: a plural, a number, a negation, a short version word.
 */
export function isTypo(written: string, right: string): boolean {
  const [a, b] = differentWords(written.split(' '), right.split(' '));
  return a !== undefined && b !== undefined && isWordTypo(a, b);
}

/** True for texts that are equal or one change apart: a letter added, missing or replaced, or two swapped. */
export function isOneAway(a: string, b: string): boolean {
  return isOneChange(compact(a), compact(b));
}

/**
 * True if normalised texts differ in a word that means something else, however alike they are: a number, a plural, a negation, a
 * short version word. "Part 2" is not a misspelling of "Part 1".
 */
export function differsInMeaning(a: string, b: string): boolean {
  const digits = (text: string) => text.replace(/\D/g, '');
  if (digits(a) !== digits(b)) return true;
  const [left, right] = [without(a.split(' '), b.split(' ')), without(b.split(' '), a.split(' '))];
  if ([...left, ...right].some((word) => SHORT_VERSION_WORDS.has(word) || NUMERALS.has(word))) return true;
  const [one = '', other = ''] = [...left, ...right];
  if (left.length !== 1 || right.length !== 1) return false;
  return one === `${other}s` || other === `${one}s` || isNegated(one, other);
}

/** 1 for equal texts, 0 for texts that share nothing. */
export function similarity(a: string, b: string): number {
  const [one, other] = [compact(a), compact(b)];
  const length = Math.min(MAX_COMPARED, Math.max(one.length, other.length));
  return length === 0 ? 0 : 1 - distance(one, other) / length;
}

/** The number of edits between two texts. Only their first 60 characters are compared. */
export function distance(first: string, second: string): number {
  return editDistance(first.slice(0, MAX_COMPARED), second.slice(0, MAX_COMPARED));
}

/** The one pair of words that differs; empty if no pair or several pairs differ. */
function differentWords(a: readonly string[], b: readonly string[]): [string?, string?] {
  if (a.length !== b.length) return [];
  const at = a.flatMap((word, n) => (word === b[n] ? [] : [n]));
  const [only] = at;
  return at.length === 1 && only !== undefined ? [a[only], b[only]] : [];
}

function isWordTypo(written: string, right: string): boolean {
  if ([...right].length < MIN_WORD || [written, right].some((word) => !ALPHABETIC.test(word))) return false;
  if ([written, right].some((word) => isMeantAsWritten(word)) || isPlural(written, right)) return false;
  if (isNegated(written, right)) return false;
  const longer = written.length - right.length;
  if (longer > 0) return longer === 1 && isDoubled(written, right);
  return isOneChange(written, right);
}

/** True if only the plural's "s" of `right` differs: it is missing, or another letter is in its place. */
function isPlural(written: string, right: string): boolean {
  const stem = right.slice(0, -1);
  return right.endsWith('s') && (written === stem || written.slice(0, -1) === stem);
}

/** Negations as normalised words, without apostrophes. */
const NEGATION =
  /^(?:(?:ai|are|ca|could|did|do|does|had|has|have|is|must|need|should|was|were|wo|would)nt|never|neither|none|nor|nobody|nothing|nowhere)$/;

/** True if one word is the negation of the other: "can't" of "can", "don't" of "do", "never" of "ever". */
function isNegated(a: string, b: string): boolean {
  const [plain = '', negation = ''] = [a, b].sort((one, other) => one.length - other.length);
  const plainForms = [-1, -2]
    .map((end) => negation.slice(0, end))
    .concat([1, 2].map((from) => negation.slice(from)));
  return NEGATION.test(negation) && plainForms.includes(plain);
}

function isMeantAsWritten(word: string): boolean {
  return SHORT_VERSION_WORDS.has(word) || NUMERALS.has(word) || isFiller(word);
}

/** True if `written` is `right` with a letter repeated. */
function isDoubled(written: string, right: string): boolean {
  for (let at = 1; at < written.length; at += 1) {
    if (written[at] === written[at - 1] && written.slice(0, at) + written.slice(at + 1) === right)
      return true;
  }
  return false;
}
