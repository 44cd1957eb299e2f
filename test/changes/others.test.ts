/** A person edits in Spotify's own app between any two requests of relay. The edit stays, and what relay says is true. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incoming } from '../../src/demo/http.ts';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { jobOf, reach } from '../jobs/jobCalls.ts';
import type { ToolFailure } from '../support/answers.ts';
import { at, owner } from '../support/entries.ts';
import { assertRows, assertSame, fill, named, savedUris, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import type { Relay } from '../support/world.ts';
import { undoLast, withExtras } from './extras.ts';
import { assertDone, change, committed, ended, poll } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

const ITEMS = /\/items$/;
const APPEND = { method: 'POST', path: ITEMS } as const;
const WRITES = { path: ITEMS, where: ({ method }: { method: string }) => method !== 'GET' };

/** Makes the person's edit when a request matches `when`, before the request is handled. */
function edits(
  relay: Relay,
  when: Partial<FaultRule>,
  playlist: DemoPlaylist,
  edit: (rows: string[]) => string[],
) {
  const fn = () => void relay.provider.editPlaylist(playlist.id, edit(urisOf(playlist)));
  relay.provider.faults.add({ ...when, kind: 'hook', fn } as FaultRule);
}

longTest('a rollback keeps a song that was added just before the rollback', () =>
  withUnkind({}, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const [former, song] = [urisOf(playlist), at(tracks(relay, 1, 8_000), 0)];
    edits(relay, APPEND, playlist, (rows) => [...rows, song]);
    relay.provider.faults.add({ ...APPEND, kind: 'status', status: 403 });
    const args = { playlist_id: playlist.id, track_ids: tracks(relay, 150, 3_000) };
    const { error } = await change(relay, 'replace_playlist_tracks', args);
    assert.deepEqual(error?.details?.rollback, { attempted: true, succeeded: true });
    assertRows(playlist, [...former, song]);
  }),
);

longTest('a write to a playlist that is being made waits until that playlist is filled', () =>
  withUnkind({}, async (relay) => {
    let emptying: Promise<unknown> | null = null;
    const made = () => owner(relay.provider).playlists.find(({ name }) => name === 'In the Making');
    const fn = () => {
      emptying = relay.call('replace_playlist_tracks', { playlist_id: made()?.id, track_ids: [] });
    };
    relay.provider.faults.add({ ...APPEND, kind: 'hook', fn }, { ...APPEND, kind: 'latency', ms: 2_000 });
    const args = { name: 'In the Making', tracks: tracks(relay, 250) };
    assertDone(await change(relay, 'create_playlist_from_tracks', args));
    const answer = (await emptying) as { ok?: boolean } | null;
    assert.equal(answer?.ok, true);
    assert.deepEqual(urisOf(made() as DemoPlaylist), []);
  }),
);

longTest('a playlist that was there before is not mistaken for a new one that could not be made', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, playlist }) => {
    relay.provider.faults.add({ method: 'POST', path: '/me/playlists', kind: 'drop', when: 'before' });
    const { error } = await change(relay, 'create_playlist', { name: playlist.name });
    assert.equal(error?.code, 'PROVIDER_UNAVAILABLE');
    assert.ok(owner(relay.provider).playlists.includes(playlist));
  }),
);

longTest('two callers whose answers are lost are never given the same new playlist', () =>
  withUnkind({}, async (relay) => {
    const create = { method: 'POST', path: '/me/playlists' } as const;
    relay.provider.faults.add(
      { ...create, kind: 'status_after', status: 502 },
      { ...create, kind: 'drop', when: 'before' },
    );
    const both = await Promise.all(
      [1, 2].map(() => relay.call('create_playlist', { name: 'The Same Name' })),
    );
    const ids = both.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
    assert.equal(new Set(ids).size, ids.length);
  }),
);

longTest('the undo of an addition does not take out an older row of the same song', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const rows = tracks(relay, 60);
    fill(playlist, rows);
    const args = { playlist_id, track_ids: [at(rows, 59)] };
    assertDone(await change(relay, 'add_tracks_to_playlist', args));
    await relay.provider.editPlaylist(playlist_id, rows);
    const { error } = await undoLast(relay);
    if (error) assert.equal(error.code, 'CONFLICT');
    assertRows(playlist, rows);
  }),
);

