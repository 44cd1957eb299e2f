/**
 * Generates the invented catalogue: the same on every machine, so that tests may refer to its content.
 *
 * Adding a kind of release changes all random choices after it, and so every identifier after it. The hash in the tests
 * makes that visible.
 */
import { lazy } from '../../base/memoised.ts';
import { CatalogueBuilder, type Recording } from './builder.ts';
import { type ArtistPlan, addAlbum, addDiscography, version } from './discography.ts';
import { freshArtistName, scriptTitle, songTitle } from './names.ts';
import { derivedId, Seeded } from './seeded.ts';
import type { Catalogue, DemoArtist, DemoEpisode, DemoShow } from './types.ts';
import {
  GENRES,
  KARAOKE_ARTISTS,
  NOUNS,
  PLACES,
  SCRIPTS,
  SHARED_TITLES,
  SHOW_NAMES,
  SPECIAL_ARTISTS,
  SPECIAL_TITLES,
  TRIBUTE_ARTISTS,
  VARIOUS_ARTISTS,
} from './words.ts';

const SEED = 20_261_120;
const MADE_UP_ARTISTS = 380;

/** The catalogue that all simulated providers of this process share; generated at the first call. */
export const sharedCatalogue = lazy(generateCatalogue);

/** More than 5,000 tracks by more than 400 artists; takes well under 300 ms. @internal */
export function generateCatalogue(): Catalogue {
  const builder = new CatalogueBuilder();
  const random = new Seeded(SEED);
  const plans = planArtists(builder, random);
  const recordings = plans.flatMap(addDiscography);
  const popular = [...recordings].sort((a, b) => b.popularity - a.popularity || (a.isrc < b.isrc ? -1 : 1));
  addTributes(builder, popular);
  addSamplers(builder, popular);
  builder.shows.push(...SHOW_NAMES.map((name, n) => makeShow(random, name, n)));
  return builder.build();
}

function planArtists(builder: CatalogueBuilder, random: Seeded): ArtistPlan[] {
  const guests: DemoArtist[] = [];
  const plans: ArtistPlan[] = [];
  const add = (name: string, title: () => string) => {
    const artist = addArtist(builder, random, name);
    guests.push(artist);
    plans.push({ builder, random, artist, index: plans.length, title, guests });
  };
  for (const name of SPECIAL_ARTISTS) add(name, specialTitles(random, plans.length));
  for (const script of SCRIPTS) {
    for (const name of script.artists) add(name, () => scriptTitle(random, script));
  }
  const taken = new Set<string>();
  for (let n = 0; n < MADE_UP_ARTISTS; n += 1) add(freshArtistName(random, taken), plainTitles(random));
  return plans;
}

function addArtist(builder: CatalogueBuilder, random: Seeded, name: string): DemoArtist {
  const genres = random.chance(30) ? [random.pick(GENRES), random.pick(GENRES)] : [random.pick(GENRES)];
  return builder.addArtist(name, [...new Set(genres)], random.between(8, 97));
}

/** Makes titles. A few of them are titles that other artists also use. */
function plainTitles(random: Seeded): () => string {
  return () => (random.chance(4) ? random.pick(SHARED_TITLES) : songTitle(random));
}

/** Each special title is used at least once: the first artists get one each. */
function specialTitles(random: Seeded, turn: number): () => string {
  let due = SPECIAL_TITLES[turn];
  return () => {
    const title = due ?? songTitle(random);
    due = undefined;
    return title;
  };
}

/** Karaoke versions and tributes of the best-known songs, as real searches find them. */
function addTributes(builder: CatalogueBuilder, popular: readonly Recording[]): void {
  const tributes = TRIBUTE_ARTISTS.map((name) => builder.addArtist(name, [], 12));
  const karaoke = KARAOKE_ARTISTS.map((name) => builder.addArtist(name, [], 7));
  tributes.forEach((artist, n) => {
    addCovers(builder, artist, everyNth(popular, n, 3), `A Tribute, Part ${n + 1}`, (song, by) =>
      n === 0 ? `${song} (Tribute to ${by})` : n === 1 ? `${song} - Cover` : song,
    );
  });
  karaoke.forEach((artist, n) => {
    addCovers(builder, artist, everyNth(popular, n, 2), `Karaoke Evening ${n + 1}`, (song, by) =>
      n === 0 ? `${song} (Originally Performed by ${by}) [Karaoke]` : `${song} - Karaoke Version`,
    );
  });
}

function addCovers(
  builder: CatalogueBuilder,
  artist: DemoArtist,
  songs: readonly Recording[],
  name: string,
  title: (song: string, by: string) => string,
): void {
  const recordings = songs.map((song) => {
    const by = song.artists[0]?.name ?? VARIOUS_ARTISTS;
    const cover = version(builder, song, title(song.title, by), 2018, 0);
    return { ...cover, artists: [artist], popularity: Math.floor(song.popularity / 4) };
  });
  addAlbum({ builder, artist }, name, '2018-03-02', recordings);
}

/** Compilations by various artists, with the original recordings. */
function addSamplers(builder: CatalogueBuilder, popular: readonly Recording[]): void {
  const various = builder.addArtist(VARIOUS_ARTISTS, [], 1);
  for (let n = 0; n < 10; n += 1) {
    builder.addRelease({
      name: `Gathered This Season ${n + 1}`,
      type: 'compilation',
      artists: [various],
      releaseDate: `${2010 + n}-12-01`,
      discount: 10,
      recordings: everyNth(popular, n, 10).slice(0, 18),
    });
  }
}

/** At most 40 of the songs: those at `start`, `start + step`, … */
function everyNth(songs: readonly Recording[], start: number, step: number): Recording[] {
  return songs.filter((_, at) => at % step === start).slice(0, 40);
}

function makeShow(random: Seeded, name: string, n: number): DemoShow {
  const id = derivedId(`show:${name}`);
  const episodes: DemoEpisode[] = [];
  const show: DemoShow = {
    id,
    uri: `spotify:show:${id}`,
    name,
    description: `An invented show about the ${random.pick(NOUNS).toLowerCase()} and other things.`,
    episodes,
  };
  for (let number = 1; number <= 12; number += 1) episodes.push(makeEpisode(random, show, number, n));
  return show;
}

function makeEpisode(random: Seeded, show: DemoShow, number: number, n: number): DemoEpisode {
  const id = derivedId(`episode:${show.id}:${number}`);
  const name = `${number}. ${random.pick(NOUNS)} at ${random.pick(PLACES)}`;
  return {
    id,
    uri: `spotify:episode:${id}`,
    name,
    description: `Episode ${number} of ${show.name}.`,
    show,
    durationMs: random.between(900_000, 4_800_000),
    releaseDate: `${2020 + n}-${String(number).padStart(2, '0')}-11`,
    explicit: number % 9 === 0,
  };
}
