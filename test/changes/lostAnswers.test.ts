import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobOf, reach } from '../jobs/jobCalls.ts';
import type { ToolFailure } from '../support/answers.ts';
import { owner, pluck } from '../support/entries.ts';
import type { JumpingClock } from '../support/jumpingClock.ts';
import { assertRows, fill, named, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import type { FaultAction } from '../support/simulator/faults.ts';
import type { Lags } from '../support/simulator/lag.ts';
import type { Relay } from '../support/world.ts';
import { undoLast } from './extras.ts';
import { assertDone, change, committed, ended, poll } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;
/** Milliseconds after which none of a test's requests can take effect any more. */
const ALL_OVER_MS = 20_000;

const LOST: Array<[what: string, action: FaultAction, lags: Partial<Lags>]> = [
  ['a write that takes 14 s', { kind: 'late', ms: 14_000, answer: 'hang' }, {}],
  ['a 504 whose effect comes 2 s later', { kind: 'late', ms: 2_000, answer: 504 }, {}],
  ['a cut connection whose effect comes 8 s later', { kind: 'late', ms: 8_000, answer: 'drop' }, {}],
  ['a 502 after the effect', { kind: 'status_after', status: 502 }, { lists: 3_000, totals: 3_000 }],
  ['a page without an effect', { kind: 'html', effect: false }, {}],
  ['a page after the effect', { kind: 'html', effect: true }, {}],
  ['a success without a snapshot and without an effect', { kind: 'no_snapshot', effect: false }, {}],
  ['a success without a snapshot', { kind: 'no_snapshot', effect: true }, { lists: 600, totals: 600 }],
];

for (const [index, [what, action, lags]] of LOST.entries()) {
  const toolTest = index < 1 ? test : longTest;

  longTest(`${what}: a job adds everything once, in order`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id, former }) => {
      const uris = tracks(relay, 180, 3_000);
      relay.provider.lag.set(lags);
      const payload = { playlist_id };
      const id = await committed(relay, 'add_to_playlist', uris, payload, () =>
        relay.provider.faults.add({ ...APPEND, skip: 1, ...action }),
      );
      const job = await ended(relay, id);
      await clock.sleep(ALL_OVER_MS);
      assertRows(playlist, [...former, ...uris]);
      assert.deepEqual([job.status, job.review_required, job.written], ['completed', false, 180]);
    }),
  );

  toolTest(`${what}: a tool adds everything once, in order`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id, former }) => {
      const uris = tracks(relay, 180, 3_000);
      relay.provider.lag.set(lags);
      relay.provider.faults.add({ ...APPEND, skip: 1, ...action });
      const args = { playlist_id, track_ids: uris };
      const settled = await change(relay, 'add_tracks_to_playlist', args);
      await clock.sleep(ALL_OVER_MS);
      assertRows(playlist, [...former, ...uris]);
      assertDone(settled);
    }),
  );

  longTest(`${what}: the first request of a replacement loses no rows`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
      fill(playlist, tracks(relay, 250));
      const uris = tracks(relay, 250, 3_000);
      relay.provider.lag.set({ lists: 600, totals: 600, ...lags });
      relay.provider.faults.add({ method: 'PUT', path: /\/items$/, ...action });
      const args = { playlist_id, track_ids: uris };
      const settled = await change(relay, 'replace_playlist_tracks', args);
      await clock.sleep(ALL_OVER_MS);
      // If the request proves to have had no effect, the answer says so, and the former rows stay.
      const isUntouched = settled.error !== null && settled.job === null;
      assertRows(playlist, isUntouched ? tracks(relay, 250) : uris);
      if (isUntouched) assert.equal(settled.error?.details?.change_id, undefined);
      else assertDone(settled);
    }),
  );
}

