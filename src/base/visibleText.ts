/**
 * The one sanitiser for text from outside: names from Spotify and from clients, titles, addresses, error messages. A terminal
 * obeys control characters: OSC 52 writes the clipboard, CSI moves the cursor over earlier output. A log reader believes line
 * breaks. Bidirectional controls reorder the text around them (CVE-2021-42574). Pure.
 *
 * In text for people, such a character is left out, with no mark in its place; a space replaces a line break. Titles in Hebrew
 * and Arabic may contain direction marks, and look right without them. An escape sequence without its first character is plain,
 * visible text. The log shows the character as `\x1b` or the like, since a log has to tell what was sent. JSON keeps the
 * character, escaped. A model gets what a person would see (`modelText`). What is compared, exported or written back stays as
 * it is.
 */
import { cutAt } from './lists.ts';
import { lazy } from './memoised.ts';

/**
 * Controls, format characters, line and paragraph separators, lone surrogates. The joiners, number signs and the vowel
 * separator are not among them: words of several scripts, and emoji, are written with them.
 */
const unsafe = lazy(
  () =>
    /(?![\u200c-\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180e\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
);

/** Characters that move to another line or column. A space replaces them, so that no two words become one. */
const BREAKS = /[\t-\r\u0085\u2028\u2029]+/g;

/**
 * Any character that `hidden` may find: raw, or as `JSON.stringify` escapes it, or only the first half of its surrogate pair.
 * The pattern is simple because it is tried on every answer, and hardly any answer has such a character.
 */
const MAY_HIDE =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself.
  /[\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud80d\ud82f\ud834\udb40-\udb43]|\\(?:[bfrt]|u(?:00[01]|d[89a-f]))/;

/**
 * Scripts whose letters are joined, or kept apart, by a character without width: Arabic, Mongolian and the scripts of India and
 * its neighbours.
 */
const JOINING = [
  ...['Arab', 'Syrc', 'Mand', 'Nkoo', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda'],
  ...['Mlym', 'Sinh', 'Tibt', 'Mymr', 'Khmr', 'Bali', 'Java', 'Newa', 'Phag'],
]
  .map((script) => `\\p{scx=${script}}`)
  .join('');

const EMOJI = '\\p{Extended_Pictographic}';

/** Invisible characters that are part of the character before them: at most one after each. */
const BELONGS = [
  // The flags of England, Scotland and Wales, the only sequences of tags that are in general use.
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
  `(?<=[${EMOJI}\\u{1f3fb}-\\u{1f3ff}\\ufe0f])\\u200d(?=${EMOJI})`,
  `(?<=${EMOJI})[\\ufe0e\\ufe0f]|(?<=[0-9#*])\\ufe0f(?=\\u20e3)`,
  `(?<=[${JOINING}])[\\u200c\\u200d](?![\\p{Cf}\\p{DI}])`,
  '(?<=[\\p{Ideographic}\\p{scx=Mymr}])[\\ufe00-\\ufe0d\\u{e0100}-\\u{e01ef}]',
  '(?<=\\p{sc=Mong})[\\u180b-\\u180f]',
  // Line ends, and the signs before a number, which are visible.
  '[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}\\n]',
].join('|');

/** Everything that a reader does not see. Group 1 matches the characters that may stay. */
const hidden = lazy(() => new RegExp(`(${BELONGS})|[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{DI}]`, 'gu'));

const loneSurrogate = lazy(() => /\p{Cs}/gu);

/** Cleans text that becomes part of one line, of any length. */
export function visibleLine(text: string): string {
  return modelText(text.replace(BREAKS, ' '));
}

/**
 * Cleans a block of text but keeps its line ends, and the byte order mark with which CSV begins. Single values are cleaned before that by `visibleLine` and `visibleText`;
 * this is the last defence.
 */
export function visibleLines(text: string): string {
  const lines = text.split('\n').map(visibleLine);
  return (text.startsWith('\ufeff') ? '\ufeff' : '') + lines.join('\n');
}

/** Cleans a name or another value within a line: the result is one line of at most `max` code units. */
export function visibleText(text: string, max = 200): string {
  return shortened(visibleLine(text).trim(), max);
}

/** Returns a value as JSON from which `JSON.parse` makes the same value, in characters that are safe to print. */
export function visibleJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  // Line ends in strings are already escaped, so one found here belongs to the indentation.
  return text.replace(unsafe(), (found) =>
    found === '\n' ? found : found.split('').map(jsonEscape).join(''),
  );
}

/**
 * Returns a value for the log: unsafe characters stay readable as `\x1b`, `\u202e` or `\u{e0041}`. After `max` code units it is
 * cut, and its length is added.
 */
export function escapedText(text: string, max = 2_000): string {
  const shown = text.slice(0, max).replace(unsafe(), logEscape);
  const isWhole = text.length <= max && shown.length <= max;
  return isWhole ? shown : `${cutAt(shown, max)}… (${text.length} in all)`;
}

/**
 * Returns text for a model, without what a person would not see: tags, characters without width, direction controls, selectors
 * that select nothing. With these a stranger's title could tell a model something that the person does not see. Hebrew, Arabic,
 * joined letters and emoji, and flags stay as they are.
 */
export function modelText(text: string): string {
  return MAY_HIDE.test(text) || hasControls(text) ? withoutHidden(text) : text;
}

/**
 * `modelText` for every string in plain JSON data, names of fields too. Returns `value` itself if it has no character that may
 * have to be left out.
 */
export function modelValue<T>(value: T): T {
  return MAY_HIDE.test(JSON.stringify(value) ?? '') ? (cleaned(value) as T) : value;
}

/** True if the value with this JSON may have to be cleaned. */
export function mayHideText(json: string): boolean {
  return MAY_HIDE.test(json);
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return withoutHidden(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [withoutHidden(key), cleaned(inner)]),
  );
}

function withoutHidden(text: string): string {
  return text.replace(hidden(), (found: string, belongs: string | undefined, at: number) => {
    if (belongs !== undefined) return found;
    if (found === '\r' && text[at + 1] === '\n') return '';
    if (/[\t\v\f\r\x85\u2028\u2029]/.test(found)) return ' ';
    return isHalf(found) ? '\ufffd' : '';
  });
}

/** True if plain text has C0 controls other than `\n`, or surrogates. `MAY_HIDE` finds these as JSON escapes them. */
function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return /[\x00-\x09\x0b-\x1f\ud800-\udfff]/.test(text);
}

/** Returns a header value in visible ASCII; everything else is percent-encoded, as in a URL (RFC 9110 5.5, CWE-113). */
export function headerValue(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (found) =>
    encodeURIComponent(found.replace(loneSurrogate(), '\ufffd')),
  );
}

/** True for half of a surrogate pair. */
function isHalf(found: string): boolean {
  return found.length === 1 && found >= '\ud800' && found <= '\udfff';
}

let characters: Intl.Segmenter | undefined;

/** Maximum number of code units of a character, more than any letter with its accents and any emoji has. */
const MAX_CHARACTER_LENGTH = 64;

/** Cuts the text between characters as people see them, so that no letter loses its accent and no emoji falls apart. */
function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  // A segmenter is slow on long texts, so it gets only the text around the cut.
  const from = Math.max(0, max - 1 - MAX_CHARACTER_LENGTH);
  const around = text.slice(from, max + MAX_CHARACTER_LENGTH);
  const start = characters.segment(around).containing(max - 1 - from)?.index ?? 0;
  return `${cutAt(text, start === 0 ? max - 1 : from + start)}…`;
}

function jsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function logEscape(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return code > 0xff ? jsonEscape(found) : `\\x${code.toString(16).padStart(2, '0')}`;
}
