/** One form for all spellings of a name, and artists compared by whole names. Nothing here depends on the machine's locale. */
import { memoised } from '../base/memoised.ts';

/** Letters that Unicode does not decompose, or keeps apart by script, each followed by what people type instead. */
const LETTERS = new Map(
  'łl øo đd ðd ħh ŧt þth ßss æae œoe ıi ŋn ƙk ɓb ɗd əe ɛe ɔo ςσ ىي یي کك'
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.slice(1)]),
);
const LETTER = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'gu');
/**
 * Marks of Latin, Greek, Cyrillic, Hebrew and Arabic, of symbols, and variation selectors. Not \p{M}: the vowel signs of Indic
 * scripts and the voicing marks of kana are marks too, and without them か and が would be the same.
 */
const MARKS = new RegExp(
  '[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06ed' +
    '\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe00-\\ufe0f]',
  'gu',
);
/** Joiners, direction marks, soft hyphens, and the Arabic tatweel. */
const INVISIBLE = /[\p{Cf}\u0640]/gu;
/** Decomposition would turn them into letters ("™" into "TM"). */
const TRADEMARKS = /[™℠®©]/gu;
const APOSTROPHES = /[’‘‛ʻʼʽʾʿ`´′＇׳]/gu;
const DASHES = /[‐‑‒–—―−﹣－]/gu;
/** Longer names are cut: the patterns for parts of a name take time that grows with the square of its length. */
const MAX_LENGTH = 1_000;

/** `text` with one form of apostrophes, dashes, spaces and full-width letters, without invisible characters. */
export function tidy(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .replace(APOSTROPHES, "'")
    .replace(DASHES, '-')
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH);
}

/** `text` without case, marks and strokes; composed again, so that Hangul and voiced kana stay intact. */
export function foldLetters(text: string): string {
  if (/^[\x20-\x5f\x61-\x7e]*$/.test(text)) return text.toLowerCase();
  return text
    .replace(TRADEMARKS, '')
    .replace(APOSTROPHES, "'")
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(INVISIBLE, '')
    .replace(LETTER, (letter) => LETTERS.get(letter) ?? letter)
    .replace(APOSTROPHES, "'")
    .normalize('NFC');
}

/** `&`, `+` between words, and the "'n'" of "Rock 'n' Roll". "n'" needs a space after it: French "n'ai" is not "and". */
const AND =
  /&|(?<=[\p{L}\p{N}]\s*)\+(?=\s*[\p{L}\p{N}])|(?<=\p{L})(?:\s*'n'\s*|\s+n'?\s+|\s*'n\s+)(?=\p{L})/gu;
/** "K$sk8" is read with an s, "$100" is not. */
const DOLLAR_AS_S = /(?<=\p{L})\$|\$(?=\p{L})/gu;
const THOUSANDS = /(?<=\d)[,'](?=\d{3}(?!\d))/gu;

/**
 * The form in which names are compared: folded, `&`, `+` and "'n'" as "and", without apostrophes, other punctuation as single
 * spaces. A name without letters and digits ("???", "+", an emoji) keeps its signs. The result is empty only for blank text.
 */
export function normaliseName(text: string): string {
  return normalised(text.slice(0, MAX_LENGTH));
}

const normalised: (text: string) => string = memoised(4_000, (text) => {
  const folded = foldLetters(text).slice(0, MAX_LENGTH);
  if (!hasLetterOrDigit(folded)) return signsOf(text);
  return folded
    .replace(AND, ' and ')
    .replace(DOLLAR_AS_S, 's')
    .replace(THOUSANDS, '')
    .replace(/'/gu, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
});

export function hasLetterOrDigit(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function signsOf(text: string): string {
  const signs = tidy(text)
    .toLowerCase()
    .replace(/\s|[\ufe00-\ufe0f]/gu, '');
  return signs || text.trim();
}

/** A normalised text without spaces, except between digits: "1 23" is not "12 3". */
export function compact(normalisedText: string): string {
  return normalisedText.replace(/(?<!\d) | (?!\d)/gu, '');
}

/** A normalised name without its leading "the". */
export function withoutThe(normalisedName: string): string {
  return normalisedName.replace(/^the (?=.)/u, '');
}

/** A key that is equal for names that differ only in spelling, spaces or a leading "The"; '' for a blank name. */
export function nameKey(name: string): string {
  return compact(withoutThe(normaliseName(name)));
}

/** True for the same name. A blank name equals nothing. */
export function sameName(a: string, b: string): boolean {
  const key = nameKey(a);
  return key !== '' && key === nameKey(b);
}

/** The entries with exactly this name. If there are none, those whose normalised name is the same. */
export function calledLike<T extends { name: string }>(entries: readonly T[], name: string): T[] {
  const wanted = normaliseName(name);
  const similar = entries.filter((entry) => normaliseName(entry.name) === wanted);
  const exact = similar.filter((entry) => entry.name === name);
  return exact.length > 0 ? exact : similar;
}

/** True if normalised `asked` is `name` without its punctuation: "Rope Tar" for "Rope & Tar", "1147" for "11:47". */
export function lacksSigns(asked: string, name: string): boolean {
  const folded = foldLetters(name).replace(/'/gu, '');
  const forms = ['', ' '].map((instead) => normaliseName(folded.replace(/[^\p{L}\p{N}\p{M}\s]/gu, instead)));
  return asked !== '' && forms.some((form) => compact(form) === compact(asked));
}

const NUMBERS = 'one two three four five six seven eight nine ten'.split(' ');
const ROMAN = 'i ii iii iv v vi vii viii ix x'.split(' ');
const NUMBERED = new RegExp(
  `\\b(part|pt|volume|vol|chapter)s?(?: ?(\\d+)| (${[...NUMBERS, ...ROMAN].join('|')}))\\b`,
  'gu',
);
const COUNTED: Readonly<Record<string, string>> = { pt: 'part', vol: 'volume' };

/**
 * A normalised name with the numbers of its parts as digits: "Pt. II", "Part 2" and "Part Two" are equal. Other numerals stay:
 * "Plinth II" is not "Plinth 2", since a lone "I" or "V" is usually a word.
 */
export function withPlainNumbers(normalisedName: string): string {
  return normalisedName.replace(NUMBERED, (_, word: string, digits?: string, spelt = '') => {
    const number = digits ?? 1 + Math.max(NUMBERS.indexOf(spelt), ROMAN.indexOf(spelt));
    return `${COUNTED[word] ?? word} ${Number(number)}`;
  });
}

/** Separators of artists. The whole text is compared first, so a band with one of these in its name is found too. */
const SEPARATORS = /\s*[,;、|&+×]\s*|\s*\/\s*|\s+(?:and|x|vs\.?|y|et|und|och|og|и|feat\.?|ft\.?)\s+/iu;
/** Separators for a search text: a slash or plus without spaces is part of a name, and so is "and" in other languages. */
const SEARCH_SEPARATORS = /\s*[,;、|&×]\s*|\s+(?:[+/]|and|x|vs\.?)\s+/iu;
const GUEST_CUE = /[\s([]+(?:feat\.?|ft\.?|featuring|with|w\/)\s+/iu;

/** The names in a text with one or several artists. A text of nothing but separators ("&") is one name. */
export function splitNames(text: string): string[] {
  const names = splitAt(text, SEPARATORS);
  return names.length > 0 ? names : [text];
}

/** Splits "A & B feat. C" into main artists and guests, as written. */
export function readBilling(text: string): { main: string[]; guests: string[] } {
  const { main, guests } = cutGuests(text);
  return { main: splitNames(main), guests: guests === '' ? [] : splitNames(guests) };
}

/** The artist to search for: the longest name, which also finds recordings of several artists, and bands with a separator in it. */
export function nameToSearch(text: string): string {
  const { main } = cutGuests(text);
  const names = splitAt(main, SEARCH_SEPARATORS);
  return names.reduce((longest, name) => (name.length > longest.length ? name : longest), '') || main;
}

/** True for the same artist, or the same artists in any order. */
export function sameArtist(a: string, b: string): boolean {
  return sameName(a, b) || (nameKey(a) !== '' && namesKey(splitNames(a)) === namesKey(splitNames(b)));
}

export function namesKey(names: readonly string[]): string {
  return [...new Set(names.map(nameKey))].sort().join('|');
}

/**
 * Those of `names` that together are exactly the artists `main`; null if one is missing. "A, B & C" is covered by "A", "B" and
 * "C", and also by "A" and "B & C", but not by "A" and "B & D".
 */
export function coveredBy(main: readonly string[], names: readonly string[]): string[] | null {
  const asked = new Set(main.map(nameKey));
  const used = names.filter((name) => splitNames(name).every((part) => asked.has(nameKey(part))));
  const covered = new Set(used.flatMap(splitNames).map(nameKey));
  return [...asked].every((key) => key !== '' && covered.has(key)) ? used : null;
}

function cutGuests(text: string): { main: string; guests: string } {
  const whole = articleFirst(tidy(text));
  const cue = GUEST_CUE.exec(whole);
  if (!cue || cue.index === 0) return { main: whole, guests: '' };
  const guests = whole.slice(cue.index + cue[0].length).replace(/[)\]]+/gu, ' ');
  return { main: whole.slice(0, cue.index), guests: guests.trim() };
}

function splitAt(text: string, separators: RegExp): string[] {
  return articleFirst(tidy(text))
    .split(separators)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** "Kettles, The" as "The Kettles". */
function articleFirst(name: string): string {
  return name.replace(/^([^,]+), the$/iu, 'The $1');
}