for (const [what, tool, method] of [
  ['removing rows', 'remove_tracks_from_playlist', 'DELETE'],
  ['saving tracks', 'save_tracks', 'PUT'],
  ['removing saved tracks', 'remove_saved_tracks', 'DELETE'],
] as const) {
  (tool === 'save_tracks' ? test : longTest)(`${what} succeeds although an answer is lost`, () =>
    withUnkind({}, async (relay) => {
      const { provider } = relay;
      const account = provider.accounts[0] ?? assert.fail('no account');
      const playlist = named(relay, 'Exactly Two Hundred');
      const saved = account.saved.map(({ uri }) => uri);
      const fresh = tracks(relay, 2_000).filter((uri) => !saved.includes(uri));
      const track_ids = {
        remove_tracks_from_playlist: urisOf(playlist).slice(20, 150),
        save_tracks: fresh.slice(0, 130),
        remove_saved_tracks: saved.slice(0, 130),
      }[tool];
      const left = urisOf(playlist).filter((uri) => !track_ids.includes(uri));
      provider.lag.set({ lists: 600, totals: 600 });
      provider.faults.add({ method, path: /\/(items|library)$/, skip: 1, kind: 'status_after', status: 502 });
      const args = {
        track_ids,
        ...(tool === 'remove_tracks_from_playlist' ? { playlist_id: playlist.id } : {}),
      };
      assertDone(await change(relay, tool, args));
      if (tool === 'remove_tracks_from_playlist') return assertRows(playlist, left);
      const kept = saved.filter((uri) => tool === 'save_tracks' || !track_ids.includes(uri));
      const expected = new Set(tool === 'save_tracks' ? [...kept, ...track_ids] : kept);
      assert.deepEqual(new Set(account.saved.map(({ uri }) => uri)), expected);
    }),
  );
}

for (const [what, refusal, run] of [
  ['a limit of 20 s', { kind: 'rate_limit', retryAfterSeconds: 20 }, longTest],
  ['a refusal', { kind: 'status', status: 403 }, test],
] as const)
  run(
    `if the answer to saving is lost and the next try meets ${what}, relay does not say that saving failed`,
    () =>
      withUnkind({}, async (relay, clock) => {
        const { provider } = relay;
        const { saved } = owner(provider);
        const track_ids = tracks(relay, 200)
          .filter((uri) => !saved.some((row) => row.uri === uri))
          .slice(0, 9);
        const library = { method: 'PUT', path: '/me/library' } as const;
        provider.faults.add({ ...library, kind: 'status_after', status: 502 }, { ...library, ...refusal });
        const { error } = await change(relay, 'save_tracks', { track_ids });
        assert.ok(error?.details);
        const { written, requested, error: cause } = error.details;
        assert.deepEqual([error.code, written, requested], ['PARTIAL_WRITE', 0, 9]);
        assert.equal((cause as { outcome_unknown: boolean }).outcome_unknown, true);
        await clock.sleep(20_000);
        assertDone(await undoLast(relay));
        assert.ok(!owner(provider).saved.some(({ uri }) => track_ids.includes(uri)));
      }),
  );

test('a move whose answer is lost is made once, and the look finds it', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    relay.provider.lag.set({ lists: 600, totals: 600 });
    relay.provider.faults.add({ method: 'PUT', path: /\/items$/, kind: 'drop', when: 'after' });
    const move = { range_start: 0, range_length: 3, insert_before: 10 };
    assertDone(await change(relay, 'reorder_playlist_tracks', { playlist_id, ...move }));
    assertRows(playlist, [...former.slice(3, 10), ...former.slice(0, 3), ...former.slice(10)]);
  }));

longTest('details whose answer is lost are set, and a new playlist whose answer is lost is made once', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, provider, playlist, playlist_id }) => {
    provider.faults.add(
      { method: 'PUT', path: `/playlists/${playlist_id}`, kind: 'status_after', status: 502 },
      { method: 'POST', path: '/me/playlists', kind: 'status_after', status: 502 },
    );
    const details = { playlist_id, name: 'Named Anew' };
    assertDone(await change(relay, 'update_playlist_details', details));
    assert.equal(playlist.name, 'Named Anew');
    assertDone(await change(relay, 'create_playlist', { name: 'Made Once' }));
    const made = provider.accounts[0]?.playlists.filter(({ name }) => name === 'Made Once');
    assert.equal(made?.length, 1);
  }),
);

