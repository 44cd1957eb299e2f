/** One form for all spellings of a name. No locale or collation is used, so the result is the same on every machine. */
import { memoised } from '../base/memoised.ts';
import { foldLetters, tidy } from './letters.ts';

const HAS_WORD = /[\p{L}\p{N}]/u;
/** The "'n'" of "Rock 'n' Roll" in its spellings. "n'" needs a space after it: French "n'ai" is not "and". */
const SHORT_AND = /(?<=\p{L})(?:\s*'n'\s*|\s+n'?\s+|\s*'n\s+)(?=\p{L})/gu;
const PLUS_BETWEEN_WORDS = /(?<=[\p{L}\p{N}]\s*)\+(?=\s*[\p{L}\p{N}])/gu;
/** "K$sk8" is read with an s, "$100" is not. */
const DOLLAR_AS_S = /(?<=\p{L})\$|\$(?=\p{L})/gu;
const THOUSANDS = /(?<=\d)[,'](?=\d{3}(?!\d))/gu;
const NO_WORD = /[^\p{L}\p{N}\p{M}]+/gu;
const SIGN = /[^\p{L}\p{N}\p{M}\s]/gu;

/**
 * The form in which titles, artists, albums and playlist names are compared: compatibility forms decomposed; marks, strokes and
 * case removed; `&`, `+` and "'n'" as "and"; apostrophes removed; other punctuation as single spaces. A name without letters
 * and digits ("???", "+", an emoji) keeps its symbols. The result is empty only for blank text. Characters beyond `MAX_LENGTH`
 * are ignored; no name is that long.
 */
export function normaliseName(text: string): string {
  return normalised(text.slice(0, MAX_LENGTH));
}

/** The entries with exactly this name. If there are none, those whose normalised name is the same. */
export function calledLike<T extends { name: string }>(entries: readonly T[], name: string): T[] {
  const wanted = normaliseName(name);
  const similar = entries.filter((entry) => normaliseName(entry.name) === wanted);
  const exact = similar.filter((entry) => entry.name === name);
  return exact.length > 0 ? exact : similar;
}

/** Maximum length in UTF-16 units, before and after ligatures are spelled out. It is enough for a billing of many artists. */
const MAX_LENGTH = 1_000;

const normalised: (text: string) => string = memoised(4_000, (text) => {
  const folded = foldLetters(text).slice(0, MAX_LENGTH);
  if (!HAS_WORD.test(folded)) return signsOf(text);
  return folded
    .replace(SHORT_AND, ' and ')
    .replace(/&/gu, ' and ')
    .replace(PLUS_BETWEEN_WORDS, ' and ')
    .replace(DOLLAR_AS_S, 's')
    .replace(THOUSANDS, '')
    .replace(/'/gu, '')
    .replace(NO_WORD, ' ')
    .trim();
});

/** True for names that differ only in spelling, spaces or a leading "The". A blank name equals nothing. */
export function sameName(a: string, b: string): boolean {
  const key = nameKey(a);
  return key !== '' && key === nameKey(b);
}

/** A key that is equal for names that `sameName` treats as the same. */
export function nameKey(name: string): string {
  return compact(withoutThe(normaliseName(name)));
}

/** The text without spaces, except between digits: "1 23" is not "12 3". */
export function compact(normalised: string): string {
  return normalised.replace(/(?<!\d) | (?!\d)/gu, '');
}

/**
 * The forms that `name` may have in a list without punctuation, compacted. In the first form, signs are left out ("11:47" as
 * "1147"). In the second, they become spaces ("11 47").
 */
export function signlessKeys(name: string): string[] {
  const folded = foldLetters(name).replace(/'/gu, '');
  return ['', ' '].map((instead) => compact(normaliseName(folded.replace(SIGN, instead))));
}

/** A normalised name without its leading "the". */
export function withoutThe(normalised: string): string {
  return normalised.replace(/^the (?=.)/u, '');
}

function signsOf(text: string): string {
  const seen = tidy(text)
    .toLowerCase()
    .replace(/\s|[\ufe00-\ufe0f]/gu, '');
  return seen || text.trim();
}

const WORDS = 'one two three four five six seven eight nine ten'.split(' ');
const ROMAN = 'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx'.split(' ');

const COUNTED: Readonly<Record<string, string>> = {
  part: 'part',
  parts: 'part',
  pt: 'part',
  pts: 'part',
  volume: 'volume',
  vol: 'volume',
  chapter: 'chapter',
};
const NUMBERED = new RegExp(
  `\\b(${Object.keys(COUNTED).join('|')})(?: ?(\\d+)| (${[...WORDS, ...ROMAN].join('|')}))\\b`,
  'gu',
);

/**
 * A normalised name with its part, volume and chapter numbers as digits: "Pt. II", "Part 2" and "Part Two" are equal.
 * Numerals without such a word stay as they are: "Plinth II" is not "Plinth 2", since a lone "I" or "V" is usually a
 * word.
 */
export function withPlainNumbers(normalised: string): string {
  return normalised.replace(NUMBERED, (_, word: string, digits?: string, spelt?: string) => {
    const value = 1 + Math.max(WORDS.indexOf(spelt ?? ''), ROMAN.indexOf(spelt ?? ''));
    return `${COUNTED[word]} ${digits === undefined ? value : Number(digits)}`;
  });
}
