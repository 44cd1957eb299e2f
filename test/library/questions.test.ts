import assert from 'node:assert/strict';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../support/cli.ts';
import { at, owner } from '../support/entries.ts';
import { sharedFastClock } from '../support/fastClock.ts';
import { withRelay } from '../support/world.ts';
import { copyOf, resize, truthOf } from './accounts.ts';
import { ask, readAll, WITH_SQL } from './queries.ts';

test('a whole number that JavaScript cannot hold comes as text, with all its digits', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 2, 1);
    const sql =
      'select 9007199254740993 as a, -9223372036854775808 as b, 9007199254740991 as c, 1e300 as d, 0.5 as e, null as f';
    const { rows } = await ask(relay, `${sql} union all select 1, 2, 3, 4.0, 5, x'00'`);
    assert.deepEqual(rows, [
      ['9007199254740993', '-9223372036854775808', 9007199254740991, 1e300, 0.5, null],
      [1, 2, 3, 4, 5, '(1 bytes)'],
    ]);
    const csv = await run(relay, ['library', 'query', '--csv', sql]);
    assert.equal(
      csv.out,
      'a,b,c,d,e,f\n9007199254740993,-9223372036854775808,9007199254740991,1e+300,0.5,\n',
    );
  }));

test('the first question reads everything: lists as they are, tracks with the facts of the catalogue', () =>
  withRelay(WITH_SQL, async (relay) => {
    for (const { rows } of owner(relay.provider).playlists) rows.splice(150);
    const answer = await readAll(relay);
    const { playlists, id } = owner(relay.provider);
    const unreadable = playlists.filter(
      (one) => one.ownerId !== id && !(one.collaborative && one.collaboratorIds.includes(id)),
    ).length;
    assert.deepEqual(answer.coverage, {
      saved: 'complete',
      playlists: { read: playlists.length - unreadable, total: playlists.length, unreadable },
    });
    assert.deepEqual(await copyOf(relay), truthOf(relay));
    relay.provider.clearRequests();
    await ask(relay, 'select count(*) from tracks');
    assert.deepEqual(relay.provider.requests, [], 'a fresh copy costs no request');
    const { mode } = await stat(join(relay.home, 'library.db'));
    assert.equal(mode & 0o777, 0o600);

    // Tracks have the facts of the catalogue, each once, and only while a row names them.
    const { catalogue } = relay.provider;
    const track = at(
      catalogue.tracks.filter(({ uri }) => owner(relay.provider).saved.some((one) => one.uri === uri)),
      3,
    );
    const columns = 'uri, id, name, artist, album, album_uri, released, duration_ms, explicit, isrc, kind';
    const { rows } = await ask(relay, `select ${columns} from tracks where uri = '${track.uri}'`);
    assert.deepEqual(rows, [
      [
        ...[
          track.uri,
          track.id,
          track.name,
          track.artists.map(({ name }) => name).join(', '),
          track.album.name,
        ],
        ...[
          `spotify:album:${track.album.id}`,
          track.album.releaseDate,
          track.durationMs,
          Number(track.explicit),
        ],
        ...[track.isrc, 'track'],
      ],
    ]);
    const artists = await ask(
      relay,
      `select artist_uri, artist, place from track_artists where track_uri = '${track.uri}' order by place`,
    );
    assert.deepEqual(
      artists.rows,
      track.artists.map(({ id, name }, place) => [`spotify:artist:${id}`, name, place]),
    );
    const strays = `select count(*) from tracks where uri not in (select uri from saved)
      and uri not in (select uri from playlist_rows where uri is not null)`;
    assert.deepEqual((await ask(relay, strays)).rows, [[0]]);
    const kinds = await ask(relay, 'select distinct kind from tracks order by kind');
    assert.deepEqual(kinds.rows, [['episode'], ['local'], ['track']]);
  }));

test('fold takes case, accents and strokes away, and tracks with an empty recording code are not one song', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 12, 0);
    const empty = ({ track }: { track: object }) => ({ track: { ...track, external_ids: { isrc: '' } } });
    const fn = (body: unknown) => {
      const page = body as { items: Array<{ track: object }> };
      return { ...page, items: page.items.map((row) => ({ ...row, ...empty(row) })) };
    };
    relay.provider.faults.add({ path: '/me/tracks', times: 9, kind: 'transform', fn });
    await readAll(relay);
    const songs = 'count(isrc), count(distinct song) = count(distinct fold(name || artist))';
    const folded = "fold('Smørbrød på MÅNEN'), fold('ÉCLAIR'), fold(null), fold(12)";
    assert.deepEqual((await ask(relay, `select ${songs}, ${folded} from tracks`)).rows, [
      [0, 1, 'smorbrod pa manen', 'eclair', null, '12'],
    ]);
  }));