longTest('saved tracks whose answer came only half a minute later are taken back by the undo', () =>
  withUnkind({}, async (relay) => {
    const account = owner(relay.provider);
    const former = account.saved.map(({ uri }) => uri);
    relay.provider.faults.add({ method: 'PUT', path: '/me/library', times: 2, kind: 'hang', when: 'after' });
    const saved = await change(relay, 'save_tracks', { track_ids: tracks(relay, 3, 3_000) });
    assertDone(saved);
    assertDone(await undoLast(relay));
    assert.deepEqual(pluck(account.saved, 'uri'), former);
  }),
);

longTest(
  'a removal of saved tracks that takes effect late does not remove what was saved again after it',
  () =>
    withUnkind({}, async (relay, clock) => {
      const account = owner(relay.provider);
      const track_ids = tracks(relay, 5, 3_000);
      assertDone(await change(relay, 'save_tracks', { track_ids }));
      relay.provider.faults.add({
        method: 'DELETE',
        path: '/me/library',
        kind: 'late',
        ms: 14_000,
        answer: 502,
      });
      assertDone(await change(relay, 'remove_saved_tracks', { track_ids }));
      assertDone(await change(relay, 'save_tracks', { track_ids }));
      await clock.sleep(16_000);
      assert.equal(account.saved.filter(({ uri }) => track_ids.includes(uri)).length, 5);
    }),
);

longTest('a name that takes effect late does not replace a name that was given later', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const path = `/playlists/${playlist_id}`;
    relay.provider.faults.add({ method: 'PUT', path, kind: 'late', ms: 14_000, answer: 502 });
    assertDone(await change(relay, 'update_playlist_details', { playlist_id, name: 'First' }));
    assertDone(await change(relay, 'update_playlist_details', { playlist_id, name: 'Second' }));
    await clock.sleep(16_000);
    assert.equal(playlist.name, 'Second');
  }),
);

test('a move that shows nothing and takes effect late does not move the rows of the next move', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const [a = '', b = ''] = tracks(relay, 2, 3_000);
    fill(playlist, [a, a, b]);
    relay.provider.faults.add({ method: 'PUT', path: /\/items$/, kind: 'late', ms: 14_000, answer: 502 });
    const move = (range_start: number, insert_before: number) =>
      change(relay, 'reorder_playlist_tracks', { playlist_id, range_start, insert_before });
    assertDone(await move(0, 2));
    assertDone(await move(2, 0));
    await clock.sleep(ALL_OVER_MS);
    assertRows(playlist, [b, a, a]);
  }));

longTest(
  'a first request of a replacement that shows nothing and takes effect late takes out none of the others',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
      const uris = tracks(relay, 150, 3_000);
      fill(playlist, uris.slice(0, 100));
      relay.provider.faults.add({ method: 'PUT', path: /\/items$/, kind: 'late', ms: 14_000, answer: 502 });
      const settled = await change(relay, 'replace_playlist_tracks', { playlist_id, track_ids: uris });
      await clock.sleep(ALL_OVER_MS);
      assertRows(playlist, uris);
      assertDone(settled);
    }),
);

longTest('a rollback that takes effect late does not take out what was added after it', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id, former }) => {
    const track_ids = [former[3] ?? '', former[9] ?? ''];
    const left = former.filter((uri) => !track_ids.includes(uri));
    assertDone(await change(relay, 'remove_tracks_from_playlist', { playlist_id, track_ids }));
    relay.provider.faults.add(
      { ...APPEND, skip: 1, kind: 'status', status: 403 },
      { method: 'DELETE', path: /\/items$/, kind: 'late', ms: 14_000, answer: 502 },
    );
    const { error } = await undoLast(relay);
    assert.deepEqual(error?.details?.rollback, { attempted: true, succeeded: true });
    const added = track_ids.slice(0, 1);
    assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: added }));
    await clock.sleep(ALL_OVER_MS);
    assertRows(playlist, [...left, ...added]);
  }),
);

/** Waits until a job pauses for more than 40 s, so that on a busy machine too, the next calls come before its next try. */
async function reachLongWait(relay: Relay, clock: JumpingClock, id: string): Promise<void> {
  const waitOf = async () => Date.parse((await jobOf(relay, id)).run_after ?? '') - clock.now();
  await poll(async () => ((await waitOf()) > 40_000 ? true : null));
}

