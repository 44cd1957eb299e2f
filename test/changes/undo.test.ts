import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeHistory } from '../../src/changes/history.ts';
import type { ChangeSummary } from '../../src/domain/change.ts';
import { insertChange, packBody, setChange } from '../../src/store/tables/changes.ts';
import type { Store } from '../../src/store/types.ts';
import { reach } from '../jobs/jobCalls.ts';
import { NOON, testStore } from '../store/testStore.ts';
import { failureOf } from '../support/answers.ts';
import { createBrowser } from '../support/browser.ts';
import { at, owner, pluck } from '../support/entries.ts';
import { assertRows, fill, named, savedUris, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { withPlaylist } from '../support/withPlaylist.ts';
import type { Relay } from '../support/world.ts';
import { undoLast, withExtras } from './extras.ts';
import { assertDone, change, committed, ended, poll } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

/** Connects another account in place of the present one. */
async function connect({ provider, server }: Relay, account: number): Promise<void> {
  provider.loginAs(account);
  const { browserUrl } = await server.local.startLogin({ switchAccount: true });
  await createBrowser().open(browserUrl);
}

longTest('an undo of a replacement says which rows have lost their dates, although it only moves them', () =>
  withPlaylist(
    'Café Noctelle',
    { env: { RELAY_TOOLSETS: 'all' } },
    async ({ call, playlist, playlist_id, former }) => {
      const track_ids = [...former.slice(1), ...former.slice(0, 1)];
      await call('replace_playlist_tracks', { playlist_id, track_ids });
      const notes = [`Former dates stay lost for ${former.length} rows, which the change wrote again.`];
      assert.deepEqual((await call('undo_change', { dry_run: true })).notes, notes);
      assert.deepEqual((await call('undo_change', {})).notes, notes);
      assert.deepEqual(urisOf(playlist), former);
    },
  ),
);

longTest('an undo can be undone, and the undo of an undo can be undone too', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [former, wanted] = [tracks(relay, 250), tracks(relay, 350, 3_000)];
    fill(playlist, former);
    const args = { playlist_id, track_ids: wanted };
    assertDone(await change(relay, 'replace_playlist_tracks', args));
    for (const rows of [former, wanted, former]) {
      assertDone(await undoLast(relay));
      assertRows(playlist, rows);
    }
  }),
);

longTest(
  'a change whose undo was undone and undone again counts as undone, so what a person then saves stays',
  () =>
    withUnkind({}, async (relay, clock) => {
      const track_ids = tracks(relay, 3, 7_000);
      const mine = () => savedUris(relay).filter((uri) => track_ids.includes(uri));
      await withExtras(relay, async ({ call }) => {
        const { change_id: saving } = await call('save_tracks', { track_ids });
        const undos: unknown[] = [];
        for (const saved of [0, 3, 0]) {
          const { change_id } = await call('undo_change', { change_id: undos.at(-1) ?? saving });
          undos.push(change_id);
          assert.equal(mine().length, saved);
        }
        const { items } = (await call('list_changes')) as { items: ChangeSummary[] };
        assert.deepEqual(
          items.map(({ change_id, can_undo, undone_by }) => [change_id, can_undo, undone_by]),
          [
            [undos[2], true, undefined],
            [undos[1], false, undos[2]],
            [undos[0], true, undefined],
            [saving, false, undos[0]],
          ],
        );
        await clock.sleep(70_000);
        const uri = at(track_ids, 1);
        owner(relay.provider).saved.unshift({ uri, addedAt: new Date(clock.now()).toISOString() });
        assert.equal(failureOf(await call('undo_change'))?.code, 'NOT_FOUND');
        assert.deepEqual(mine(), [uri]);
      });
    }),
);

longTest('the undo of a saving counts only tracks that are still saved, and undoing it saves no other', () =>
  withUnkind({}, async (relay, clock) => {
    const track_ids = tracks(relay, 4, 7_000);
    const mine = () => savedUris(relay).filter((uri) => track_ids.includes(uri));
    await withExtras(relay, async ({ call }) => {
      const { change_id } = await call('save_tracks', { track_ids });
      await call('remove_saved_tracks', { track_ids: track_ids.slice(1, 2) });
      await clock.sleep(120_000);
      const undone = await call('undo_change', { change_id });
      assert.deepEqual([undone.summary, mine()], ['Removed 3 songs from Liked Songs.', []]);
      await clock.sleep(120_000);
      await call('undo_change', { change_id: undone.change_id });
      assert.deepEqual(mine().sort(), track_ids.toSpliced(1, 1).sort());
    });
  }),
);