longTest('a row that moves while the pages are read comes back with the undo of a replacement', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const moved = [...former.slice(0, 10), at(former, 190), ...former.slice(10, 190), ...former.slice(191)];
    edits(relay, { method: 'GET', path: ITEMS, skip: 1 }, playlist, () => moved);
    const args = { playlist_id, track_ids: tracks(relay, 5, 3_000) };
    assertDone(await change(relay, 'replace_playlist_tracks', args));
    assertDone(await undoLast(relay));
    assertRows(playlist, moved);
  }),
);

/** Makes a person edit the playlist during every reading: its first row becomes the last one. */
function editsAlways(relay: Relay, playlist: DemoPlaylist): void {
  const where = ({ query }: Incoming) => Number(query.get('offset')) >= 100;
  const always = { method: 'GET', path: ITEMS, where, times: Number.POSITIVE_INFINITY };
  edits(relay, always, playlist, (rows) => [...rows.slice(1), ...rows.slice(0, 1)]);
}

longTest('a playlist that somebody edits during every reading is left as it is, until nobody does', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    editsAlways(relay, playlist);
    const args = { playlist_id, track_ids: tracks(relay, 5, 3_000) };
    const { error } = await change(relay, 'replace_playlist_tracks', args);
    assert.deepEqual(
      [error?.code, error?.message, error?.remedy],
      [
        'CONFLICT',
        `The playlist ${playlist_id} kept changing while relay was reading it.`,
        'Try again once nobody is editing it.',
      ],
    );
    assert.equal(urisOf(playlist).length, 200);
    relay.provider.faults.clear();
    const rows = urisOf(playlist);
    assertDone(await change(relay, 'replace_playlist_tracks', args));
    assertDone(await undoLast(relay));
    assertRows(playlist, rows);
  }),
);

longTest('a job that replaces a playlist waits while somebody edits it during every reading', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const items = tracks(relay, 5, 3_000);
    const before = () => editsAlways(relay, playlist);
    const id = await committed(relay, 'replace_playlist', items, { playlist_id }, before);
    const { status, reason } = await reach(relay, id, 'waiting', 'failed');
    assert.deepEqual([status, reason], ['waiting', 'CONFLICT']);
    relay.provider.faults.clear();
    assert.equal((await ended(relay, id)).status, 'completed');
    assertRows(playlist, items);
  }),
);

longTest(
  'a call that cannot go on while somebody edits the playlist during every reading says that its job does',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
      const { faults } = relay.provider;
      faults.add(
        { ...APPEND, kind: 'hook', fn: () => editsAlways(relay, playlist) },
        { ...APPEND, kind: 'status_after', status: 502 },
      );
      const args = { playlist_id, track_ids: tracks(relay, 400, 3_000) };
      const { error } = (await relay.call('replace_playlist_tracks', args)) as { error?: ToolFailure };
      const id = String(error?.details?.job_id);
      assert.deepEqual(
        [error?.code, error?.remedy],
        [
          'DEADLINE_EXCEEDED',
          `Do not send it again: job ${id} writes the rest by itself. Call get_job_status to follow it.`,
        ],
      );
      faults.clear();
      assert.equal((await ended(relay, id)).status, 'completed');
      assertSame(urisOf(playlist).toSorted(), args.track_ids.toSorted());
    }),
);

longTest('a row that moves while the pages are read is removed', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const moved = [...former.slice(0, 10), at(former, 190), ...former.slice(10, 190), ...former.slice(191)];
    edits(relay, { method: 'GET', path: ITEMS, skip: 1 }, playlist, () => moved);
    const args = { playlist_id, track_ids: [at(former, 190)] };
    assertDone(await change(relay, 'remove_tracks_from_playlist', args));
    assertRows(playlist, [...former.slice(0, 190), ...former.slice(191)]);
  }),
);

longTest('relay knows what it has just written, although the list does not show it for half a minute', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const [former, songs] = [tracks(relay, 30), tracks(relay, 50, 3_000)];
    fill(playlist, [...former, ...former.slice(0, 3)]);
    const lags = { lists: 30_000, totals: 30_000, snapshots: 30_000 };
    relay.provider.lag.set(lags);
    assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: songs }));
    await clock.sleep(8_000);
    assertDone(await change(relay, 'deduplicate_playlist', { playlist_id }));
    assertRows(playlist, [...former, ...songs]);
    await clock.sleep(8_000);
    assertDone(await change(relay, 'bulk_add_tracks', { playlist_id, tracks: songs, skip_existing: true }));
    assertRows(playlist, [...former, ...songs]);
  }),
);

