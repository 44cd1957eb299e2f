/** The forms in which the bulk tools and jobs take an entry. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longTest } from '../support/scale.ts';
import { withRelay } from '../support/world.ts';

/** Strict function calling sends every field that is not used as null. */
const NULLS = { title: null, artist: null, album: null, year: null, id: null };

longTest('an entry is accepted in every form, and as strict function calling sends it', () =>
  withRelay(async ({ call, provider }) => {
    const { tracks } = provider.world.catalogue;
    const track = tracks[0] ?? assert.fail();
    const { id, uri } = track;
    const url = `https://open.spotify.com/track/${id}`;
    const playlist_id = provider.world.accounts[0]?.playlists[0]?.id ?? assert.fail();
    const forms = [
      id,
      uri,
      url,
      { id },
      { uri },
      { url },
      { ...NULLS, id },
      { ...NULLS, id: url },
      { id, uri, url },
      { title: track.name, artist: 'Anyone', id },
    ];
    const song = { title: track.name, artist: track.artists[0]?.name };
    const answer = await call('bulk_add_tracks', {
      playlist_id,
      tracks: [...forms, song, { ...NULLS, ...song }, { ...song, album: track.album.name, year: null }],
      dry_run: true,
    });
    assert.deepEqual([answer.error, answer.status], [undefined, 'dry_run']);
    assert.ok(Number(answer.matched) >= forms.length, JSON.stringify(answer));
    const job = await call('create_bulk_job', {
      type: 'save_tracks',
      payload: null,
      items: [{ ...NULLS, id }, id],
      max_attempts: null,
    });
    assert.deepEqual([job.error, job.total_items], [undefined, 2]);
  }),
);

test('an entry that names no song, half a song or two songs is refused with its position', async () => {
  const other = 'spotify:track:0000000000000000000000';
  const refused: Array<[entry: unknown, message: string]> = [
    [{}, 'tracks[0]: give title and artist, or id.'],
    [NULLS, 'tracks[0]: give title and artist, or id.'],
    [{ title: 'x' }, 'tracks[0].artist is missing.'],
    [{ artist: 'x', title: null }, 'tracks[0].title is missing.'],
    [{ id: '1111111111111111111111', uri: other }, 'tracks[0]: id, uri and url must name the same item.'],
    [{ title: 'x', artist: 'y', isrc: 'z' }, 'Unknown argument "tracks[0].isrc".'],
  ];
  await withRelay(async ({ call, provider }) => {
    for (const [entry, message] of refused) {
      const { error } = await call('create_playlist_from_tracks', { name: 'x', tracks: [entry] });
      assert.equal((error as { message: string } | undefined)?.message, message);
    }
    assert.deepEqual(provider.requests, []);
  });
});
