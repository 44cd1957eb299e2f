/** `relay library`, `relay logout` and the page's calls. */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SqlJsStatic } from 'sql.js';
import { hashOf } from '../../src/base/digest.ts';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { createBrowser } from '../support/browser.ts';
import { run } from '../support/cli.ts';
import { manualClock } from '../support/clock.ts';
import { at, owner } from '../support/entries.ts';
import { until } from '../support/until.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { resize } from './accounts.ts';
import { ask, readAll, WITH_SQL } from './queries.ts';

const isThere = (relay: Relay, name: string) =>
  stat(join(relay.home, name)).then(
    () => true,
    () => false,
  );

test('relay library reads the library, says what it holds, answers questions and forgets', () =>
  withRelay(async (relay) => {
    resize(relay, 120, 3);
    const nothing = await run(relay, ['library']);
    assert.deepEqual(nothing, {
      code: 0,
      out: 'Nothing has been read yet. To read it now: relay library sync\n',
      err: '',
    });
    relay.provider.faults.add({
      path: /^\/me\//,
      times: Number.POSITIVE_INFINITY,
      kind: 'status',
      status: 500,
    });
    assert.notEqual((await run(relay, ['library', 'sync'])).code, 0);
    const failed = await run(relay, ['library', 'status']);
    assert.match(failed.out, /^Nothing has been read yet\./);
    assert.doesNotMatch(failed.out, /As of/);
    relay.provider.faults.clear();
    const sync = await run(relay, ['library', 'sync', '--json']);
    const { as_of, coverage, state } = JSON.parse(sync.out);
    assert.deepEqual([sync.code, state], [0, 'idle']);
    assert.deepEqual(coverage, { saved: 'complete', playlists: { read: 3, total: 3, unreadable: 0 } });
    assert.ok(Math.abs(Date.now() - Date.parse(as_of)) < 60_000);
    const status = await run(relay, ['library', 'status']);
    assert.match(
      status.out,
      /^120 saved tracks \(complete\), 3 of 3 playlists, \d+ tracks in all\.\nAs of (?:just now|\d+ s ago|\d+ min ago)\.\n$/,
    );

    relay.provider.clearRequests();
    const table = await run(relay, [
      'library',
      'query',
      'select name, mine as "mine?" from playlists order by name',
    ]);
    assert.deepEqual(table, {
      code: 0,
      out: 'name    mine?\nList 0      1\nList 1      1\nList 2      1\n',
      err: '',
    });
    const json = await run(relay, ['library', 'query', 'select count(*) as n from saved', '--json']);
    assert.deepEqual(JSON.parse(json.out), {
      columns: ['n'],
      rows: [[120]],
      row_count: 1,
      truncated: false,
      as_of,
      coverage,
    });
    const csv = await run(relay, [
      'library',
      'query',
      '--csv',
      `select uri, 'a,"b"' as "x,y", null as z from saved order by position`,
    ]);
    const lines = csv.out.split('\n');
    assert.deepEqual(
      [lines.length, lines[0], lines[1]],
      [122, 'uri,"x,y",z', `${at(owner(relay.provider).saved, 0).uri},"a,""b""",`],
    );
    const two = await run(relay, [
      'library',
      'query',
      '--csv',
      '--limit',
      '2',
      'select position from saved order by 1',
    ]);
    assert.deepEqual(
      [two.out, two.err],
      ['position\n0\n1\n', 'The first 2 rows; --csv without --limit shows all.\n'],
    );
    const onTerminal = (...words: string[]) =>
      run(relay, ['library', 'query', ...words], { terminal: { stdout: true }, columns: 20_000 });
    const cut = await onTerminal('--limit', '2', 'select position from saved order by position');
    assert.deepEqual(cut, {
      code: 0,
      out: 'position\n       0\n       1\n',
      err: 'The first 2 rows; --csv without --limit shows all.\n',
    });
    const pairs = 'select 1 from saved a, saved b';
    const most = await onTerminal('--limit', '500', pairs);
    assert.equal(most.err, 'The first 500 rows; --csv without --limit shows all.\n');
    const piped = await run(relay, ['library', 'query', pairs]);
    assert.deepEqual([piped.out.split('\n').length, piped.err], [14_402, ''], 'piped output is whole');
    const usual = await onTerminal(pairs);
    assert.equal(usual.err, 'The first 100 rows; --csv without --limit shows all.\n');
    const wide = await onTerminal('select hex(zeroblob(1000)) from saved');
    assert.match(wide.err, /^The first \d rows; --csv without --limit shows all\.\n$/);
    for (const more of [[], ['--limit', '1']]) {
      const long = await onTerminal('select hex(zeroblob(50000))', ...more);
      assert.equal(long.err, 'The answer was cut; --csv without --limit shows all.\n');
    }
    const wrong = await run(relay, ['library', 'query', 'drop table saved', '--json']);
    assert.equal(wrong.code, 1);
    assert.equal(JSON.parse(wrong.err).error.code, 'INVALID_ARGUMENT');
    assert.deepEqual(relay.provider.requests, []);

    assert.deepEqual(await run(relay, ['library', 'forget']), {
      code: 0,
      out: 'The copy of the library is deleted.\n',
      err: '',
    });
    assert.equal(await isThere(relay, 'library.db'), false);
    assert.equal((await run(relay, ['library'])).out, nothing.out);
  }));

