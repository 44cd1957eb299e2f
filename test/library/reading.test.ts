import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Log, type LogFields, silentLog } from '../../src/base/log.ts';
import { manualClock } from '../support/clock.ts';
import { at, pluck } from '../support/entries.ts';
import { longTest, sized } from '../support/scale.ts';
import { until } from '../support/until.ts';
import { connectAccount, type Relay, withRelay } from '../support/world.ts';
import { copyOf, minutesAgo, playlistOf, resize, rowsFrom, truthOf } from './accounts.ts';
import { ask, counted, readAll } from './queries.ts';

const SAVED = sized(5_000, 600);
const LISTS = sized(200, 20);
/**
 * How many requests the first reading takes: one for each page of saved tracks and of the list of playlists, and one for each
 * playlist.
 */
const ALL = SAVED / 50 + LISTS / 50 + LISTS;
/** Settings with a high limit of requests per minute, so that the first reading ends soon. */
const QUICK = { env: { RELAY_TOOLSETS: 'standard,library_sql', RELAY_LIBRARY_REQUESTS_PER_MINUTE: '10000' } };

async function assertExact(relay: Relay): Promise<void> {
  assert.deepEqual(await copyOf(relay), truthOf(relay));
}

test('a library is read with a request for each page, and checked with few', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, SAVED, LISTS);
    await readAll(relay);
    assert.equal(relay.provider.requests.length, Math.ceil(ALL));
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

longTest('a track that is saved again moves to the front, and two requests for saved tracks find that', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 400, 1);
    await readAll(relay);
    const [again] = account.saved.splice(333, 1);
    account.saved.unshift({ uri: again?.uri ?? '', addedAt: minutesAgo(-5) });
    assert.equal((await counted(relay, 'select 1')).requests, 3);
    await assertExact(relay);
  }),
);

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

test('a new playlist that fails keeps no other from being read', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 20, 2);
    await readAll(relay);
    const [bad, good] = [900, 901].map((index) => playlistOf(account, index, rowsFrom(relay, 40, 10)));
    assert.ok(bad && good);
    account.playlists.unshift(bad, good);
    const times = Number.POSITIVE_INFINITY;
    relay.provider.faults.add({ path: `/playlists/${bad.id}/items`, times, kind: 'status', status: 502 });
    relay.provider.faults.add({ path: `/playlists/${bad.id}`, times, kind: 'status', status: 502 });
    await relay.call('get_my_playlists', { query: 'list' });
    await ask(relay, 'select 1');
    const rows = `select count(*) from playlist_rows where playlist_id = '${good.id}'`;
    await until(async () => (await ask(relay, rows)).rows?.[0]?.[0] === 10);
  }));

longTest(
  'playlists of others are listed without rows; after one refusal relay asks for no more of them',
  () =>
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
    }),
);

/** Names of the playlists in the first answer, which relay calls complete. */
async function firstListed(relay: Relay): Promise<unknown[]> {
  const { coverage } = await readAll(relay);
  const { rows } = await ask(relay, 'select name from playlists order by id', { max_age_minutes: 10_080 });
  assert.equal(coverage.playlists.total, rows.length);
  return rows.flat();
}

longTest('a playlist that Spotify lists as null hides no others', () =>
  withRelay(QUICK, async (relay) => {
    const { playlists } = resize(relay, 0, 70);
    const fn = (body: unknown) => {
      const page = body as { offset: number; items: unknown[] };
      return page.offset === 0 ? { ...page, items: page.items.with(3, null) } : page;
    };
    relay.provider.faults.add({ path: '/me/playlists', times: 9, kind: 'transform', fn });
    assert.deepEqual(await firstListed(relay), pluck(playlists.toSpliced(3, 1), 'name'));
  }),
);

longTest('playlists that come or go while the list is read for the first time are not missed', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 0, 70);
    const fn = () => void account.playlists.shift();
    relay.provider.faults.add({ path: '/me/playlists', skip: 1, kind: 'hook', fn });
    const named = await firstListed(relay);
    assert.deepEqual(named, pluck(account.playlists, 'name'));
    assert.equal(named.length, 69);
  }),
);

