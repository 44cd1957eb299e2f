/** Versions of playlists: kept with each reading that differs, listed, shown and brought back. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { ChangeSummary } from '../../src/domain/change.ts';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { createBrowser } from '../support/browser.ts';
import { run } from '../support/cli.ts';
import { assertNone, at, owner, pluck } from '../support/entries.ts';
import { named, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { minutesAgo, resize, rowsFrom } from './accounts.ts';
import { ask, readAll } from './queries.ts';

interface Versions {
  items: Array<{ version: number; seen_at: string; total: number; added: number; removed: number }>;
  present: boolean;
  error?: { code: string };
}

interface Restored {
  added_count: number;
  removed_count: number;
  moved_count: number;
  unsupported: Array<{ position: number; uri: string | null; reason: string }>;
  change_id?: string;
  playlist_id: string;
  note?: string;
  error?: {
    code: string;
    message: string;
    remedy?: string;
    details?: { unsupported?: unknown[]; change_id?: string };
  };
}

const WITH_SQL = { env: { RELAY_TOOLSETS: 'all' } };
const ID = `list${'0'.repeat(18)}`;
const LOCAL = 'spotify:local:Band:Record:Song:200';

const list = async (relay: Relay) =>
  (await relay.call('list_playlist_versions', { playlist_id: ID })) as unknown as Versions;

const restore = async (relay: Relay, version: number, args: Record<string, unknown> = {}) =>
  (await relay.call('restore_playlist', { playlist_id: ID, version, ...args })) as unknown as Restored;

const uris = (relay: Relay, index = 0) =>
  at(owner(relay.provider).playlists, index).rows.map((row) => (row.unavailable ? null : row.uri));

/** Changes the rows of the playlist, as somebody does in Spotify. */
function edit(
  relay: Relay,
  change: (rows: ReturnType<typeof rowsFrom>) => ReturnType<typeof rowsFrom>,
): void {
  const playlist = at(owner(relay.provider).playlists, 0);
  playlist.rows = change([...playlist.rows]);
  playlist.version += 1;
}

const rowAt = (relay: Relay, index: number) => at(rowsFrom(relay, index, 1), 0);

longTest(
  'each reading that differs is a version, which counts the rows added and removed since the one before',
  () =>
    withRelay(WITH_SQL, async (relay) => {
      resize(relay, 5, 1);
      await readAll(relay);
      edit(relay, (rows) => [...rows.slice(2), rowAt(relay, 900), rowAt(relay, 900)]);
      const { items, present } = await list(relay);
      assert.equal(present, true);
      assert.deepEqual(
        items.map(({ version, total, added, removed }) => [version, total, added, removed]),
        [
          [2, 30, 2, 2],
          [1, 30, 30, 0],
        ],
      );
      // The same rows in the same order, or a new name, make no new version.
      at(owner(relay.provider).playlists, 0).name = 'Renamed';
      edit(relay, (rows) => rows);
      assert.equal((await list(relay)).items.length, 2);
      edit(relay, (rows) => rows.toReversed());
      assert.deepEqual(
        (await list(relay)).items.slice(0, 1).map(({ version, added, removed }) => [version, added, removed]),
        [[3, 0, 0]],
      );
      const asked = await ask(relay, 'select playlist_id, version, total, added, removed from versions');
      assert.deepEqual(asked.rows, [
        [ID, 1, 30, 30, 0],
        [ID, 2, 30, 2, 2],
        [ID, 3, 30, 0, 0],
      ]);
      assert.equal(
        (await relay.call('list_playlist_versions', { playlist_id: 'x'.repeat(22) })).error != null,
        true,
      );
    }),
);

longTest('versions are listed page by page', () =>
  withRelay(WITH_SQL, async (relay) => {
    // With a name this long, few versions fill an answer.
    at(resize(relay, 0, 1).playlists, 0).name = 'x'.repeat(6_000);
    await readAll(relay);
    const { length } = uris(relay);
    for (let version = 2; version <= 20; version++) {
      edit(relay, (rows) => (rows.length === length ? rows.slice(1) : [rowAt(relay, 0), ...rows]));
      await ask(relay, 'select 1', { max_age_minutes: 0 });
    }
    const seen: number[] = [];
    let pages = 0;
    for (let offset: unknown = 0; typeof offset === 'number'; pages++) {
      const page = await relay.call('list_playlist_versions', { playlist_id: ID, offset });
      seen.push(...(page.items as Versions['items']).map(({ version }) => version));
      offset = page.next_offset;
    }
    assert.ok(pages > 1);
    const rising = Array.from({ length: 20 }, (_, index) => index + 1);
    assert.deepEqual(seen, rising.toReversed());
  }),
);

