/** What a rule reads: sources that cannot be read whole, rows under another ID, and rows without an item. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '../../library/queries.ts';
import { run } from '../../support/cli.ts';
import { at, owner } from '../../support/entries.ts';
import { jumpingClock } from '../../support/jumpingClock.ts';
import { savedUris } from '../../support/playlists.ts';
import type { Relay } from '../../support/world.ts';
import { asked, edit, LIST_0, rowsOf, save, spare, writes } from './account.ts';
import { act, keep, SAVED, withAccount } from './keptPlaylists.ts';

const OF_LIST_0 = `SELECT uri FROM playlist_rows WHERE playlist_id = '${LIST_0}' ORDER BY position`;

function refuseList(relay: Relay, status: number): void {
  relay.provider.faults.add({
    path: new RegExp(`^/playlists/${LIST_0}`),
    method: 'GET',
    times: Number.POSITIVE_INFINITY,
    kind: 'status',
    status,
  });
}

test('if Spotify refuses a list that it gave before, runs wait, whatever they read; accept lets one run do without', async () => {
  await withAccount({ saved: 12 }, async (relay) => {
    const { keep: made } = await keep(relay, { name: 'Copy', sql: OF_LIST_0 });
    const { keep: other } = await keep(relay, { name: 'Saved' });
    const before = rowsOf(relay, made.playlist_id);
    edit(relay, LIST_0, (uris) => [...uris.slice(2), ...spare(relay, 1, 1)]);
    save(relay, spare(relay, 5, 1));
    refuseList(relay, 404);
    relay.provider.clearRequests();
    for (const { id } of [made, other]) {
      const { keep: waiting } = await act(relay, id, 'run');
      assert.equal(waiting.status, 'review');
      assert.match(waiting.reason ?? '', /^Spotify does not give the rows of "List 0" now\./);
    }
    assert.deepEqual([rowsOf(relay, made.playlist_id), writes(relay)], [before, []]);
    assert.equal((await act(relay, other.id, 'accept')).keep.last_result, '1 added');
    assert.equal((await act(relay, other.id, 'run')).keep.status, 'review', 'one run was accepted');
    relay.provider.faults.clear();
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'active', 'the cause has passed');
    assert.deepEqual(rowsOf(relay, made.playlist_id), rowsOf(relay, LIST_0));
  });
});

/** From now on, pages of a list lack their last rows, but their total counts these. */
function shorten(relay: Relay, path: string | RegExp): void {
  const cut = (page: unknown): unknown => {
    const { items } = page as { items?: unknown };
    return Array.isArray(items) ? { ...(page as object), items: items.slice(0, 20) } : page;
  };
  const fn = (body: unknown) => {
    const { items, ...facts } = body as { items?: unknown };
    return Array.isArray(items) ? cut(body) : { ...facts, items: cut(items ?? {}) };
  };
  relay.provider.faults.add({ path, method: 'GET', times: Infinity, kind: 'transform', fn });
}

test('if the pages of a list give fewer rows than it has, no run writes, and the copy keeps the rows', async () => {
  await withAccount({ saved: 12 }, async (relay) => {
    const { keep: made } = await keep(relay, { name: 'Copy', sql: OF_LIST_0 });
    const before = rowsOf(relay, made.playlist_id);
    edit(relay, LIST_0, (uris) => [...uris, ...spare(relay, 1, 1)]);
    shorten(relay, new RegExp(`^/playlists/${LIST_0}`));
    relay.provider.clearRequests();
    const { keep: held } = await act(relay, made.id, 'run');
    assert.equal(held.status, 'review');
    assert.match(held.reason ?? '', /^Spotify gives only a part of the rows of "List 0" now\./);
    assert.deepEqual([rowsOf(relay, made.playlist_id), writes(relay)], [before, []]);
    const { coverage, rows } = await ask(
      relay,
      `SELECT count(*) FROM playlist_rows WHERE playlist_id = '${LIST_0}'`,
    );
    assert.deepEqual([rows, coverage.playlists], [[[30]], { read: 1, total: 2, unreadable: 0 }]);
    relay.provider.faults.clear();
    assert.equal((await act(relay, made.id, 'run')).keep.last_result, '1 added');
    assert.deepEqual(rowsOf(relay, made.playlist_id), rowsOf(relay, LIST_0));
  });
});

