/** Collects artists, releases and shows while a catalogue is generated, and assigns identifiers and codes. */
import { derivedId } from './seeded.ts';
import type { Catalogue, DemoAlbum, DemoArtist, DemoEpisode, DemoShow, DemoTrack } from './types.ts';

/** One recording, on any number of albums. */
export interface Recording
  extends Pick<DemoTrack, 'artists' | 'durationMs' | 'explicit' | 'isrc' | 'popularity'> {
  readonly title: string;
  readonly year: number;
}

export interface Release extends Pick<DemoAlbum, 'name' | 'type' | 'artists' | 'releaseDate'> {
  /** How much less popular its tracks are than the recordings themselves. */
  readonly discount: number;
  readonly recordings: readonly Recording[];
}

export class CatalogueBuilder {
  readonly artists: DemoArtist[] = [];
  readonly albums: DemoAlbum[] = [];
  readonly tracks: DemoTrack[] = [];
  readonly shows: DemoShow[] = [];
  #recordings = 0;

  addArtist(name: string, genres: readonly string[], popularity: number): DemoArtist {
    const id = derivedId(`artist:${name}`);
    const artist: DemoArtist = { id, uri: `spotify:artist:${id}`, name, genres, popularity };
    this.artists.push(artist);
    return artist;
  }

  /** An ISRC under the user-assigned country code ZZ (ISO 3166-1), so that no code belongs to a real recording. */
  nextIsrc(year: number): string {
    this.#recordings += 1;
    const yy = String(year % 100).padStart(2, '0');
    return `ZZDMO${yy}${String(this.#recordings).padStart(5, '0')}`;
  }

  addRelease(release: Release): DemoAlbum {
    const { name, type, artists, releaseDate, discount, recordings } = release;
    const number = this.albums.length;
    const id = derivedId(`album:${number}:${name}`);
    const tracks: DemoTrack[] = [];
    const best = Math.max(0, ...recordings.map((recording) => recording.popularity));
    const album: DemoAlbum = {
      id,
      uri: `spotify:album:${id}`,
      name,
      type,
      artists,
      releaseDate,
      precision: releaseDate.length === 4 ? 'year' : 'day',
      upc: `99${String(number).padStart(10, '0')}`,
      popularity: Math.max(0, best - discount),
      tracks,
    };
    for (const recording of recordings) tracks.push(trackOf(album, recording, tracks.length + 1, discount));
    this.albums.push(album);
    this.tracks.push(...tracks);
    return album;
  }

  build(): Catalogue {
    const episodes: DemoEpisode[] = this.shows.flatMap((show) => show.episodes);
    const { artists, albums, tracks, shows } = this;
    return {
      artists,
      albums,
      tracks,
      shows,
      episodes,
      trackByUri: byUri(tracks),
      episodeByUri: byUri(episodes),
      albumByUri: byUri(albums),
      artistByUri: byUri(artists),
      showByUri: byUri(shows),
    };
  }
}

function trackOf(album: DemoAlbum, recording: Recording, trackNumber: number, discount: number): DemoTrack {
  const id = derivedId(`track:${album.id}:${trackNumber}`);
  return {
    id,
    uri: `spotify:track:${id}`,
    name: recording.title,
    artists: recording.artists,
    album,
    durationMs: recording.durationMs,
    explicit: recording.explicit,
    isrc: recording.isrc,
    trackNumber,
    popularity: Math.max(0, recording.popularity - discount),
  };
}

function byUri<T extends { uri: string }>(entries: readonly T[]): ReadonlyMap<string, T> {
  return new Map(entries.map((entry) => [entry.uri, entry]));
}