test('the first query of a model works: the names stand beside the URI of what is saved and listed', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 5, 1);
    for (const table of ['saved_tracks', "playlist_tracks WHERE playlist = 'List 0'"]) {
      const { rows } = await ask(relay, `SELECT name, artist, album FROM ${table} ORDER BY position LIMIT 3`);
      assert.equal(rows.length, 3, table);
      assert.ok(
        rows.flat().every((cell) => typeof cell === 'string' && cell !== ''),
        table,
      );
    }
  }));

test('a query with an unknown name is refused, and the error lists the columns that there are', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 3, 1);
    const column = await ask(relay, 'select titel from saved join tracks using (uri)');
    assert.equal(column.error?.code, 'INVALID_ARGUMENT');
    assert.match(
      column.error?.message ?? '',
      /^no such column: titel\. tracks\(uri, id, name, .*\); saved\(uri, added_at, position\); saved_tracks\(uri, name, .*\)\.$/,
    );
    const table = await ask(relay, 'select * from songs');
    assert.match(table.error?.message ?? '', /^no such table: songs\. tracks\(.*plays\(played_at, .*\)\.$/);
    const wrong = await ask(relay, 'select from where');
    assert.match(wrong.error?.message ?? '', /syntax error/);
    // What SQLite says of the statement alone, and not of brackets that relay puts around it.
    const own = [
      ['select uri from saved where', 'incomplete input.'],
      ['with recent as (select 1)', 'incomplete input.'],
      ['select uri from saved where uri in (select 1', 'incomplete input.'],
      ["select 'Ovo from saved", 'unrecognized token: "\'Ovo from saved".'],
      ['select 1)', 'near ")": syntax error.'],
      [
        'with gone as (select 1) delete from saved',
        'Only one SELECT, WITH … SELECT or VALUES statement is allowed: the library can only be read.',
      ],
    ];
    for (const [sql = '', message] of own) assert.equal((await ask(relay, sql)).error?.message, message, sql);
  }));

test('an answer holds at most 10,000 characters and the rows that were asked for', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 300, 3);
    await readAll(relay);
    const whole = await ask(relay, 'select count(*) from tracks');
    const some = await ask(relay, 'select uri, name, artist, album from tracks', { limit: 500 });
    assert.ok(JSON.stringify(some).length <= 10_000);
    assert.equal(some.truncated, true);
    assert.equal(some.row_count, some.rows.length);
    assert.ok(some.rows.length > 20);
    const five = await ask(relay, 'select uri from tracks', { limit: 5 });
    assert.deepEqual([five.row_count, five.truncated], [5, true]);
    const all = await ask(relay, 'select uri from saved limit 5', { limit: 5 });
    assert.deepEqual([all.row_count, all.truncated], [5, false], 'truncated only where there was more');
    assert.deepEqual((await ask(relay, 'select count(*) from tracks;')).rows, whole.rows);
    const sum = 'sum(case when duration_ms > 1000 then duration_ms else 0 end)';
    for (const named of [`${sum}, `.repeat(12), `length('${'é'.repeat(9_000)}'), `]) {
      const sql = `select ${named}name, artist, album from saved join tracks using (uri) group by uri`;
      const wide = await ask(relay, sql, { limit: 500 });
      assert.ok(JSON.stringify(wide).length <= 10_000);
      assert.deepEqual([wide.truncated, wide.note], [true, undefined]);
      assert.equal(wide.row_count, wide.rows.length, 'the names of the columns count too');
      assert.ok(wide.rows.length > 20);
    }
    const long = await ask(relay, "select printf('%.*c', 100000, 'x'), 1");
    assert.ok(JSON.stringify(long).length <= 10_000);
    assert.deepEqual([long.row_count, long.truncated, at(at(long.rows, 0), 1)], [1, true, 1]);
  }));

