/** What is read of an account, and with how many requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { manualClock, SECOND } from '../support/clock.ts';
import { at } from '../support/entries.ts';
import { until } from '../support/until.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { copyOf, minutesAgo, playlistOf, QUICK, resize, rowsFrom, truthOf } from './accounts.ts';
import { ask, counted, readAll } from './queries.ts';

const SAVED = 600;
const LISTS = 20;
/**
 * How many requests the first reading takes: one for each page of saved tracks and of the list of playlists, and one for each
 * playlist. For 5,000 saved tracks and 200 playlists, that is 304.
 */
const ALL = SAVED / 50 + Math.ceil(LISTS / 50) + LISTS;

async function assertExact(relay: Relay): Promise<void> {
  assert.deepEqual(await copyOf(relay), truthOf(relay));
}

test('a library is read with a request for each page, and checked with few', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, SAVED, LISTS);
    await readAll(relay);
    assert.equal(relay.provider.requests.length, ALL);
    await assertExact(relay);

    const checks = 1 + Math.ceil(LISTS / 50);
    assert.equal((await counted(relay, 'select 1')).requests, checks, 'nothing changed');
    assert.equal((await counted(relay, 'select 1', 10)).requests, 0, 'fresh enough');

    const gone = Math.floor(SAVED * 0.83);
    account.saved.splice(gone, 1);
    const one = await counted(relay, 'select count(*) from saved');
    assert.deepEqual(one.answer.rows, [[SAVED - 1]]);
    assert.ok(one.requests <= 12, `a removal far back took ${one.requests} requests`);
    await assertExact(relay);

    account.saved.splice(3, 2);
    account.saved.splice(SAVED - 20, 1);
    account.saved.splice(Math.floor(SAVED / 2), 3);
    account.saved.unshift(
      ...rowsFrom(relay, SAVED + 5, 70).map(({ uri }, index) => ({ uri, addedAt: minutesAgo(-100 + index) })),
    );
    await counted(relay, 'select 1');
    await assertExact(relay);

    const [first] = account.playlists;
    relay.provider.editPlaylist(
      first?.id ?? '',
      rowsFrom(relay, 900, 120).map(({ uri }) => uri),
    );
    account.playlists.splice(5, 1);
    account.playlists.push(playlistOf(account, 900, rowsFrom(relay, 40, 75)));
    const edited = await counted(relay, 'select 1');
    assert.equal(edited.requests, 1 + Math.ceil(LISTS / 50) + 3 + 2, 'only what changed is read again');
    await assertExact(relay);
  }));

test('what relay writes is known to the next question, however fresh the copy is', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 120, 3);
    await readAll(relay);
    const fresh = rowsFrom(relay, 3_000, 4).map(({ uri }) => uri);
    await relay.call('save_tracks', { track_ids: fresh.slice(0, 2) });
    await relay.call('remove_saved_tracks', { track_ids: [at(account.saved, 60).uri] });
    await relay.call('add_tracks_to_playlist', {
      playlist_id: at(account.playlists, 1).id,
      track_ids: fresh,
    });
    await relay.call('create_playlist', { name: 'Made just now' });
    const { rows } = await ask(
      relay,
      "select (select count(*) from saved), (select count(*) from playlists where name = 'Made just now')",
    );
    assert.deepEqual(rows, [[121, 1]]);
    await assertExact(relay);
  }));

test('a playlist that is listed but not read yet hides no other change', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 120, 3);
    await readAll(relay);
    const list = () => relay.call('get_my_playlists', { query: 'list' });
    const count = 'select (select count(*) from saved), (select count(*) from playlist_rows)';

    // The last reading has just ended, so the answer would be from the copy, but for what relay has written.
    await relay.call('create_playlist', { name: 'List of relay' });
    await list();
    await relay.call('save_tracks', { track_ids: [at(rowsFrom(relay, 3_000, 1), 0).uri] });
    const written = await ask(relay, count);
    assert.deepEqual([written.rows, written.note], [[[121, 90]], undefined]);

    const bySomebody = (index: number) => {
      account.saved.splice(7, 1);
      account.playlists.push(playlistOf(account, index, rowsFrom(relay, 40, 10)));
    };
    bySomebody(900);
    await list();
    const checked = await counted(relay, count);
    assert.deepEqual([checked.answer.rows, checked.answer.note], [[[120, 100]], undefined]);
    await assertExact(relay);

    bySomebody(901);
    await list();
    await relay.server.local.syncLibrary();
    await until(async () => (await relay.server.local.libraryStatus()).state === 'idle');
    await assertExact(relay);
  }));

test('playlists of others are listed without rows; after one refusal relay asks for no more of them', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 0, 2);
    for (let index = 10; index < 15; index++) {
      account.playlists.push({
        ...playlistOf(account, index, rowsFrom(relay, 0, 5)),
        ownerId: 'somebody',
        ownerName: 'Somebody',
        public: true,
      });
    }
    account.playlists.push({
      ...playlistOf(account, 20, rowsFrom(relay, 0, 5)),
      ownerId: 'spotify',
      ownerName: 'Spotify',
      public: true,
    });
    const answer = await readAll(relay);
    assert.equal(relay.provider.requests.length, 1 + 1 + 2 + 1);
    assert.deepEqual(answer.coverage, {
      saved: 'complete',
      playlists: { read: 2, total: 8, unreadable: 6 },
    });
    const { rows } = await ask(
      relay,
      'select owner, mine, readable, count(*) from playlists group by 1, 2, 3 order by 1',
    );
    assert.deepEqual(rows, [
      ['Demo Listener', 1, 1, 2],
      ['Somebody', 0, 0, 5],
      ['Spotify', 0, 0, 1],
    ]);
    assert.equal((await counted(relay, 'select 1')).requests, 2);
  }));

