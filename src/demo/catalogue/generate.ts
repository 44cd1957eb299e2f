/**
 * Generates the invented catalogue: the same on every machine, so that tests may refer to its content.
 *
 * Adding a kind of release changes all random choices after it, and so every identifier after it. The hash in the tests
 * makes that visible.
 */
import { lazy } from '../../base/memoised.ts';
import { derivedId, everyNth, Seeded } from './seeded.ts';
import type { Catalogue, DemoAlbum, DemoArtist, DemoEpisode, DemoShow, DemoTrack } from './types.ts';
import * as words from './words.ts';

/** One recording, on any number of albums. */
interface Recording extends Pick<DemoTrack, 'artists' | 'durationMs' | 'explicit' | 'isrc' | 'popularity'> {
  title: string;
  year: number;
}

/** An artist whose releases are still to be generated. */
interface Plan {
  artist: DemoArtist;
  newTitle: () => string;
}

/** The catalogue that all simulated providers of this process share; generated at the first call. */
export const sharedCatalogue = lazy(() => generateCatalogue());

/** More than 5,000 tracks by more than 400 artists; takes well under 300 ms. @internal */
export const generateCatalogue = () => new Generator().generate();

class Generator {
  readonly #random = new Seeded(20_261_120);
  readonly #artists: DemoArtist[] = [];
  readonly #albums: DemoAlbum[] = [];
  #recordings = 0;