/** Statements that would write, attach, set or load something, and ways to get around the ban on such statements. */
const REFUSED = [
  ...[
    'insert into saved values (1, 2, 3)',
    'update saved set uri = null',
    'delete from saved',
    'replace into saved values (1, 2, 3)',
  ],
  ...[
    'with a as (select 1) insert into saved select 1, 2, 3',
    'with a as (select 1) delete from saved',
    'with a as (select 1) update saved set uri = 1',
  ],
  ...[
    'delete from saved returning uri',
    'insert into meta values (1, 2) returning name',
    'drop table saved',
    'drop index saved_uri',
    'create table a (b)',
  ],
  ...[
    'create temp table a (b)',
    'create table a as select 1',
    'create view a as select 1',
    'create temp view a as select 1',
  ],
  ...[
    'create index a on saved (uri)',
    'create trigger a after insert on saved begin select 1; end',
    'create virtual table a using fts3(b)',
  ],
  ...['alter table saved rename to a', 'alter table saved add column b', 'alter table saved drop column uri'],
  ...[
    "attach 'x' as y",
    "attach database '/etc/passwd' as y",
    "attach ':memory:' as y",
    'detach memory',
    'detach main',
  ],
  ...['vacuum', "vacuum into 'x'", 'vacuum main', 'analyze', 'analyze saved', 'reindex', 'reindex saved'],
  ...['begin', 'begin immediate', 'commit', 'rollback', 'savepoint a', 'release a', 'end'],
  ...[
    'pragma query_only = off',
    'pragma query_only(0)',
    'PRAGMA user_version = 9',
    'pragma user_version',
    'pragma journal_mode = wal',
  ],
  ...[
    'pragma hard_heap_limit = 0',
    'pragma writable_schema = on',
    'pragma temp_store_directory = "/tmp"',
    'pragma table_info(saved)',
  ],
  ...['explain select 1', 'explain query plan select 1', 'explain delete from saved'],
  ...[
    'select 1; delete from saved',
    'select 1; select 2',
    'select 1); delete from saved; select (1',
    'select 1) ; pragma query_only = 0; --',
  ],
  ...[
    '/* select */ delete from saved',
    '-- select\ndelete from saved',
    ' \n\tdelete from saved',
    ';delete from saved',
    ''.padEnd(3, ' '),
    ';',
    '-- nothing',
  ],
  ...[
    "select load_extension('x')",
    "select writefile('x', 'y')",
    "select readfile('/etc/passwd')",
    "select edit('x')",
    "select fts3_tokenizer('simple', x'00')",
  ],
  ...[
    "select * from pragma_query_only('0')",
    "select * from pragma_user_version('7')",
    'select * from pragma_wal_checkpoint',
    "select * from csv('/etc/passwd')",
    "select * from fsdir('/')",
  ],
];

test(`nothing can be written, attached, set or loaded: ${REFUSED.length} tries`, () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 300, 3);
    await readAll(relay);
    // The reading records its end after the last page; another check waits for that.
    await ask(relay, 'select 1', { max_age_minutes: 0 });
    const path = join(relay.home, 'library.db');
    const before = await readFile(path);
    const truth = await copyOf(relay);
    for (const sql of REFUSED) {
      const { error } = await ask(relay, sql);
      assert.equal(error?.code, 'INVALID_ARGUMENT', sql);
    }
    const { error } = await ask(relay, 'selec uri from saved');
    assert.equal(
      error?.message,
      'near "selec": syntax error. Only one SELECT, WITH … SELECT or VALUES statement is allowed: the library can only be read.',
    );
    assert.deepEqual(await copyOf(relay), truth);
    assert.deepEqual(await readFile(path), before);
    const files = await ask(
      relay,
      "select count(*) from pragma_database_list where file <> '' and file not like '/dbfile%'",
    );
    assert.deepEqual(files.rows, [[0]], 'the thread sees its own copies alone');
  }));