longTest(
  'to list changes, relay reads few rows for each of them, however many undos there are',
  async (t) => {
    const store = await testStore(t);
    const body = await packBody({ former: {}, ops: [] });
    for (let index = 0; index < 100; index++) {
      const facts = { account: null, playlistId: 'list', askedBy: 'tool add', requested: 1 };
      const { seq: undoes } = insertChange(store, { ...facts, id: `add ${index}`, kind: 'add' }, body, NOON);
      const undo = insertChange(store, { ...facts, id: `undo ${index}`, kind: 'undo', undoes }, body, NOON);
      for (const seq of [undoes, undo.seq]) setChange(store, seq, { outcome: 'done', endedAt: NOON }, NOON);
    }
    let rows = 0;
    const all: Store['all'] = (...args) => {
      const found = store.all<never>(...args);
      rows += found.length;
      return found;
    };
    const { items } = changeHistory({ store: { ...store, all } }, 0, 100);
    assert.equal(items.filter(({ can_undo }) => can_undo).length, 50);
    assert.ok(rows <= 5 * items.length, `${rows} rows were read`);
  },
);

test('a move among local files that are there twice is undone by moves', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [song] = tracks(relay, 1);
    const [one, two] = ['spotify:local:Band:Record:One:200', 'spotify:local:Band:Record:Two:200'];
    const former = [one, two, one, two, song ?? ''];
    fill(playlist, former);
    const move = { range_start: 3, range_length: 2, insert_before: 1 };
    assertDone(await change(relay, 'reorder_playlist_tracks', { playlist_id, ...move }));
    assertRows(playlist, [one, two, song ?? '', two, one]);
    assertDone(await undoLast(relay));
    assertRows(playlist, former);
  }));

longTest('an undo is refused where another person has changed the playlist since', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const track_ids = urisOf(playlist).slice(0, 10);
    const args = { playlist_id, track_ids };
    assertDone(await change(relay, 'remove_tracks_from_playlist', args));
    const edited = urisOf(playlist).toSpliced(20, 5);
    relay.provider.editPlaylist(playlist_id, edited);
    const { error } = await undoLast(relay);
    assert.equal(error?.code, 'CONFLICT');
    assertRows(playlist, edited);
  }),
);

longTest(
  'an undo that Spotify refuses for a track it no longer knows is not answered with advice to leave the track out',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
      const gone = at(former, 0);
      const args = { playlist_id, track_ids: [gone, at(former, 1)] };
      const { change_id } = await relay.call('remove_tracks_from_playlist', args);
      // Otherwise relay remembers that it has read the track.
      await relay.restart();
      relay.provider.faults.add(
        {
          method: 'POST',
          path: /\/items$/,
          kind: 'status',
          status: 400,
          body: { error: { status: 400, message: 'Payload contains a non-existing ID' } },
        },
        { path: `/tracks/${gone.replace('spotify:track:', '')}`, kind: 'status', status: 404 },
      );
      const failure = failureOf(await relay.call('undo_change', { change_id }));
      assert.deepEqual(failure, {
        code: 'INVALID_ARGUMENT',
        message: `Spotify refused the request (400): Payload contains a non-existing ID. Spotify does not know this track: ${gone}.`,
        remedy: 'Spotify does not take it again. Write the other songs with add_tracks_to_playlist.',
        details: { status: 400, not_found: [gone] },
      });
      assertRows(playlist, former.slice(2));
    }),
);

longTest(
  'a removal that takes effect, loses its answer and is then refused counts as done, and can be undone',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
      for (const skip of [0, 1]) {
        const removal = { method: 'DELETE', path: /\/items$/, skip } as const;
        relay.provider.faults.add(
          { ...removal, kind: 'status_after', status: 502 },
          { ...removal, kind: 'status', status: 403 },
        );
        const args = { playlist_id, track_ids: former.slice(0, 130) };
        assertDone(await change(relay, 'remove_tracks_from_playlist', args));
        assertRows(playlist, former.slice(130));
        assertDone(await undoLast(relay));
        assertRows(playlist, former);
      }
    }),
);