longTest('a version comes back row for row: repeats, order and episodes', () =>
  withRelay(WITH_SQL, async (relay) => {
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
  }),
);

longTest('a restore that only moves rows counts each of them, and so does its undo', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 5, 1);
    await readAll(relay);
    edit(relay, (rows) => [...rows.slice(5), ...rows.slice(0, 5)]);
    await list(relay);
    assert.equal((await restore(relay, 1, { dry_run: false })).error, undefined);
    await relay.call('undo_change');
    const { items } = (await relay.call('list_changes')) as { items: ChangeSummary[] };
    assert.deepEqual(
      items.map(({ kind, requested, written }) => [kind, requested, written]),
      [
        ['undo', 5, 5],
        ['restore', 5, 5],
      ],
    );
  }),
);

test('a restore looks up each song once, also after a dry run', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 0, 1);
    edit(relay, () => rowsFrom(relay, 3_000, 30));
    const then = uris(relay);
    await readAll(relay);
    edit(relay, (rows) => rows.slice(0, 2));
    await list(relay);
    relay.provider.clearRequests();
    assert.equal((await restore(relay, 1)).added_count, 28);
    assert.equal((await restore(relay, 1, { dry_run: false })).added_count, 28);
    assert.deepEqual(uris(relay), then);
    assert.equal(relay.provider.requests.filter(({ path }) => path.startsWith('/tracks/')).length, 28);
  }));

longTest(
  'rows that cannot be restored are named, and nothing is written unless they are to be left out',
  () =>
    withRelay(WITH_SQL, async (relay) => {
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
        assert.equal(error?.remedy, 'Pass skip_unsupported=true to bring back the others.');
      const told = await run(relay, ['playlists', 'restore', ID, '--at', '1', '--new', 'New']);
      assert.match(
        told.err,
        /\n {2}Add --skip-unsupported \(skip_unsupported=true in `relay call`\) to bring back the others\.\n$/,
      );
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
    }),
);

longTest(
  'a restore leaves a local file where it is, and is refused if it would remove one that was added since',
  () =>
    withRelay(WITH_SQL, async (relay) => {
      resize(relay, 0, 1);
      const local = { uri: LOCAL, addedAt: '2026-10-01T00:00:00Z', addedBy: null };
      edit(relay, (rows) => [...rows.slice(0, 3), local, ...rows.slice(3, 6)]);
      const then = uris(relay);
      await readAll(relay);
      edit(relay, (rows) => [...rows, { ...local, uri: `${LOCAL}9` }]);
      for (const skips of [false, true]) {
        const refused = await restore(relay, 1, { dry_run: false, skip_unsupported: skips });
        assert.equal(refused.error?.code, 'UNSUPPORTED_ITEMS');
        assert.match(refused.error?.remedy ?? '', /Pass name for a new playlist, or remove them in Spotify/);
        assert.doesNotMatch(refused.error?.remedy ?? '', /skip_unsupported/);
      }
      assert.equal(uris(relay).length, then.length + 1);
      edit(relay, (rows) => [...rows.slice(1, -1), rowAt(relay, 800)]);
      assert.equal((await restore(relay, 1, { dry_run: false })).error, undefined);
      assert.deepEqual(uris(relay), then);
    }),
);

longTest(
  'a restore is refused if it would remove a row that Spotify names no more and nobody could bring back',
  () =>
    withRelay(WITH_SQL, async (relay) => {
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
        assert.match(refused.error?.remedy ?? '', /Pass name for a new playlist, or remove them in Spotify/);
      }
      assert.deepEqual(uris(relay), then);
    }),
);

longTest(
  'a restore moves local files back to where they were, beside songs that are put back and taken out',
  () =>
    withRelay(WITH_SQL, async (relay) => {
      resize(relay, 0, 1);
      const file = (name: string) => ({ uri: `${LOCAL}${name}`, addedAt: minutesAgo(500), addedBy: null });
      edit(relay, (rows) => [file('A'), ...rows.slice(0, 3), file('B'), ...rows.slice(3, 6), file('A')]);
      const then = uris(relay);
      await readAll(relay);
      const others = [rowAt(relay, 900), ...rowsFrom(relay, 1, 5).reverse()];
      edit(relay, () => [file('B'), ...others, file('A'), file('A')]);
      assert.equal((await restore(relay, 1, { dry_run: false })).error, undefined);
      assert.deepEqual(uris(relay), then);
    }),
);

