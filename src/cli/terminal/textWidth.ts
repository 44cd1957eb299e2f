/** How many columns of a terminal a text takes. Pure; expects text that `base/visibleText.ts` has cleaned. */
import { lazy } from '../../base/memoised.ts';

/** East Asian wide and full-width characters (UAX 11), in ranges as terminals draw them. */
const wide = lazy(
  () =>
    /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u,
);

const marks = lazy(() => /^[\p{M}\u200c\u200d]+$/u);

/**
 * Code points that may be drawn together with others as one character. Only a segmenter finds the end of that character, and
 * segmenting is slow.
 */
const JOINED = /\u200d|\ufe0f|[\u1100-\u11ff\u{1f1e6}-\u{1f1ff}]|[\u{1f3fb}-\u{1f3ff}]/u;

/** Longer texts are measured code point by code point, which is fast; lines that have to fit are shorter. */
const MAX_MEASURED = 500;

let characters: Intl.Segmenter | undefined;

export function widthOf(text: string): number {
  if (!/[^\x20-\u02ff]/.test(text)) return text.length;
  let width = 0;
  for (const character of charactersOf(text)) width += widthOfOne(character);
  return width;
}

/** Returns as much of `text` as fits in `width` columns, with an ellipsis for what was cut. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of charactersOf(text)) {
    used += widthOfOne(character);
    if (used > width - 1) break;
    kept += character;
  }
  return width < 1 ? '' : `${kept}…`;
}

/** Returns as much of `text` as fits, filled up with spaces to exactly `width` columns. With `right`, the spaces come first. */
export function padded(text: string, width: number, right = false): string {
  const shown = fitted(text, width);
  const space = ' '.repeat(Math.max(0, width - widthOf(shown)));
  return right ? space + shown : shown + space;
}

function charactersOf(text: string): Iterable<string> {
  if (text.length > MAX_MEASURED || !JOINED.test(text)) return text;
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(characters.segment(text), ({ segment }) => segment);
}

function widthOfOne(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300 && character.length === 1) return 1;
  if (marks().test(character)) return 0;
  return wide().test(character) ? 2 : 1;
}