longTest('an undo whose answers are lost brings back every row once', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const [former, wanted] = [tracks(relay, 450), tracks(relay, 150, 3_000)];
    fill(playlist, former);
    relay.provider.lag.set({ lists: 600, totals: 600, snapshots: 600 });
    const args = { playlist_id, track_ids: wanted };
    assertDone(await change(relay, 'replace_playlist_tracks', args));
    relay.provider.faults.add(
      { method: 'PUT', path: /\/items$/, kind: 'status_after', status: 502 },
      { method: 'POST', path: /\/items$/, skip: 1, kind: 'late', ms: 8_000, answer: 504 },
    );
    assertDone(await undoLast(relay));
    await clock.sleep(10_000);
    assertRows(playlist, former);
  }),
);

longTest('details and saved tracks come back', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const account = owner(relay.provider);
    // The playlist needs a description from the start, since Spotify would not let the undo clear a new one.
    playlist.description = 'Former words';
    const now = () => ({
      details: [playlist.name, playlist.description, playlist.public, playlist.collaborative],
      saved: savedUris(relay).toSorted(),
    });
    const former = now();
    const some = account.saved.slice(0, 90).map(({ uri }) => uri);
    // Some of these are saved already, and have to stay saved.
    const mixed = [...account.saved.slice(100, 130).map(({ uri }) => uri), ...tracks(relay, 60, 7_000)];
    const details = { playlist_id, name: 'Another Name', description: 'Another description' };
    assertDone(await change(relay, 'update_playlist_details', details));
    assertDone(await change(relay, 'remove_saved_tracks', { track_ids: some }));
    assertDone(await change(relay, 'save_tracks', { track_ids: mixed }));
    await withExtras(relay, async ({ changes, undo }) => {
      for (const id of (await changes()).slice(0, 3)) assertDone(await undo(id));
    });
    assert.deepEqual(now(), former);
  }),
);

const UNSAVING = { method: 'DELETE', path: '/me/library', skip: 1, times: Number.POSITIVE_INFINITY } as const;

for (const { title, waitMs = 0, status, saves } of [
  { title: 'was refused part-way', status: 403, saves: 40 },
  { title: 'was refused part-way a while ago', waitMs: 90_000, status: 403, saves: 40 },
  // The tracks of the request in doubt may be gone.
  { title: 'lost its second answer', status: 502, saves: 80 },
  { title: 'lost its second answer a while ago', waitMs: 90_000, status: 502, saves: 40 },
]) {
  longTest(
    `if a removal of saved tracks ${title}, its undo and the undo of that concern only what was removed`,
    () =>
      withUnkind({}, async (relay, clock) => {
        const former = savedUris(relay);
        relay.provider.faults.add({ ...UNSAVING, kind: 'status', status });
        const { error } = await change(relay, 'remove_saved_tracks', { track_ids: former.slice(0, 130) });
        assert.notEqual(error, null);
        relay.provider.faults.clear();
        const left = former.slice(40);
        assert.deepEqual(savedUris(relay), left);
        await clock.sleep(waitMs);
        await withExtras(relay, async ({ call, undo }) => {
          const { undone, summary, notes } = await call('undo_change', { dry_run: true });
          assert.deepEqual(
            [summary, notes],
            [
              `Saves ${saves} songs in Liked Songs again.`,
              [`Spotify shows today as the date of what the undo writes again: ${saves} rows.`],
            ],
          );
          const { answer } = await undo(String(undone));
          assert.deepEqual(savedUris(relay), former);
          assertDone(await undo(String(answer.change_id)));
          assert.deepEqual(savedUris(relay).toSorted(), left.toSorted());
        });
      }),
  );
}

longTest(
  'the undo of a removal of saved tracks by a job that was cancelled saves only what was removed',
  () =>
    withUnkind({}, async (relay, clock) => {
      const former = savedUris(relay);
      const items = former.slice(0, 130);
      const id = await committed(relay, 'remove_saved_tracks', items, {}, () =>
        relay.provider.faults.add({ ...UNSAVING, times: 1, kind: 'rate_limit', retryAfterSeconds: 40 }),
      );
      await reach(relay, id, 'waiting');
      await relay.call('cancel_job', { job_id: id });
      await clock.sleep(40_000);
      const left = former.slice(40);
      for (const saved of [left, former, left]) {
        assert.deepEqual(savedUris(relay).toSorted(), saved.toSorted());
        assertDone(await undoLast(relay));
      }
    }),
);

