/** Episodes by the ID that a lean row has: it does not say that it names an episode. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from '../support/answers.ts';
import { at } from '../support/entries.ts';
import { addPlaylist, named, tracks, urisOf } from '../support/playlists.ts';
import { type Relay, withRelay } from '../support/world.ts';

/** A playlist of a track, an episode and another track. */
function mixed(relay: Relay) {
  const episode = at(relay.provider.catalogue.episodes, 0);
  const [first = '', second = ''] = tracks(relay, 2);
  return { episode, uris: [first, episode.uri, second] };
}

test('an episode of the playlist is removed by its ID, also after a restart', () =>
  withRelay(async (relay) => {
    const { episode, uris } = mixed(relay);
    const playlist = addPlaylist(relay.provider, 'Songs and a talk', [...uris, episode.uri]);
    const absent = at(relay.provider.catalogue.tracks, 9);
    const answer = await relay.call('remove_tracks_from_playlist', {
      playlist_id: playlist.id,
      track_ids: [episode.id, absent.id],
    });
    const { requested, written, removed, not_found } = answer;
    assert.deepEqual([requested, written, removed, not_found], [2, 1, 2, [absent.uri]]);
    assert.deepEqual(urisOf(playlist), [uris[0], uris[2]]);
  }));

test('an episode that relay has not read needs its URI, as the error says', () =>
  withRelay(async (relay) => {
    const { episode } = mixed(relay);
    const playlist_id = named(relay, 'Empty Shelf').id;
    for (const [tool, args] of [
      ['add_tracks_to_playlist', { track_ids: [episode.id] }],
      ['bulk_add_tracks', { tracks: [{ id: episode.id }] }],
    ] as const) {
      const { code, remedy } = failureOf(await relay.call(tool, { playlist_id, ...args }));
      assert.equal(code, 'INVALID_ARGUMENT');
      assert.match(String(remedy), /An ID alone means a track: give an episode as spotify:episode:…\.$/);
    }
    await relay.call('add_tracks_to_playlist', { playlist_id, track_ids: [episode.uri] });
    assert.deepEqual(urisOf(named(relay, 'Empty Shelf')), [episode.uri]);
  }));