test('what changes while it is read for the first time is neither lost nor doubled', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 300, 70);
    const long = at(account.playlists, 3);
    relay.provider.editPlaylist(
      long.id,
      rowsFrom(relay, 0, 150).map(({ uri }) => uri),
    );
    const { faults } = relay.provider;
    faults.add({ path: '/me/playlists', skip: 1, kind: 'hook', fn: () => void account.playlists.shift() });
    const [fresh] = rowsFrom(relay, 3_000, 1);
    const swap = () => {
      account.saved.unshift({ uri: fresh?.uri ?? '', addedAt: minutesAgo(-5) });
      account.saved.splice(250, 1);
    };
    faults.add({ path: '/me/tracks', skip: 3, kind: 'hook', fn: swap });
    const edit = () =>
      void relay.provider.editPlaylist(
        long.id,
        long.rows.slice(1).map(({ uri }) => uri),
      );
    faults.add({ path: `/playlists/${long.id}/items`, kind: 'hook', fn: edit });
    assert.equal((await readAll(relay)).note, undefined);
    await assertExact(relay);
  }));

for (const [what, lags, olds] of [
  ['shows it', { lists: 20 * SECOND, snapshots: 20 * SECOND, totals: 20 * SECOND }, 2],
  ['shows the rows of its snapshot', { lists: 4 * SECOND, snapshots: 0, totals: 0 }, 1],
] as const) {
  test(`what relay wrote is read again until Spotify ${what}`, () => {
    const clock = manualClock();
    return withRelay({ ...QUICK, clock }, async (relay) => {
      const account = resize(relay, 60, 2);
      await readAll(relay);
      const { id } = at(account.playlists, 0);
      const track_ids = [at(relay.provider.catalogue.tracks, 4_000).uri];
      relay.provider.lag.set(lags);
      await relay.call('add_tracks_to_playlist', { playlist_id: id, track_ids });
      await relay.call('save_tracks', { track_ids });
      const sql = 'select (select count(*) from saved), (select count(*) from playlist_rows)';
      for (let question = 0; question < 4; question++) {
        const { requests, answer } = await counted(relay, sql, 10_000);
        const rows = question < olds ? 60 : 61;
        assert.deepEqual([requests > 0, answer.rows], [true, [[rows, rows]]], `question ${question}`);
        clock.advance(15 * SECOND);
      }
      assert.equal((await counted(relay, sql, 10_000)).requests, 0);
    });
  });
}

test('a check that cannot read all saved tracks again in time says so', () => {
  const clock = manualClock();
  return withRelay({ ...QUICK, clock }, async (relay) => {
    const account = resize(relay, 200, 1);
    await readAll(relay);
    account.saved.reverse();
    clock.advance(SECOND);
    const fn = () => clock.advance(9 * SECOND);
    relay.provider.faults.add({ path: '/me/tracks', skip: 1, times: 3, kind: 'hook', fn });
    const { note } = await ask(relay, 'select 1', { max_age_minutes: 0 });
    assert.match(
      note ?? '',
      /^The saved tracks have changed and are read again: \d+ of 200 have been read\.$/,
    );
    await readAll(relay);
    // What is read after an answer is saved a moment later than another question can see it.
    await until(async () => isDeepStrictEqual(await copyOf(relay), truthOf(relay)));
  });
});

test('if large pages fail deep in a library, smaller pages are read', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 300, 1);
    relay.provider.faults.add({
      path: '/me/tracks',
      where: ({ query }) => Number(query.get('offset')) >= 150 && Number(query.get('limit')) > 1,
      kind: 'status',
      status: 500,
      times: Number.POSITIVE_INFINITY,
    });
    await readAll(relay);
    await assertExact(relay);
    const failed = relay.provider.requests.filter(({ status }) => status === 500);
    assert.equal(failed.length, 3, 'the size that works is kept');

    // The search for what has changed also asks for few rows.
    account.saved.splice(170, 1);
    account.saved.splice(230, 1);
    await counted(relay, 'select 1');
    await assertExact(relay);
  }));

test('as long as the list of playlists is unknown, nothing is called complete', () =>
  withRelay(QUICK, async (relay) => {
    resize(relay, 60, 6);
    relay.provider.faults.add({ path: '/me/playlists', kind: 'quota', retryAfterSeconds: 7_200 });
    const { coverage, note } = await ask(relay, 'select count(*) from saved');
    assert.deepEqual(coverage, { saved: 'none', playlists: { read: 0, total: 0, unreadable: 0 } });
    assert.match(note ?? '', /^The first reading is not over: 0 of about \d+ requests\. It waits until /);
  }));
