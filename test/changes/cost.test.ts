import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { at } from '../support/entries.ts';
import { assertRows, fill, named, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import type { Relay } from '../support/world.ts';
import { undoLast } from './extras.ts';
import { assertDone, change, committed, ended } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

const reads = ({ provider }: Relay) => provider.requests.filter(({ method }) => method === 'GET').length;

/** Appends 500 tracks to 9,900 rows and returns how many reads that took. */
async function append(relay: Relay, before: () => void): Promise<number> {
  const playlist = named(relay, 'Exactly Two Hundred');
  fill(playlist, tracks(relay, 9_900));
  const [former, uris] = [urisOf(playlist), tracks(relay, 500, 100)];
  relay.provider.clearRequests();
  const id = await committed(relay, 'add_to_playlist', uris, { playlist_id: playlist.id }, before);
  const job = await ended(relay, id);
  assert.equal(job.status, 'completed', JSON.stringify(job.error));
  assertRows(playlist, [...former, ...uris]);
  return reads(relay);
}

test('an append to a long playlist reads only its first and its last rows', () =>
  withUnkind({}, async (relay) => {
    const made = await append(relay, () => {});
    assert.ok(made <= 3, `${made} reads`);
  }));

longTest('a look of an append costs two reads and one for each hundred rows of the tail', () =>
  withUnkind({}, async (relay) => {
    const made = await append(relay, () =>
      relay.provider.faults.add({
        method: 'POST',
        path: /\/items$/,
        times: 5,
        kind: 'status_after',
        status: 502,
      }),
    );
    // Five looks at a tail of at most 500 rows, and the three reads of any append.
    assert.ok(made <= 5 * (2 + 5) + 3, `${made} reads`);
  }),
);

/** How many requests `work` sends, by method. */
async function requestsOf(
  { provider }: Relay,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  provider.clearRequests();
  await work();
  const counts: Record<string, number> = {};
  for (const { method } of provider.requests) counts[method] = (counts[method] ?? 0) + 1;
  return counts;
}

/** A playlist of 400 tracks. Ten of them were repeated at its end, and relay has removed these duplicates. */
async function deduplicated(relay: Relay): Promise<{ playlist: DemoPlaylist; former: string[] }> {
  const playlist = named(relay, 'Exactly Two Hundred');
  const former = [...tracks(relay, 400), ...tracks(relay, 10, 100)];
  fill(playlist, former);
  assertDone(await change(relay, 'deduplicate_playlist', { playlist_id: playlist.id }));
  assert.equal(playlist.rows.length, 400);
  return { playlist, former };
}

longTest('the undo of removing duplicates takes a read, a write, and a read', () =>
  withUnkind({}, async (relay) => {
    const { playlist, former } = await deduplicated(relay);
    assert.deepEqual(await requestsOf(relay, async () => assertDone(await undoLast(relay))), {
      GET: 2,
      POST: 1,
    });
    assertRows(playlist, former);
  }),
);

longTest('the undo of an addition reads the list once', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const args = { playlist_id, track_ids: tracks(relay, 250, 5_000) };
    assertDone(await change(relay, 'add_tracks_to_playlist', args));
    // Nine pages are full. Since the number of rows may lag, relay reads a tenth page to see that nothing follows.
    assert.deepEqual(await requestsOf(relay, async () => assertDone(await undoLast(relay))), {
      GET: 9 + 2,
      DELETE: 3,
    });
    assertRows(playlist, former);
  }),
);

longTest('the undo of removing duplicates reads all rows if the snapshot lags', () =>
  withUnkind({}, async (relay) => {
    const { playlist, former } = await deduplicated(relay);
    relay.provider.lag.set({ lists: 600, totals: 600, snapshots: 30_000 });
    relay.provider.clearRequests();
    assertDone(await undoLast(relay));
    assertRows(playlist, former);
    const pages = relay.provider.requests.filter(
      ({ method, path }) => method === 'GET' && path.endsWith('/items'),
    );
    assert.ok(pages.length >= 9, `${pages.length} pages were read`);
  }),
);

for (const [what, edit] of [
  ['removes a song', (rows: string[]) => rows.slice(1)],
  ['puts another song first', ([_, ...rows]: string[], other: string) => [other, ...rows]],
] as const) {
  longTest(`if someone ${what} during an undo, that edit stays`, () =>
    withUnkind({}, async (relay) => {
      const { playlist, former } = await deduplicated(relay);
      const other = at(tracks(relay, 1, 6_000), 0);
      const fn = () => void relay.provider.editPlaylist(playlist.id, edit(urisOf(playlist), other));
      relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'hook', fn });
      assertDone(await undoLast(relay));
      assertRows(playlist, edit(former, other));
    }),
  );
}
