/** Saving and removing saved tracks, and their undo: only what was not saved, or was, before. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, owner } from '../support/entries.ts';
import { savedUris, tracks } from '../support/playlists.ts';
import { undoLast, withExtras } from './extras.ts';
import { assertDone, change } from './settled.ts';
import { withUnkind } from './unkind.ts';

test('saving asks first which tracks are saved, and its undo leaves those that were', () =>
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
        ['GET', '/me/library/contains'],
        ['PUT', '/me/library'],
      ],
    );
    assertDone(await undoLast(relay));
    assert.deepEqual(savedUris(relay), before);
  }));

test('an undo of saved tracks that stops half-way counts what it took back, and the same call takes back the rest', () =>
  withUnkind({}, async (relay) => {
    const account = owner(relay.provider);
    const saved = () => savedUris(relay);
    const former = saved();
    const track_ids = account.saved.slice(0, 44).map(({ uri }) => uri);
    assertDone(await change(relay, 'remove_saved_tracks', { track_ids }));
    relay.provider.faults.add({ method: 'PUT', path: '/me/library', skip: 1, kind: 'status', status: 403 });
    await withExtras(relay, async ({ changes, undo }) => {
      const id = at(await changes(), 0);
      const { error } = await undo(id);
      const { ok, requested, written, playlist_id, snapshot_id } = error?.details ?? {};
      const counts = { ok: false, requested: 44, written: 40 };
      assert.deepEqual(
        { ok, requested, written, playlist_id, snapshot_id },
        { ...counts, playlist_id: undefined, snapshot_id: undefined },
      );
      assertDone(await undo(id));
    });
    assert.deepEqual(saved(), former);
  }));

test('if the answer to saving is lost and the next try is refused, relay does not say that saving failed', () =>
  withUnkind({}, async (relay) => {
    const before = savedUris(relay);
    const track_ids = tracks(relay, 9, 2_000).filter((uri) => !before.includes(uri));
    const library = { method: 'PUT', path: '/me/library' } as const;
    relay.provider.faults.add(
      { ...library, kind: 'status_after', status: 502 },
      { ...library, kind: 'status', status: 403 },
    );
    const { error } = await change(relay, 'save_tracks', { track_ids });
    const { written, requested, error: cause } = error?.details ?? {};
    assert.deepEqual([error?.code, written, requested], ['PARTIAL_WRITE', 0, track_ids.length]);
    assert.equal((cause as { outcome_unknown?: boolean }).outcome_unknown, true);
    assertDone(await undoLast(relay));
    assert.deepEqual(savedUris(relay), before);
  }));
