/** Versions of playlists: shown and brought back. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { run } from '../support/cli.ts';
import { assertNone, at, owner, pluck } from '../support/entries.ts';
import { named, urisOf } from '../support/playlists.ts';
import { withRelay } from '../support/world.ts';
import { resize, rowsFrom } from './accounts.ts';
import { edit, ID, LOCAL, list, restore, rowAt, uris, WITH_ALL } from './playlistVersions.ts';
import { readAll } from './queries.ts';

test('a version comes back row for row: repeats, order and episodes', () =>
  withRelay(WITH_ALL, async (relay) => {
    resize(relay, 0, 1);
    const episode = at(relay.provider.catalogue.episodes, 0);
    edit(relay, (rows) => [
      ...rows,
      at(rows, 3),
      { uri: episode.uri, addedAt: '2026-10-01T00:00:00Z', addedBy: null },
      at(rows, 0),
    ]);
    const then = uris(relay);
    await readAll(relay);
    edit(relay, (rows) => [rowAt(relay, 700), ...rows.slice(5).toReversed(), rowAt(relay, 701)]);
    const now = uris(relay);
    await list(relay);
    const { playlist_id, ...plan } = await restore(relay, 1);
    assert.equal(playlist_id, ID);
    assert.deepEqual([plan.added_count, plan.removed_count, plan.unsupported], [5, 2, []]);
    assert.ok(plan.moved_count > 0);
    assert.deepEqual(uris(relay), now, 'a dry run writes nothing');

    const done = await restore(relay, 1, { dry_run: false });
    assert.equal(done.error, undefined);
    assert.deepEqual(uris(relay), then);
    assert.match((await restore(relay, 1, { dry_run: false })).note ?? '', /Nothing changed/);
    const undone = await relay.call('undo_change', { change_id: done.change_id });
    assert.equal(undone.error, undefined);
    assert.deepEqual(uris(relay), now);
  }));

test('rows that cannot be restored are named, and nothing is written unless they are to be left out', () =>
  withRelay(WITH_ALL, async (relay) => {
    resize(relay, 0, 1);
    const gone = rowAt(relay, 3_000);
    const local = { uri: LOCAL, addedAt: '2026-10-01T00:00:00Z', addedBy: null };
    edit(relay, (rows) => [...rows.slice(0, 4), local, gone]);
    await readAll(relay);
    edit(relay, (rows) => rows.slice(1, 4));
    relay.provider.faults.add({
      path: `/tracks/${gone.uri.split(':').at(-1)}`,
      times: Number.POSITIVE_INFINITY,
      kind: 'status',
      status: 404,
    });
    await list(relay);
    const now = uris(relay);
    const plan = await restore(relay, 1);
    assert.deepEqual(
      plan.unsupported.map(({ position, reason }) => [position, reason]),
      [
        [4, 'local'],
        [5, 'gone'],
      ],
    );
    assert.deepEqual([plan.added_count, plan.removed_count, plan.moved_count], [1, 0, 0]);
    relay.provider.clearRequests();
    const refused = await restore(relay, 1, { dry_run: false });
    assert.equal(refused.error?.code, 'UNSUPPORTED_ITEMS');
    assert.equal(refused.error?.details?.unsupported?.length, 2);
    // A new playlist cannot have these rows either, so the remedy does not offer one.
    const asNew = await restore(relay, 1, { dry_run: false, name: 'New' });
    for (const { error } of [refused, asNew])
      assert.equal(error?.remedy, 'To bring back the others, pass skip_unsupported=true.');
    assertNone(relay.provider.requests, ({ method }) => method !== 'GET');
    assert.deepEqual(uris(relay), now);
    const rest = await run(relay, ['playlists', 'restore', ID, '--at', '1', '--skip-unsupported']);
    assert.deepEqual(
      [rest.code, rest.out],
      [0, 'Restored "List 0" to version 1, without 2 songs that cannot be restored.\n'],
    );
    assert.deepEqual(uris(relay), pluck(rowsFrom(relay, 0, 4), 'uri'));
    const again = await restore(relay, 1, { dry_run: false, skip_unsupported: true });
    assert.equal(
      again.note,
      'Nothing changed: apart from rows that cannot be restored, the playlist is as it was then.',
    );
  }));

test('a restore leaves a local file where it is, and is refused if it would remove one that was added since', () =>
  withRelay(WITH_ALL, async (relay) => {
    resize(relay, 0, 1);
    const local = { uri: LOCAL, addedAt: '2026-10-01T00:00:00Z', addedBy: null };
    edit(relay, (rows) => [...rows.slice(0, 3), local, ...rows.slice(3, 6)]);
    const then = uris(relay);
    await readAll(relay);
    edit(relay, (rows) => [...rows, { ...local, uri: `${LOCAL}9` }]);
    for (const skips of [false, true]) {
      const refused = await restore(relay, 1, { dry_run: false, skip_unsupported: skips });
      assert.equal(refused.error?.code, 'UNSUPPORTED_ITEMS');
      assert.match(refused.error?.remedy ?? '', /Remove them in Spotify first, or pass name/);
      assert.doesNotMatch(refused.error?.remedy ?? '', /skip_unsupported/);
    }
    assert.equal(uris(relay).length, then.length + 1);
    edit(relay, (rows) => [...rows.slice(1, -1), rowAt(relay, 800)]);
    assert.equal((await restore(relay, 1, { dry_run: false })).error, undefined);
    assert.deepEqual(uris(relay), then);
  }));

test('a restore is refused if it would remove a row that Spotify names no more and nobody could bring back', () =>
  withRelay(WITH_ALL, async (relay) => {
    resize(relay, 0, 1);
    await readAll(relay);
    edit(relay, (rows) => [...rows.slice(2), { ...rowAt(relay, 800), unavailable: true }]);
    const then = uris(relay);
    const planned = await restore(relay, 1, {});
    assert.deepEqual(planned.unsupported, [{ position: 28, uri: null, name: null, reason: 'gone' }]);
    for (const skips of [false, true]) {
      const refused = await restore(relay, 1, { dry_run: false, skip_unsupported: skips });
      assert.equal(refused.error?.code, 'UNSUPPORTED_ITEMS');
      assert.match(refused.error?.message ?? '', /: row 29\. Nothing was changed\.$/);
      assert.match(refused.error?.remedy ?? '', /Remove them in Spotify first, or pass name/);
    }
    assert.deepEqual(uris(relay), then);
  }));

test('relay playlists lists the versions of a playlist, shows one and restores it', () =>
  withRelay(WITH_ALL, async (relay) => {
    resize(relay, 0, 1);
    const then = uris(relay);
    await readAll(relay);
    edit(relay, (rows) => rows.slice(0, 10));
    const listed = await run(relay, ['playlists', 'versions', 'list 0', '--json']);
    assert.deepEqual([listed.code, JSON.parse(listed.out).items.length], [0, 2]);
    const table = await run(relay, ['playlists', 'versions', 'List 0']);
    assert.match(table.out, /^VERSION +SEEN +SONGS +ADDED +REMOVED\n +2 +just now +10 +\+0 +-20\n +1 .*\n$/);
    const shown = await run(relay, ['playlists', 'show', ID, '--at', '1', '--json']);
    assert.deepEqual(
      JSON.parse(shown.out).items.map((item: { uri: string; position: number }) => [item.position, item.uri]),
      then.map((uri, position) => [position, uri]),
    );
    assert.equal((await run(relay, ['playlists', 'show', ID, '--at', 'today', '--json'])).code, 0);
    const unread = await run(relay, ['playlists', 'show', ID, '--at', 'soonish']);
    assert.deepEqual([unread.code, unread.out], [2, '']);
    const early = await run(relay, ['playlists', 'restore', ID, '--at', '3 days ago', '--json']);
    assert.equal(early.code, 1);
    assert.equal(JSON.parse(early.err).error.code, 'NOT_FOUND');
    const dry = await run(relay, ['playlists', 'restore', ID, '--at', '1', '--dry-run', '--json']);
    const { added_count, removed_count, moved_count, unsupported } = JSON.parse(dry.out);
    assert.deepEqual([added_count, removed_count, moved_count, unsupported], [20, 0, 0, []]);
    assert.equal(uris(relay).length, 10);
    const done = await run(relay, ['playlists', 'restore', ID, '--at', '1']);
    assert.deepEqual([done.code, done.out], [0, 'Restored "List 0" to version 1.\n']);
    assert.deepEqual(uris(relay), then);
    const { items } = JSON.parse((await run(relay, ['history', '--json'])).out);
    assert.deepEqual(pluck(items, 'who'), ['you, in the terminal']);
    assert.equal((await run(relay, ['undo'])).code, 0);
    assert.equal(uris(relay).length, 10);
  }));

test('a restore is refused if the playlist has changed while the question was open', () =>
  withRelay(WITH_ALL, async (relay) => {
    resize(relay, 0, 1);
    const then = uris(relay);
    await readAll(relay);
    for (const [first, question] of [
      [rowAt(relay, 900), /: 0 songs added, 1 removed, 0 moved\.\nRestore\? \[y\/N\] $/],
      [null, /: 1 song added, 0 removed, 0 moved\.\n$/],
    ] as const) {
      edit(relay, () => [...rowsFrom(relay, 0, first ? 30 : 29), ...(first ? [first] : [])]);
      let asked = false;
      const stdin = new PassThrough();
      const onErr = (err: string) => {
        if (asked || !question.test(err)) return;
        asked = true;
        edit(relay, (rows) => [...rows, ...rowsFrom(relay, 1_000, 300)]);
        stdin.end('y\n');
      };
      const args = ['playlists', 'restore', ID, '--at', '1'];
      const terminal = { stdin: true, stdout: true, stderr: true };
      const done = await run(relay, args, { terminal, stdin, onErr, columns: 200 });
      assert.deepEqual([asked, done.code, done.out], [true, 1, '']);
      assert.match(
        done.err,
        /relay: Restoring would no longer do what was shown, so nothing was changed\.\n/,
      );
      assert.match(
        done.err,
        /\n {2}The playlist, or what Spotify offers, has changed since\. To see what it does now, run the same command again\.\n$/,
      );
      assert.equal(uris(relay).length, (first ? 31 : 29) + 300);
    }
    const yes = await run(relay, ['playlists', 'restore', ID, '--at', '1', '--yes']);
    assert.deepEqual([yes.code, uris(relay)], [0, then]);
  }));

test('a playlist that is gone comes back under a new name only', () =>
  withRelay(WITH_ALL, async (relay) => {
    resize(relay, 0, 2);
    const then = uris(relay);
    await readAll(relay);
    const account = owner(relay.provider);
    account.playlists = account.playlists.slice(1);
    const refused = await run(relay, ['playlists', 'restore', 'List 0', '--at', '1', '--json']);
    assert.equal(JSON.parse(refused.err).error.code, 'NOT_FOUND');
    const made = await run(relay, ['playlists', 'restore', 'List 0', '--at', '1', '--new', 'Back', '--json']);
    assert.equal(made.code, 0, made.err);
    const playlist = named(relay, 'Back');
    assert.deepEqual(urisOf(playlist), then);
    assert.equal(JSON.parse(made.out).playlist_id, playlist.id);
  }));

test('while Spotify does not list the playlists, nothing is restored by a stored name', () =>
  withRelay(WITH_ALL, async (relay) => {
    const account = resize(relay, 0, 1);
    await readAll(relay);
    edit(relay, (rows) => rows.slice(0, 25));
    await list(relay);
    const renamed = at(account.playlists, 0);
    renamed.name = 'Trip';
    renamed.version += 1;
    account.playlists.push({ ...renamed, id: `new${'0'.repeat(19)}`, name: 'List 0', rows: [] });
    const restore = async (given: string) => {
      relay.provider.faults.clear();
      relay.provider.faults.add({ path: '/me/playlists', kind: 'status', status: 500, times: Infinity });
      const { code, err } = await run(relay, ['playlists', 'restore', given, '--at', '1', '--json']);
      return [code === 0 ? 'done' : JSON.parse(err).error.code, renamed.rows.length];
    };
    assert.deepEqual(await restore('List 0'), ['PROVIDER_UNAVAILABLE', 25]);
    assert.deepEqual(await restore(ID), ['done', 30]);
  }));