longTest(
  'saved tracks that Spotify shows under the same ID are read once each, and checked with few requests',
  () =>
    withRelay(QUICK, async (relay) => {
      const account = resize(relay, 600, 1);
      const { saved } = account;
      at(saved, 60).uri = at(saved, 40).uri;
      // Even the time may be the same, on both sides of where a page begins.
      saved[150] = { ...at(saved, 149) };
      saved[420] = { ...at(saved, 399) };
      assert.equal((await readAll(relay)).note, undefined);
      assert.ok(relay.provider.requests.length <= 20, `${relay.provider.requests.length} requests`);
      await assertExact(relay);

      const steps: Array<[what: string, change: () => void, most: number]> = [
        ['nothing', () => {}, 2],
        ['the same ID once more', () => saved.unshift({ ...at(saved, 60), addedAt: minutesAgo(-5) }), 2],
        ['one of them far back', () => saved.splice(400, 1), 10],
        ['one of them near the head', () => saved.splice(41, 1), 10],
        ['another track', () => saved.splice(300, 1), 10],
        [
          'the same ID a third time, while another track goes',
          () => {
            saved.splice(200, 1);
            saved.unshift({ ...at(saved, 61), addedAt: minutesAgo(-4) });
          },
          12,
        ],
      ];
      for (const [what, change, most] of steps) {
        change();
        const { requests, answer } = await counted(relay, 'select count(*) from saved');
        assert.deepEqual([answer.rows, answer.note], [[[saved.length]], undefined], what);
        assert.ok(requests <= most, `${what}: ${requests} requests`);
        await assertExact(relay);
      }
    }),
);

interface SavedPage {
  offset: number;
  total: number;
  items: Array<{ added_at: string; track: object | null }>;
}

longTest(
  'whatever Spotify answers, a reading of the saved tracks that gets no further waits after a few attempts',
  async () => {
    let answers = 0;
    const anew = ({ track }: SavedPage['items'][number], index: number) =>
      index === 0 ? { added_at: minutesAgo(0), track: null } : { added_at: minutesAgo(++answers), track };
    const odd = {
      'another total deeper in the list': (page: SavedPage) =>
        page.offset === 0 ? page : { ...page, total: page.total + 1 },
      'other rows in each answer': (page: SavedPage) =>
        page.offset === 0 ? page : { ...page, items: page.items.map(anew) },
    };
    for (const [what, fn] of Object.entries(odd)) {
      const clock = manualClock();
      const waits = waitCounter();
      await withRelay({ ...QUICK, clock, log: waits.log }, async (relay) => {
        resize(relay, 600, 1);
        const times = Number.POSITIVE_INFINITY;
        const path = '/me/tracks';
        relay.provider.faults.add({ path, times, kind: 'transform', fn: (body) => fn(body as SavedPage) });
        const { note } = await ask(relay, 'select 1');
        assert.match(note ?? '', /It waits until \S+ \(PROVIDER_UNAVAILABLE\)\./, what);
        assert.ok(
          relay.provider.requests.length <= 30,
          `${what}: ${relay.provider.requests.length} requests`,
        );

        const sent = await counted(relay, 'select 1');
        assert.ok(sent.requests <= 8, `${what}: ${sent.requests} requests for the next question`);
        const { error } = await relay.call('get_saved_tracks', { query: 'a' });
        assert.equal((error as { code?: string } | undefined)?.code, 'PROVIDER_UNAVAILABLE', what);

        const before = relay.provider.requests.length;
        for (let minute = 0; minute < 120; minute++) {
          const seen = waits.count();
          clock.advance(60_000);
          await until(() => waits.count() > seen);
        }
        const after = relay.provider.requests.length - before;
        assert.ok(after <= 40, `${what}: ${after} requests in the next two hours`);

        relay.provider.faults.clear();
        await readAll(relay);
        assert.deepEqual((await ask(relay, 'select count(*) from saved')).rows, [[600]], what);
      });
    }
  },
);

longTest('if large pages fail deep in a library, smaller pages are read', () =>
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
  }),
);

/** Counts how often the reading has begun to wait. Only then may a test advance the clock; earlier, the wait would not end. */
function waitCounter(): { log: Log; count(): number } {
  let waits = 0;
  const debug = (_: LogFields, message: string) => {
    if (message === 'the reading of the library waits') waits += 1;
  };
  return { log: { ...silentLog, debug }, count: () => waits };
}

/** The largest number of requests in any window of `ms`. */
function mostWithin(ms: number, times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + ms).length));
}

