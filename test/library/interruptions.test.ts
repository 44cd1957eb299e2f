/** The reading of the library survives failures, limits, restarts and ended logins, and leaves others their turn. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../support/clock.ts';
import { at } from '../support/entries.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { until } from '../support/until.ts';
import { connectAccount, type Relay, withRelay } from '../support/world.ts';
import { copyOf, playlistOf, QUICK, resize, rowsFrom, truthOf } from './accounts.ts';
import { ask, counted, readAll } from './queries.ts';

const FOREVER = { times: Number.POSITIVE_INFINITY };
const COUNT = 'select (select count(*) from saved), (select count(*) from playlist_rows)';

async function untilIdle({ server }: Relay): Promise<void> {
  await until(async () => (await server.local.libraryStatus()).state === 'idle');
}

/** Waits until the rows of `playlists` playlists have been read and nothing is left. */
async function untilRead(relay: Relay, playlists: number): Promise<void> {
  const { local } = relay.server;
  await until(async () => (await local.libraryStatus()).coverage.playlists.read === playlists);
  await untilIdle(relay);
}

/** Times of the requests that read the library. */
function times({ provider }: Relay): number[] {
  return provider.requests.filter(({ method }) => method === 'GET').map((request) => request.at);
}

/** The largest number of requests in any window of `ms`. */
function mostWithin(ms: number, sent: readonly number[]): number {
  return Math.max(...sent.map((from) => sent.filter((one) => one >= from && one < from + ms).length));
}

test('a kill at any moment of the first reading loses at most the list at hand', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 160, 7);
    const long = at(account.playlists, 6);
    relay.provider.editPlaylist(
      long.id,
      rowsFrom(relay, 0, 240).map(({ uri }) => uri),
    );
    const all = 1 + 4 + 7 + 4;
    for (let moment = 0; moment < all; moment += 8) {
      await relay.server.local.forgetLibrary({ part: 'mirror' });
      relay.provider.clearRequests();
      let left: Buffer | null = null;
      const fn = async () => {
        left = await readFile(join(relay.home, 'library.db')).catch(() => null);
      };
      const path = /^\/(me\/|playlists\/)/;
      relay.provider.faults.add({ method: 'GET', path, skip: moment, kind: 'hook', fn });
      await readAll(relay);
      await relay.server.close();
      assert.ok(left, `request ${moment}`);
      await writeFile(join(relay.home, 'library.db'), left);
      relay.provider.clearRequests();
      await relay.restart();
      await untilRead(relay, 7);
      assert.deepEqual(await copyOf(relay), truthOf(relay));
      const lost = moment + relay.provider.requests.length - all;
      assert.ok(lost <= 5, `a kill at request ${moment} costs ${lost} requests`);
    }
  }));

test('the first reading keeps to its budgets, also across a restart', () => {
  const env = {
    RELAY_ACCESS: 'everything',
    RELAY_LIBRARY_REQUESTS_PER_DAY: '10',
    RELAY_LIBRARY_REQUESTS_PER_MINUTE: '4',
  };
  return withRelay({ env, clock: jumpingClock() }, async (relay) => {
    const account = resize(relay, 300, 6);
    // Requests count too if they only find out that the list has changed.
    relay.provider.faults.add({
      path: '/me/tracks',
      skip: 2,
      kind: 'hook',
      fn: () => void account.saved.shift(),
    });
    const early = await ask(relay, 'select count(*) from saved');
    assert.match(early.note ?? '', /^The first reading is not over: \d of about \d+ requests\./);
    await until(() => times(relay).length === 10);
    await relay.restart();
    await untilRead(relay, 6);
    assert.equal(mostWithin(MINUTE, times(relay)), 4);
    assert.equal(mostWithin(DAY, times(relay)), 10);
    assert.deepEqual(await copyOf(relay), truthOf(relay));
  });
});

test('requests of people go first', () =>
  withRelay({ ...QUICK, clock: jumpingClock() }, async (relay) => {
    resize(relay, 300, 2);
    let during = -1;
    const fn = async () => {
      const before = relay.provider.requests.length;
      await relay.server.local.syncLibrary();
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
      during = relay.provider.requests.length - before;
    };
    relay.provider.faults.add({ path: '/search', kind: 'hook', fn });
    await relay.call('search_tracks', { query: 'love' });
    assert.equal(during, 0);
    await untilIdle(relay);
  }));

test('a limit only delays the reading until the time that was told, even if the clock is set back', () => {
  const clock = jumpingClock();
  return withRelay({ ...QUICK, clock }, async (relay) => {
    resize(relay, 200, 6);
    relay.provider.faults.add({ path: '/me/tracks', skip: 2, kind: 'quota', retryAfterSeconds: 7_200 });
    const { rows, note } = await ask(relay, 'select count(*) from saved');
    assert.deepEqual(rows, [[100]]);
    assert.match(note ?? '', /It waits until \S+ \(QUOTA_EXCEEDED\)\./);
    const [sent, begin] = [relay.provider.requests.length, clock.monotonic()];
    clock.shift(-3 * DAY);
    await until(() => relay.provider.requests.length > sent);
    const waited = clock.monotonic() - begin;
    assert.ok(waited > 1.9 * HOUR && waited < 2.1 * HOUR, `${waited} ms`);
    await untilIdle(relay);
    assert.deepEqual(await copyOf(relay), truthOf(relay));
  });
});

