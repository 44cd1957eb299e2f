/** Episodes by the ID that a lean row has: it does not say that it names an episode. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from '../support/answers.ts';
import { at, owner } from '../support/entries.ts';
import { addPlaylist, named, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { createJob, runToEnd } from '../work/jobCalls.ts';

const EXTRAS = { env: { RELAY_TOOLSETS: 'all' } };

interface LeanRow {
  id: string;
  type?: string;
}

/** IDs of the rows, as a model reads them. */
async function leanIds(relay: Relay, playlist_id: string, query?: string): Promise<string[]> {
  const answer = await relay.call('get_playlist_tracks', { playlist_id, detail: 'lean', query });
  return (answer.items as LeanRow[]).map(({ id }) => id);
}

/** A playlist of a track, an episode and another track. */
function mixed(relay: Relay) {
  const episode = at(relay.provider.catalogue.episodes, 0);
  const [first = '', second = ''] = tracks(relay, 2);
  return { episode, uris: [first, episode.uri, second] };
}

longTest('the ID of an episode that was listed names it for every tool that takes episodes', () =>
  withRelay(EXTRAS, async (relay) => {
    const { episode, uris } = mixed(relay);
    const source = addPlaylist(relay.provider, 'Songs and a talk', uris);
    const target = named(relay, 'Empty Shelf');
    const ids = await leanIds(relay, source.id);
    const done = async (tool: string, args: Record<string, unknown>) => {
      const answer = await relay.call(tool, args);
      assert.equal(answer.error, undefined, JSON.stringify(answer.error));
      return answer;
    };
    const playlist_id = target.id;
    await done('add_tracks_to_playlist', { playlist_id, track_ids: ids });
    assert.deepEqual(urisOf(target), uris);
    await done('replace_playlist_tracks', { playlist_id, track_ids: ids.toReversed() });
    assert.deepEqual(urisOf(target), uris.toReversed());
    await done('bulk_add_tracks', { playlist_id, tracks: [{ id: episode.id }, episode.id] });
    assert.deepEqual(urisOf(target), [...uris.toReversed(), episode.uri, episode.uri]);
    await done('remove_tracks_from_playlist', { playlist_id, track_ids: [episode.id] });
    assert.deepEqual(urisOf(target), uris.filter((uri) => uri !== episode.uri).toReversed());
    const items = ids.map((id) => ({ id }));
    await runToEnd(relay, await createJob(relay, 'add_to_playlist', items, { playlist_id }));
    assert.deepEqual(urisOf(target).slice(2), uris);
    await done('play', { uris: ids, offset: { uri: episode.id } });
    const { player } = owner(relay.provider);
    assert.deepEqual([player.queue, player.queue[player.index]], [uris, episode.uri]);
    const queued = await done('add_to_queue', { track_id: episode.id });
    assert.equal(queued.uri, episode.uri);
    const refused = await relay.call('save_tracks', { track_ids: [episode.id] });
    assert.equal(failureOf(refused).code, 'INVALID_ARGUMENT');
  }),
);

for (const [what, list] of [
  ['the copy of the library', async (relay: Relay, id: string) => leanIds(relay, id, 'factory')],
  [
    'the player',
    async (relay: Relay) => {
      await relay.call('play', { uris: [at(relay.provider.catalogue.episodes, 0).uri] });
      const { item } = await relay.call('get_currently_playing', { detail: 'lean' });
      return [(item as LeanRow).id];
    },
  ],
] as const) {
  longTest(`an episode that ${what} has shown is known by its ID`, () =>
    withRelay(EXTRAS, async (relay) => {
      const { episode } = mixed(relay);
      // The copy of the library stays, but what was read before the restart is forgotten.
      await relay.call('query_library', { sql: 'SELECT count(*) FROM playlist_rows' });
      await relay.restart();
      assert.deepEqual(await list(relay, named(relay, 'Odds and Ends').id), [episode.id]);
      const target = named(relay, 'Empty Shelf');
      await relay.call('add_tracks_to_playlist', { playlist_id: target.id, track_ids: [episode.id] });
      assert.deepEqual(urisOf(target), [episode.uri]);
    }),
  );
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