longTest('the first reading keeps to its budget, and continues after a restart', async () => {
  const clock = manualClock();
  const waits = waitCounter();
  const env = {
    RELAY_TOOLSETS: 'standard,library_sql',
    RELAY_LIBRARY_REQUESTS_PER_DAY: '10',
    RELAY_LIBRARY_REQUESTS_PER_MINUTE: '4',
  };
  await withRelay({ env, clock, log: waits.log }, async (relay) => {
    resize(relay, 300, 12);
    const sent = () => relay.provider.requests.filter(({ method }) => method === 'GET').map(({ at }) => at);
    const asked = ask(relay, 'select count(*) from saved');
    await until(() => waits.count() === 1);
    assert.equal(sent().length, 4);
    clock.advance(10_000);
    const early = await asked;
    assert.deepEqual(early.rows, [[150]], 'one of the four requests is for the list of playlists');
    assert.equal(early.coverage.saved, 'partial');
    assert.match(early.note ?? '', /^The first reading is not over: 4 of about \d+ requests\./);

    clock.advance(50_000);
    await until(() => waits.count() === 2);
    assert.equal(sent().length, 8);
    clock.advance(60_000);
    await until(() => waits.count() === 3);
    assert.equal(sent().length, 10, 'ten requests a day');
    await relay.restart();
    await until(() => waits.count() === 4);
    for (let steps = 0; sent().length < 14; steps++) {
      assert.ok(steps < 5 * 25, 'the next day has come');
      const seen = waits.count();
      clock.advance(12 * 60_000);
      await until(() => waits.count() > seen);
    }
    assert.equal(mostWithin(60_000, sent()), 4);
    assert.equal(mostWithin(24 * 3_600_000, sent()), 10);
  });
});

test('the budget counts every request, also when a list changes while it is read', async () => {
  const waits = waitCounter();
  const env = { ...QUICK.env, RELAY_LIBRARY_REQUESTS_PER_DAY: '10' };
  await withRelay({ env, clock: manualClock(), log: waits.log }, async (relay) => {
    const account = resize(relay, 600, 12);
    const fn = () => void account.saved.shift();
    relay.provider.faults.add({ path: '/me/tracks', skip: 2, kind: 'hook', fn });
    await relay.server.local.syncLibrary();
    await until(() => waits.count() === 1);
    assert.equal(relay.provider.requests.length, 10);
  });
});

test('as long as the list of playlists is unknown, nothing is called complete', () =>
  withRelay(QUICK, async (relay) => {
    resize(relay, 60, 6);
    relay.provider.faults.add({ path: '/me/playlists', kind: 'quota', retryAfterSeconds: 7_200 });
    const { coverage, note } = await ask(relay, 'select count(*) from saved');
    assert.deepEqual(coverage, { saved: 'none', playlists: { read: 0, total: 0, unreadable: 0 } });
    assert.match(note ?? '', /^The first reading is not over: 0 of about \d+ requests\. It waits until /);
  }));

longTest('a limit that lasts for hours only delays the reading', async () => {
  const clock = manualClock();
  const waits = waitCounter();
  await withRelay({ ...QUICK, clock, log: waits.log }, async (relay) => {
    resize(relay, 200, 6);
    relay.provider.faults.add({ path: '/me/tracks', skip: 2, kind: 'quota', retryAfterSeconds: 7_200 });
    const early = await ask(relay, 'select count(*) from saved');
    assert.deepEqual(early.rows, [[100]]);
    assert.match(early.note ?? '', /It waits until \S+ \(QUOTA_EXCEEDED\)\./);
    const before = relay.provider.requests.length;
    const begin = clock.now();
    while (relay.provider.requests.length === before) {
      assert.ok(clock.now() - begin < 125 * 60_000, 'it goes on after two hours');
      const seen = waits.count();
      clock.advance(60_000);
      await until(() => waits.count() > seen || relay.provider.requests.length > before);
    }
    assert.ok(clock.now() - begin >= 7_200_000, 'nothing is sent before the time');
    const { note } = await ask(relay, 'select 1', { max_age_minutes: 10_080 });
    assert.equal(note, undefined);
    await assertExact(relay);
  });
});

longTest('a wait for a limit does not grow if the clock is set back', async () => {
  const clock = manualClock();
  const waits = waitCounter();
  await withRelay({ ...QUICK, clock, log: waits.log }, async (relay) => {
    resize(relay, 200, 6);
    relay.provider.faults.add({ path: '/me/tracks', skip: 2, kind: 'quota', retryAfterSeconds: 600 });
    await ask(relay, 'select count(*) from saved');
    clock.setWall(clock.now() - 3 * 86_400_000);
    const before = relay.provider.requests.length;
    for (let minutes = 0; minutes < 12; minutes++) {
      const seen = waits.count();
      clock.advance(60_000);
      await until(() => waits.count() > seen || relay.provider.requests.length > before);
      if (relay.provider.requests.length > before) break;
      const { until: end } = await relay.server.local.libraryStatus();
      assert.ok(Date.parse(end ?? '') - clock.now() <= 600_000, 'the status tells the new time');
    }
    assert.ok(relay.provider.requests.length > before, 'it goes on after ten minutes');
    await until(async () => (await relay.server.local.libraryStatus()).state === 'idle');
    await assertExact(relay);
  });
});

