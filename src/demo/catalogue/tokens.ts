/** How a search engine sees text: accents, case and punctuation aside, whole words, and single signs of Han and Kana. */

/** Letters that Unicode does not decompose into a base letter and a mark. */
const STROKES: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
};

const SIGN = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const WORD = new RegExp(`${SIGN}|(?:(?!${SIGN})[\\p{L}\\p{N}])+`, 'gu');
const PLAIN = /^[a-z0-9 ]*$/;

/** `text` without case, marks and strokes. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (PLAIN.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[øłđðþßæœı]/gu, (letter) => STROKES[letter] ?? letter)
    .replace(/['’]/gu, '')
    .normalize('NFC');
}

/** The words of `text` in order; for text without letters and digits, what stands between its spaces. */
export function tokenise(text: string): string[] {
  const folded = fold(text);
  return folded.match(WORD) ?? folded.split(/\s+/u).filter((chunk) => chunk !== '');
}

/** What stands between spaces and holds neither letter nor digit: perhaps a name such as `~~~~`. */
export function punctuationNames(text: string): string[] {
  return fold(text)
    .split(/\s+/u)
    .filter((chunk) => chunk !== '' && !/[\p{L}\p{N}]/u.test(chunk));
}
