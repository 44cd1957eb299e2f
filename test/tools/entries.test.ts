/** The forms in which the bulk tools and jobs take an entry. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withRelay } from '../support/world.ts';

const ALBUM = 'spotify:album:0000000000000000000000';
/** Strict function calling sends every field that is not used as null. */
const NULLS = { title: null, artist: null, album: null, year: null, id: null };

test('an entry that names no song, half a song, two songs or an album is refused with its position', async () => {
  const other = 'spotify:track:0000000000000000000000';
  const refused: Array<[entry: unknown, message: string]> = [
    [{}, 'tracks[0]: give title and artist, or id.'],
    [NULLS, 'tracks[0]: give title and artist, or id.'],
    [
      { title: 'x' },
      'tracks[0].artist is missing: a title alone matches nothing. search_tracks finds who sings it.',
    ],
    [{ artist: 'x', title: null }, 'tracks[0].title is missing.'],
    [{ id: '1111111111111111111111', uri: other }, 'tracks[0]: id, uri and url must name the same item.'],
    [{ title: 'x', artist: 'y', isrc: 'z' }, 'Unknown argument "tracks[0].isrc".'],
    [
      ALBUM,
      `tracks[0]: "${ALBUM}" is an album, not a track or an episode. Give the ID, URI or link of a track or an episode.`,
    ],
  ];
  await withRelay(async ({ call, provider }) => {
    for (const [entry, message] of refused) {
      const { error } = await call('create_playlist_from_tracks', { name: 'x', tracks: [entry] });
      assert.equal((error as { message: string } | undefined)?.message, message);
    }
    assert.deepEqual(provider.requests, []);
  });
});