test('a query that needs too much time or memory is ended, and the server answers all the while', async () => {
  // Real work has to exceed the time limit, so this clock may not stand still meanwhile.
  await withRelay({ ...WITH_SQL, clock: sharedFastClock(8) }, async (relay) => {
    resize(relay, 30, 1);
    await readAll(relay);
    const endless = 'with recursive c(x) as (values(1) union all select x + 1 from c) select count(*) from c';
    const asked = ask(relay, endless);
    const { status } = await fetch(`${relay.baseUrl}/health`);
    assert.equal(status, 200);
    const { error } = await asked;
    assert.equal(error?.code, 'DEADLINE_EXCEEDED');
    assert.match(error?.message ?? '', /longer than 5 seconds/);
    assert.match(error?.remedy ?? '', /\(uri, playlist_id, song; for plays also artist together with name\)/);
    const large = await ask(relay, 'select zeroblob(1000000000)');
    assert.equal(large.error?.code, 'DEADLINE_EXCEEDED');
    assert.deepEqual((await ask(relay, 'select 1')).rows, [[1]], 'the next question is answered');
  });
});

test('endless queries do not hold up quick ones', async () => {
  // The turn of a quick query is real time, so this clock runs no faster.
  await withRelay({ ...WITH_SQL, clock: sharedFastClock(1) }, async (relay) => {
    resize(relay, 30, 1);
    await readAll(relay);
    const endless = 'with recursive c(x) as (values(1) union all select x + 1 from c) select count(*) from c';
    let ended = 0;
    for (let count = 0; count < 8; count += 1)
      void ask(relay, endless).then(
        () => (ended += 1),
        () => {},
      );
    const quick = Array.from({ length: 20 }, () => ask(relay, 'select count(*) from saved'));
    for (const { rows } of await Promise.all(quick)) assert.deepEqual(rows, [[30]]);
    assert.ok(ended <= 1, `${ended} endless queries ended before all quick ones`);
  });
});

test('an error in a question is not taken for damage, and the copy stays', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 60, 2);
    await readAll(relay);
    const questions: Array<[sql: string, says: RegExp]> = [
      ["select json_extract(name, '$.a') from tracks", /^malformed JSON\.$/],
      ["select value from saved, json_each('{')", /^malformed JSON\.$/],
      ['select "a".[database disk image is malformed] from saved as "a"', /^no such column/],
    ];
    relay.provider.clearRequests();
    for (const [sql, says] of questions) {
      const { error } = await ask(relay, sql);
      assert.equal(error?.code, 'INVALID_ARGUMENT', sql);
      assert.match(error.message, says);
    }
    assert.deepEqual((await ask(relay, 'select count(*) from saved')).rows, [[60]]);
    assert.deepEqual(relay.provider.requests, [], 'nothing is read again');
  }));

test('a copy that is damaged or lost while relay runs is whole in memory, and the next check writes it again', () =>
  withRelay(WITH_SQL, async (relay) => {
    const account = resize(relay, 60, 2);
    await readAll(relay);
    const path = join(relay.home, 'library.db');
    const { id } = at(account.playlists, 0);
    for (const call of [
      async () => (await ask(relay, 'select count(*) from saved', { max_age_minutes: 10_000 })).rows,
      () => relay.call('get_saved_tracks', { query: 'a' }),
      () => relay.call('get_playlist_stats', { playlist_id: id }),
    ])
      for (const harm of [() => writeFile(path, 'no database'), () => rm(path)]) {
        const expected = await call();
        await harm();
        assert.deepEqual(await call(), expected);
        await ask(relay, 'select 1', { max_age_minutes: 0 });
        assert.deepEqual(await copyOf(relay), truthOf(relay));
      }
  }));

test('a memory.db that became empty is put aside by the question that finds it', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 20, 1);
    await readAll(relay);
    const path = join(relay.home, 'memory.db');
    await relay.client.close();
    await relay.server.close();
    await writeFile(path, '');
    await relay.restart();
    const { rows, note } = await relay.call('query_library', { sql: 'select count(*) from versions' });
    assert.deepEqual(rows, [[0]]);
    assert.match(
      String(note),
      /memory\.db was damaged\. It was put aside as \S+\.damaged-\d+, and a new one is begun\./,
    );
  }));

test('a copy that was damaged while relay was stopped is read again without a message', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 120, 3);
    await readAll(relay);
    const path = join(relay.home, 'library.db');
    const whole = await readFile(path);
    for (const content of [Buffer.from('no database'), whole.subarray(0, whole.length / 2)]) {
      await relay.client.close();
      await relay.server.close();
      await writeFile(path, content);
      await relay.restart();
      await readAll(relay);
      assert.deepEqual(await copyOf(relay), truthOf(relay));
    }
  }));