test('if the saved tracks are given in part, no run writes', async () => {
  await withAccount({ saved: 12 }, async (relay) => {
    const { keep: made } = await keep(relay, { name: 'Saved' });
    const before = rowsOf(relay, made.playlist_id);
    const fn = (body: unknown) => ({ ...(body as object), items: [] });
    relay.provider.faults.add({ path: '/me/tracks', times: Infinity, kind: 'transform', fn });
    relay.provider.clearRequests();
    const { keep: held } = await act(relay, made.id, 'run');
    assert.equal(held.status, 'review');
    assert.match(held.reason ?? '', /^Spotify gives only a part of the rows of "Liked Songs" now\./);
    assert.deepEqual([rowsOf(relay, made.playlist_id), writes(relay)], [before, []]);
    relay.provider.faults.clear();
    save(relay, spare(relay, 1, 1));
    assert.equal((await act(relay, made.id, 'run')).keep.last_result, '1 added');
  });
});

test('a playlist that has left the library counts by what the query loses', async () => {
  await withAccount({ saved: 12, playlists: 2 }, async (relay) => {
    const account = owner(relay.provider);
    const few = `SELECT uri FROM saved UNION ALL SELECT uri FROM playlist_rows WHERE playlist_id = '${LIST_0}' AND position < 2`;
    const { keep: small } = await keep(relay, { name: 'Few', sql: few });
    const { keep: whole } = await keep(relay, { name: 'Whole', sql: OF_LIST_0 });
    account.playlists = account.playlists.filter(({ id }) => id !== LIST_0);
    assert.equal((await act(relay, small.id, 'run')).keep.last_result, '2 removed');
    const { keep: held } = await act(relay, whole.id, 'run');
    assert.deepEqual(
      [held.status, held.reason],
      ['review', 'The query finds nothing now, and the playlist has 30 rows.'],
    );
  });
});

/**
 * From now on, reads of playlists show a track under another ID, as Spotify does in another country.
 * @param number of the other ID
 */
function relink(relay: Relay, uri: string, number = 0): void {
  const id = uri.slice('spotify:track:'.length);
  const other = at(spare(relay, 90 + number, 1), 0).slice('spotify:track:'.length);
  const fn = (body: unknown) => JSON.parse(JSON.stringify(body).replaceAll(id, other)) as unknown;
  relay.provider.faults.add({
    path: /^\/playlists\//,
    method: 'GET',
    times: Infinity,
    kind: 'transform',
    fn,
  });
}

test('a dry run says that the run would wait for the first reading', async () => {
  const env = { RELAY_ACCESS: 'everything', RELAY_LIBRARY_REQUESTS_PER_DAY: '3' };
  await withAccount({ saved: 500, playlists: 2, env }, async (relay) => {
    for (const target of [{ name: 'New' }, { playlist_id: LIST_0 }]) {
      const { keep: dry, preview } = await keep(relay, { ...target, dry_run: true });
      assert.deepEqual([dry.status, dry.id, dry.next_run_at, preview.total], ['waiting', null, null, 100]);
      assert.match(dry.reason ?? '', /^The first reading is not over: 3 of about 13 requests\./);
    }
    const told = await run(relay, ['keep', 'add', 'New', SAVED, '--dry-run']);
    assert.match(told.out, /^The first run would wait: The first reading is not over/);
    assert.equal((await keep(relay, { name: 'New' })).keep.status, 'waiting');
  });
});

