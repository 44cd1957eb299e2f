import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedCatalogue } from '../../src/demo/catalogue/generate.ts';
import { searchOf } from '../../src/demo/catalogue/search.ts';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import { matchTrack } from '../../src/music/match.ts';
import { searchQueries, type TrackQuery } from '../../src/music/trackQuery.ts';
import { pluck } from '../support/entries.ts';
import { catalogueTrack } from './matchRows.ts';

const catalogue = sharedCatalogue();

/** The match in the first page of the first search. */
function firstVerdict(query: TrackQuery): ReturnType<typeof matchTrack> {
  const page = searchOf(catalogue)
    .tracks(searchQueries(query)[0] ?? '')
    .slice(0, 10);
  return matchTrack(query, page.map(catalogueTrack));
}

/** True if the artist has another recording with the same title, so that title and artist cannot tell the recordings apart. */
function isTwin(track: DemoTrack): boolean {
  const artist = (one: DemoTrack) => one.artists[0]?.id;
  return catalogue.tracks.some(
    (one) => one.name === track.name && one.isrc !== track.isrc && artist(one) === artist(track),
  );
}

const some = catalogue.tracks.filter((track, n) => n % 151 === 0 && !isTwin(track));

test('songs of the catalogue are found by title and artist with one search', () => {
  const wrong = some.filter((track) => {
    const query = { title: track.name, artist: track.artists.map(({ name }) => name).join(' & ') };
    return firstVerdict(query).match?.track.isrc !== track.isrc;
  });
  assert.deepEqual(pluck(wrong, 'name'), []);
  assert.ok(some.length > 30, `${some.length} songs`);
});

test('songs are found on the album that is asked for', () => {
  const wrong = some.filter((track) => {
    const query = { title: track.name, artist: track.artists[0]?.name ?? '', album: track.album.name };
    return firstVerdict(query).match?.track.album.name !== track.album.name;
  });
  assert.deepEqual(pluck(wrong, 'name'), []);
});
