/**
 * Reads documents and queries for the search. Texts become words without accents, case and punctuation; each character of Han
 * and Kana is a word of its own. Queries have free words, quoted phrases and field filters.
 */

import { isOneChange } from '../../base/nearest.ts';

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

/** The words of `text` in order; for text without letters and digits, its space-separated parts. */
export function tokenise(text: string): string[] {
  const folded = fold(text);
  return folded.match(WORD) ?? folded.split(/\s+/u).filter((chunk) => chunk !== '');
}

/** Space-separated parts without letters and digits: perhaps a name such as `~~~~`. */
export function punctuationNames(text: string): string[] {
  return fold(text)
    .split(/\s+/u)
    .filter((chunk) => chunk !== '' && !/[\p{L}\p{N}]/u.test(chunk));
}

const FILTERS = ['artist', 'album', 'track', 'year', 'isrc', 'upc', 'genre', 'tag'] as const;
type Filter = (typeof FILTERS)[number];

export interface SearchQuery {
  readonly words: string;
  /** Quoted free text: its words must be adjacent. */
  readonly phrases: readonly string[];
  readonly filters: readonly { readonly filter: Filter; readonly value: string; readonly quoted: boolean }[];
}

const FILTER_START = new RegExp(`(?<![^\\s"])(${FILTERS.join('|')}):`, 'giu');

/** Filters whose unquoted value is one word. */
const ONE_WORD: readonly Filter[] = ['year', 'isrc', 'upc', 'genre', 'tag'];

/**
 * A filter's value is its quoted text. Without quotes, the value of a year, code, genre or tag is one word. Any other value
 * reaches to the next filter. An example of the Web API reference: `remaster track:Doe artist:Some Name`.
 */
export function parseQuery(text: string): SearchQuery {
  const starts = [...text.matchAll(FILTER_START)];
  let free = text.slice(0, starts[0]?.index ?? text.length);
  const filters = starts.map((start, n) => {
    const from = start.index + start[0].length;
    const rest = text.slice(from, starts[n + 1]?.index ?? text.length);
    const filter = FILTERS.find((name) => name === start[1]?.toLowerCase()) ?? 'track';
    const quoted = /^\s*"([^"]*)"?/u.exec(rest);
    const value = quoted ?? (ONE_WORD.includes(filter) ? /^\s*(\S*)/u : /^(.*)$/su).exec(rest);
    free += ` ${rest.slice(value?.[0].length ?? 0)}`;
    return { filter, value: (value?.[1] ?? '').trim(), quoted: quoted !== null };
  });
  const phrases = [...free.matchAll(/"([^"]+)"/gu)].map((match) => match[1] ?? '');
  return { words: free.replaceAll('"', ' ').trim(), phrases, filters };
}

/** Shorter words are never corrected as typos. */
const MIN_LENGTH = 4;

/** "Did you mean": the words of `known` that are one letter or one swap away from `word`; none for a short word. */
export function nearWords(word: string, known: Iterable<string>): string[] {
  if (word.length < MIN_LENGTH) return [];
  return [...known].filter((other) => other.length >= MIN_LENGTH && isOneChange(word, other));
}
