/** The releases of one invented artist: studio albums, and everything derived from them. */
import type { CatalogueBuilder, Recording, Release } from './builder.ts';
import { albumName, word } from './names.ts';
import type { Seeded } from './seeded.ts';
import type { DemoArtist } from './types.ts';
import { PLACES } from './words.ts';

/** Everything that is needed to generate an artist's releases. */
export interface ArtistPlan {
  readonly builder: CatalogueBuilder;
  readonly random: Seeded;
  readonly artist: DemoArtist;
  /** 0-based; determines which kinds of release the artist has. */
  readonly index: number;
  /** Makes the title of a song. */
  readonly title: () => string;
  /** Possible guests. */
  readonly guests: readonly DemoArtist[];
}

const FEATURE_SPELLINGS: readonly ((title: string, guest: string) => string)[] = [
  (title, guest) => `${title} (feat. ${guest})`,
  (title, guest) => `${title} (ft. ${guest})`,
  (title, guest) => `${title} feat. ${guest}`,
  (title, guest) => `${title} (with ${guest})`,
  (title, guest) => `${title} [feat. ${guest}]`,
  (title, guest) => `${title} (featuring ${guest})`,
  (title) => title,
];

/** Adds the artist's releases; returns the recordings of the studio albums. */
export function addDiscography(plan: ArtistPlan): Recording[] {
  const { random } = plan;
  const made: Recording[] = [];
  const albums = plan.index % 3 === 0 ? 2 : 1;
  let year = random.between(1968, 2019);
  for (let n = 0; n < albums; n += 1) {
    made.push(...addStudioAlbum(plan, year, plan.index + n));
    year += random.between(1, 4);
  }
  if (plan.index % 7 === 2) addBestOf(plan, made, year + 3);
  if (plan.index % 2 === 0) addOtherVersions(plan, made);
  return made;
}

function addStudioAlbum(plan: ArtistPlan, year: number, turn: number): Recording[] {
  const { random } = plan;
  const name = albumName(random);
  const count = random.between(7, 11);
  const recordings = Array.from({ length: count }, () => record(plan, year));
  const releaseDate = year < 1985 && turn % 2 === 0 ? String(year) : dateIn(random, year);
  addAlbum(plan, name, releaseDate, recordings);
  const [hit] = recordings;
  if (hit) addSingle(plan, respelled(hit), dateIn(random, year), 4);
  if (turn % 4 === 1) addDeluxe(plan, name, recordings, year + 1);
  if (turn % 5 === 2 && year < 2000) addRemaster(plan, name, recordings, turn);
  if (turn % 6 === 3) addLive(plan, recordings, year + 2);
  return recordings;
}

function record(plan: ArtistPlan, year: number): Recording {
  const { builder, random } = plan;
  const guest = random.chance(14) ? random.pick(plan.guests) : undefined;
  const title = plan.title();
  const withGuest = guest && guest !== plan.artist ? guest : undefined;
  return {
    title: withGuest ? random.pick(FEATURE_SPELLINGS)(title, withGuest.name) : title,
    artists: withGuest ? [plan.artist, withGuest] : [plan.artist],
    durationMs: random.between(121_000, 402_000),
    explicit: random.chance(12),
    isrc: builder.nextIsrc(year),
    year,
    popularity: Math.floor((plan.artist.popularity * random.between(50, 100)) / 100),
  };
}

/** The same recording with the guest added to the title or left out of it: singles and albums often differ in this way. */
function respelled(recording: Recording): Recording {
  const guest = recording.artists[1]?.name;
  if (guest === undefined) return recording;
  const plain = recording.title.replace(/ [([]?(feat\.|ft\.|featuring|with) .*$/, '');
  return { ...recording, title: recording.title === plain ? `${plain} (feat. ${guest})` : plain };
}

/** Adds a release of the artist alone: an album, unless `rest` says otherwise. */
export function addAlbum(
  { builder, artist }: Pick<ArtistPlan, 'builder' | 'artist'>,
  name: string,
  releaseDate: string,
  recordings: readonly Recording[],
  rest: Partial<Pick<Release, 'type' | 'discount'>> = {},
): void {
  const artists = [artist];
  builder.addRelease({ name, type: 'album', artists, releaseDate, discount: 0, recordings, ...rest });
}

function addSingle(plan: ArtistPlan, recording: Recording, releaseDate: string, discount: number): void {
  addAlbum(plan, recording.title, releaseDate, [recording], { type: 'single', discount });
}

function addDeluxe(plan: ArtistPlan, name: string, recordings: readonly Recording[], year: number): void {
  const { builder, random } = plan;
  const bonus = recordings.slice(0, 2).map((one, n) => {
    return version(builder, one, n === 0 ? `${one.title} - Acoustic` : `${one.title} - Demo`, year, 20);
  });
  addAlbum(plan, `${name} (Deluxe)`, dateIn(random, year), [...recordings, ...bonus], { discount: 6 });
}

function addRemaster(plan: ArtistPlan, name: string, recordings: readonly Recording[], turn: number): void {
  const suffix = turn % 2 === 0 ? '2011 Remaster' : 'Remastered';
  const remastered = recordings.map((one) => version(plan.builder, one, `${one.title} - ${suffix}`, 2011, 2));
  addAlbum(plan, `${name} (${suffix})`, '2011-09-26', remastered);
}

function addLive(plan: ArtistPlan, recordings: readonly Recording[], year: number): void {
  const { builder, random } = plan;
  const place = random.pick(PLACES);
  const live = recordings.map((one, n) => {
    const title = n % 2 === 0 ? `${one.title} - Live` : `${one.title} (Live at ${place})`;
    return version(builder, one, title, year, 18);
  });
  addAlbum(plan, `Live at ${place}`, dateIn(random, year), live);
}

function addBestOf(plan: ArtistPlan, recordings: readonly Recording[], year: number): void {
  const name = `The Collected ${plan.artist.name}`;
  const best = recordings.filter((_, n) => n % 2 === 0);
  addAlbum(plan, name, `${year}-11-01`, best, { type: 'compilation', discount: 9 });
}

function addOtherVersions(plan: ArtistPlan, recordings: readonly Recording[]): void {
  const { builder, random, index } = plan;
  const labels = [
    'Radio Edit',
    'Acoustic',
    `${word(random)} Remix`,
    'Instrumental',
    'Sped Up',
    'Mono',
    'Extended Mix',
  ];
  const one = random.pick(recordings);
  const label = labels[(index / 2) % labels.length] ?? 'Live';
  const other = version(builder, one, `${one.title} - ${label}`, one.year + 1, 12);
  const edit = label === 'Radio Edit' ? { ...other, durationMs: Math.min(other.durationMs, 185_000) } : other;
  addSingle(plan, edit, dateIn(random, one.year + 1), 0);
}

/** Another recording of the same song. */
export function version(
  builder: CatalogueBuilder,
  of: Recording,
  title: string,
  year: number,
  lessPopular: number,
): Recording {
  const popularity = Math.max(0, of.popularity - lessPopular);
  return { ...of, title, isrc: builder.nextIsrc(year), year, durationMs: of.durationMs + 3_217, popularity };
}

function dateIn(random: Seeded, year: number): string {
  const month = String(random.between(1, 12)).padStart(2, '0');
  return `${year}-${month}-${String(random.between(1, 28)).padStart(2, '0')}`;
}