  generate(): Catalogue {
    const plans = this.#planArtists();
    const guests = plans.map(({ artist }) => artist);
    const recordings = plans.flatMap((plan, index) => this.#addDiscography(plan, index, guests));
    const popular = recordings.sort((a, b) => b.popularity - a.popularity || (a.isrc < b.isrc ? -1 : 1));
    this.#addCovers(popular);
    this.#addSamplers(popular);
    const shows = words.SHOW_NAMES.map((name, n) => this.#makeShow(name, 2020 + n));
    const episodes = shows.flatMap((show) => show.episodes);
    const tracks = this.#albums.flatMap((album) => album.tracks);
    const [artists, albums] = [this.#artists, this.#albums];
    return {
      ...{ artists, albums, tracks, episodes },
      trackByUri: byUri(tracks),
      episodeByUri: byUri(episodes),
      albumByUri: byUri(albums),
      artistByUri: byUri(artists),
      showByUri: byUri(shows),
    };
  }

  #planArtists(): Plan[] {
    const random = this.#random;
    const plan = (name: string, newTitle: () => string): Plan => {
      const { genre } = words.WORDS;
      const genres = random.chance(30) ? [random.pick(genre), random.pick(genre)] : [random.pick(genre)];
      return { artist: this.#addArtist(name, random.between(8, 97), [...new Set(genres)]), newTitle };
    };
    const plainTitle = () => this.#fill(random.pick(words.TITLE_PATTERNS));
    const special = words.SPECIAL_ARTISTS.map((name, n) => {
      // The first artists get one special title each.
      const due = words.SPECIAL_TITLES.slice(n, n + 1);
      return plan(name, () => due.pop() ?? plainTitle());
    });
    const ofScripts = words.SCRIPTS.flatMap(({ artists, nouns, title }) => {
      const newTitle = () => {
        const first = random.pick(nouns);
        return this.#fill(title, { first, second: random.pick(nouns.filter((noun) => noun !== first)) });
      };
      return artists.map((name) => plan(name, newTitle));
    });
    const taken = new Set<string>();
    const madeUp = Array.from({ length: 380 }, () => {
      const draw = () => this.#fill(random.pick(words.ARTIST_PATTERNS));
      let name = draw();
      while (taken.has(name)) name = draw();
      taken.add(name);
      return plan(name, () => (random.chance(4) ? random.pick(words.SHARED_TITLES) : plainTitle()));
    });
    return [...special, ...ofScripts, ...madeUp];
  }

  /** Adds the artist's releases; returns the recordings of the studio albums. */
  #addDiscography(plan: Plan, index: number, guests: readonly DemoArtist[]): Recording[] {
    const { artist } = plan;
    const made: Recording[] = [];
    let year = this.#random.between(1968, 2019);
    for (let n = 0; n < (index % 3 === 0 ? 2 : 1); n += 1) {
      made.push(...this.#addStudioAlbum(plan, year, index + n, guests));
      year += this.#random.between(1, 4);
    }
    if (index % 7 === 2) {
      const best = made.filter((_, n) => n % 2 === 0);
      this.#addRelease(artist, `The Collected ${artist.name}`, `${year + 3}-11-01`, best, 9, 'compilation');
    }
    if (index % 2 === 0) this.#addOtherVersion(artist, index / 2, made);
    return made;
  }

  /** Adds a studio album, a single from it, and what else it leads to. `turn` differs from one album to the next. */
  #addStudioAlbum({ artist, newTitle }: Plan, year: number, turn: number, guests: readonly DemoArtist[]) {
    const random = this.#random;
    const name = this.#fill(random.pick(words.ALBUM_PATTERNS));
    const songs = Array.from({ length: random.between(7, 11) }, () => {
      const guest = random.chance(14) ? random.pick(guests) : artist;
      return this.#record(artist, guest, newTitle(), year);
    });
    const date = year < 1985 && turn % 2 === 0 ? String(year) : this.#dateIn(year);
    this.#addRelease(artist, name, date, songs);
    this.#addSingle(artist, songs.slice(0, 1).map(respelled), year, 4);
    if (turn % 4 === 1) {
      const bonus = this.#versions(songs.slice(0, 2), [' - Acoustic', ' - Demo'], year + 1, 20);
      this.#addRelease(artist, `${name} (Deluxe)`, this.#dateIn(year + 1), [...songs, ...bonus], 6);
    }
    if (turn % 5 === 2 && year < 2000) {
      const label = turn % 2 === 0 ? '2011 Remaster' : 'Remastered';
      const remastered = this.#versions(songs, [` - ${label}`], 2011, 2);
      this.#addRelease(artist, `${name} (${label})`, '2011-09-26', remastered);
    }
    if (turn % 6 === 3) {
      const place = random.pick(words.WORDS.place);
      const live = this.#versions(songs, [' - Live', ` (Live at ${place})`], year + 2, 18);
      this.#addRelease(artist, `Live at ${place}`, this.#dateIn(year + 2), live);
    }
    return songs;
  }

  #record(artist: DemoArtist, guest: DemoArtist, title: string, year: number): Recording {
    const random = this.#random;
    const isAlone = guest === artist;
    return {
      title: isAlone ? title : this.#fill(random.pick(words.GUEST_PATTERNS), { title, guest: guest.name }),
      artists: isAlone ? [artist] : [artist, guest],
      durationMs: random.between(121_000, 402_000),
      explicit: random.chance(12),
      isrc: this.#nextIsrc(year),
      year,
      popularity: Math.floor((artist.popularity * random.between(50, 100)) / 100),
    };
  }

  /** Adds a single with another version of one of the songs. */
  #addOtherVersion(artist: DemoArtist, turn: number, songs: readonly Recording[]): void {
    const remix = `${this.#fill(words.PROPER_NAME)} Remix`;
    const labels = ['Radio Edit', 'Acoustic', remix, 'Instrumental', 'Sped Up', 'Mono', 'Extended Mix'];
    const song = this.#random.pick(songs);
    const label = labels[turn % labels.length];
    const longest = label === 'Radio Edit' ? 185_000 : Number.POSITIVE_INFINITY;
    const other = this.#versions([song], [` - ${label}`], song.year + 1, 12).map((one) => {
      return { ...one, durationMs: Math.min(one.durationMs, longest) };
    });
    this.#addSingle(artist, other, song.year + 1, 0);
  }

  #addSingle(artist: DemoArtist, songs: readonly Recording[], year: number, discount: number): void {
    this.#addRelease(artist, songs[0]?.title ?? '', this.#dateIn(year), songs, discount, 'single');
  }

  /** Adds tributes and karaoke versions of the best-known songs, as real searches find them. */
  #addCovers(popular: readonly Recording[]): void {
    for (const [by, popularity, album, start, step, title] of words.COVERS) {
      const artist = this.#addArtist(by, popularity);
      const songs = this.#versions(everyNth(popular, step, start, 40), [''], 2018, 0).map((song) => ({
        ...song,
        title: this.#fill(title, { title: song.title, artist: song.artists[0]?.name ?? '' }),
        artists: [artist],
        popularity: Math.floor(song.popularity / 4),
      }));
      this.#addRelease(artist, album, '2018-03-02', songs);
    }
  }

  /** Adds compilations by various artists, with the original recordings. */
  #addSamplers(popular: readonly Recording[]): void {
    const various = this.#addArtist('Various Artists', 1);
    for (let n = 0; n < 10; n += 1) {
      const songs = everyNth(popular, 10, n, 18);
      const [name, date] = [`Gathered This Season ${n + 1}`, `${2010 + n}-12-01`];
      this.#addRelease(various, name, date, songs, 10, 'compilation');
    }
  }

  #addArtist(name: string, popularity: number, genres: readonly string[] = []): DemoArtist {
    const artist: DemoArtist = { ...named('artist', name, name), genres, popularity };
    this.#artists.push(artist);
    return artist;
  }

  /** @param discount how much less popular the tracks are than the recordings themselves */
  #addRelease(
    artist: DemoArtist,
    name: string,
    releaseDate: string,
    recordings: readonly Recording[],
    discount = 0,
    type: DemoAlbum['type'] = 'album',
  ): void {
    const lessened = (popularity: number) => Math.max(0, popularity - discount);
    const tracks: DemoTrack[] = [];
    const album: DemoAlbum = {
      ...named('album', name, `${this.#albums.length}:${name}`),
      type,
      artists: [artist],
      releaseDate,
      popularity: lessened(Math.max(0, ...recordings.map(({ popularity }) => popularity))),
      tracks,
    };
    for (const [n, { title, year: _, popularity, ...rest }] of recordings.entries()) {
      const place = { ...named('track', title, `${album.id}:${n + 1}`), album, trackNumber: n + 1 };
      tracks.push({ ...place, ...rest, popularity: lessened(popularity) });
    }
    this.#albums.push(album);
  }

  /** Other recordings of the same songs. Their titles get the endings in turn. */
  #versions(songs: readonly Recording[], endings: string[], year: number, lessPopular: number): Recording[] {
    return songs.map((song, n) => ({
      ...song,
      title: song.title + endings[n % endings.length],
      isrc: this.#nextIsrc(year),
      year,
      durationMs: song.durationMs + 3_217,
      popularity: Math.max(0, song.popularity - lessPopular),
    }));
  }

  /** An ISRC under the user-assigned country code ZZ (ISO 3166-1), so that no code belongs to a real recording. */
  #nextIsrc(year: number): string {
    this.#recordings += 1;
    return `ZZDMO${String(year % 100).padStart(2, '0')}${String(this.#recordings).padStart(5, '0')}`;
  }

  #makeShow(name: string, year: number): DemoShow {
    const random = this.#random;
    const episodes: DemoEpisode[] = [];
    const show: DemoShow = { ...named('show', name, name), episodes };
    for (let number = 1; number <= 12; number += 1) {
      const title = `${number}. ${this.#fill('{noun} at {place}')}`;
      episodes.push({
        ...named('episode', title, `${show.id}:${number}`),
        show,
        durationMs: random.between(900_000, 4_800_000),
        releaseDate: `${year}-${String(number).padStart(2, '0')}-11`,
        explicit: number % 9 === 0,
      });
    }
    return show;
  }

  /** The pattern with the text of that name, or else a word, in place of each name. An "s" after a name is for the plural. */
  #fill(pattern: string, texts: Readonly<Record<string, string>> = {}): string {
    return pattern.replace(/\{(\w+?)(s?)\}/g, (_, name: string, plural: string) => {
      const word = texts[name] ?? this.#random.pick(words.WORDS[name as keyof typeof words.WORDS]);
      if (plural === '') return word;
      return /[^aeiou]y$/.test(word)
        ? `${word.slice(0, -1)}ies`
        : `${word}${word.endsWith('x') ? 'es' : 's'}`;
    });
  }

  #dateIn(year: number): string {
    const month = String(this.#random.between(1, 12)).padStart(2, '0');
    return `${year}-${month}-${String(this.#random.between(1, 28)).padStart(2, '0')}`;
  }
}

/** The same recording with the guest added to the title or left out of it: singles and albums often differ in this way. */
function respelled(recording: Recording): Recording {
  const guest = recording.artists[1]?.name;
  if (guest === undefined) return recording;
  const plain = recording.title.replace(/ [([]?(feat\.|ft\.|featuring|with) .*$/, '');
  return { ...recording, title: recording.title === plain ? `${plain} (feat. ${guest})` : plain };
}

/** @param key tells the object from all others of its type */
function named(type: string, name: string, key: string) {
  const id = derivedId(`${type}:${key}`);
  return { id, uri: `spotify:${type}:${id}`, name };
}

function byUri<T extends { uri: string }>(entries: readonly T[]): ReadonlyMap<string, T> {
  return new Map(entries.map((entry) => [entry.uri, entry]));
}
