/**
 * An inverted index with ranking. The order only depends on the documents and the query. A document's score adds up how
 * rare the matching words are, where they are, how much of the title they cover, and popularity. Each missing word lowers
 * the score. Equal scores keep the order of the documents. Free words with a typo are found too; filters are strict.
 */
import { fold, nearWords, parseQuery, punctuationNames, type SearchQuery, tokenise } from './searchText.ts';

type Field = 'track' | 'artist' | 'album' | 'name';

export interface SearchDocument<T> {
  readonly value: T;
  /** The field that holds the title; its words count most. */
  readonly main: Field;
  /** A field may have several texts, such as the names of several artists. */
  readonly texts: Readonly<Partial<Record<Field, readonly string[]>>>;
  readonly popularity: number;
  readonly year?: number;
  readonly codes?: readonly string[];
  readonly genres?: readonly string[];
}

interface Postings {
  readonly documents: number[];
  /** One bit per field that contains the word, parallel to `documents`. */
  readonly fields: number[];
}

const BITS: Readonly<Record<Field, number>> = { track: 1, artist: 2, album: 4, name: 8 };
const FIELDS: readonly Field[] = ['track', 'artist', 'album', 'name'];
/** Marks an ISRC or UPC. */
const CODE = 16;

/** The share of the free words that a document has to match; less if no document matches that many. */
const ENOUGH_WORDS = 0.6;

export class SearchIndex<T> {
  readonly #documents: readonly SearchDocument<T>[];
  readonly #postings = new Map<string, Postings>();

  constructor(documents: readonly SearchDocument<T>[]) {
    this.#documents = documents;
    const cache = new Map<string, string[]>();
    const tokensOf = (text: string) => {
      const tokens = cache.get(text) ?? tokenise(text);
      cache.set(text, tokens);
      return tokens;
    };
    documents.forEach((document, at) => {
      this.#add(document, at, tokensOf);
    });
  }

  /** All matches, best first. An empty query matches nothing. */
  search(text: string): T[] {
    const query = parseQuery(text);
    const wanted = this.#wantedWords(query);
    const required = requiredWords(query);
    const scores = this.#scores(wanted, required);
    // The cheap condition first: few documents hold every required word.
    const complete = [...scores].filter(([, score]) => score.required === required.length);
    const hits = complete.filter(([at]) => this.#passes(at, query));
    return this.#rank(hits, wanted).map((at) => this.#document(at).value);
  }

  #document(at: number): SearchDocument<T> {
    const document = this.#documents[at];
    if (!document) throw new RangeError(`No document ${at}.`);
    return document;
  }

