/** Counts how many songs are found for each way in which lists write them. Look-alikes are ranked before the right song. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedCatalogue } from '../../src/demo/catalogue/generate.ts';
import { searchOf } from '../../src/demo/catalogue/search.ts';
import type { Track } from '../../src/domain/shapes.ts';
import { parseTitle } from '../../src/music/title.ts';
import type { TrackQuery } from '../../src/music/trackQuery.ts';
import { findTrack } from '../../src/work/resolve/search.ts';
import { seeded } from '../support/seeded.ts';
import { catalogueTrack } from './matchRows.ts';
import { LOOK_ALIKES, NEAR_LOOK_ALIKES, WAYS, type Way } from './waysOfWriting.ts';

const catalogue = sharedCatalogue();
/** One song of this many is asked for. */
const EVERY = 941;
/** Ways for which the provider may need a looser search; all others take one search for a song. */
const LOOSE = /typo|VEVO|punctuation/;
/**
 * The look-alikes, except those that are one letter away. Many typos are as near to them as to the right song, and such typos
 * are not forgiven.
 */
const PLANTED = Object.entries(LOOK_ALIKES).filter(([kind]) => !NEAR_LOOK_ALIKES.has(kind));

/** Songs that title and artist identify: no versions, no second recording. */
const recordings = new Map<string, Set<string>>();
for (const track of catalogue.tracks) {
  recordings.set(nameOf(track), (recordings.get(nameOf(track)) ?? new Set()).add(track.isrc));
}
const songs = catalogue.tracks
  .filter((_, n) => n % EVERY === 0)
  .filter((track) => parseTitle(track.name).versions.size === 0 && recordings.get(nameOf(track))?.size === 1)
  .map(catalogueTrack);

function nameOf({ name, artists }: { name: string; artists: readonly { name: string }[] }): string {
  return `${name} | ${artists[0]?.name}`;
}

interface Tally {
  asked: number;
  found: number;
  searches: number;
  wrong: string[];
}

async function tally(way: Way): Promise<Tally> {
  const next = seeded(way.name.length * 104_729);
  const result: Tally = { asked: 0, found: 0, searches: 0, wrong: [] };
  for (const song of songs) {
    const query = way.write({ title: song.name, artist: song.artists[0]?.name ?? '' }, next);
    if (!query) continue;
    result.asked += 1;
    const planted = PLANTED.map(([, plant]) => plant(song, next)).filter(
      (one) => nameOf(one) !== askedName(query),
    );
    const { match } = await findTrack(query, async (text) => {
      result.searches += 1;
      const found = searchOf(catalogue).tracks(text).slice(0, 10).map(catalogueTrack);
      return [...planted, ...found];
    });
    if (match && isSong(match.track, song)) result.found += 1;
    else if (match) result.wrong.push(JSON.stringify([query, nameOf(match.track)]));
  }
  return result;
}

function askedName({ title, artist }: TrackQuery): string {
  return `${title} | ${artist}`;
}

/** The same recording, or a remaster or edit of it by the same artist. */
function isSong(track: Track, song: Track): boolean {
  const [a, b] = [parseTitle(track.name), parseTitle(song.name)];
  const isSame =
    a.base === b.base && a.versions.size === 0 && track.artists[0]?.name === song.artists[0]?.name;
  return track.isrc === song.isrc || (isSame && a.notes.size + b.notes.size > 0);
}

for (const way of WAYS) {
  test(`${way.name}: at least ${way.goal * 100} % are found, with few searches, and nothing wrong`, async (t) => {
    const { asked, found, searches, wrong } = await tally(way);
    t.diagnostic(
      `${way.name}: ${found} of ${asked}, ${((100 * found) / asked).toFixed(1)} %, ${(searches / asked).toFixed(2)} searches`,
    );
    assert.deepEqual(wrong, []);
    assert.ok(found >= way.goal * asked, `${found} of ${asked}`);
    assert.ok(searches <= (LOOSE.test(way.name) ? 2 : 1) * asked, `${searches} searches for ${asked}`);
  });
}
