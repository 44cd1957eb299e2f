/**
 * The search of an invented catalogue. Free words may be in any field and any order, some of them missing or with a typo;
 * filters such as `artist:` and quoted phrases are strict. The order of the results depends only on the catalogue and the query.
 */
import { lazy } from '../../base/memoised.ts';
import { isOneChange } from '../../base/nearest.ts';
import type { Catalogue, DemoAlbum, DemoArtist } from './types.ts';

type Field = 'track' | 'artist' | 'album';

/** What can be found, and by what. */
interface Document<T> {
  value: T;
  title: Text;
  fields: Partial<Record<Field, Text>>;
  popularity: number;
  year?: string;
  codes?: readonly string[];
  genres?: readonly string[];
}

/** A text as its words, and as one line with a space before and after each word. */
interface Text {
  words: readonly string[];
  line: string;
}

const searches = new WeakMap<Catalogue, ReturnType<typeof makeSearch>>();

/**
 * The search of a catalogue, shared by all providers with this catalogue. Each of its functions returns all matches, best
 * first, and indexes the catalogue at its first call.
 */
export function searchOf(catalogue: Catalogue): ReturnType<typeof makeSearch> {
  const search = searches.get(catalogue) ?? makeSearch(catalogue);
  searches.set(catalogue, search);
  return search;
}

function makeSearch({ tracks, albums, artists, shows, episodes }: Catalogue) {
  return {
    tracks: finder(tracks, ({ name, artists: by, album, isrc, popularity }) => {
      const title = textOf(name);
      const fields = { track: title, artist: namesOf(by), album: textOf(album.name) };
      return { title, fields, popularity, ...factsOf(album, by), codes: [isrc, album.upc] };
    }),
    albums: finder(albums, (album) => {
      const title = textOf(album.name);
      const fields = { album: title, artist: namesOf(album.artists) };
      return { title, fields, popularity: album.popularity, ...factsOf(album, album.artists) };
    }),
    artists: finder(artists, ({ name, popularity, genres }) => {
      const title = textOf(name);
      return { title, fields: { artist: title }, popularity, genres };
    }),
    shows: finder(shows, ({ name }) => ({ title: textOf(name), fields: {}, popularity: 0 })),
    episodes: finder(episodes, ({ name }) => ({ title: textOf(name), fields: {}, popularity: 0 })),
  };
}

function factsOf({ releaseDate, upc }: DemoAlbum, artists: readonly DemoArtist[]) {
  return {
    year: releaseDate.slice(0, 4),
    codes: [upc],
    genres: artists.flatMap(({ genres }) => genres),
  };
}

function namesOf(artists: readonly DemoArtist[]): Text {
  // Each by itself: a name may have no letters and digits.
  return textOf(...artists.map(({ name }) => name));
}

/** The share of the free words that a result has to hold; less if no result holds as many. */
const ENOUGH = 0.6;

function finder<T>(values: readonly T[], describe: (value: T) => Omit<Document<T>, 'value'>) {
  const index = lazy(() => {
    const documents = values.map((value) => ({ value, ...describe(value) }));
    return { documents, holders: holdersIn(documents) };
  });
  return (text: string): T[] => {
    const { documents, holders } = index();
    const { free, required, filters } = parseQuery(text);
    const words = [...new Set(tokenise(free))];
    const counts = new Map<Document<T>, number>();
    for (const word of words) {
      for (const one of holdersOf(word, holders)) counts.set(one, (counts.get(one) ?? 0) + 1);
    }
    const enough = Math.min(Math.max(0, ...counts.values()), Math.ceil(words.length * ENOUGH));
    const rarest = required.map((word) => holders.get(word) ?? NONE).sort((a, b) => a.size - b.size)[0];
    // Filters alone, such as `year:1985`, may find anything.
    const others = filters.length === 0 ? NONE : (rarest ?? documents);
    const candidates = words.length === 0 ? [...others] : [...counts.keys()];
    return candidates
      .filter((one) => (counts.get(one) ?? 0) >= enough && filters.every((filter) => filter(one)))
      .map((one) => ({ value: one.value, points: 10 * (counts.get(one) ?? 0) + pointsOf(one, words) }))
      .sort((a, b) => b.points - a.points)
      .map(({ value }) => value);
  };
}

const NONE: ReadonlySet<never> = new Set();

/** The documents that hold each word. */
type Holders<T> = ReadonlyMap<string, ReadonlySet<Document<T>>>;