test('a dry run and the first run agree about a source that cannot be read, and about a song under another ID', async () => {
  await withAccount({ saved: 12 }, async (relay) => {
    await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
    edit(relay, LIST_0, (uris) => uris.slice(1));
    refuseList(relay, 403);
    const asked = { name: 'Copy', sql: OF_LIST_0 };
    const { keep: dry, preview } = await keep(relay, { ...asked, dry_run: true });
    const real = await keep(relay, asked);
    assert.equal(real.keep.status, 'review');
    assert.deepEqual([dry.status, dry.reason, preview], ['review', real.keep.reason, real.preview]);
  });
  await withAccount({ saved: 12 }, async (relay) => {
    edit(relay, LIST_0, () => savedUris(relay));
    relink(relay, at(savedUris(relay), 0));
    const { preview } = await keep(relay, { playlist_id: LIST_0, dry_run: true });
    const real = await keep(relay, { playlist_id: LIST_0 });
    assert.equal(real.keep.last_result, 'nothing to change');
    assert.deepEqual(preview, real.preview);
  });
});

test('songs of the listening history that a list shows under other IDs are no edit, and are looked up once', () =>
  withAccount({ saved: 3, clock: jumpingClock() }, async (relay) => {
    const uris = spare(relay, 0, 20);
    for (const [index, uri] of uris.slice(0, 12).entries()) relink(relay, uri, index);
    const sql = `VALUES ${uris.map((uri) => `('${uri}')`).join(', ')}`;
    const { keep: made } = await keep(relay, { name: 'Most played', sql });
    assert.equal(made.last_result, '20 added');
    for (const lookups of [12, 0]) {
      relay.provider.clearRequests();
      const { keep: again } = await act(relay, made.id, 'run');
      assert.deepEqual([again.status, again.last_result], ['active', 'nothing to change']);
      assert.equal(asked(relay).filter(({ path }) => path.startsWith('/tracks/')).length, lookups);
    }
    assert.deepEqual(rowsOf(relay, made.playlist_id), uris);
  }));

test('a song that is shown under another ID does not count as an edit, and stays where it is', async () => {
  await withAccount({ saved: 12, clock: jumpingClock() }, async (relay) => {
    const { keep: made } = await keep(relay, { name: 'Linked' });
    const first = at(savedUris(relay), 0);
    relink(relay, first);
    save(relay, spare(relay, 60, 1));
    relay.provider.clearRequests();
    assert.equal((await act(relay, made.id, 'run')).keep.last_result, '1 added');
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    assert.equal(writes(relay).length, 1);
    relay.provider.clearRequests();
    assert.equal((await act(relay, made.id, 'run')).keep.last_result, 'nothing to change');
    assert.deepEqual(writes(relay), []);
    // The song is removed by the ID with which it was added.
    owner(relay.provider).saved = owner(relay.provider).saved.filter(({ uri }) => uri !== first);
    const { keep: left } = await act(relay, made.id, 'run');
    assert.equal(left.last_result, '1 removed', left.reason);
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'active');
  });
});

test('a row without an item is no song that the query wants, and goes only if a person accepts it', async () => {
  await withAccount({ saved: 12 }, async (relay) => {
    const list = at(owner(relay.provider).playlists, 0);
    list.rows = savedUris(relay).map((uri, index) => ({
      uri: index === 0 ? at(spare(relay, 70, 1), 0) : uri,
      addedAt: '2026-10-01T00:00:00Z',
      addedBy: null,
      ...(index === 0 ? { unavailable: true } : {}),
    }));
    list.version += 1;
    const before = rowsOf(relay, LIST_0);
    const { keep: made } = await keep(relay, { playlist_id: LIST_0 });
    assert.equal(made.status, 'review');
    assert.deepEqual([rowsOf(relay, LIST_0), writes(relay)], [before, []]);
    assert.equal((await act(relay, made.id, 'accept')).keep.status, 'active');
    assert.deepEqual(rowsOf(relay, LIST_0), savedUris(relay));
  });
});
