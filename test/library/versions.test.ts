/** Versions of playlists: kept with each reading that differs, and listed. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { createBrowser } from '../support/browser.ts';
import { run } from '../support/cli.ts';
import { at, owner } from '../support/entries.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { resize } from './accounts.ts';
import { edit, ID, list, rowAt, WITH_ALL } from './playlistVersions.ts';
import { ask, readAll } from './queries.ts';

test('each reading that differs is a version, which counts the rows added and removed since the one before', () =>
  withRelay(WITH_ALL, async (relay) => {
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
  }));

test('versions survive a restart and a logout; relay library forget --versions deletes them', () =>
  withRelay(WITH_ALL, async (relay) => {
    resize(relay, 0, 2);
    await readAll(relay);
    edit(relay, (rows) => rows.slice(1));
    await list(relay);
    await relay.restart();
    assert.equal((await list(relay)).items.length, 2);
    assert.equal((await run(relay, ['logout'])).code, 0);
    const sql = `SELECT version, total FROM versions WHERE playlist_id = '${ID}' ORDER BY version`;
    const told = await run(relay, ['library', 'query', sql, '--json']);
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
  withRelay(WITH_ALL, async (relay) => {
    resize(relay, 0, 1);
    await readAll(relay);
    relay.provider.loginAs(1);
    const { browserUrl } = await relay.server.local.startLogin({ switchAccount: true });
    assert.equal((await createBrowser().open(browserUrl)).status, 200);
    const listed = await run(relay, ['playlists', 'versions', 'List 0']);
    const gone = 'is not in the library of the connected account.';
    assert.deepEqual([listed.code, listed.err], [0, `"List 0" ${gone}\n`]);
    const restored = await run(relay, ['playlists', 'restore', 'List 0', '--at', '1', '--yes']);
    assert.match(
      restored.err,
      new RegExp(
        `^relay: The playlist "List 0" ${gone}\n  To bring its rows back as a new playlist, add --new NAME\\.`,
      ),
    );
  }));

test('if a reading was cut off after its version was saved, the next reading makes no second version', () =>
  withRelay(WITH_ALL, async (relay) => {
    resize(relay, 0, 1);
    await readAll(relay);
    // This is how a kill between the two saves leaves the home: the copy is gone, and the version is there.
    assert.equal((await run(relay, ['library', 'forget'])).code, 0);
    await readAll(relay);
    assert.deepEqual((await list(relay)).items.length, 1);
  }));

test('after a rename a playlist has its versions under its new name, and the old name means the playlist that has it now', () =>
  withRelay(WITH_ALL, async (relay) => {
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
  }));

test('the name of a playlist may look like an ID; a link that cannot be read is reported as a link', () =>
  withRelay(WITH_ALL, async (relay) => {
    const account = resize(relay, 0, 1);
    const name = 'abcdefghijklmnopqrstuv';
    at(account.playlists, 0).name = name;
    await readAll(relay);
    const { out } = await run(relay, ['playlists', 'versions', name, '--json']);
    assert.equal(JSON.parse(out).playlist_id, ID);
    const { err } = await run(relay, ['playlists', 'versions', 'https://spotify.link/abc', '--json']);
    assert.equal(JSON.parse(err).error.code, 'INVALID_ARGUMENT');
  }));

test('if a restore brings back earlier versions, the rows that were read since then become a version again', () =>
  withRelay(WITH_ALL, async (relay) => {
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
  }));

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

test('tracks that left all lists, or are no longer offered, can be found by name in SQL', async () => {
  await withRelay(WITH_ALL, async (relay) => {
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