test('the undo of a second renaming brings back the name from the first, although Spotify still showed the original name', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const path = `/playlists/${playlist_id}`;
    const fn = (body: unknown) => ({ ...(body as object), name: 'Exactly Two Hundred' });
    assertDone(await change(relay, 'update_playlist_details', { playlist_id, name: 'First' }));
    relay.provider.faults.add({ method: 'GET', path, kind: 'transform', fn });
    assertDone(await change(relay, 'update_playlist_details', { playlist_id, name: 'Second' }));
    assertDone(await undoLast(relay));
    assert.equal(playlist.name, 'First');
  }));

longTest('a playlist whose removal takes effect late is in the account after the undo', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    relay.provider.faults.add({
      method: 'DELETE',
      path: '/me/library',
      kind: 'late',
      ms: 14_000,
      answer: 502,
    });
    await withExtras(relay, async ({ call, changes, undo }) => {
      await call('delete_playlist', { playlist_id });
      assertDone(await undo(at(await changes(), 0)));
    });
    await clock.sleep(16_000);
    assert.ok(owner(relay.provider).playlists.includes(playlist));
  }),
);

longTest('a song that a person adds a second time stays, even if relay sent its request twice', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const songs = tracks(relay, 20, 3_000);
    relay.provider.faults.add({ ...APPEND, kind: 'drop', when: 'before' });
    // After the second sending the rows are there. The person's edit comes before the last look, some seconds later.
    const fn = () => {
      edits(relay, { method: 'GET', path: ITEMS }, playlist, (rows) => [...rows, at(songs, 4)]);
    };
    relay.provider.faults.add({ ...APPEND, kind: 'hook', fn });
    const args = { playlist_id, track_ids: songs };
    assertDone(await change(relay, 'add_tracks_to_playlist', args));
    assertRows(playlist, [...former, ...songs, at(songs, 4)]);
  }),
);

longTest('rows that are moved right after a write, before the list shows it, come back with the undo', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    fill(playlist, tracks(relay, 40));
    relay.provider.lag.set({ lists: 20_000, totals: 20_000, snapshots: 20_000 });
    const track_ids = urisOf(playlist).slice(0, 5);
    assertDone(await change(relay, 'remove_tracks_from_playlist', { playlist_id, track_ids }));
    const before = urisOf(playlist);
    const move = { range_start: 2, range_length: 3, insert_before: 20 };
    assertDone(await change(relay, 'reorder_playlist_tracks', { playlist_id, ...move }));
    assertDone(await undoLast(relay));
    assertRows(playlist, before);
  }),
);

longTest(
  'the undo of an addition keeps a song that a person adds between the reading and the request of the undo',
  () =>
    withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
      const song = at(tracks(relay, 1, 8_000), 0);
      const args = { playlist_id, track_ids: tracks(relay, 250) };
      assertDone(await change(relay, 'add_tracks_to_playlist', args));
      edits(relay, WRITES, playlist, (rows) => [...rows, song]);
      assertDone(await undoLast(relay));
      assertRows(playlist, [song]);
    }),
);

longTest(
  'a change that was rolled back, resumed and completed is undone by the ID that was given first',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
      const wanted = tracks(relay, 150, 3_000);
      relay.provider.faults.add(
        { ...APPEND, kind: 'status', status: 403 },
        { method: 'PUT', path: ITEMS, skip: 1, kind: 'rate_limit', retryAfterSeconds: 40 },
      );
      const args = { playlist_id, track_ids: wanted };
      const { code, remedy, details } = (await relay.call('replace_playlist_tracks', args))
        .error as ToolFailure & { remedy: string };
      assert.equal(code, 'RATE_LIMITED');
      assert.match(remedy, /brings back by itself what was there before/);
      const id = String(details.job_id);
      assert.equal((await ended(relay, id)).status, 'failed');
      assertRows(playlist, former);
      await relay.call('resume_job', { job_id: id });
      assert.equal((await ended(relay, id)).status, 'completed');
      assertRows(playlist, wanted);
      await withExtras(relay, async ({ undo }) => assertDone(await undo(String(details.change_id))));
      assertRows(playlist, former);
    }),
);

