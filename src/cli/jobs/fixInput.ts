/** Reads what a person types while going through the items of a job that did not resolve. Pure. */
import { RelayError } from '../../domain/errors.ts';
import { BARE_ID, parseRef } from '../../domain/ids.ts';

export type FixInput =
  /** The offer with this index, from 0. */
  | { kind: 'take'; index: number }
  /** `text` is the words, the link or the score; null if the person has not typed it yet. */
  | { kind: 'search' | 'link' | 'near'; text: string | null }
  | { kind: 'skip' | 'back' | 'later' | 'quit' | 'help' }
  | { kind: 'unclear'; why: string };

/** @param offers how many tracks can be taken by number */
export function readInput(typed: string, offers: number): FixInput {
  const text = typed.trim();
  if (/^\d{1,3}$/.test(text)) return taken(Number(text), offers);
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
  const more = rest === '' ? null : rest;
  const key = word.toLowerCase();
  const asking = ASKING.get(key);
  if (asking) return { kind: asking, text: more };
  const alone = ALONE.get(key);
  if (more === null && alone) return { kind: alone };
  if (more === null && isReference(word)) return { kind: 'link', text: word };
  return { kind: 'unclear', why: `"${text}" is not one of the keys. To search, type s and the words.` };
}

/** Keys that more words can follow. */
const ASKING = new Map<string, 'search' | 'link' | 'near'>([
  ['s', 'search'],
  ['search', 'search'],
  ['l', 'link'],
  ['link', 'link'],
  ['a', 'near'],
  ['all', 'near'],
]);

const ALONE = new Map<string, 'later' | 'skip' | 'back' | 'quit' | 'help'>([
  ['', 'later'],
  ['x', 'skip'],
  ['skip', 'skip'],
  ['b', 'back'],
  ['back', 'back'],
  ['q', 'quit'],
  ['quit', 'quit'],
  ['?', 'help'],
  ['h', 'help'],
  ['help', 'help'],
]);

function taken(number: number, offers: number): FixInput {
  if (number >= 1 && number <= offers) return { kind: 'take', index: number - 1 };
  const why = offers === 0 ? 'No track is listed.' : `The numbers go from 1 to ${offers}.`;
  return { kind: 'unclear', why };
}

/** True for a Spotify address or URI, or a bare ID. */
function isReference(word: string): boolean {
  return /^spotify:|spotify\.(?:com|link|app\.link)\//i.test(word) || BARE_ID.test(word);
}

/** Reads the ID, URI or link of a track that a person entered, and returns the URI. @throws RelayError `USAGE` */
export function trackUri(text: string): string {
  try {
    return parseRef(text, ['track']).uri;
  } catch (error) {
    throw error instanceof RelayError ? error.with({ code: 'USAGE' }) : error;
  }
}

/** Reads a score from 0 to 1, also with a comma as decimal separator. Returns null for anything else. */
export function readScore(text: string): number | null {
  if (!/^(?:\d+(?:[.,]\d*)?|[.,]\d+)$/.test(text.trim())) return null;
  const score = Number(text.trim().replace(',', '.'));
  return score <= 1 ? score : null;
}

/** Reads `12=TRACK`: the number of an item, and the track to take for that item. @throws RelayError `USAGE` */
export function readTake(text: string): { number: number; track: string } {
  const [, number, track] = /^\s*(\d+)\s*=\s*(.+)$/s.exec(text) ?? [];
  if (number === undefined || track === undefined) {
    throw new RelayError('USAGE', `"${text}" is not NUMBER=TRACK.`, {
      remedy: 'Give the number of the item, an equals sign, and the ID, URI or link of the track.',
    });
  }
  return { number: readNumber(number), track: trackUri(track) };
}

/** Reads the number of an item. @throws RelayError `USAGE` */
export function readNumber(text: string): number {
  const number = Number(text);
  if (/^\s*\d{1,6}\s*$/.test(text) && number >= 1) return number;
  throw new RelayError('USAGE', `"${text}" is not the number of an item.`, {
    remedy: {
      text: 'Items are numbered from 1, as {command} shows them.',
      command: ['jobs', 'show', 'ID', '--unresolved'],
    },
  });
}
