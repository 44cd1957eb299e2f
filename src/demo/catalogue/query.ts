/** Takes a search query apart: free words, quoted phrases and field filters. */

export const FILTERS = ['artist', 'album', 'track', 'year', 'isrc', 'upc', 'genre', 'tag'] as const;
export type Filter = (typeof FILTERS)[number];

export interface SearchQuery {
  readonly words: string;
  /** Quoted free text: its words must stand side by side. */
  readonly phrases: readonly string[];
  readonly filters: readonly { readonly filter: Filter; readonly value: string; readonly quoted: boolean }[];
}

const FILTER_START = new RegExp(`(?<![^\\s"])(${FILTERS.join('|')}):`, 'giu');

/** Filters whose unquoted value is one word. */
const ONE_WORD: readonly Filter[] = ['year', 'isrc', 'upc', 'genre', 'tag'];

/**
 * A filter's value is what its quotes hold, else one word for years, codes, genres and tags, else everything up to the next
 * filter (`remaster track:Doe artist:Some Name`, as the search page of the Web API reference has it).
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
