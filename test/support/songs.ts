/** Songs of the simulated catalogue as a person asks for them. */
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import { at } from './entries.ts';
import type { Relay } from './world.ts';

/** The first tracks whose title is unique in the catalogue and consists of at least 14 letters and spaces. */
export function uniqueTracks({ provider }: Relay, amount: number): DemoTrack[] {
  const seen = new Map<string, number>();
  for (const { name } of provider.catalogue.tracks) seen.set(name, (seen.get(name) ?? 0) + 1);
  return provider.catalogue.tracks
    .filter(({ name }) => /^[A-Za-z ]{14,}$/.test(name) && seen.get(name) === 1)
    .slice(0, amount);
}

export const asQuery = (track: DemoTrack) => ({ title: track.name, artist: at(track.artists, 0).name });

/** A track as a line of a list. */
export const lineOf = (track: DemoTrack) => `${asQuery(track).artist} - ${track.name}`;

/** The title with two letters added. A typo is one letter at most, so the song is only a near miss. */
export const misspelled = (track: DemoTrack) => ({
  ...asQuery(track),
  title: `${track.name.slice(0, 3)}zq${track.name.slice(3)}`,
});

export const NOTHING = { title: 'No Such Song Anywhere', artist: 'Nobody of That Name' };

/** A song that one album has in two recordings, so that title and artist do not tell which of them is meant. */
export function twoRecordings({ provider }: Relay): { title: string; artist: string } {
  const found = provider.catalogue.tracks.find((track) =>
    track.album.tracks.some(({ name, isrc }) => name === track.name && isrc !== track.isrc),
  );
  if (!found) throw new Error('no album has two recordings of one song');
  return asQuery(found);
}
