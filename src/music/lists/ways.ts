/** The ways in which one text can hold title and artist. */
import type { ArtistSide } from './list.ts';

export type Side = ArtistSide['side'];

export interface Way {
  readonly name: string;
  /** The side of the artist, if the way tells. */
  readonly artist?: Side;
  /** True if the parts are columns: two for title and artist, and a third for the album. */
  readonly isColumns?: boolean;
  /** The share of lines, 0 to 1, that must be written so for the way to count. */
  readonly share: number;
  /** True if the way counts only if it is the main one. */
  readonly isOnlyMain?: boolean;
  /** The parts of a text, at least two; null if it is not written so. */
  parts(text: string): string[] | null;
}

/** What separates the artist from the title, in a line, a title and the name of a file. */
export const DASH = /\s+[-‐‑‒–—―−－~]{1,3}\s+/u;
const TIGHT = /\s*[–—―]\s*|\s+-(?=\S)|(?<=\S)-\s+/u;
const BAR = /\s*[|｜／]\s*|\s+(?:[·•:\\]|::|\/{1,2}|>)\s+/u;
const COMMA = /\s*[;,](?:\s+|(?=\S))/u;
/** The dash of a title in quotation marks does not separate names. */
const QUOTED_BY = /^["“„«]([^"“”„«»]+)["”“»],?\s+by\s+((?:(?!\s[-–—]{1,2}\s)[^"“”„«»])+)$/iu;
const ARTIST_QUOTED = /^([^"“”„«»「」『』]+?)[\s,:]*["“„«»「『]([^"“”„«»「」『』]+)["”“»«」』]$/u;
const QUOTED_ARTIST =
  /^["“„«»「『]([^"“”„«»「」『』]+)["”“»«」』](?:\s+by\s+|[\s,]+|(?<=[」』]))([^"“”„«»「」『』\s(-][^"“”„«»「」『』]*)$/iu;
const BY = /^(.*\S)[\s,]+by\s+(\S.*)$/iu;

/** Words in front of "by" that say who made the list, and words after it that name no artist. */
const MADE_BY =
  /^(?:.*\s)?(?:compiled|curated|selected|collected|mixed|made|created|written|posted|uploaded|playlist|list|songs|music)$/iu;
const NOBODY = /^(?:me|you|him|her|us|them|it|now|then|myself|yourself)\b/iu;

/** "Title by Artist". "Stand by Me", "Side by Side" and "Compiled by Tam" are not written so. */
function byArtist(text: string): string[] | null {
  const [title = '', artist = ''] = groups(text, BY) ?? [];
  const isSame = ` ${title}`.toLowerCase().endsWith(` ${artist.toLowerCase()}`);
  return artist === '' || isSame || NOBODY.test(artist) || MADE_BY.test(title) ? null : [title, artist];
}

/** The same where few lines have it, so "Down by the River" counts as a title. */
function byCapital(text: string): string[] | null {
  const found = byArtist(text);
  return /\p{Lu}/u.test(text) && /^\p{Ll}/u.test(found?.[1] ?? '') ? null : found;
}

/** The ways to separate two names, in order of preference. */
const WAYS: readonly Way[] = [
  { name: 'quotes, by', artist: 'right', share: 0, parts: (text) => groups(text, QUOTED_BY) },
  { name: 'tab', isColumns: true, share: 0, parts: (text) => cut(text, /(?:\s[-–—])?\t+/u) },
  { name: 'dash', share: 0, parts: (text) => cut(text, DASH) },
  { name: 'quotes, artist first', artist: 'left', share: 0, parts: (text) => groups(text, ARTIST_QUOTED) },
  { name: 'quotes, title first', artist: 'right', share: 0, parts: (text) => groups(text, QUOTED_ARTIST) },
  { name: 'tight dash', share: 0.1, parts: (text) => cut(text.replace(TIGHT, '\t'), /\t/u) },
  { name: 'bar', isColumns: true, share: 0.1, parts: (text) => cut(text, BAR) },
  { name: 'by', artist: 'right', share: 0.3, parts: byArtist },
  { name: 'colon', share: 0.3, parts: (text) => cut(text.replace(/:\s+/u, '\t'), /\t/u) },
  // Sentences have commas too, so nearly every line must have exactly one.
  { name: 'comma', share: 0.8, isOnlyMain: true, parts: (text) => exactlyTwo(cut(text, COMMA)) },
  { name: 'by, once', artist: 'right', share: 0, parts: byCapital },
];

const SEPARATES = WAYS.filter(({ name }) => /^(?:tab|dash|by|quotes)/u.test(name));

/** True if a dash, a tab, quotation marks or "by" separates two names in the text. */
export function canSplit(text: string): boolean {
  return SEPARATES.some(({ parts }) => parts(text) !== null);
}

/** The ways of a file, in the order to try them: a title in quotation marks and "by", the main way, then those of other lines. */
export function waysOf(texts: readonly string[]): Way[] {
  const shareOf = ({ parts }: Way, among: readonly string[]) =>
    among.filter((text) => parts(text) !== null).length / Math.max(1, texts.length);
  const ranked = WAYS.map((way) => ({ way, share: shareOf(way, texts) }))
    .filter(({ way, share }) => share > 0 && share >= way.share)
    .sort((a, b) => b.share - a.share);
  const best = ranked[0]?.way;
  // If half of the lines have a dash with spaces, it is the main way, even if another separator is in more lines. Only tabs and
  // "by" take precedence.
  const dash = ranked.find(({ way, share }) => way.name === 'dash' && share >= 0.5)?.way;
  const main = best?.name === 'by' || best?.name === 'tab' ? best : (dash ?? best);
  if (!main) return [];
  const left = texts.filter((text) => main.parts(text) === null);
  const others = WAYS.filter((way) => {
    const share = shareOf(way, left);
    return way !== main && !way.isOnlyMain && share > 0 && share >= way.share;
  });
  const certain = ranked.flatMap(({ way }) => (way.name === 'quotes, by' ? [way] : []));
  return [...new Set([...certain, main, ...others])];
}

function cut(text: string, separator: RegExp): string[] | null {
  const parts = text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length > 1 ? parts : null;
}

function groups(text: string, pattern: RegExp): string[] | null {
  // English sets a comma before the closing quotation mark.
  const parts = (pattern.exec(text) ?? []).slice(1, 3).map((part) => part.trim().replace(/,$/u, ''));
  return parts.length === 2 && parts.every((part) => part !== '') ? parts : null;
}

function exactlyTwo(parts: string[] | null): string[] | null {
  return parts?.length === 2 ? parts : null;
}
