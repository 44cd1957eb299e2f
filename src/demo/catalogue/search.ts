/** The search indexes of a catalogue, each built at its first use. */
import { lazy } from '../../base/memoised.ts';
import { type SearchDocument, SearchIndex } from './searchIndex.ts';
import type { Catalogue, DemoAlbum, DemoArtist, DemoEpisode, DemoShow, DemoTrack } from './types.ts';

export interface CatalogueSearch {
  /** Each returns all matches, best first. */
  tracks(query: string): DemoTrack[];
  albums(query: string): DemoAlbum[];
  artists(query: string): DemoArtist[];
  shows(query: string): DemoShow[];
  episodes(query: string): DemoEpisode[];
}

const made = new WeakMap<Catalogue, CatalogueSearch>();

/** The search of a catalogue, built once for all providers that share the catalogue. */
export function searchOf(catalogue: Catalogue): CatalogueSearch {
  const search = made.get(catalogue) ?? makeSearch(catalogue);
  made.set(catalogue, search);
  return search;
}

function makeSearch(catalogue: Catalogue): CatalogueSearch {
  return {
    tracks: lazily(() => catalogue.tracks.map(trackDocument)),
    albums: lazily(() => catalogue.albums.map(albumDocument)),
    artists: lazily(() => catalogue.artists.map(artistDocument)),
    shows: lazily(() => catalogue.shows.map(namedDocument)),
    episodes: lazily(() => catalogue.episodes.map(namedDocument)),
  };
}

function lazily<T>(documents: () => SearchDocument<T>[]): (query: string) => T[] {
  const index = lazy(() => new SearchIndex(documents()));
  return (query) => index().search(query);
}

function trackDocument(track: DemoTrack): SearchDocument<DemoTrack> {
  return {
    value: track,
    main: 'track',
    texts: {
      track: [track.name],
      artist: track.artists.map((artist) => artist.name),
      album: [track.album.name],
    },
    popularity: track.popularity,
    year: Number(track.album.releaseDate.slice(0, 4)),
    codes: [track.isrc, track.album.upc],
    genres: track.artists.flatMap((artist) => artist.genres),
  };
}

function albumDocument(album: DemoAlbum): SearchDocument<DemoAlbum> {
  return {
    value: album,
    main: 'album',
    texts: { album: [album.name], artist: album.artists.map((artist) => artist.name) },
    popularity: album.popularity,
    year: Number(album.releaseDate.slice(0, 4)),
    codes: [album.upc],
    genres: album.artists.flatMap((artist) => artist.genres),
  };
}

function artistDocument(artist: DemoArtist): SearchDocument<DemoArtist> {
  return {
    value: artist,
    main: 'artist',
    texts: { artist: [artist.name] },
    popularity: artist.popularity,
    genres: artist.genres,
  };
}

function namedDocument<T extends { name: string; description: string }>(value: T): SearchDocument<T> {
  return { value, main: 'name', texts: { name: [value.name] }, popularity: 0 };
}
