/** The computer's clock is wrong, or is set while relay is at work. relay compares dates from Spotify with Spotify's clock. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR } from '../support/clock.ts';
import { at, owner } from '../support/entries.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { assertRows, fill, named, savedUris, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { undoLast, withExtras } from './extras.ts';
import { assertDone, change } from './settled.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;

interface Scene {
  relay: Relay;
  /** Sets how far the computer's clock is ahead of Spotify's, in milliseconds; negative if it is behind. */
  set(ms: number): void;
  /** Lets time pass at once, by both clocks. */
  pass(ms: number): void;
  /** The date that Spotify gives to what happened `ms` milliseconds ago. */
  ago(ms: number): string;
}

async function withClock(ahead: number, work: (scene: Scene) => Promise<void>): Promise<void> {
  const clock = jumpingClock();
  let [shifted, passed] = [ahead, 0];
  const theirs = {
    ...clock,
    now: () => clock.now() + passed,
    monotonic: () => clock.monotonic() + passed,
  };
  const own = { ...theirs, now: () => theirs.now() + shifted };
  const set = (ms: number) => {
    shifted = ms;
  };
  const pass = (ms: number) => {
    passed += ms;
  };
  const ago = (ms: number) => new Date(theirs.now() - ms).toISOString();
  await withRelay({ env: { RELAY_TOOLSETS: 'all' }, clock: own, provider: { clock: theirs } }, (relay) =>
    work({ relay, set, pass, ago }),
  );
}

test('songs whose answer was lost are found under a clock that is hours ahead', () =>
  withClock(8 * HOUR, async ({ relay }) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const [former, track_ids] = [urisOf(playlist), tracks(relay, 3, 3_000)];
    relay.provider.faults.add({ ...APPEND, kind: 'status_after', status: 502 });
    const args = { playlist_id: playlist.id, track_ids };
    assertDone(await change(relay, 'add_tracks_to_playlist', args));
    assertRows(playlist, [...former, ...track_ids]);
  }));

longTest(
  'songs that were there already are not taken for added ones under a clock that is an hour behind',
  () =>
    withClock(-HOUR, async ({ relay, ago }) => {
      const playlist = named(relay, 'Exactly Two Hundred');
      const rows = tracks(relay, 60);
      fill(playlist, rows);
      for (const row of playlist.rows) row.addedAt = ago(HOUR / 2);
      relay.provider.faults.add({ ...APPEND, kind: 'status', status: 502 });
      const args = { playlist_id: playlist.id, track_ids: rows.slice(-3) };
      const { error, job } = await change(relay, 'add_tracks_to_playlist', args);
      const isDone = error === null || job?.status === 'completed';
      assertRows(playlist, [...rows, ...(isDone ? rows.slice(-3) : [])]);
    }),
);

longTest('the undo of saving leaves what was saved before, under a clock that is an hour behind', () =>
  withClock(-HOUR, async ({ relay, ago }) => {
    const account = owner(relay.provider);
    const [theirs, ours] = [tracks(relay, 3, 3_000), tracks(relay, 3, 4_000)];
    account.saved = theirs.map((uri) => ({ uri, addedAt: ago(HOUR / 2) }));
    relay.provider.faults.add({ method: 'PUT', path: '/me/library', kind: 'status_after', status: 502 });
    assertDone(await change(relay, 'save_tracks', { track_ids: [...theirs, ...ours] }));
    assertDone(await undoLast(relay));
    assert.deepEqual(savedUris(relay), theirs);
  }),
);

longTest('the undo of saving leaves what relay saved before the clock was set', () =>
  withClock(0, async ({ relay, set }) => {
    const account = owner(relay.provider);
    account.saved = [];
    const track_ids = tracks(relay, 6, 3_000);
    assertDone(await change(relay, 'save_tracks', { track_ids: track_ids.slice(0, 3) }));
    set(8 * HOUR);
    assertDone(await change(relay, 'save_tracks', { track_ids }));
    assertDone(await undoLast(relay));
    assert.deepEqual(savedUris(relay).toReversed(), track_ids.slice(0, 3));
  }),
);

longTest('an addition after the clock was set takes into account the rows that relay added before', () =>
  withClock(0, async ({ relay, set }) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const playlist_id = playlist.id;
    const [rows, songs] = [tracks(relay, 53), tracks(relay, 4, 3_000)];
    assertDone(await change(relay, 'replace_playlist_tracks', { playlist_id, track_ids: rows }));
    relay.provider.lag.set({ totals: 2_000 });
    set(8 * HOUR);
    const again = rows.slice(-15);
    assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: again }));
    const track_ids = [...songs, at(rows, 50)];
    assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids }));
    assertRows(playlist, [...rows, ...again, ...track_ids]);
    assertDone(await undoLast(relay));
    assertRows(playlist, [...rows, ...again]);
  }),
);

longTest('tracks saved just before the clock was set are saved again by the undo of their removal', () =>
  withClock(0, async ({ relay, set }) => {
    const track_ids = tracks(relay, 3, 3_000);
    relay.provider.lag.set({ lists: 2_000 });
    assertDone(await change(relay, 'save_tracks', { track_ids }));
    const former = savedUris(relay);
    set(8 * HOUR);
    assertDone(await change(relay, 'remove_saved_tracks', { track_ids }));
    assertDone(await undoLast(relay));
    assert.deepEqual(savedUris(relay).toSorted(), former.toSorted());
  }),
);

const DAY = 24 * HOUR;

longTest('a change is kept for undo for 30 days, even if the clock is wrong by months meanwhile', () =>
  withClock(0, async ({ relay, set, pass }) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const [former, track_ids] = [urisOf(playlist), tracks(relay, 3, 3_000)];
    const add = (playlist_id: string) => change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids });
    assertDone(await add(playlist.id));
    set(60 * DAY);
    assertDone(await add(named(relay, 'Empty Shelf').id));
    set(0);
    await withExtras(relay, async ({ changes, undo }) => {
      assertDone(await undo(at(await changes(), 1)));
      assertRows(playlist, former);
      pass(29 * DAY);
      assertDone(await add(playlist.id));
      assert.equal((await changes()).length, 4);
      pass(2 * DAY);
      assertDone(await add(playlist.id));
      // The change that ended while the clock was ahead stays longer.
      assert.equal((await changes()).length, 3);
    });
  }),
);