test('CSV has all rows, however many: neither the thread nor the server holds them as values', async () => {
  // Relay's time does not pass, so a slow computer does not end the query.
  await withRelay({ clock: manualClock() }, async (relay) => {
    resize(relay, 3, 1);
    const sql = `with recursive n(i) as (values (1) union all select i + 1 from n where i < 20000)
      select i, 'the name of song ' || i as name, 'an artist ' || i as artist, 'an album ' || i as album, 'ü, "' as text from n`;
    const { code, out, err } = await run(relay, ['library', 'query', '--csv', sql]);
    assert.deepEqual([code, err], [0, '']);
    const rows = Array.from({ length: 20_000 }, (_, index) => {
      const number = index + 1;
      return `${number},the name of song ${number},an artist ${number},an album ${number},"ü, """\n`;
    });
    assert.equal(hashOf(out), hashOf(['i,name,artist,album,text\n', ...rows].join('')));
  });
});

test('relay library tables needs no server; without one, relay library query is exit 4', () =>
  withRelay({ client: false, connect: false }, async (relay) => {
    await relay.server.close();
    const tables = await run(relay, ['library', 'tables']);
    assert.equal(tables.code, 0);
    assert.match(
      tables.out,
      /^tracks\(uri, id, name, .*\ntrack_artists\(.*\nsaved\(uri, added_at, position\)\n/,
    );
    assert.match(tables.out, /^released: may be only a year, so use substr, not strftime\.$/m);
    const { tables: lines, notes } = JSON.parse((await run(relay, ['library', 'tables', '--json'])).out);
    assert.equal([...lines, ...notes].join('\n'), tables.out.trim());
    const asked = await run(relay, ['library', 'query', 'select 1']);
    assert.deepEqual([asked.code, asked.out], [4, '']);
  }));

/** The tokens as the state has them, sealed. */
function tokensIn(SQL: SqlJsStatic, state: Uint8Array): Buffer[] {
  const db = new SQL.Database(state);
  try {
    const [found] = db.exec("select sealed from secrets where name like 'provider.%_token'");
    return (found?.values ?? []).map(([value]) => Buffer.from(value as Uint8Array));
  } finally {
    db.close();
  }
}

test('logout deletes the copy, logout --erase everything about the account', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 60, 2);
    await readAll(relay);
    const track = at(relay.provider.catalogue.tracks, 3);
    await relay.call('remember_track', {
      track_id: track.uri,
      title: track.name,
      artist: at(track.artists, 0).name,
    });
    await relay.call('save_tracks', { track_ids: [at(relay.provider.catalogue.tracks, 4_000).uri] });
    await relay.call('create_bulk_job', {
      type: 'save_tracks',
      payload: {},
      items: [
        { title: track.name, artist: at(track.artists, 0).name },
        { title: 'Unforgotten', artist: 'Nobody' },
      ],
    });
    const state = () => readFile(join(relay.home, 'relay.db'));
    const isInState = async (text: string) => (await state()).includes(text);
    assert.equal(await isInState('Unforgotten'), true);
    const sealed = tokensIn(await loadSqlite(), await state());
    assert.equal(sealed.length, 2);
    const kept = await run(relay, ['logout', '--json']);
    assert.deepEqual(JSON.parse(kept.out), {
      wasConnected: true,
      name: owner(relay.provider).displayName,
      libraryDeleted: true,
      erased: false,
      revokeUrl: 'https://www.spotify.com/account/apps/',
    });
    assert.equal(await isThere(relay, 'library.db'), false);
    const left = await state();
    for (const token of sealed) assert.equal(left.includes(token), false, 'the sealed tokens are gone too');
    assert.equal((await ask(relay, 'select 1')).error?.code, 'LOGIN_REQUIRED');
    const counts = async () =>
      ((await relay.call('get_state_diagnostics')) as { counts: Record<string, unknown> }).counts;
    const before = await counts();
    assert.equal(before.aliases, 1);
    const erased = await run(relay, ['logout', '--erase']);
    assert.equal(erased.err, '');
    assert.equal(erased.out, 'No account was connected. Everything else about the account is forgotten.\n');
    const after = await counts();
    assert.deepEqual([after.aliases, after.job_items, after.tracks, after.jobs], [0, 0, 0, {}]);
    const { items } = (await relay.call('list_jobs')) as { items: unknown[] };
    assert.deepEqual(items, []);
    for (const text of ['Unforgotten', track.name])
      assert.equal(await isInState(text), false, `nothing of ${text} is left in the file`);
  }));