/** Undoes one change by two simultaneous calls. One of them has to be refused. */
async function undoneTwice(relay: Relay): Promise<void> {
  await withExtras(relay, async ({ changes, undo }) => {
    const id = at(await changes(), 0);
    const both = await Promise.all([undo(id), undo(id)]);
    assert.deepEqual(both.map(({ error }) => error?.code ?? 'done').toSorted(), ['CONFLICT', 'done']);
  });
}

longTest('two simultaneous undos of one move bring the rows back once', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const move = { range_start: 3, insert_before: 50, range_length: 5 };
    assertDone(await change(relay, 'reorder_playlist_tracks', { playlist_id, ...move }));
    await undoneTwice(relay);
    assertRows(playlist, former);
  }),
);

longTest('two simultaneous undos of an addition leave the same songs that an earlier addition put in', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const songs = tracks(relay, 20, 3_000);
    const args = { playlist_id, track_ids: songs };
    for (let count = 0; count < 2; count++) assertDone(await change(relay, 'add_tracks_to_playlist', args));
    await undoneTwice(relay);
    assertRows(playlist, [...former, ...songs]);
  }),
);

longTest('the undo of saving what was saved already can be undone', () =>
  withUnkind({}, async (relay) => {
    const former = savedUris(relay);
    assertDone(await change(relay, 'save_tracks', { track_ids: former.slice(0, 3) }));
    for (let count = 0; count < 2; count++) assertDone(await undoLast(relay));
    assert.deepEqual(savedUris(relay).toSorted(), former.toSorted());
  }),
);

longTest('the undo of a first description, which Spotify does not clear, can be undone', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    playlist.description = '';
    const details = { name: 'Another Name', description: 'First words' };
    assertDone(await change(relay, 'update_playlist_details', { playlist_id, ...details }));
    for (let count = 0; count < 2; count++) assertDone(await undoLast(relay));
    assert.deepEqual([playlist.name, playlist.description], [details.name, details.description]);
  }),
);

longTest('moved rows are not moved back after another person has changed the playlist', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const move = { range_start: 3, insert_before: 50, range_length: 5 };
    assertDone(await change(relay, 'reorder_playlist_tracks', { playlist_id, ...move }));
    const edited = urisOf(playlist).slice(10);
    relay.provider.editPlaylist(playlist_id, edited);
    assert.equal((await undoLast(relay)).error?.code, 'CONFLICT');
    assertRows(playlist, edited);
  }),
);

test('a row that Spotify no longer offers is not taken for the removed row that was above it', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [first, second, third] = tracks(relay, 3) as [string, string, string];
    fill(playlist, [first, second, third]);
    relay.provider.lag.vanish(second);
    assertDone(await change(relay, 'remove_tracks_from_playlist', { playlist_id, track_ids: [first] }));
    assertDone(await undoLast(relay));
    assertRows(playlist, [first, second, third]);
  }));

test('an added row that Spotify no longer offers does not prevent the undo', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const songs = tracks(relay, 20, 3_000);
    const args = { playlist_id, track_ids: songs };
    assertDone(await change(relay, 'add_tracks_to_playlist', args));
    relay.provider.lag.vanish(at(songs, 5));
    const { error } = await undoLast(relay);
    assert.equal(error, null, JSON.stringify(error));
    assertRows(playlist, former);
  }));

/** Two tracks of one recording: Spotify may show either for the other. */
function twins({ provider }: Relay): [own: string, shown: string] {
  const first = new Map<string, string>();
  for (const { isrc, uri } of provider.catalogue.tracks) {
    const other = first.get(isrc);
    if (other !== undefined) return [other, uri];
    first.set(isrc, uri);
  }
  throw new Error('No recording has two tracks.');
}

for (const lists of [0, 600]) {
  longTest(
    `with lists ${lists} ms late, the undo takes out an added song shown under another ID, and keeps its older row`,
    () =>
      withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
        const [own, shown] = twins(relay);
        const [other = ''] = tracks(relay, 1, 3_000);
        relay.provider.lag.relink(own, shown);
        relay.provider.lag.set({ lists });
        const args = { playlist_id, track_ids: [own] };
        for (const [former, left] of [
          [[other], [other]],
          [
            [own, other],
            [shown, other],
          ],
        ] as const) {
          fill(playlist, former);
          assertDone(await change(relay, 'add_tracks_to_playlist', args));
          const { error } = await undoLast(relay);
          assert.equal(error, null, JSON.stringify(error));
          assertRows(playlist, left);
        }
      }),
  );
}

