/** The ways in which one text can hold title and artist. */

export interface Style {
  readonly name: string;
  /** The part that is the artist, if the style determines it. Otherwise `decideSide` decides. */
  readonly artist?: 'first' | 'last';
  /** True if the parts are columns: two for title and artist, and a third for the album. */
  readonly columnar?: boolean;
  /** The parts of a text, at least two; null if the separator is not in it. */
  parts(text: string): string[] | null;
  /**
   * The share of lines, 0 to 1, that the style needs to count beside the main style. The default is 0. A style with a share
   * above 1 counts only as the main style.
   */
  readonly share?: number;
  /** The share of lines that the style needs to be the main style; by default `share`. */
  readonly mainShare?: number;
}

const DASH = /\s+[-‐‑‒–—―−－~]{1,3}\s+/u;
const TIGHT = /\s*[–—―]\s*|\s+-(?=\S)|(?<=\S)-\s+/u;
const BAR = /\s*[|｜／]\s*|\s+(?:[·•:\\]|::|\/{1,2}|>)\s+/u;
const ARTIST_QUOTED = /^([^"“”„«»「」『』]+?)[\s,:]*["“„«»「『]([^"“”„«»「」『』]+)["”“»«」』]$/u;
const QUOTED_ARTIST =
  /^["“„«»「『]([^"“”„«»「」『』]+)["”“»«」』](?:\s+by\s+|[\s,]+|(?<=[」』]))([^"“”„«»「」『』\s(-][^"“”„«»「」『』]*)$/iu;
/** The dash of a title in quotation marks does not separate names. */
const QUOTED_BY = /^["“„«]([^"“”„«»]+)["”“»],?\s+by\s+((?:(?!\s[-–—]{1,2}\s)[^"“”„«»])+)$/iu;
const BY = /^(.*\S)[\s,]+by\s+(\S.*)$/iu;

const COMMA = /\s*[;,](?:\s+|(?=\S))/u;

/** The ways to separate two names, in order of preference. */
const STYLES: readonly Style[] = [
  { name: 'quotes, by', artist: 'last', parts: (text) => groups(text, QUOTED_BY) },
  { name: 'tab', columnar: true, parts: (text) => cut(text, /(?:\s[-–—])?\t+/u) },
  { name: 'dash', parts: (text) => cut(text, DASH) },
  { name: 'quotes, artist first', artist: 'first', parts: (text) => groups(text, ARTIST_QUOTED) },
  { name: 'quotes, title first', artist: 'last', parts: (text) => groups(text, QUOTED_ARTIST) },
  { name: 'tight dash', share: 0.1, parts: (text) => once(text, TIGHT) },
  { name: 'bar', columnar: true, share: 0.1, parts: (text) => cut(text, BAR) },
  { name: 'by', artist: 'last', share: 0.3, parts: (text) => groups(text, BY) },
  { name: 'colon', share: 0.3, parts: (text) => once(text, /:\s+/u) },
  // Sentences have commas too, so nearly every line must have exactly one.
  { name: 'comma', share: 2, mainShare: 0.8, parts: (text) => exactlyTwo(cut(text, COMMA)) },
];

const SEPARATES = STYLES.filter(
  ({ name }) => name === 'tab' || name === 'dash' || name === 'by' || /^quotes/u.test(name),
);

/** True if a dash, a tab, quotation marks or "by" separates two names in the text. */
export function canSplit(text: string): boolean {
  return SEPARATES.some((style) => style.parts(text) !== null);
}

/**
 * The styles of a file, in the order to try them: `quotes, by` if any line has it, the main style, then each style that enough
 * of the other lines have.
 */
export function stylesOf(texts: readonly string[]): Style[] {
  const shareOf = (style: Style, among: readonly string[]) =>
    among.filter((text) => style.parts(text) !== null).length / Math.max(1, texts.length);
  const shares = new Map(STYLES.map((style) => [style, shareOf(style, texts)]));
  const possible = STYLES.filter((style) => (shares.get(style) ?? 0) > 0);
  const [best] = possible
    .filter((style) => (shares.get(style) ?? 0) >= (style.mainShare ?? style.share ?? 0))
    .sort((a, b) => (shares.get(b) ?? 0) - (shares.get(a) ?? 0));
  if (!best) return [];
  // If half of the lines have a dash with spaces, the dash is the main style, even if another separator is in more lines. Only
  // tabs and "by" take precedence.
  const dash = possible.find(({ name }) => name === 'dash');
  const isDash = dash && (shares.get(dash) ?? 0) >= 0.5 && best.name !== 'by' && best.name !== 'tab';
  const main = isDash ? dash : best;
  const certain = possible.filter(({ name }) => name === 'quotes, by');
  const left = texts.filter((text) => main.parts(text) === null);
  const others = possible.filter((style) => style !== main && shareOf(style, left) >= (style.share ?? 0));
  return [...new Set([...certain, main, ...others])];
}

function cut(text: string, separator: RegExp): string[] | null {
  const parts = text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length > 1 ? parts : null;
}

function once(text: string, separator: RegExp): string[] | null {
  const found = separator.exec(text);
  if (!found) return null;
  return cut(`${text.slice(0, found.index)}\t${text.slice(found.index + found[0].length)}`, /\t/u);
}

function groups(text: string, pattern: RegExp): string[] | null {
  const [, first = '', second = ''] = pattern.exec(text) ?? [];
  // English sets a comma before the closing quotation mark.
  const parts = [first, second].map((part) => part.trim().replace(/,$/u, ''));
  return parts.every((part) => part !== '') ? parts : null;
}

function exactlyTwo(parts: string[] | null): string[] | null {
  return parts?.length === 2 ? parts : null;
}