  #add(document: SearchDocument<T>, at: number, tokensOf: (text: string) => string[]): void {
    const seen = new Map<string, number>();
    for (const field of FIELDS) {
      for (const text of document.texts[field] ?? []) {
        for (const token of tokensOf(text)) seen.set(token, (seen.get(token) ?? 0) | BITS[field]);
      }
    }
    for (const code of document.codes ?? []) seen.set(code.toLowerCase(), CODE);
    for (const [token, bits] of seen) {
      const postings = this.#postings.get(token) ?? { documents: [], fields: [] };
      postings.documents.push(at);
      postings.fields.push(bits);
      this.#postings.set(token, postings);
    }
  }

  #wantedWords(query: SearchQuery): string[] {
    const names = punctuationNames(query.words).filter((name) => this.#postings.has(name));
    return [...new Set([...tokenise(query.words), ...names])];
  }

  /** Scores every document that has any of the words; all documents if there are no words, as in `year:1985`. */
  #scores(wanted: readonly string[], required: readonly RequiredWord[]): Map<number, Score> {
    const scores = new Map<number, Score>();
    for (const { token, bits } of required) this.#collect(scores, token, bits, true);
    for (const token of wanted) {
      if (this.#postings.has(token)) this.#collect(scores, token, 0, false);
      else this.#collectNear(scores, token);
    }
    if (wanted.length + required.length === 0) {
      this.#documents.forEach((_, at) => {
        scores.set(at, { points: 0, words: 0, required: 0 });
      });
    }
    return scores;
  }

  #collect(scores: Map<number, Score>, token: string, bits: number, isRequired: boolean): void {
    const postings = this.#postings.get(token);
    if (!postings) return;
    const rarity = Math.log(1 + this.#documents.length / postings.documents.length);
    postings.documents.forEach((at, n) => {
      const fields = postings.fields[n] ?? 0;
      if (bits !== 0 && (fields & bits) === 0) return;
      const score = scores.get(at) ?? { points: 0, words: 0, required: 0 };
      score.points += rarity * weightOf(fields, this.#document(at).main);
      if (isRequired) score.required += 1;
      else score.words += 1;
      scores.set(at, score);
    });
  }

  /** A word that no document has matches words that are one letter away. Several such words in a document count as one. */
  #collectNear(scores: Map<number, Score>, word: string): void {
    const before = new Map([...scores].map(([at, { words }]) => [at, words]));
    for (const token of nearWords(word, this.#postings.keys())) this.#collect(scores, token, 0, false);
    for (const [at, score] of scores) score.words = Math.min(score.words, (before.get(at) ?? 0) + 1);
  }

  #passes(at: number, query: SearchQuery): boolean {
    if (query.filters.length + query.phrases.length === 0) return query.words !== '';
    const document = this.#document(at);
    const holds = (phrase: string) => FIELDS.some((field) => holdsPhrase(document.texts[field], phrase));
    return query.phrases.every(holds) && query.filters.every((filter) => passesFilter(document, filter));
  }

  #rank(hits: readonly [number, Score][], wanted: readonly string[]): number[] {
    const most = hits.reduce((found, [, { words }]) => Math.max(found, words), 0);
    const enough = Math.min(most, Math.ceil(wanted.length * ENOUGH_WORDS));
    return hits
      .filter(([, score]) => score.words >= Math.max(enough, Math.min(1, wanted.length)))
      .map(([at, score]) => ({ at, points: this.#points(at, score, wanted) }))
      .sort((a, b) => b.points - a.points || a.at - b.at)
      .map(({ at }) => at);
  }

  #points(at: number, score: Score, wanted: readonly string[]): number {
    const document = this.#document(at);
    const main = new Set(tokenise(document.texts[document.main]?.[0] ?? ''));
    const covered = [...main].filter((token) => wanted.includes(token)).length;
    const missing = wanted.length - score.words;
    return score.points + (8 * covered) / Math.max(1, main.size) + document.popularity / 20 - 12 * missing;
  }
}

interface Score {
  points: number;
  /** Number of free words that match. */
  words: number;
  /** Number of the filters' words that match. */
  required: number;
}

interface RequiredWord {
  readonly token: string;
  readonly bits: number;
}

function requiredWords(query: SearchQuery): RequiredWord[] {
  return query.filters.flatMap(({ filter, value }) => {
    if (filter === 'isrc' || filter === 'upc') return [{ token: value.toLowerCase(), bits: CODE }];
    if (filter !== 'artist' && filter !== 'album' && filter !== 'track') return [];
    return [...new Set(tokenise(value))].map((token) => ({ token, bits: BITS[filter] }));
  });
}

function weightOf(fields: number, main: Field): number {
  if ((fields & BITS[main]) !== 0) return 5;
  return (fields & BITS.artist) !== 0 ? 4 : 1.5;
}

function passesFilter<T>(document: SearchDocument<T>, one: SearchQuery['filters'][number]): boolean {
  const { filter, value, quoted } = one;
  switch (filter) {
    case 'artist':
    case 'album':
    case 'track':
      return !quoted || holdsPhrase(document.texts[filter], value);
    case 'year':
      return isInYears(document.year, value);
    case 'isrc':
    case 'upc':
      return document.codes?.includes(value.toUpperCase()) ?? false;
    case 'genre':
      return document.genres?.some((genre) => fold(genre) === fold(value)) ?? false;
    case 'tag':
      return value.toLowerCase() === 'hipster' && document.main === 'album' && document.popularity < 10;
  }
}

/** `1985` or `1980-1989`. */
function isInYears(year: number | undefined, value: string): boolean {
  const [from, to = from] = value.split('-').map(Number);
  return year !== undefined && from !== undefined && to !== undefined && year >= from && year <= to;
}

function holdsPhrase(texts: readonly string[] | undefined, phrase: string): boolean {
  const wanted = ` ${tokenise(phrase).join(' ')} `;
  return texts?.some((text) => ` ${tokenise(text).join(' ')} `.includes(wanted)) ?? false;
}