test('relay playlists lists the versions of a playlist, shows one and restores it', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 0, 1);
    const then = uris(relay);
    await readAll(relay);
    edit(relay, (rows) => rows.slice(0, 10));
    const listed = await run(relay, ['playlists', 'versions', 'list 0', '--json']);
    assert.deepEqual([listed.code, JSON.parse(listed.out).items.length], [0, 2]);
    const table = await run(relay, ['playlists', 'versions', 'List 0']);
    assert.match(
      table.out,
      /^VERSION +SEEN +SONGS +ADDED +REMOVED\n2 +\d{4}-\d\d-\d\d \d\d:\d\d +10 +\+0 +-20\n1 .*\n$/,
    );
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
    assert.deepEqual(pluck(items, 'who'), ['relay playlists restore']);
    assert.equal((await run(relay, ['undo'])).code, 0);
    assert.equal(uris(relay).length, 10);
  }));

longTest('a restore is refused if the playlist has changed while the question was open', () =>
  withRelay(WITH_SQL, async (relay) => {
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
  }),
);

longTest('a playlist that is gone comes back under a new name only', () =>
  withRelay(WITH_SQL, async (relay) => {
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
  }),
);

longTest('a restore that stops part-way brings back the rest when the same call is sent again', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 0, 2);
    edit(relay, () => rowsFrom(relay, 0, 250));
    await readAll(relay);
    const before = uris(relay);
    edit(relay, (rows) => rows.slice(0, 50));
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, kind: 'status', status: 403 });
    const { error } = await restore(relay, 1, { dry_run: false });
    assert.match(error?.message ?? '', /^100 of 200 written/);
    assert.equal(error?.remedy, 'Send the same call again when the cause is fixed: it does the rest.');
    assert.equal((await restore(relay, 1, { dry_run: false })).added_count, 100);
    assert.deepEqual(uris(relay), before);
  }),
);

longTest('a restore under a new name that stops part-way says how to get all rows once', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 0, 2);
    edit(relay, () => rowsFrom(relay, 0, 150));
    await readAll(relay);
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, kind: 'status', status: 403 });
    const args = { dry_run: false, name: 'Back' };
    const { error } = await restore(relay, 1, args);
    assert.match(error?.message ?? '', /^100 of 150 written/);
    const change_id = error?.details?.change_id ?? '';
    assert.equal(
      error?.remedy,
      `undo_change with change_id ${change_id}, or \`relay undo ${change_id.slice(0, 8)}\`, takes the new playlist away. Then send the same call again when the cause is fixed.`,
    );
    await relay.call('undo_change', { change_id });
    await restore(relay, 1, args);
    const made = owner(relay.provider).playlists.filter(({ name }) => name === 'Back');
    assert.deepEqual(made.map(urisOf), [uris(relay)]);
  }),
);

test('versions survive a restart and a logout; relay library forget --versions deletes them', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 0, 2);
    await readAll(relay);
    edit(relay, (rows) => rows.slice(1));
    await list(relay);
    await relay.restart();
    assert.equal((await list(relay)).items.length, 2);
    assert.equal((await run(relay, ['logout'])).code, 0);
    const sql = `SELECT version, total FROM versions WHERE playlist_id = '${ID}' ORDER BY version`;
    const told = await run(relay, ['library', 'ask', sql, '--json']);
    const rows = [
      [1, 30],
      [2, 29],
    ];
    assert.deepEqual([told.code, JSON.parse(told.out || '{}').rows], [0, rows]);
    assert.deepEqual((await ask(relay, 'SELECT count(*) FROM version_items')).rows, [[37]]);
    assert.deepEqual(await tableSizes(relay), [3, 3]);
    assert.equal((await list(relay)).items.length, 2);
    const { name } = at(relay.provider.catalogue.tracks, 3);
    const bytes = () => readFile(join(relay.home, 'memory.db'));
    assert.equal((await bytes()).includes(name), true);
    assert.equal((await run(relay, ['library', 'forget', '--versions'])).code, 0);
    assert.deepEqual(await tableSizes(relay), [0, 0]);
    assert.equal((await bytes()).includes(name), false, 'nothing of them is left in the file');
  }));

