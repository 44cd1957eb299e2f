/** `list_changes` and `undo_change` count only the rows and tracks that were really written. */
import assert from 'node:assert/strict';
import type { ChangeSummary } from '../../src/domain/change.ts';
import { savedUris, tracks } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { type Extras, withExtras } from './extras.ts';
import { committed, ended } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

async function newest(call: Extras['call']) {
  const { items } = (await call('list_changes', { limit: 1 })) as { items: ChangeSummary[] };
  return items.map(({ kind, state, requested, written }) => ({ kind, state, requested, written }));
}

longTest('a move counts the rows that it moved, and so does its undo', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist_id }) => {
    await withExtras(relay, async ({ call }) => {
      await call('reorder_playlist_tracks', {
        playlist_id,
        range_start: 3,
        range_length: 5,
        insert_before: 50,
      });
      const counts = { state: 'done', requested: 5, written: 5 };
      assert.deepEqual(await newest(call), [{ kind: 'reorder', ...counts }]);
      await call('undo_change');
      assert.deepEqual(await newest(call), [{ kind: 'undo', ...counts }]);
    });
  }),
);

longTest('a removal of saved tracks that fails part-way counts each saved track once, and no others', () =>
  withUnkind({}, async (relay) => {
    const saved = savedUris(relay);
    const items = [
      ...tracks(relay, 25, 7_000),
      ...saved.slice(0, 10),
      ...saved.slice(0, 5),
      ...saved.slice(10, 60),
    ];
    const id = await committed(relay, 'remove_saved_tracks', items, {}, () =>
      relay.provider.faults.add({
        method: 'DELETE',
        path: '/me/library',
        skip: 1,
        times: Number.POSITIVE_INFINITY,
        kind: 'status',
        status: 403,
      }),
    );
    assert.equal((await ended(relay, id)).status, 'failed');
    assert.equal(savedUris(relay).length, saved.length - 10);
    relay.provider.faults.clear();
    await withExtras(relay, async ({ call }) => {
      assert.deepEqual(await newest(call), [
        { kind: 'unsave', state: 'stopped', requested: 60, written: 10 },
      ]);
      await call('resume_job', { job_id: id });
      assert.equal((await ended(relay, id)).status, 'completed');
      assert.deepEqual(await newest(call), [{ kind: 'unsave', state: 'done', requested: 60, written: 60 }]);
    });
  }),
);

longTest(
  'a song that was saved twice in one call counts once in the undo, although the library does not show it yet',
  () =>
    withUnkind({}, async (relay) => {
      const [first = '', second = ''] = tracks(relay, 2, 7_000);
      relay.provider.lag.set({ lists: 10_000 });
      await withExtras(relay, async ({ call }) => {
        await call('save_tracks', { track_ids: [first, first, second] });
        const { summary, taken } = await call('undo_change');
        assert.deepEqual(
          [summary, taken],
          ['Removed 2 songs from Liked Songs.', { count: 2, first: [first, second] }],
        );
      });
    }),
);