test('an undo of saved tracks that stops half-way says how to take back the rest, and doing so works', () =>
  withUnkind({}, async (relay) => {
    const account = owner(relay.provider);
    const saved = () => savedUris(relay).toSorted();
    const former = saved();
    const track_ids = account.saved.slice(0, 44).map(({ uri }) => uri);
    assertDone(await change(relay, 'remove_saved_tracks', { track_ids }));
    relay.provider.faults.add({ method: 'PUT', path: '/me/library', skip: 1, kind: 'status', status: 403 });
    await withExtras(relay, async ({ changes, undo }) => {
      const id = at(await changes(), 0);
      const { error } = await undo(id);
      assert.match(String((error as { remedy?: string } | null)?.remedy), /Call undo_change again/);
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

longTest('an undo does not overwrite a row that another person has changed while the snapshot lagged', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const track_ids = urisOf(playlist).slice(0, 3);
    assertDone(await change(relay, 'remove_tracks_from_playlist', { playlist_id, track_ids }));
    relay.provider.lag.set({ lists: 600, totals: 900, snapshots: 30_000 });
    const theirs = urisOf(playlist).with(150, at(tracks(relay, 1, 8_000), 0));
    await relay.provider.editPlaylist(playlist_id, theirs);
    await clock.sleep(2_000);
    const { error } = await undoLast(relay);
    assert.equal(error?.code, 'CONFLICT');
    assertRows(playlist, theirs);
  }),
);

longTest('a job that adds to a full playlist fails and says that it is full', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    fill(playlist, [...tracks(relay, 9_500), ...tracks(relay, 490)]);
    const payload = { playlist_id };
    const full = { ...APPEND, kind: 'status', status: 500, times: Number.POSITIVE_INFINITY } as const;
    const id = await committed(relay, 'add_to_playlist', tracks(relay, 40, 100), payload, () =>
      relay.provider.faults.add(full),
    );
    const job = await ended(relay, id);
    assert.equal(job.status, 'failed');
    assert.match(String(job.error?.message), /is full: it has 9990 rows/);
  }),
);

longTest(
  'if the answer to an undo is lost, a list from before the change is not taken for the result of the undo',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
      const former = tracks(relay, 3);
      fill(playlist, former);
      relay.provider.lag.set({ lists: 10_000, totals: 10_000, snapshots: 30_000 });
      await change(relay, 'replace_playlist_tracks', { playlist_id, track_ids: tracks(relay, 20, 3_000) });
      relay.provider.faults.add({ ...APPEND, kind: 'drop', when: 'after' });
      await undoLast(relay);
      await clock.sleep(20_000);
      assertRows(playlist, former);
    }),
);

longTest('if the number of rows is newer than the rows, the first page is not taken for the whole list', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    relay.provider.lag.set({ lists: 30_000 });
    assertDone(
      await change(relay, 'replace_playlist_tracks', { playlist_id, track_ids: tracks(relay, 5, 3_000) }),
    );
    assertDone(await undoLast(relay));
    assertRows(playlist, former);
  }),
);

test('songs that were saved a moment ago are taken out by the undo, although the library does not show them', () =>
  withUnkind({}, async (relay) => {
    const account = owner(relay.provider);
    const track_ids = tracks(relay, 5, 7_000);
    relay.provider.lag.set({ lists: 30_000 });
    assertDone(await change(relay, 'save_tracks', { track_ids }));
    assertDone(await undoLast(relay));
    assert.ok(!account.saved.some(({ uri }) => track_ids.includes(uri)));
  }));

longTest(
  'an addition right after a write of relay takes into account a row that another person has put far from the end',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
      assertDone(
        await change(relay, 'replace_playlist_tracks', { playlist_id, track_ids: tracks(relay, 210) }),
      );
      const theirs = [...urisOf(playlist)];
      theirs.splice(100, 0, at(tracks(relay, 1, 8_000), 0));
      await relay.provider.editPlaylist(playlist_id, theirs);
      const track_ids = tracks(relay, 100, 3_000);
      assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids }));
      await clock.sleep(70_000);
      assertDone(await undoLast(relay));
      assertRows(playlist, theirs);
    }),
);

