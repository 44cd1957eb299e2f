/** Changes made one right after the other, while reads still show the state before the first change. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNone, at, owner } from '../support/entries.ts';
import { assertRows, fill, named, savedUris, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { undoLast, withExtras } from './extras.ts';
import { assertDone, change, committed, ended, poll } from './settled.ts';
import { LIMIT_AFTER_FIRST, withUnkind, withUnkindPlaylist } from './unkind.ts';

longTest(
  'a replacement knows rows that were just added, even if its reading takes longer than lists lag',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
      const songs = tracks(relay, 12, 3_000);
      relay.provider.lag.set({ lists: 5_000, totals: 5_000, snapshots: 5_000 });
      assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: songs }));
      relay.provider.faults.add({ method: 'GET', path: /\/items$/, kind: 'slow_answer', ms: 8_000 });
      const track_ids = tracks(relay, 5, 4_000);
      assertDone(await change(relay, 'replace_playlist_tracks', { playlist_id, track_ids }));
      assertRows(playlist, track_ids);
      assertDone(await undoLast(relay));
      assertRows(playlist, [...former, ...songs]);
    }),
);

test('an undo is refused if it would overwrite a later change that the snapshot does not show yet', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [gone, songs] = [urisOf(playlist).slice(0, 3), tracks(relay, 5, 3_000)];
    assertDone(await change(relay, 'remove_tracks_from_playlist', { playlist_id, track_ids: gone }));
    // The lags begin here, so that reads show the removal at once.
    relay.provider.lag.set({ lists: 600, totals: 900, snapshots: 30_000 });
    assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: songs }));
    const left = urisOf(playlist);
    await withExtras(relay, async ({ changes, undo }) => {
      const { error } = await undo(at(await changes(), 1));
      assert.equal(error?.code, 'CONFLICT');
    });
    assertRows(playlist, left);
  }));

longTest(
  'an undo is refused if it would remove songs that another program added while the snapshot lagged',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
      assertDone(
        await change(relay, 'replace_playlist_tracks', { playlist_id, track_ids: tracks(relay, 9, 3_000) }),
      );
      relay.provider.lag.set({ lists: 600, totals: 900, snapshots: 30_000 });
      const left = [...urisOf(playlist), ...tracks(relay, 2, 4_000)];
      relay.provider.editPlaylist(playlist_id, left);
      await clock.sleep(2_000);
      const { error } = await undoLast(relay);
      assert.equal(error?.code, 'CONFLICT');
      assertRows(playlist, left);
    }),
);

test('the undo of saving removes every track, although others leave the library while relay reads its pages', () =>
  withUnkind({}, async (relay) => {
    const account = owner(relay.provider);
    const saved = () => savedUris(relay);
    const track_ids = tracks(relay, 120, 3_000).filter((uri) => !saved().includes(uri));
    assertDone(await change(relay, 'save_tracks', { track_ids }));
    // Between the first page and the second.
    const fn = async () => void account.saved.splice(0, 5);
    relay.provider.faults.add({ method: 'GET', path: '/me/tracks', skip: 1, times: 1, kind: 'hook', fn });
    assertDone(await undoLast(relay));
    assertNone(saved(), (uri) => track_ids.includes(uri));
  }));

longTest('tracks that were just saved are saved again by the undo of their removal', () =>
  withUnkind({}, async (relay) => {
    const saved = () => savedUris(relay);
    const track_ids = tracks(relay, 3, 3_000);
    relay.provider.lag.set({ lists: 2_000 });
    assertDone(await change(relay, 'save_tracks', { track_ids }));
    const former = saved();
    assertDone(await change(relay, 'remove_saved_tracks', { track_ids }));
    assertDone(await undoLast(relay));
    assert.deepEqual(saved().toSorted(), former.toSorted());
  }),
);

test('the undo of a second removal saves the tracks that a person had saved again after the first', () =>
  withUnkind({}, async (relay, clock) => {
    const account = owner(relay.provider);
    const track_ids = tracks(relay, 120, 3_000).filter((uri) => !savedUris(relay).includes(uri));
    assertDone(await change(relay, 'save_tracks', { track_ids }));
    await clock.sleep(20_000);
    assertDone(await change(relay, 'remove_saved_tracks', { track_ids }));
    await clock.sleep(10_000);
    const addedAt = new Date(clock.now()).toISOString();
    account.saved.unshift(...track_ids.slice(5, 8).map((uri) => ({ uri, addedAt })));
    const before = savedUris(relay);
    assertDone(await change(relay, 'remove_saved_tracks', { track_ids: track_ids.slice(0, 10) }));
    assertNone(savedUris(relay), (uri) => track_ids.includes(uri));
    assertDone(await undoLast(relay));
    assert.deepEqual(savedUris(relay), before);
  }));

test('the undo of saving leaves the tracks that a person had saved after a removal', () =>
  withUnkind({}, async (relay, clock) => {
    const track_ids = savedUris(relay).slice(0, 10);
    assertDone(await change(relay, 'remove_saved_tracks', { track_ids }));
    await clock.sleep(10_000);
    const addedAt = new Date(clock.now()).toISOString();
    owner(relay.provider).saved.unshift(...track_ids.slice(5, 8).map((uri) => ({ uri, addedAt })));
    const before = savedUris(relay);
    assertDone(await change(relay, 'save_tracks', { track_ids }));
    assertDone(await undoLast(relay));
    assert.deepEqual(savedUris(relay).toSorted(), before.toSorted());
  }));

test('after several removals, saving reads the library once, and tells for each track who saved it last', () =>
  withUnkind({}, async (relay, clock) => {
    const account = owner(relay.provider);
    const track_ids = savedUris(relay).slice(0, 5);
    const [theirs = '', ...others] = track_ids;
    const remove = (...uris: string[]) => change(relay, 'remove_saved_tracks', { track_ids: uris });
    assertDone(await remove(theirs));
    await clock.sleep(5_000);
    account.saved.unshift({ uri: theirs, addedAt: new Date(clock.now()).toISOString() });
    await clock.sleep(5_000);
    for (const uri of others) assertDone(await remove(uri));
    const before = savedUris(relay);
    relay.provider.clearRequests();
    assertDone(await change(relay, 'save_tracks', { track_ids }));
    assert.deepEqual(
      relay.provider.requests.map(({ method, path }) => [method, path.split('?')[0]]),
      [
        ['GET', '/me/tracks'],
        ['PUT', '/me/library'],
      ],
    );
    assertDone(await undoLast(relay));
    assert.deepEqual(savedUris(relay), before);
  }));

longTest('if a list still shows rows that were removed, they are not taken for rows that were put back', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [first = '', ...others] = tracks(relay, 120, 3_000);
    fill(playlist, [first, ...others, first]);
    relay.provider.lag.set({ lists: 3_000, totals: 3_000, snapshots: 3_000 });
    // One request removes both rows, and the next one puts the first back.
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'drop', when: 'before' });
    const { error } = await change(relay, 'deduplicate_playlist', { playlist_id });
    assertRows(playlist, error ? [first, ...others, first] : [first, ...others]);
  }),
);

longTest(
  'a second addition of the same rows can be undone, although the number of rows does not show an earlier removal yet',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
      const track_ids = tracks(relay, 12, 3_000);
      relay.provider.lag.set({ lists: 100, totals: 2_500 });
      assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids }));
      const [first = ''] = urisOf(playlist);
      assertDone(await change(relay, 'remove_tracks_from_playlist', { playlist_id, track_ids: [first] }));
      const before = urisOf(playlist);
      assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids }));
      assertDone(await undoLast(relay));
      assertRows(playlist, before);
    }),
);

longTest('a list from before a replacement is not taken for the new list if three rows change', () =>
  // On a busy machine, a faster clock would bring the call near its deadline.
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const former = tracks(relay, 256, 3_000);
    fill(playlist, former);
    relay.provider.lag.set({ lists: 3_000, totals: 3_000, snapshots: 3_000 });
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, kind: 'drop', when: 'before' });
    const args = { playlist_id, track_ids: [...tracks(relay, 3, 4_000), ...former.slice(3)] };
    // The last request proves to have had no effect, so the change is rolled back.
    const { error } = await change(relay, 'replace_playlist_tracks', args);
    assert.equal(error?.code, 'PARTIAL_WRITE');
    assertRows(playlist, former);
  }),
);

for (const [what, begin] of [
  ['that relay has just written', 'replace_playlist_tracks'],
  ['that have been there for long', null],
] as const) {
  longTest(`rows ${what}, added once more, do not count as added before the list shows them`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
      const former = tracks(relay, 133, 3_000);
      relay.provider.lag.set({ lists: 3_000, totals: 3_000, snapshots: 3_000 });
      if (begin === null) fill(playlist, former);
      else assertDone(await change(relay, begin, { playlist_id, track_ids: former }));
      const again = former.slice(-20);
      assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: again }));
      relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, kind: 'drop', when: 'after' });
      const more = [...tracks(relay, 150, 4_000), ...again];
      assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: more }));
      assertRows(playlist, [...former, ...again, ...more]);
    }),
  );
}

longTest('rows are added after the present ones, although lists still show the former total', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [first = '', ...others] = tracks(relay, 33, 3_000);
    relay.provider.lag.set({ totals: 5_000 });
    const track_ids = [first, ...others];
    assertDone(await change(relay, 'replace_playlist_tracks', { playlist_id, track_ids }));
    // One of the added tracks is in the playlist already.
    const more = [...tracks(relay, 9, 4_000), first];
    assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: more }));
    assertDone(await undoLast(relay));
    assertRows(playlist, track_ids);
  }),
);

longTest(
  'an addition that a short limit stops continues after the rows that it has added, before the list shows them',
  () =>
    withUnkind({}, async (relay) => {
      const playlist = named(relay, 'Exactly Two Hundred');
      const [former, items] = [urisOf(playlist), tracks(relay, 150, 3_000)];
      const id = await committed(relay, 'add_to_playlist', items, { playlist_id: playlist.id }, () => {
        relay.provider.lag.set({ lists: 5_000, totals: 5_000, snapshots: 5_000 });
        relay.provider.faults.add({ ...LIMIT_AFTER_FIRST, kind: 'rate_limit', retryAfterSeconds: 1 });
      });
      assert.equal((await ended(relay, id)).status, 'completed');
      assertRows(playlist, [...former, ...items]);
      assertDone(await undoLast(relay));
      assertRows(playlist, former);
    }),
);

longTest(
  'a replacement that a restart stops continues after the rows that it has written, before the list shows them',
  () =>
    withUnkind({}, async (relay) => {
      const playlist = named(relay, 'Exactly Two Hundred');
      const [former, items] = [urisOf(playlist), tracks(relay, 250, 3_000)];
      let restarted: Promise<void> | null = null;
      const id = await committed(relay, 'replace_playlist', items, { playlist_id: playlist.id }, () => {
        relay.provider.lag.set({ lists: 2_500, totals: 2_500, snapshots: 2_500 });
        const fn = () => {
          restarted = relay.restart();
        };
        relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'hook', fn });
      });
      await poll(() => restarted);
      await restarted;
      assert.equal((await ended(relay, id)).status, 'completed');
      assertRows(playlist, items);
      assertDone(await undoLast(relay));
      assertRows(playlist, former);
    }),
);
