/**
 * The search of an invented catalogue. Free words may be in any field and any order, some of them missing or with a typo;
 * filters such as `artist:` and quoted phrases are strict. The order of the results depends only on the catalogue and the query.
 */
import { lazy } from '../../base/memoised.ts';
import { isOneChange } from '../../base/nearest.ts';
import type { Catalogue, DemoAlbum, DemoArtist } from './types.ts';

type Field = 'track' | 'artist' | 'album';
type Fact = 'year' | 'isrc' | 'genre';

/** What can be found, and by what. */
interface Document<T> {
  value: T;
  fields: Partial<Record<Field, Text>>;
  popularity: number;
  facts: Partial<Record<Fact, readonly string[]>>;
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

function makeSearch({ tracks, albums, artists }: Catalogue) {
  return {
    tracks: finder('track', tracks, ({ name, artists: by, album, isrc, popularity }) => ({
      fields: { track: textOf(name), artist: namesOf(by), album: textOf(album.name) },
      popularity,
      facts: { ...factsOf(album, by), isrc: [isrc] },
    })),
    albums: finder('album', albums, (album) => ({
      fields: { album: textOf(album.name), artist: namesOf(album.artists) },
      popularity: album.popularity,
      facts: factsOf(album, album.artists),
    })),
    artists: finder('artist', artists, ({ name, popularity, genres }) => {
      return { fields: { artist: textOf(name) }, popularity, facts: { genre: genres } };
    }),
  };
}

function factsOf({ releaseDate }: DemoAlbum, artists: readonly DemoArtist[]) {
  return { year: [releaseDate.slice(0, 4)], genre: artists.flatMap(({ genres }) => genres) };
}

/** The share of the free words that a result has to hold; less if no result holds as many. */
const ENOUGH = 0.6;

/** The documents that hold each word. */
type Holders<T> = Map<string, Set<Document<T>>>;

/** @param title the field whose words count most */
function finder<T>(title: Field, values: readonly T[], describe: (value: T) => Omit<Document<T>, 'value'>) {
  const index = lazy(() => {
    const documents = values.map((value) => ({ value, ...describe(value) }));
    const holders: Holders<T> = new Map();
    for (const document of documents) {
      for (const { words } of Object.values(document.fields)) {
        for (const word of words) holders.set(word, (holders.get(word) ?? new Set()).add(document));
      }
    }
    return { documents, holders };
  });
  return (text: string): T[] => {
    const { documents, holders } = index();
    const { free, filters } = parseQuery(text);
    const words = [...new Set(tokenise(free))];
    const counts = new Map<Document<T>, number>();
    for (const word of words) {
      for (const one of holdersOf(word, holders)) counts.set(one, (counts.get(one) ?? 0) + 1);
    }
    const enough = Math.min(Math.max(0, ...counts.values()), Math.ceil(words.length * ENOUGH));
    // Filters alone, such as `year:1985`, may find anything.
    const candidates = words.length === 0 && filters.length > 0 ? documents : [...counts.keys()];
    return candidates
      .filter((one) => (counts.get(one) ?? 0) >= enough && filters.every((filter) => filter(one)))
      .map((one) => ({ value: one.value, points: 10 * (counts.get(one) ?? 0) + pointsOf(one, title, words) }))
      .sort((a, b) => b.points - a.points)
      .map(({ value }) => value);
  };
}

/** Returns the documents that hold a word; if there are none and the word is not short, those with one that is one letter away. */
function holdersOf<T>(word: string, holders: Holders<T>): Set<Document<T>> {
  const exact = holders.get(word);
  if (exact || word.length < 4) return exact ?? new Set();
  const near = [...holders].filter(([other]) => other.length >= 4 && isOneChange(word, other));
  return new Set(near.flatMap(([, documents]) => [...documents]));
}

/** The order among results with as many of the words: the title that the query covers, its artist, popularity. */
function pointsOf({ fields, popularity }: Document<unknown>, title: Field, words: readonly string[]): number {
  const share = (field: Field) => {
    const own = fields[field]?.words ?? [];
    return own.filter((word) => words.includes(word)).length / Math.max(1, own.length);
  };
  return 8 * share(title) + 5 * share('artist') + popularity / 20;
}

type Filter = (document: Document<unknown>) => boolean;

/** Without quotes, the value reaches to the next filter: `remaster track:Doe artist:Some Name`. */
const TEXT_FILTER = filterPattern(
  'artist|album|track',
  '(.*?)(?=\\s(?:artist|album|track|year|isrc|genre):|$)',
);
const FACT_FILTER = filterPattern('year|isrc|genre', '(\\S*)');

function filterPattern(names: string, unquoted: string): RegExp {
  return new RegExp(`(?<![^\\s"])(${names}):\\s*(?:"([^"]*)"?|${unquoted})`, 'gisu');
}

/** Quoted text, also outside of `artist:` and the like, is a filter whose words must be adjacent. */
function parseQuery(query: string): { free: string; filters: Filter[] } {
  const filters: Filter[] = [];
  const free = query
    .replace(TEXT_FILTER, (_, name: string, phrase: string | undefined, unquoted: string) => {
      const field = name.toLowerCase() as Field;
      const lines =
        phrase === undefined ? tokenise(unquoted).map((one) => ` ${one} `) : [textOf(phrase).line];
      filters.push(({ fields }) => lines.every((line) => fields[field]?.line.includes(line)));
      return ' ';
    })
    .replace(FACT_FILTER, (_, name: string, quoted: string | undefined, word: string) => {
      filters.push((document) => hasFact(document, name.toLowerCase() as Fact, quoted ?? word));
      return ' ';
    });
  for (const [, phrase = ''] of free.matchAll(/"([^"]+)"/gu)) {
    const { line } = textOf(phrase);
    filters.push(({ fields }) => Object.values(fields).some((text) => text.line.includes(line)));
  }
  return { free: free.replaceAll('"', ' '), filters };
}

/** A year may be a range, such as `1980-1989`. */
function hasFact({ facts }: Document<unknown>, name: Fact, value: string): boolean {
  const [from = '', to = from] = name === 'year' ? value.split('-') : [value.toLowerCase()];
  return facts[name]?.some((own) => from <= own.toLowerCase() && own.toLowerCase() <= to) ?? false;
}

function namesOf(artists: readonly DemoArtist[]): Text {
  // Each by itself: a name may have no letters and digits.
  return textOf(...artists.map(({ name }) => name));
}

function textOf(...texts: string[]): Text {
  const words = texts.flatMap(tokenise);
  return { words, line: ` ${words.join(' ')} ` };
}

/** Letters that Unicode does not decompose into a base letter and a mark. */
const STROKES: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' };

/** Each character of Han and Kana is a word of its own. */
const SIGN = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const WORD = new RegExp(`${SIGN}|(?:(?!${SIGN})[\\p{L}\\p{N}])+`, 'gu');

/** The words of a text in order, without case and marks; if it has no letters and digits, its space-separated parts. */
function tokenise(text: string): string[] {
  const plain = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .replace(/[øłđßæœı]/gu, (letter) => STROKES[letter] ?? letter)
    .normalize('NFC');
  return plain.match(WORD) ?? plain.split(/\s+/u).filter((part) => part !== '');
}