longTest('a check that cannot read all saved tracks again in time says so', async () => {
  const clock = manualClock();
  await withRelay({ ...QUICK, clock }, async (relay) => {
    const account = resize(relay, 200, 1);
    await readAll(relay);
    account.saved.reverse();
    clock.advance(1_000);
    const fn = () => clock.advance(9_000);
    relay.provider.faults.add({ path: '/me/tracks', skip: 1, times: 3, kind: 'hook', fn });
    const { note } = await ask(relay, 'select 1', { max_age_minutes: 0 });
    assert.equal(note, 'The saved tracks have changed and are read again: 150 of 200 have been read.');
    await readAll(relay);
    await assertExact(relay);
  });
});

longTest('what relay wrote is read again for half a minute, even if the clock is set back', async () => {
  const clock = manualClock();
  await withRelay({ ...QUICK, clock }, async (relay) => {
    const account = resize(relay, 60, 2);
    await readAll(relay);
    const { id } = at(account.playlists, 0);
    const track_ids = [at(relay.provider.catalogue.tracks, 4_000).uri];
    await relay.call('add_tracks_to_playlist', { playlist_id: id, track_ids });
    await relay.call('save_tracks', { track_ids });
    clock.setWall(clock.now() - 24 * 3_600_000);
    const requests: number[] = [];
    for (let question = 0; question < 3; question++) {
      requests.push((await counted(relay, 'select 1', 10_000)).requests);
      clock.advance(40_000);
    }
    assert.deepEqual(requests, [2, 2, 0]);
    await assertExact(relay);
  });
});

longTest('a check by sync that fails is tried again at the time that the status names', async () => {
  const clock = manualClock();
  const waits = waitCounter();
  await withRelay({ ...QUICK, clock, log: waits.log }, async (relay) => {
    const account = resize(relay, 60, 2);
    await readAll(relay);
    account.saved.splice(3, 1);
    relay.provider.faults.add({ path: '/me/tracks', kind: 'quota', retryAfterSeconds: 600 });
    await relay.server.local.syncLibrary();
    const status = () => relay.server.local.libraryStatus();
    await until(async () => (await status()).state === 'waiting');
    const { until: end } = await status();
    const isOver = () => clock.now() >= Date.parse(end ?? '');
    while (!isOver()) {
      const seen = waits.count();
      clock.advance(60_000);
      await until(() => waits.count() > seen || isOver());
    }
    await until(async () => (await status()).state === 'idle');
    assert.equal((await status()).saved, 59);
  });
});

longTest('a wait ends once a question has read what was missing', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 60, 4);
    await readAll(relay);
    at(account.playlists, 2).version += 1;
    const path = `/playlists/${at(account.playlists, 2).id}`;
    relay.provider.faults.add({ path, kind: 'status', status: 502, times: 6 });
    const status = () => relay.server.local.libraryStatus();
    await ask(relay, 'select 1', { max_age_minutes: 0 });
    await relay.server.local.syncLibrary();
    await until(async () => (await status()).state === 'waiting');
    relay.provider.faults.clear();
    assert.equal((await ask(relay, 'select 1', { max_age_minutes: 0 })).note, undefined);
    assert.equal((await status()).until, null);
    await until(async () => (await status()).state === 'idle');
  }),
);

longTest('a playlist that could not be read is tried again by the next question, and by sync', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 60, 4);
    for (const again of ['ask', 'sync'] as const) {
      await relay.server.local.forgetLibrary({ part: 'mirror' });
      // A read that fails is sent three times.
      relay.provider.faults.add({
        path: `/playlists/${at(account.playlists, 2).id}`,
        kind: 'status',
        status: 502,
        times: 3,
      });
      const { note, coverage } = await ask(relay, 'select count(*) from playlist_rows');
      assert.match(note ?? '', /It waits until \S+ \(PROVIDER_UNAVAILABLE\)\./);
      assert.ok(coverage.playlists.read < 4);
      if (again === 'sync') {
        await relay.server.local.syncLibrary();
        await until(async () => (await relay.server.local.libraryStatus()).state === 'idle');
        relay.provider.clearRequests();
      }
      const { rows, note: none } = await ask(relay, 'select count(*) from playlist_rows');
      assert.deepEqual([none, rows], [undefined, [[120]]]);
      if (again === 'sync') assert.deepEqual(relay.provider.requests, []);
    }
  }),
);