longTest(
  'a song that cannot be removed under the ID shown is not added again after a local file was moved past it',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
      const [own, shown] = twins(relay);
      const [added = ''] = tracks(relay, 1, 3_000);
      const [one, two] = ['spotify:local:Band:Record:One:200', 'spotify:local:Band:Record:Two:200'];
      relay.provider.lag.relink(own, shown);
      fill(playlist, [two, one, own, own]);
      assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: [added] }));
      relay.provider.editPlaylist(playlist_id, [one, own, two]);
      await withExtras(relay, async ({ call, changes }) => {
        const args = { change_id: at(await changes(), 0), force: true };
        const { error } = await change({ ...relay, call }, 'undo_change', args);
        assert.equal(error?.code, 'DEADLINE_EXCEEDED', 'the list still shows the song');
        assertRows(playlist, [own, two, one]);
      });
    }),
);

longTest('an added song that lists show under another ID is there once after a later change is undone', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist }) => {
    const [own, shown] = twins(relay);
    const [other = '', third = ''] = tracks(relay, 2, 3_000);
    relay.provider.lag.relink(own, shown);
    const playlist_id = playlist.id;
    for (const former of [[], [other]]) {
      fill(playlist, former);
      assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: [own] }));
      assertDone(await change(relay, 'replace_playlist_tracks', { playlist_id, track_ids: [third] }));
      assertDone(await undoLast(relay));
      assertRows(playlist, [...former, shown]);
    }
  }),
);

longTest('moved rows are moved back once a later change is undone', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const move = { range_start: 3, insert_before: 50, range_length: 5 };
    assertDone(await change(relay, 'reorder_playlist_tracks', { playlist_id, ...move }));
    const track_ids = urisOf(playlist).slice(0, 10);
    assertDone(await change(relay, 'remove_tracks_from_playlist', { playlist_id, track_ids }));
    await withExtras(relay, async ({ changes, undo }) => {
      const [removal = '', moving = ''] = await changes();
      assert.equal((await undo(moving)).error?.code, 'CONFLICT');
      assertDone(await undo(removal));
      assertDone(await undo(moving));
    });
    assertRows(playlist, former);
  }),
);

longTest(
  'without an ID, an undo is refused while the newest change is being written, and leaves the one before it',
  () =>
    withUnkind({}, async (relay) => {
      const [shelf, target] = [named(relay, 'Empty Shelf'), named(relay, 'Exactly Two Hundred')];
      const args = { playlist_id: shelf.id, track_ids: tracks(relay, 3) };
      const { answer } = await change(relay, 'add_tracks_to_playlist', args);
      const items = tracks(relay, 300, 3_000);
      const slow = {
        method: 'POST',
        path: /\/items$/,
        times: Infinity,
        kind: 'latency',
        ms: 12_000,
      } as const;
      const id = await committed(relay, 'add_to_playlist', items, { playlist_id: target.id }, () =>
        relay.provider.faults.add(slow),
      );
      await poll(() => (urisOf(target).length > 200 ? true : null));
      await withExtras(relay, async ({ call, changes }) => {
        const [newest, older] = await changes();
        assert.equal(older, answer.change_id);
        for (const dry_run of [true, false]) {
          const { code, message, remedy } = failureOf(await call('undo_change', { dry_run }));
          assert.deepEqual(
            { code, message, remedy },
            {
              code: 'CONFLICT',
              message: `The change ${newest} is still being written (writing).`,
              remedy: `Wait until the job has ended (get_job_status), or call cancel_job, with job_id ${id}. To undo an earlier change, pass its change_id (list_changes).`,
            },
          );
        }
        relay.provider.faults.clear();
        assert.equal((await ended(relay, id)).status, 'completed');
        assert.equal((await call('undo_change', { dry_run: true })).undone, newest);
      });
      assertRows(shelf, args.track_ids);
    }),
);