test('a login as another account deletes the copy of the one before', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 60, 2);
    await readAll(relay);
    const login = async (index: number) => {
      relay.provider.loginAs(index);
      const { browserUrl } = await relay.server.local.startLogin({ switchAccount: true });
      assert.equal((await createBrowser().open(browserUrl)).status, 200);
    };
    await login(0);
    assert.equal(await isThere(relay, 'library.db'), true, 'a login as the same account keeps it');
    const copy = await readFile(join(relay.home, 'library.db'));
    await login(1);
    const status = await run(relay, ['library', 'status']);
    assert.equal(status.out, 'Nothing has been read yet. To read it now: relay library sync\n');
    await until(async () => !(await isThere(relay, 'library.db')));
    // The copy may also be there at a start: if relay was killed at the login, or a backup of this account was restored.
    await relay.server.close();
    await writeFile(join(relay.home, 'library.db'), copy);
    await relay.restart();
    await until(async () => !(await isThere(relay, 'library.db')));
    await readAll(relay);
    const { rows } = await ask(relay, 'SELECT count(*) FROM saved');
    assert.deepEqual(rows, [[at(relay.provider.accounts, 1).saved.length]]);
  }));

test('each of the example queries of the manual finds something in the demo', async () => {
  const manual = await readFile(new URL('../../src/cli/README.md', import.meta.url), 'utf8');
  const block = /```sql\n([\s\S]*?)```/.exec(manual)?.[1] ?? '';
  const examples = block
    .split('\n\n')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  assert.equal(examples.length, 5);
  await withRelay(WITH_SQL, async (relay) => {
    for (const { rows } of owner(relay.provider).playlists) rows.splice(150);
    await readAll(relay);
    relay.provider.clearRequests();
    for (const sql of examples) {
      const { error, rows } = await ask(relay, sql);
      assert.equal(error, undefined, sql);
      assert.ok(rows.length > 0, sql);
    }
    assert.deepEqual(relay.provider.requests, []);
  });
});
