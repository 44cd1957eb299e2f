/** Spotify addresses and ISRCs in the text of a list. */
import { BARE_ID, ENTITY_KINDS, parseRef } from '../../domain/ids.ts';

/** An address, up to what separates it from the rest of the line. */
const ADDRESS =
  /\bspotify:[a-z]+:[^\s,;"'<>|]+|(?:https?:\/\/)?(?:(?:open|play)\.spotify\.com|(?:www\.)?spotify\.(?:link|app\.link))\/[^\s,;"'<>|]+/giu;
const OTHER_ADDRESS = /\bhttps?:\/\/\S+/giu;
/** A link of Markdown: its text, then its address. */
const MARKDOWN_LINK = /\[([^\][]+)\]\((?=https?:|spotify:)([^()\s]+)\)/giu;
/** An address in angle brackets, as Markdown and mails write it. */
const BRACKETED_ADDRESS = /<(?=https?:|spotify:)([^<>\s]+)>/giu;
/** Punctuation that a sentence puts after an address. */
const TRAILING = '.)]}!?:';

/** The URI of a song or episode, or why the address has none. */
export type Ref = { uri: string; why?: undefined } | { uri?: undefined; why: string };

/** Why a local file is left out: its name is known, but Spotify has no copy to put into a playlist. */
export const LOCAL_FILE = 'a local file, which Spotify keeps on one device only';

/** All Spotify addresses in a text, and the text without any links. `hadLink`: the text also had other links. */
export function takeAddresses(written: string): { refs: Ref[]; rest: string; hadLink: boolean } {
  const text = written.replace(BRACKETED_ADDRESS, ' $1 ').replace(MARKDOWN_LINK, '$1 $2 ');
  const refs = [...text.matchAll(ADDRESS)].map(([address]) => readRef(withoutTrailing(address)));
  const without = refs.length > 0 ? text.replace(ADDRESS, ' ') : text;
  const rest = without.replace(OTHER_ADDRESS, ' ');
  return { refs, rest, hadLink: rest !== without };
}

/** The text with only the words of each link in Markdown. */
export function withoutLinks(text: string): string {
  return text.replace(MARKDOWN_LINK, '$1');
}

/** True for a text that is a bare ID and nothing else. Such an ID counts as that of a track. */
export function isBareId(text: string): boolean {
  const id = text.trim();
  return BARE_ID.test(id) && /[a-z]/u.test(id) && /[A-Z]/u.test(id);
}

/** Removes punctuation from the end by hand: a pattern, tried at each position, takes quadratic time on a long run. */
function withoutTrailing(address: string): string {
  let end = address.length;
  while (TRAILING.includes(address.charAt(end - 1)) && end > 0) end -= 1;
  return address.slice(0, end);
}

/** Reads one address: a URI, a link, or a bare ID, which counts as that of a track. */
export function readRef(written: string): Ref {
  const address = written.trim().replace(/^spotify:[a-z]+:/iu, (start) => start.toLowerCase());
  if (address.startsWith('spotify:local:')) return { why: LOCAL_FILE };
  try {
    const { kind, uri } = parseRef(address, ENTITY_KINDS);
    return kind === 'track' || kind === 'episode'
      ? { uri }
      : { why: `the address of ${named(kind)}, not of a song` };
  } catch {
    return {
      why: 'an address that does not say which song; open a short link in a browser to get the full address',
    };
  }
}

function named(kind: string): string {
  return /^[ae]/u.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** A recording code in its plain form, or null. */
export function isrcOf(text: string): string | null {
  if (text.length > 40) return null;
  const code = text
    .trim()
    .replace(/^(?:urn:)?isrc:?\s*/iu, '')
    .replace(/[-\s]/gu, '')
    .toUpperCase();
  return /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/u.test(code) ? code : null;
}

const ISRC_IN_BRACKETS = /[([](?:ISRC:?\s*)?([A-Z]{2}-?[A-Z0-9]{3}-?\d{2}-?\d{5})[)\]]/u;

/** Takes a recording code out of a line: one in brackets, or the whole line. */
export function takeIsrc(text: string): { isrc?: string; rest: string } {
  const whole = isrcOf(text);
  if (whole) return { isrc: whole, rest: '' };
  const found = ISRC_IN_BRACKETS.exec(text);
  const isrc = found?.[1] ? isrcOf(found[1]) : null;
  return found && isrc ? { isrc, rest: text.replace(found[0], ' ') } : { rest: text };
}