test('after a switch of the account, a playlist of the former account is not called one that has left the library', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 0, 1);
    await readAll(relay);
    relay.provider.loginAs(1);
    const { browserUrl } = await relay.server.local.startLogin({ switchAccount: true });
    assert.equal((await createBrowser().open(browserUrl)).status, 200);
    const listed = await run(relay, ['playlists', 'versions', 'List 0']);
    const gone = 'is not in the library of the connected account.';
    assert.deepEqual([listed.code, listed.err], [0, `"List 0" ${gone}\n`]);
    const restored = await run(relay, ['playlists', 'restore', 'List 0', '--at', '1', '--yes']);
    assert.match(restored.err, new RegExp(`^relay: The playlist "List 0" ${gone}\n  Add --new NAME`));
  }));

longTest(
  'if a reading was cut off after its version was saved, the next reading makes no second version',
  () =>
    withRelay(WITH_SQL, async (relay) => {
      resize(relay, 0, 1);
      await readAll(relay);
      // This is how a kill between the two saves leaves the home: the copy is gone, and the version is there.
      assert.equal((await run(relay, ['library', 'forget'])).code, 0);
      await readAll(relay);
      assert.deepEqual((await list(relay)).items.length, 1);
    }),
);

longTest(
  'after a rename a playlist has its versions under its new name, and the old name means the playlist that has it now',
  () =>
    withRelay(WITH_SQL, async (relay) => {
      const account = resize(relay, 0, 1);
      await readAll(relay);
      const [renamed] = account.playlists;
      assert.ok(renamed);
      renamed.name = 'Trip';
      renamed.version += 1;
      account.playlists.push({ ...renamed, id: `new${'0'.repeat(19)}`, name: 'List 0', rows: [] });
      const versionsOf = async (name: string) => {
        const { out, err } = await run(relay, ['playlists', 'versions', name, '--json']);
        const { playlist_id, name: shown, items, error } = JSON.parse(out || err);
        return error?.code ?? [playlist_id, shown, items.length];
      };
      assert.deepEqual(await versionsOf('List 0'), [`new${'0'.repeat(19)}`, 'List 0', 1]);
      assert.deepEqual(await versionsOf('Trip'), [ID, 'Trip', 1]);
      // Its last name is known even if nobody asked for its versions under that name.
      renamed.name = 'Voyage';
      renamed.version += 1;
      await ask(relay, 'SELECT 1', { max_age_minutes: 0 });
      account.playlists.shift();
      assert.deepEqual(await versionsOf('Voyage'), [ID, 'Voyage', 1]);
      assert.equal(await versionsOf('Trip'), 'NOT_FOUND');
      // Spotify cannot be asked, so only the names of the versions are known.
      relay.provider.faults.add({ path: '/me/playlists', kind: 'status', status: 500, times: Infinity });
      assert.deepEqual(await versionsOf('Voyage'), [ID, 'Voyage', 1]);
    }),
);

longTest('the name of a playlist may look like an ID; a link that cannot be read is reported as a link', () =>
  withRelay(WITH_SQL, async (relay) => {
    const account = resize(relay, 0, 1);
    const name = 'abcdefghijklmnopqrstuv';
    at(account.playlists, 0).name = name;
    await readAll(relay);
    const { out } = await run(relay, ['playlists', 'versions', name, '--json']);
    assert.equal(JSON.parse(out).playlist_id, ID);
    const { err } = await run(relay, ['playlists', 'versions', 'https://spotify.link/abc', '--json']);
    assert.equal(JSON.parse(err).error.code, 'INVALID_ARGUMENT');
  }),
);

longTest('the name of a playlist may begin as a link does', () =>
  withRelay(WITH_SQL, async (relay) => {
    at(resize(relay, 0, 1).playlists, 0).name = 'Spotify: the best';
    await readAll(relay);
    const { out, err } = await run(relay, ['playlists', 'versions', 'Spotify: the best', '--json']);
    assert.equal(JSON.parse(out || err).playlist_id, ID);
    const other = await run(relay, ['playlists', 'versions', 'Spotify: the worst', '--json']);
    assert.equal(JSON.parse(other.err).error.code, 'INVALID_ARGUMENT');
  }),
);