longTest(
  'what another change found while a job waited does not tell how a later request of the job ended',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
      const [former, uris] = [tracks(relay, 20), tracks(relay, 5, 3_000)];
      fill(playlist, former);
      const { faults } = relay.provider;
      const down = { kind: 'status', status: 503, times: Number.POSITIVE_INFINITY } as const;
      const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () =>
        faults.add({ ...APPEND, ...down }),
      );
      await reachLongWait(relay, clock, id);
      faults.clear();
      const args = { playlist_id, track_ids: tracks(relay, 1, 500) };
      assertDone(await change(relay, 'add_tracks_to_playlist', args));
      assertDone(await undoLast(relay));
      // The next try of the job takes effect, its answer is lost, and nothing can be read.
      faults.add(
        { ...APPEND, kind: 'status_after', status: 502 },
        { method: 'GET', path: /\/items$/, skip: 1, ...down },
      );
      await poll(() => urisOf(playlist).length > former.length || null);
      await clock.sleep(2 * ALL_OVER_MS);
      await reach(relay, id, 'waiting');
      faults.clear();
      assert.equal((await ended(relay, id)).status, 'completed');
      assertRows(playlist, [...former, ...uris]);
    }),
);

longTest('a restore in doubt that is asked for and carried out once more puts no song there twice', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const wanted = tracks(relay, 30);
    relay.provider.editPlaylist(playlist_id, wanted);
    const versions = await relay.call('list_playlist_versions', { playlist_id });
    const [{ version }] = versions.items as [{ version: number }];
    relay.provider.editPlaylist(playlist_id, wanted.toSpliced(7, 1).toSpliced(12, 2));
    const args = { playlist_id, version, dry_run: false };
    const { faults } = relay.provider;
    const down = { kind: 'status', status: 503, times: Number.POSITIVE_INFINITY } as const;
    faults.add({ ...APPEND, ...down }, { method: 'GET', path: /\/items$/, skip: 1, ...down });
    const { error } = await relay.call('restore_playlist', args);
    const id = (error as ToolFailure | undefined)?.details?.job_id;
    if (typeof id !== 'string') return assert.fail(JSON.stringify(error));
    await reachLongWait(relay, clock, id);
    faults.clear();
    assertDone(await change(relay, 'restore_playlist', args));
    assertRows(playlist, wanted);
    assert.equal((await ended(relay, id)).status, 'completed');
    await clock.sleep(ALL_OVER_MS);
    assertRows(playlist, wanted);
  }),
);

longTest('a restore in doubt does not take out what was added after it had taken effect', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const [wanted, extra] = [tracks(relay, 30), tracks(relay, 2, 500)];
    relay.provider.editPlaylist(playlist_id, wanted);
    const versions = await relay.call('list_playlist_versions', { playlist_id });
    const [{ version }] = versions.items as [{ version: number }];
    relay.provider.editPlaylist(playlist_id, [...wanted, ...extra]);
    const { faults } = relay.provider;
    const down = { kind: 'status', status: 503, times: Number.POSITIVE_INFINITY } as const;
    // The removal takes effect, no answer comes, and nothing can be read.
    faults.add(
      { method: 'DELETE', path: /\/items$/, kind: 'status_after', status: 502, times: 10 },
      { method: 'GET', path: /\/items$/, skip: 1, ...down },
    );
    const { error } = await relay.call('restore_playlist', { playlist_id, version, dry_run: false });
    const id = (error as ToolFailure | undefined)?.details?.job_id;
    if (typeof id !== 'string') return assert.fail(JSON.stringify(error));
    assertRows(playlist, wanted);
    await reachLongWait(relay, clock, id);
    faults.clear();
    assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: extra }));
    assertRows(playlist, [...wanted, ...extra]);
    assert.equal((await ended(relay, id)).status, 'completed');
    await clock.sleep(ALL_OVER_MS);
    assertRows(playlist, [...wanted, ...extra]);
  }),
);