longTest('list_changes says that a change can be undone exactly if undo_change takes it', () =>
  withUnkind({}, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const payload = { playlist_id: playlist.id };
    const refused = { method: 'POST', path: /\/items$/, kind: 'status', status: 403 } as const;
    const failed = await committed(relay, 'add_to_playlist', tracks(relay, 150, 3_000), payload, () =>
      relay.provider.faults.add({ ...refused, skip: 1, times: Infinity }),
    );
    assert.equal((await ended(relay, failed)).status, 'failed');
    relay.provider.faults.clear();
    const limit = { ...refused, kind: 'rate_limit', retryAfterSeconds: 3_600 } as const;
    const waiting = await committed(relay, 'add_to_playlist', tracks(relay, 150, 4_000), payload, () =>
      relay.provider.faults.add({ ...limit, skip: 1 }),
    );
    await reach(relay, waiting, 'waiting');
    assertDone(await change(relay, 'save_tracks', { track_ids: tracks(relay, 1, 7_000) }));
    await withExtras(relay, async ({ call }) => {
      const listed = async () => {
        const { items } = (await call('list_changes')) as { items: ChangeSummary[] };
        for (const { change_id, can_undo } of items) {
          const { code } =
            failureOf(await call('undo_change', { change_id, force: true, dry_run: true })) ?? {};
          assert.equal(can_undo, code === undefined, code);
        }
        return items.map(({ kind, state, can_undo }) => [kind, state, can_undo]);
      };
      assert.deepEqual(await listed(), [
        ['save', 'done', true],
        ['add', 'waiting', false],
        ['add', 'stopped', true],
      ]);
      await connect(relay, 1);
      assert.deepEqual(await listed(), [
        ['save', 'done', false],
        ['add', 'waiting', false],
        ['add', 'stopped', false],
      ]);
    });
  }),
);

test('what was changed in another account is neither offered nor undone until that account is connected again', () =>
  withPlaylist(
    'Empty Shelf',
    { env: { RELAY_TOOLSETS: 'all' } },
    async ({ relay, call, playlist, ...scene }) => {
      const track_ids = tracks(relay, 2, 7_000);
      await call('save_tracks', { track_ids });
      await call('add_tracks_to_playlist', { playlist_id: scene.playlist_id, track_ids });
      const offered = async () => pluck((await call('list_changes')).items as ChangeSummary[], 'can_undo');
      const library = () => relay.provider.accounts.map(({ saved }) => pluck(saved, 'uri'));
      const before = library();
      await connect(relay, 1);
      assert.deepEqual(await offered(), [false, false]);
      const ids = pluck((await call('list_changes')).items as ChangeSummary[], 'change_id');
      for (const args of [{}, ...ids.map((change_id) => ({ change_id, force: true }))]) {
        const { details } = failureOf(await call('undo_change', args));
        assert.deepEqual(details, { reason: 'other_account' }, JSON.stringify(args));
      }
      assert.deepEqual([urisOf(playlist), library()], [track_ids, before]);
      await connect(relay, 0);
      assert.deepEqual(await offered(), [true, true]);
      assert.equal((await call('undo_change')).error, undefined);
      assert.deepEqual(urisOf(playlist), []);
    },
  ));

longTest(
  'an undo says which details Spotify did not show before the change, and claims nothing about them',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
      const former = playlist.name;
      assert.equal(playlist.public, true);
      const hidden = (body: unknown) => ({ ...(body as object), public: null });
      relay.provider.faults.add({
        method: 'GET',
        path: `/playlists/${playlist_id}`,
        times: Infinity,
        kind: 'transform',
        fn: hidden,
      });
      const args = { playlist_id, public: false };
      await withExtras(relay, async ({ call, undo }) => {
        for (const dry_run of [true, false]) {
          const { answer } = await change(relay, 'update_playlist_details', args);
          const { change_id } = answer;
          const { code, message } = failureOf(await call('undo_change', { change_id, dry_run }));
          assert.deepEqual(
            { code, message },
            {
              code: 'UNSUPPORTED_ITEMS',
              message:
                'Spotify did not show whether the playlist was public before the change, so relay cannot bring that back.',
            },
          );
          const { items } = (await call('list_changes')) as { items: ChangeSummary[] };
          assert.equal(items[0]?.change_id, change_id);
          assert.equal(items[0]?.undone_by, undefined);
        }
        const both = await change(relay, 'update_playlist_details', { ...args, name: 'Another Name' });
        const { answer } = await undo(String(both.answer.change_id));
        assert.deepEqual(
          [answer.summary, answer.notes],
          [
            `Changed "${former}" back: the name to "${former}".`,
            [
              'Spotify did not show whether the playlist was public before the change, so this stays as it is now.',
            ],
          ],
        );
      });
      assert.deepEqual([playlist.name, playlist.public], [former, false]);
    }),
);