longTest('while Spotify does not list the playlists, nothing is restored by a stored name', () =>
  withRelay(WITH_SQL, async (relay) => {
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
  }),
);

longTest('a playlist that got an earlier name back is found by that name once the playlist is gone', () =>
  withRelay(WITH_SQL, async (relay) => {
    const account = resize(relay, 0, 1);
    await readAll(relay);
    const [playlist] = account.playlists;
    assert.ok(playlist);
    const rename = async (name: string) => {
      playlist.name = name;
      playlist.version += 1;
      await ask(relay, 'SELECT 1', { max_age_minutes: 0 });
    };
    await rename('Trip');
    playlist.rows.pop();
    await rename('Voyage');
    await rename('Trip');
    account.playlists.shift();
    const { out, err } = await run(relay, ['playlists', 'versions', 'Trip', '--json']);
    assert.equal(JSON.parse(out || err).playlist_id, ID);
  }),
);

test('rows with strange dates do not make versions count as damaged', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 0, 1);
    const strange = ['1969-12-31T23:00:00Z', '0001-01-01T00:00:00Z', '-000100-01-01T00:00:00Z', 'yesterday'];
    edit(relay, (rows) => rows.map((row, index) => ({ ...row, addedAt: strange[index] ?? row.addedAt })));
    await readAll(relay);
    for (const total of [29, 28]) {
      edit(relay, (rows) => rows.slice(0, total));
      const { items } = await list(relay);
      assert.equal(items[0]?.total, total);
    }
    const { items } = await list(relay);
    assert.deepEqual(
      items.map(({ version, total, added, removed }) => [version, total, added, removed]),
      [
        [3, 28, 0, 1],
        [2, 29, 0, 1],
        [1, 30, 30, 0],
      ],
    );
    assert.equal((await restore(relay, 1)).added_count, 2);
  }));

longTest(
  'if a restore brings back earlier versions, the rows that were read since then become a version again',
  () =>
    withRelay(WITH_SQL, async (relay) => {
      resize(relay, 0, 1);
      await readAll(relay);
      await list(relay);
      const memory = join(relay.home, 'memory.db');
      const earlier = await readFile(memory);
      const totals = async () => (await list(relay)).items.map(({ total }) => total);
      edit(relay, (rows) => rows.slice(0, 25));
      assert.deepEqual(await totals(), [25, 30]);
      const { seen_at } = at((await list(relay)).items, 0);
      // `relay restore` does this with the versions of a backup.
      const goBack = async () => {
        await relay.server.close();
        await writeFile(memory, earlier);
        await relay.restart();
      };
      await goBack();
      assert.deepEqual(await totals(), [25, 30]);
      assert.ok(at((await list(relay)).items, 0).seen_at >= seen_at, 'it was read then, not now');
      await goBack();
      edit(relay, (rows) => rows.slice(0, 10));
      assert.deepEqual(await totals(), [10, 25, 30]);
    }),
);

async function tableSizes(relay: Relay): Promise<number[]> {
  const SQL = await loadSqlite();
  const db = new SQL.Database(await readFile(join(relay.home, 'memory.db')));
  try {
    return ['versions', 'version_rows'].map((table) =>
      Number(db.exec(`select count(*) from ${table}`)[0]?.values[0]?.[0]),
    );
  } finally {
    db.close();
  }
}

longTest('tracks that left all lists, or are no longer offered, can be found by name in SQL', async () => {
  await withRelay(WITH_SQL, async (relay) => {
    resize(relay, 5, 1);
    await readAll(relay);
    const [gone, grey] = owner(relay.provider).playlists[0]?.rows.slice(20, 22) ?? [];
    assert.ok(gone && grey);
    const names = [gone, grey].map(({ uri }) => relay.provider.catalogue.trackByUri.get(uri)?.name).sort();
    const manual = await readFile(new URL('../../src/cli/README.md', import.meta.url), 'utf8');
    const example = /gone from my playlists\?\n(SELECT .*);/.exec(manual)?.[1] ?? '';
    assert.deepEqual((await ask(relay, example)).rows, []);
    edit(relay, (rows) =>
      rows
        .filter(({ uri }) => uri !== gone.uri)
        .map((row) => (row.uri === grey.uri ? { ...row, unavailable: true } : row)),
    );
    const { rows } = await ask(relay, example, { max_age_minutes: 0 });
    assert.deepEqual(rows.map(([name]) => name).sort(), names);
  });
});
