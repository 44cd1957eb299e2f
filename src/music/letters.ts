/** Gives letters one form: equates those that compatibility decomposition leaves apart, and drops marks. */

/** Lower-case letters with strokes, ligatures and regional forms, each with what people type instead. */
const LETTERS: Readonly<Record<string, string>> = {
  ł: 'l',
  ƚ: 'l',
  ø: 'o',
  đ: 'd',
  ɗ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ɨ: 'i',
  ŋ: 'n',
  ĸ: 'k',
  ƙ: 'k',
  ƀ: 'b',
  ɓ: 'b',
  ƶ: 'z',
  ǥ: 'g',
  ɉ: 'j',
  ɍ: 'r',
  ɏ: 'y',
  ȼ: 'c',
  ʉ: 'u',
  ə: 'e',
  ɇ: 'e',
  ɛ: 'e',
  ɔ: 'o',
  ς: 'σ',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/**
 * Marks of Latin, Greek, Cyrillic, Hebrew and Arabic, marks for symbols, and variation selectors. Listed instead of
 * \p{M}, because the vowel signs of Indic scripts and the voicing marks of kana (U+3099, U+309A) are marks too. Without
 * them か and が, or का and की, would be the same.
 */
const MARK_RANGES: readonly string[] = [
  '\\u0300-\\u036f',
  '\\u0483-\\u0487',
  '\\u0591-\\u05bd',
  '\\u05bf',
  '\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7',
  '\\u0610-\\u061a',
  '\\u064b-\\u065f',
  '\\u0670',
  '\\u06d6-\\u06dc',
  '\\u06df-\\u06e4',
  '\\u06e7\\u06e8',
  '\\u06ea-\\u06ed',
  '\\u1ab0-\\u1aff',
  '\\u1dc0-\\u1dff',
  '\\u20d0-\\u20ff',
  '\\ufe00-\\ufe0f',
  '\\ufe20-\\ufe2f',
];
const MARKS = new RegExp(`[${MARK_RANGES.join('')}]`, 'gu');

/** Invisible characters (joiners, direction marks, soft hyphens) and the Arabic tatweel. */
const INVISIBLE = /[\p{Cf}\u0640]/gu;
/** Trademark signs, which decomposition would turn into letters ("™" into "TM"). */
const TRADEMARKS = /[™℠®©]/gu;
const APOSTROPHES = /[’‘‛ʻʼʽʾʿ`´′＇׳]/gu;
/** ASCII text, as in most names. Only its case needs folding. */
const PLAIN = /^[\x20-\x5f\x61-\x7e]*$/;
const DASHES = /[‐‑‒–—―−﹣－]/gu;

/** `text` with one form for all apostrophes, dashes and full-width or ligature forms, without invisible characters. */
export function tidy(text: string): string {
  return text
    .replace(APOSTROPHES, "'")
    .replace(DASHES, '-')
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Maximum length of a name in UTF-16 units; the longest title of a symphony's movement has about 250. */
const MAX_NAME = 300;

/**
 * Tidies a title or a billing, and cuts it to `max`. The patterns that find parts of a name try each position, so their time
 * grows at least with the square of the length.
 */
export function tidyName(name: string, max = MAX_NAME): string {
  // A ligature may become eighteen letters, so the tidy text is cut too.
  return tidy(name.slice(0, max)).slice(0, max);
}

/** `text` without case, marks and strokes; composed again, so that Hangul and voiced kana stay intact. */
export function foldLetters(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .replace(TRADEMARKS, '')
    .replace(APOSTROPHES, "'")
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(INVISIBLE, '')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .replace(APOSTROPHES, "'")
    .normalize('NFC');
}