longTest(
  'a row that is not yet counted in the number of rows comes back with the undo of a replacement',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
      fill(playlist, tracks(relay, 190));
      relay.provider.lag.set({ totals: 5_000 });
      const theirs = [...urisOf(playlist), at(tracks(relay, 1, 8_000), 0)];
      await relay.provider.editPlaylist(playlist_id, theirs);
      assertDone(
        await change(relay, 'replace_playlist_tracks', { playlist_id, track_ids: tracks(relay, 5, 3_000) }),
      );
      await clock.sleep(6_000);
      assertDone(await undoLast(relay));
      assertRows(playlist, theirs);
    }),
);

/** Makes a playlist, loses the answer, and waits until the playlist is there. */
async function makeUnanswered(relay: Relay) {
  const all = () => owner(relay.provider).playlists.filter(({ name }) => name === 'In the Making');
  relay.provider.faults.add({ method: 'POST', path: '/me/playlists', kind: 'hang', when: 'after' });
  const args = { name: 'In the Making', tracks: tracks(relay, 5) };
  const making = change(relay, 'create_playlist_from_tracks', args);
  const made = await poll(() => all()[0] ?? null);
  return { making, all, made: made as DemoPlaylist };
}

longTest(
  'if the answer to making a playlist is lost, a write to that playlist waits until it is filled',
  () =>
    withUnkind({}, async (relay) => {
      const { making, all, made } = await makeUnanswered(relay);
      const track_ids = tracks(relay, 3, 3_000);
      assertDone(await change(relay, 'replace_playlist_tracks', { playlist_id: made.id, track_ids }));
      assertDone(await making);
      assert.deepEqual(all().map(urisOf), [track_ids]);
    }),
);

longTest('a playlist whose answer is lost is not made twice, even if a person puts a song into it', () =>
  withUnkind({}, async (relay) => {
    const { making, all, made } = await makeUnanswered(relay);
    const song = tracks(relay, 1, 8_000);
    await relay.provider.editPlaylist(made.id, song);
    const { job } = await making;
    assert.deepEqual([job?.status, job?.review_required], ['failed', true]);
    assert.deepEqual(all().map(urisOf), [song]);
  }),
);

longTest('a job counts no item as written while it only takes out the former rows', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [former, items] = [tracks(relay, 600), tracks(relay, 150, 3_000)];
    fill(playlist, former);
    const song = at(tracks(relay, 1, 8_000), 0);
    const id = await committed(relay, 'replace_playlist', items, { playlist_id }, () => {
      edits(relay, WRITES, playlist, (rows) => [...rows, song]);
      // Spotify does not carry out the first request. To keep the person's song, relay then takes out the former rows by
      // removals.
      relay.provider.faults.add({ ...WRITES, kind: 'rate_limit', retryAfterSeconds: 40 });
      relay.provider.faults.add({ ...WRITES, skip: 1, kind: 'rate_limit', retryAfterSeconds: 3_600 });
    });
    await poll(async () => (urisOf(playlist).length === 501 ? true : null));
    await reach(relay, id, 'waiting');
    assert.equal((await jobOf(relay, id)).written, 0);
    await relay.call('cancel_job', { job_id: id });
    assert.equal((await jobOf(relay, id)).result?.written, 0);
    assert.equal(urisOf(playlist).length, 501);
  }),
);

longTest('a replacement that is planned again counts no more entries as written than were asked for', () =>
  withUnkind({}, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const [former, items] = [urisOf(playlist), tracks(relay, 5, 3_000)];
    const song = at(tracks(relay, 1, 8_000), 0);
    const id = await committed(relay, 'replace_playlist', items, { playlist_id: playlist.id }, () => {
      edits(relay, WRITES, playlist, (rows) => [...rows, song]);
      // Spotify does not carry out the first request. To keep the person's song, relay then takes out the former rows by
      // removals.
      relay.provider.faults.add({ ...WRITES, kind: 'rate_limit', retryAfterSeconds: 40 });
    });
    assert.equal((await ended(relay, id)).written, 5);
    assertSame(urisOf(playlist).toSorted(), [...items, song].toSorted());
    await withExtras(relay, async ({ call, undo }) => {
      const [change] = (await call('list_changes')).items as Array<Record<string, unknown>>;
      assert.deepEqual([change?.requested, change?.written], [5, 5]);
      assertDone(await undo(String(change?.change_id)));
    });
    assertRows(playlist, [...former, song]);
  }),
);