test('a playlist that Spotify fails with keeps no other from being read, and is asked a few times only', () =>
  withRelay({ ...QUICK, clock: jumpingClock() }, async (relay) => {
    const account = resize(relay, 60, 20);
    const bad = new RegExp(`^/playlists/(${at(account.playlists, 2).id}|${at(account.playlists, 9).id})`);
    relay.provider.faults.add({ path: bad, ...FOREVER, kind: 'status', status: 502 });
    const { coverage, note } = await ask(relay, COUNT);
    assert.match(note ?? '', /It waits until \S+ \(PROVIDER_UNAVAILABLE\)\./);
    assert.equal(coverage.playlists.total, 20);
    await until(async () => (await relay.server.local.libraryStatus()).coverage.playlists.read === 18);
    const asked = relay.provider.requests.filter(({ path }) => bad.test(path)).length;
    assert.ok(asked <= 15, `${asked} requests for two playlists`);
    relay.provider.faults.clear();
    assert.deepEqual((await counted(relay, COUNT)).answer.rows, [[60, 600]]);
  }));

test('if Spotify fails with every playlist, relay asks for two of them before it waits', () =>
  withRelay({ ...QUICK, clock: jumpingClock() }, async (relay) => {
    const account = resize(relay, 60, 30);
    relay.provider.faults.add({ path: /^\/playlists\//, ...FOREVER, kind: 'status', status: 502 });
    await ask(relay, 'select 1');
    const asked = relay.provider.requests.filter(({ path }) => path.startsWith('/playlists/'));
    // A read that fails is sent three times.
    assert.equal(asked.length, 6);
    relay.provider.faults.clear();
    await untilIdle(relay);
    assert.equal((await copyOf(relay)).rows.length, account.playlists.length * 30);
  }));

test('if the saved tracks never stay as they are, the reading waits longer and longer', () => {
  const clock = jumpingClock();
  return withRelay({ ...QUICK, clock }, async (relay) => {
    resize(relay, 120, 1);
    // Deeper in the list, Spotify tells another total.
    const fn = (body: unknown) => {
      const page = body as { offset: number; total: number };
      return page.offset === 0 ? page : { ...page, total: page.total + 1 };
    };
    relay.provider.faults.add({ path: '/me/tracks', ...FOREVER, kind: 'transform', fn });
    const { note } = await ask(relay, 'select 1');
    assert.match(note ?? '', /It waits until \S+ \(PROVIDER_UNAVAILABLE\)\./);
    const end = clock.monotonic() + 10 * MINUTE;
    await until(() => clock.monotonic() > end);
    const { length } = relay.provider.requests;
    assert.ok(length <= 30, `${length} requests in ten minutes`);
    relay.provider.faults.clear();
    await untilIdle(relay);
    assert.deepEqual(await copyOf(relay), truthOf(relay));
  });
});

test('a check that fails gives the old answer with a note, and the next question tries again at once', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 60, 4);
    const { as_of } = await readAll(relay);
    for (const path of ['/me/playlists', `/playlists/${at(account.playlists, 2).id}`]) {
      at(account.playlists, 2).version += 1;
      relay.provider.faults.add({ path, ...FOREVER, kind: 'status', status: 500 });
      const { answer } = await counted(relay, COUNT);
      assert.deepEqual(answer.rows, [[60, 120]]);
      assert.equal(answer.as_of, as_of);
      assert.match(answer.note ?? '', /^Spotify could not be asked \(PROVIDER_UNAVAILABLE\)/);
      relay.provider.faults.clear();
    }
    assert.equal((await counted(relay, COUNT)).answer.note, undefined);
    const { state, until: end } = await relay.server.local.libraryStatus();
    assert.deepEqual([state, end], ['idle', null]);
  }));

test('a login that ends only delays the reading: after the next login it continues where it was', () =>
  withRelay(QUICK, async (relay) => {
    const account = resize(relay, 400, 4);
    const end = () => {
      relay.provider.expireAccessTokens();
      relay.provider.revokeRefreshTokens();
    };
    relay.provider.faults.add({ path: '/me/tracks', skip: 3, kind: 'hook', fn: end });
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

    // What was read before stays known without a login, and the note says so.
    account.playlists.push(playlistOf(account, 900, rowsFrom(relay, 0, 5)));
    end();
    const { answer } = await counted(relay, 'select count(*) from saved');
    assert.match(answer.note ?? '', /LOGIN_REQUIRED|No Spotify account is connected/);
    const { note, rows } = await ask(relay, 'select count(*) from saved');
    assert.match(note ?? '', /^No Spotify account is connected, so this is what was known before\./);
    assert.deepEqual([answer.rows, rows], [[[400]], [[400]]]);
  }));
