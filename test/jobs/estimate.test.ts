/** The number of requests that a job announces, and the number that reach the simulated provider. */
import assert from 'node:assert/strict';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import { named, tracks } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, NOTHING, uniqueTracks } from '../support/songs.ts';
import { withRelay } from '../support/world.ts';
import { commit, reach } from './jobCalls.ts';

interface Taken {
  least: number;
  most: number | null;
  /** Requests that reached the provider. */
  took: number;
}

/** Runs jobs one after another, each on what the previous job left. */
async function measured(
  lists: (
    songs: readonly DemoTrack[],
    world: Parameters<typeof tracks>[0],
  ) => Array<readonly [string, readonly unknown[], Record<string, unknown>]>,
): Promise<Taken[]> {
  const taken: Taken[] = [];
  await withRelay(async (relay) => {
    for (const [type, items, payload] of lists(uniqueTracks(relay, 200), relay)) {
      relay.provider.clearRequests();
      const answer = await relay.call('create_bulk_job', {
        type,
        items,
        payload: { strict: false, ...payload },
      });
      const id = String(answer.job_id);
      await reach(relay, id, 'ready', 'completed');
      if (payload.dry_run !== true) await commit(relay, id);
      await reach(relay, id, 'completed');
      const { estimated_requests: least, estimated_requests_at_most: most } = answer;
      taken.push({ least: Number(least), most: most as number | null, took: relay.provider.requests.length });
    }
  });
  return taken;
}

longTest(
  'a list that is spelled as Spotify spells it takes exactly the number of requests that was announced',
  async () => {
    const taken = await measured((songs, world) => [
      ['create_playlist', songs.slice(0, 30).map(asQuery), { name: 'A' }],
      ['create_playlist', tracks(world, 250), { name: 'B' }],
      // The rows of this playlist fit into one page. relay would read all rows of a longer playlist twice.
      ['replace_playlist', tracks(world, 30), { playlist_id: named(world, 'Empty Shelf').id }],
      ['add_to_playlist', tracks(world, 250), { playlist_id: named(world, 'Empty Shelf').id }],
      ['save_tracks', tracks(world, 90, 3_000), {}],
      ['save_tracks', [...songs.slice(40, 65), ...songs.slice(40, 65)].map(asQuery), {}],
      [
        'add_to_playlist',
        songs.slice(120, 140).map(asQuery),
        { playlist_id: named(world, 'Empty Shelf').id, dry_run: true },
      ],
    ]);
    assert.deepEqual(
      taken.map(({ least, took }) => [least, took]),
      taken.map(({ took }) => [took, took]),
    );
  },
);

longTest(
  'misspelled and missing songs take more requests than the least number, and never more than the greatest',
  async () => {
    const taken = await measured((songs) => {
      const typos = songs.slice(0, 10).map((song) => ({
        ...asQuery(song),
        title: song.name.slice(0, 4) + song.name.slice(5),
      }));
      const missing = Array.from({ length: 10 }, (_, index) => ({
        ...NOTHING,
        title: `${NOTHING.title} ${index}`,
      }));
      const albums = songs.slice(100, 110).map((song) => ({ ...asQuery(song), album: 'Some Other Album' }));
      return [
        [
          'create_playlist',
          [...typos, ...missing, ...albums, ...songs.slice(120, 140).map(asQuery)],
          { name: 'C' },
        ],
      ];
    });
    const [{ least, most, took }] = taken as [Taken];
    assert.ok(least < took && took <= (most ?? 0), `${least} to ${most}, took ${took}`);
    // Each song takes one search at least, and two at most, or three with an album. Three requests make and fill the playlist.
    assert.deepEqual([least, most], [53, 113]);
  },
);