longTest('a playlist that changes again and again while it is read keeps no other from being read', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 60, 4);
    const busy = at(account.playlists, 0);
    const rows = rowsFrom(relay, 0, 150).map(({ uri }) => uri);
    relay.provider.editPlaylist(busy.id, rows);
    let edits = 0;
    const fn = () => void relay.provider.editPlaylist(busy.id, rows.slice(++edits));
    const path = `/playlists/${busy.id}/items`;
    relay.provider.faults.add({ path, kind: 'hook', fn, times: Number.POSITIVE_INFINITY });
    const { coverage, note } = await ask(relay, 'select count(*) from playlist_rows');
    assert.deepEqual([coverage.playlists.read, coverage.playlists.total, edits], [3, 4, 3]);
    assert.match(note ?? '', /It waits until \S+ \(PROVIDER_UNAVAILABLE\)\./);

    relay.provider.faults.clear();
    await counted(relay, 'select 1');
    await assertExact(relay);
  }),
);

longTest('a playlist that changes once while it is read is read again at once', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 60, 4);
    const busy = at(account.playlists, 0);
    const rows = rowsFrom(relay, 0, 150).map(({ uri }) => uri);
    relay.provider.editPlaylist(busy.id, rows);
    const fn = () => void relay.provider.editPlaylist(busy.id, rows.slice(1));
    relay.provider.faults.add({ path: `/playlists/${busy.id}/items`, kind: 'hook', fn });
    const { note } = await ask(relay, 'select count(*) from playlist_rows');
    assert.equal(note, undefined);
    await assertExact(relay);
  }),
);

longTest('a login that ends only delays the reading: after the next login it continues where it was', () =>
  withRelay(QUICK, async (relay) => {
    resize(relay, 400, 4);
    relay.provider.faults.add({
      path: '/me/tracks',
      skip: 3,
      kind: 'hook',
      fn: () => {
        relay.provider.expireAccessTokens();
        relay.provider.revokeRefreshTokens();
      },
    });
    const early = await ask(relay, 'select count(*) from saved');
    assert.deepEqual(early.rows, [[150]]);
    assert.match(early.note ?? '', /It waits \(LOGIN_REQUIRED\)\./);
    assert.equal((await ask(relay, 'select 1')).error?.code, 'LOGIN_REQUIRED');
    const { state, reason } = await relay.server.local.libraryStatus();
    assert.deepEqual([state, reason], ['waiting', 'LOGIN_REQUIRED']);

    relay.provider.clearRequests();
    await connectAccount(relay.baseUrl);
    await readAll(relay);
    const pages = relay.provider.requests.filter(({ path }) => path === '/me/tracks');
    assert.deepEqual(
      pages.map(({ query }) => Number(query.offset)),
      [150, 200, 250, 300, 350],
    );
    await assertExact(relay);

    // What was read before stays known without a login, and the note says so.
    relay.provider.expireAccessTokens();
    relay.provider.revokeRefreshTokens();
    const { answer: last } = await counted(relay, 'select count(*) from saved');
    assert.match(last.note ?? '', /LOGIN_REQUIRED|No Spotify account is connected/);
    const { note, rows } = await ask(relay, 'select count(*) from saved');
    assert.match(note ?? '', /^No Spotify account is connected, so this is what was known before\./);
    assert.deepEqual([last.rows, rows], [[[400]], [[400]]]);
  }),
);

longTest('a check that fails gives the old answer with its old time and a note', () =>
  withRelay(QUICK, async (relay) => {
    resize(relay, 60, 2);
    const { as_of } = await readAll(relay);
    relay.provider.faults.add({
      path: '/me/playlists',
      kind: 'status',
      status: 500,
      times: Number.POSITIVE_INFINITY,
    });
    const { answer } = await counted(relay, 'select count(*) from saved');
    assert.deepEqual([answer.rows, answer.as_of], [[[60]], as_of]);
    assert.match(
      answer.note ?? '',
      /^Spotify could not be asked \(PROVIDER_UNAVAILABLE\): this is what was known before\./,
    );
  }),
);

longTest(
  'what was read is on the disk before the next request: a kill at any moment costs a page at most',
  () =>
    withRelay(QUICK, async (relay) => {
      resize(relay, 260, 3);
      const stored: number[] = [];
      relay.provider.faults.add({
        path: '/me/tracks',
        kind: 'hook',
        times: Number.POSITIVE_INFINITY,
        fn: async () => {
          stored.push((await copyOf(relay)).saved.length);
        },
      });
      await readAll(relay);
      assert.deepEqual(stored, [0, 50, 100, 150, 200, 250]);
    }),
);
