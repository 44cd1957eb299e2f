/**
 * The one sanitiser for text from outside: names from Spotify and from clients, titles, addresses, words of errors. A
 * terminal obeys control characters (OSC 52 writes the clipboard, CSI moves the cursor over what stands above), a log
 * reader believes line breaks, and bidirectional controls turn around what stands beside them (CVE-2021-42574). Pure.
 *
 * For people such a character is left out, with no mark in its place: titles in Hebrew and Arabic carry direction marks
 * in good faith and look as meant without them, and an escape sequence without its first character is plain, visible
 * text. The log shows it as `\x1b`, since a log has to tell what was sent. JSON keeps it, escaped.
 */

import { lazy } from './memoised.ts';

/**
 * Controls, format characters, line and paragraph separators, lone surrogates; not the joiners, number signs and the
 * vowel separator, which words of several scripts and emoji are written with.
 */
const unsafe = lazy(
  () =>
    /(?![\u200c-\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180e\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
);

/** What moves on to another line or column: a space stands for it, so that no two words become one. */
const BREAKS = /[\t-\r\u0085\u2028\u2029]+/g;
const BREAKS_BUT_LINE_ENDS = /[\t\v-\r\u0085\u2028\u2029]+/g;

const loneSurrogate = lazy(() => /\p{Cs}/gu);

/** Text as part of one line, of any length. */
export function visibleLine(text: string): string {
  return without(text.replace(BREAKS, ' '));
}

/** A block whose line ends are ours: the last line of defence behind `visibleLine` and `visibleText`. */
export function visibleLines(text: string): string {
  return text
    .split('\n')
    .map((line) => without(line.replace(BREAKS_BUT_LINE_ENDS, ' ')))
    .join('\n');
}

/** A name or another value within a line: one line of at most `max` code units. */
export function visibleText(text: string, max = 200): string {
  return shortened(visibleLine(text).trim(), max);
}

/** A value as JSON from which `JSON.parse` makes the same value, in characters that are safe to print. */
export function visibleJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  // A line end in a string is escaped already, so one that is found here is of the indentation.
  return text.replace(unsafe(), (found) =>
    found === '\n' ? found : unitsOf(found).map(jsonEscape).join(''),
  );
}

/** A value for the log: what is unsafe stays readable as `\x1b`, `\u202e` or `\u{e0041}`; at most `max` code units. */
export function escapedText(text: string, max = 2_000): string {
  const shown = text.slice(0, max).replace(unsafe(), logEscape);
  const isWhole = text.length <= max && shown.length <= max;
  return isWhole ? shown : `${withoutHalf(shown.slice(0, max))}… (${text.length} in all)`;
}

/** A header value in visible ASCII; everything else is percent-encoded, as in a URL (RFC 9110 5.5, CWE-113). */
export function headerValue(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (found) =>
    encodeURIComponent(found.replace(loneSurrogate(), '\ufffd')),
  );
}

function without(text: string): string {
  return text.replace(unsafe(), (found) =>
    found.length === 1 && found >= '\ud800' && found <= '\udfff' ? '\ufffd' : '',
  );
}

let characters: Intl.Segmenter | undefined;

/** Longer than any letter with its accents and any emoji, in code units. */
const MAX_CHARACTER_LENGTH = 64;

/** Cut between characters as people see them, so that no letter loses its accent and no emoji falls apart. */
function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  // A segmenter takes its time with long texts, and looks here at the surroundings of the cut alone.
  const from = Math.max(0, max - 1 - MAX_CHARACTER_LENGTH);
  const around = text.slice(from, max + MAX_CHARACTER_LENGTH);
  const start = characters.segment(around).containing(max - 1 - from)?.index ?? 0;
  return `${withoutHalf(text.slice(0, start === 0 ? max - 1 : from + start))}…`;
}

/** What a cut has left of a surrogate pair is taken away. */
function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

function unitsOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}

function jsonEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

function logEscape(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return code > 0xff ? jsonEscape(code) : `\\x${code.toString(16).padStart(2, '0')}`;
}