function holdersIn<T>(documents: readonly Document<T>[]): Holders<T> {
  const holders = new Map<string, Set<Document<T>>>();
  for (const document of documents) {
    for (const word of [document.title, ...Object.values(document.fields)].flatMap(({ words }) => words)) {
      const found = holders.get(word) ?? new Set();
      holders.set(word, found.add(document));
    }
  }
  return holders;
}

/** Returns the documents that hold a word; if there are none and the word is not short, those with one that is one letter away. */
function holdersOf<T>(word: string, holders: Holders<T>): ReadonlySet<Document<T>> {
  const exact = holders.get(word);
  if (exact || word.length < 4) return exact ?? NONE;
  const near = [...holders].filter(([other]) => other.length >= 4 && isOneChange(word, other));
  return new Set(near.flatMap(([, documents]) => [...documents]));
}

/** The order among results with as many of the words: the title that the query covers, its artist, popularity. */
function pointsOf({ title, fields, popularity }: Document<unknown>, words: readonly string[]): number {
  const share = (own: readonly string[] = []) =>
    own.filter((word) => words.includes(word)).length / Math.max(1, own.length);
  return 8 * share(title.words) + 5 * share(fields.artist?.words) + popularity / 20;
}

type Filter = (document: Document<unknown>) => boolean;

/** Without quotes, the value reaches to the next filter: `remaster track:Doe artist:Some Name`. */
const TEXT_FILTER = filterPattern(
  'artist|album|track',
  '(.*?)(?=\\s(?:artist|album|track|year|isrc|upc|genre|tag):|$)',
);
const FACT_FILTER = filterPattern('year|isrc|upc|genre|tag', '(\\S*)');

function filterPattern(names: string, unquoted: string): RegExp {
  return new RegExp(`(?<![^\\s"])(${names}):\\s*(?:"([^"]*)"?|${unquoted})`, 'gisu');
}

interface Query {
  /** The text outside of filters. */
  free: string;
  /** Words that a result has to hold in some field. */
  required: string[];
  filters: Filter[];
}

/** Quoted text, also outside of `artist:` and the like, is a filter whose words must be adjacent. */
function parseQuery(query: string): Query {
  const required: string[] = [];
  const filters: Filter[] = [];
  const free = query
    .replace(TEXT_FILTER, (_, name: string, phrase: string | undefined, unquoted: string) => {
      const field = name.toLowerCase() as Field;
      const { words, line } = textOf(phrase ?? unquoted);
      const lines = phrase === undefined ? words.map((word) => ` ${word} `) : [line];
      required.push(...words);
      filters.push(({ fields }) => lines.every((one) => fields[field]?.line.includes(one)));
      return ' ';
    })
    .replace(FACT_FILTER, (_, name: string, quoted: string | undefined, word: string) => {
      filters.push((document) => hasFact(document, name.toLowerCase(), quoted ?? word));
      return ' ';
    });
  for (const [, phrase = ''] of free.matchAll(/"([^"]+)"/gu)) {
    const { line } = textOf(phrase);
    filters.push(({ fields }) => Object.values(fields).some((text) => text.line.includes(line)));
  }
  return { free: free.replaceAll('"', ' '), required, filters };
}

function hasFact({ year, codes, genres }: Document<unknown>, name: string, value: string): boolean {
  if (name === 'genre') return genres?.includes(value.toLowerCase()) ?? false;
  if (name !== 'year') return codes?.includes(value.toUpperCase()) ?? false;
  const [from = '', to = from] = value.split('-');
  return year !== undefined && from <= year && year <= to;
}

function textOf(...texts: string[]): Text {
  const words = texts.flatMap(tokenise);
  return { words, line: ` ${words.join(' ')} ` };
}

/** Letters that Unicode does not decompose into a base letter and a mark. */
const STROKES: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
};

/** Each character of Han and Kana is a word of its own. */
const SIGN = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const WORD = new RegExp(`${SIGN}|(?:(?!${SIGN})[\\p{L}\\p{N}])+`, 'gu');

/** The words of a text in order, without case and marks; if it has no letters and digits, its space-separated parts. */
export function tokenise(text: string): string[] {
  const plain = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .replace(/[øłđßæœı]/gu, (letter) => STROKES[letter] ?? letter)
    .normalize('NFC');
  return plain.match(WORD) ?? plain.split(/\s+/u).filter((part) => part !== '');
}
