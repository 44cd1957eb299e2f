/** Makes names of artists, songs and albums from the word lists. */
import type { Seeded } from './seeded.ts';
import {
  ADJECTIVES,
  BAND_NOUNS,
  BAND_TAILS,
  GERUNDS,
  NAME_ENDS,
  NAME_MIDDLES,
  NAME_STARTS,
  NOUNS,
  PLACES,
  type ScriptWords,
} from './words.ts';

type Pattern = (random: Seeded) => string;

const ARTIST_PATTERNS: readonly Pattern[] = [
  (random) => `${random.pick(ADJECTIVES)} ${random.pick(NAME_STARTS)}`,
  (random) => `${random.pick(ADJECTIVES)} ${random.pick(BAND_NOUNS)}`,
  (random) => `The ${random.pick(NOUNS)} ${random.pick(BAND_NOUNS)}`,
  (random) => `${random.pick(NOUNS)} & ${random.pick(NOUNS)}`,
  (random) => `${random.pick(NOUNS)} & The ${random.pick(BAND_NOUNS)}`,
  (random) => `${random.pick(NOUNS)} ${random.pick(BAND_TAILS)}`,
  (random) => word(random),
  (random) => `DJ ${word(random)}`,
];

const TITLE_PATTERNS: readonly Pattern[] = [
  (random) => `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`,
  (random) => `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`,
  (random) => `${random.pick(GERUNDS)} the ${random.pick(NOUNS)}`,
  (random) => `${random.pick(NOUNS)} ${random.pick(NOUNS)}`,
  (random) => `${random.pick(NOUNS)} & ${random.pick(NOUNS)}`,
  (random) => `${random.pick(PLACES)} ${random.pick(NOUNS)}`,
  (random) => `${random.pick(ADJECTIVES)} ${plural(random.pick(NOUNS))}`,
];

const ALBUM_PATTERNS: readonly Pattern[] = [
  (random) => `${random.pick(NOUNS)} Papers`,
  (random) => `${random.pick(ADJECTIVES)} Rooms`,
  (random) => `${random.pick(PLACES)} ${plural(random.pick(NOUNS))}`,
  (random) => `${random.pick(ADJECTIVES)} ${plural(random.pick(NOUNS))}`,
  (random) => `${random.pick(NOUNS)} & ${random.pick(NOUNS)}`,
];

/** An invented proper name, as of a family or a village. */
export function word(random: Seeded): string {
  return random.pick(NAME_STARTS) + random.pick(NAME_MIDDLES) + random.pick(NAME_ENDS);
}

/** An artist name that is not in `taken`; adds it. */
export function freshArtistName(random: Seeded, taken: Set<string>): string {
  for (;;) {
    const name = random.pick(ARTIST_PATTERNS)(random);
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

export function songTitle(random: Seeded): string {
  return random.pick(TITLE_PATTERNS)(random);
}

export function albumName(random: Seeded): string {
  return random.pick(ALBUM_PATTERNS)(random);
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /x$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** "X and Y" in the script of `words`. */
export function scriptTitle(random: Seeded, words: ScriptWords): string {
  const first = random.pick(words.nouns);
  const second = random.pick(words.nouns.filter((noun) => noun !== first));
  return first + words.and + second;
}
