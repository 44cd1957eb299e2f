/** Rows that are there already: duplicates, and additions of which the last rows do not tell whether they took effect. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRows, fill, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { assertDone, change, ended } from './settled.ts';
import { LIMIT_AFTER_FIRST, withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;
const BAD_DAYS: Record<string, FaultRule> = {
  'without effect': { ...APPEND, kind: 'status', status: 502 },
  'after its effect': { ...APPEND, kind: 'status_after', status: 502 },
};

for (const [name, rule] of Object.entries(BAD_DAYS)) {
  longTest(`songs that are added again are there as often as relay says, if a request fails ${name}`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
      const songs = tracks(relay, 20, 3_000);
      const args = { playlist_id, track_ids: songs };
      assertDone(await change(relay, 'add_tracks_to_playlist', args));
      relay.provider.faults.add(rule);
      const { error, job } = await change(relay, 'add_tracks_to_playlist', args);
      const isDone = error === null || job?.status === 'completed';
      assertRows(playlist, [...former, ...songs, ...(isDone ? songs : [])]);
    }),
  );

  longTest(
    `a list with the same hundred songs twice is added twice, if the second request fails ${name}`,
    () =>
      withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
        const songs = tracks(relay, 100, 3_000);
        relay.provider.faults.add({ ...rule, skip: 1 });
        const args = { playlist_id, track_ids: [...songs, ...songs] };
        const { error, job } = await change(relay, 'add_tracks_to_playlist', args);
        assert.ok(error === null || job?.status === 'completed', JSON.stringify(error));
        assertRows(playlist, [...former, ...songs, ...songs]);
      }),
  );
}

/**
 * Removes duplicates from a playlist in which Spotify shows one track under another ID. Spotify does not remove the track by
 * that ID.
 */
const withRelinked = (
  rows: (own: string, other: string, third: string) => string[],
  kept: (shown: string, other: string, third: string) => string[],
) =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [own = '', other = '', third = '', shown = ''] = tracks(relay, 4, 3_000);
    fill(playlist, rows(own, other, third));
    relay.provider.lag.relink(own, shown);
    assertDone(await change(relay, 'deduplicate_playlist', { playlist_id }));
    assertRows(playlist, kept(shown, other, third));
  });

longTest('duplicates that Spotify does not remove are not written again', () =>
  withRelinked(
    (own, other) => [own, other, own],
    (shown, other) => [shown, other],
  ),
);

longTest(
  'if Spotify removes only some of the duplicates, the first rows of the removed songs come back',
  () =>
    withRelinked(
      (own, other, third) => [other, own, third, own, other],
      (shown, other, third) => [other, shown, third],
    ),
);

longTest('rows that Spotify did not remove are not doubled if others write before the change continues', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [own = '', other = '', third = '', shown = '', theirs = ''] = tracks(relay, 5, 3_000);
    fill(playlist, [other, own, third, own, other]);
    relay.provider.lag.relink(own, shown);
    const fn = () => void relay.provider.editPlaylist(playlist_id, [...urisOf(playlist), theirs]);
    relay.provider.faults.add({ ...LIMIT_AFTER_FIRST, kind: 'hook', fn });
    relay.provider.faults.add(LIMIT_AFTER_FIRST);
    const { error } = await change(relay, 'deduplicate_playlist', { playlist_id });
    const { status } = await ended(relay, String(error?.details?.job_id));
    assert.equal(status, 'completed');
    assertRows(playlist, [other, shown, third, theirs]);
  }),
);

test('a removal that the list shows late is not taken for a removal without an effect', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [first = '', other = '', theirs = ''] = tracks(relay, 3, 3_000);
    fill(playlist, [first, other, first]);
    relay.provider.lag.set({ lists: 2_000, totals: 2_000 });
    const fn = () => void relay.provider.editPlaylist(playlist_id, [...urisOf(playlist), theirs]);
    const look = { method: 'GET', path: /\/items$/, kind: 'hook', fn } as const;
    const removal = { method: 'DELETE', path: /\/items$/, kind: 'hook' } as const;
    relay.provider.faults.add({ ...removal, fn: () => relay.provider.faults.add(look) });
    assertDone(await change(relay, 'deduplicate_playlist', { playlist_id }));
    assertRows(playlist, [first, other, theirs]);
  }));
