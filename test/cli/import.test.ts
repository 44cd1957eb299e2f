import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import { openOffline } from '../../src/server/offline.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { at, owner, pluck } from '../support/entries.ts';
import { makeState } from '../support/homes.ts';
import { type ListScene, TERMINAL, withLists } from '../support/lists.ts';
import { named, savedUris, urisOf } from '../support/playlists.ts';
import { searches, writes } from '../support/requests.ts';
import { asQuery, lineOf, uniqueTracks } from '../support/songs.ts';
import { until } from '../support/until.ts';
import type { Relay } from '../support/world.ts';

/** A list of eight songs, one of them twice, and a line that is not a song. */
function songsIn({ world, file }: ListScene) {
  const songs = uniqueTracks(world, 8);
  const lines = ['What I like', '', ...songs.map(lineOf), lineOf(at(songs, 0))];
  const uris = [...songs, at(songs, 0)].map(({ uri }) => uri);
  return { songs, uris, lines, path: file('Sunday.txt', lines.join('\r\n')) };
}

const jobIdIn = (text: string) => /jobs fix (\w{8})/.exec(text)?.[1] ?? assert.fail(text);

test('a list becomes a playlist with the name of its file', () =>
  withLists(async (scene) => {
    const { world, run } = scene;
    const { songs, uris, path } = songsIn(scene);
    const { code, out, err } = await run(['import', path]);
    const playlist = named(world, 'Sunday');
    assert.deepEqual(
      [code, out],
      [0, `Added to "Sunday": 9 songs.\nhttps://open.spotify.com/playlist/${playlist.id}\n`],
    );
    assert.deepEqual(urisOf(playlist), uris);
    const { title, artist } = asQuery(at(songs, 0));
    const told = err.split('\n').slice(0, 8);
    assert.deepEqual(told, [
      `${path}: 9 songs, read as txt (utf-8)`,
      told[1],
      `  line 3 is "${title}" by ${artist}`,
      told[3],
      '  2 lines without a song: 1 no artist, 1 empty',
      '    line 1, no artist: What I like',
      '  1 listed already',
      "  searches of Spotify's daily quota: 8 to 16",
    ]);
    assert.match(told[1] ?? '', /^ {2}the artist is on the left: \S/);
    assert.equal(searches(world), 8);
  }));

test('--dry-run says what would be read, and neither searches nor writes', () =>
  withLists(async (scene) => {
    const { world, run } = scene;
    const { path, songs } = songsIn(scene);
    const shown = await run(['import', path, '--dry-run']);
    assert.deepEqual([shown.code, shown.err], [0, '']);
    assert.match(shown.out, /^\S+: 9 songs, read as txt \(utf-8\)\n/);
    const { code, out } = await run(['import', path, '--dry-run', '--json']);
    const { dry_run, preview } = JSON.parse(out);
    assert.deepEqual([code, dry_run], [0, true]);
    assert.deepEqual(preview, {
      format: 'txt',
      encoding: 'utf-8',
      name: null,
      lists: [],
      songs: 9,
      episodes: 0,
      artist_side: preview.artist_side,
      columns: {},
      examples: songs.slice(0, 3).map((song, index) => ({ line: index + 3, ...asQuery(song) })),
      not_songs: {
        total: 2,
        reasons: { 'no artist': 1, empty: 1 },
        lines: [{ line: 1, text: 'What I like', why: 'no artist' }],
      },
      doubt: null,
      with_uri: 0,
      with_isrc: 0,
      remembered: 0,
      repeated: 1,
      searches: { at_least: 8, at_most: 16 },
      searches_24h: 0,
      jobs: 1,
    });
    assert.deepEqual(world.provider.requests, []);
  }));

test('an import whose links Spotify refuses fails, since it was to write every song or none', () =>
  withLists(async ({ world, run, file }) => {
    const [song] = uniqueTracks(world, 1);
    const dead = 'https://open.spotify.com/track/4cOdK2wGLETKBW3PvgPWqT';
    const some = file('Some.txt', `${song?.uri}\n${dead}`);
    const strict = await run(['import', some]);
    assert.deepEqual([strict.code, strict.out.split('\n')[0]], [1, 'Added to "Some": 1 song.']);
    assert.match(
      strict.err,
      /\n1 of 2 songs was not found, and left out\.\nTo see them: relay jobs show \w{8}\n$/,
    );
    assert.equal((await run(['import', some, '--skip-unresolved'])).code, 0);
    assert.equal((await run(['import', file('None.txt', dead), '--skip-unresolved'])).code, 1);
  }));

test('if a song is not found, nothing is written and the ways to continue are shown', () =>
  withLists(async (scene) => {
    const { world, run, file } = scene;
    const { lines, songs } = songsIn(scene);
    const path = file('Gaps.txt', [...lines, 'Nobody - No Such Song Anywhere'].join('\n'));
    const before = writes(world);
    const stopped = await run(['import', path]);
    const id = jobIdIn(stopped.err);
    assert.deepEqual([stopped.code, stopped.out, writes(world)], [1, '', before]);
    assert.deepEqual(stopped.err.split('\n').slice(-5), [
      `1 song needs you: relay jobs fix ${id}`,
      `To write it without them: relay jobs commit ${id} --skip-unresolved`,
      'relay: 1 of 10 songs was not found, so nothing is written yet.',
      `  Continue with \`relay jobs fix ${id}\`.`,
      '',
    ]);
    const asJson = await run(['import', path, '--json']);
    const { error } = JSON.parse(asJson.err);
    assert.deepEqual(
      [asJson.code, asJson.out, error.code, error.details.unresolved, error.details.resolved],
      [1, '', 'RESOLUTION_FAILED', 1, 9],
    );
    assert.equal(error.details.job_ids.length, 1);
    const none = await run(['import', file('None.txt', 'Nobody - No Such Song Anywhere')]);
    assert.doesNotMatch(none.err, /--skip-unresolved/);

    const done = await run(['import', path, '--skip-unresolved', '--skip-duplicates']);
    assert.equal(done.code, 0);
    assert.match(done.out, /^Added to "Gaps": 8 songs; 1 duplicate left out\.\nhttps:/);
    assert.match(
      done.err,
      /\n1 of 10 songs was not found, and left out\.\nTo see them: relay jobs show \w{8}\n$/,
    );
    assert.deepEqual(urisOf(named(world, 'Gaps')), pluck(songs, 'uri'));
  }));

test('on a terminal, --replace says what will be removed, and asks', () =>
  withLists(async (scene) => {
    const { world, run } = scene;
    const { path, uris } = songsIn(scene);
    const playlist = named(world, 'Morning Ferry');
    const former = urisOf(playlist);
    const args = ['import', path, '--to', 'MORNING ferry', '--replace'];
    const no = await run(args, { ...TERMINAL, stdin: 'n\n' });
    assert.deepEqual([no.code, no.out], [130, '']);
    assert.match(no.err, /Replace the 120 rows of "Morning Ferry" by 9 songs\? \[y\/N\] /);
    assert.deepEqual([urisOf(playlist), writes(world)], [former, 0]);
    const yes = await run(args, { ...TERMINAL, stdin: 'y\n' });
    assert.deepEqual(
      [yes.code, yes.out],
      [
        0,
        `Replaced the content of "Morning Ferry": 9 songs.\nhttps://open.spotify.com/playlist/${playlist.id}\n`,
      ],
    );
    assert.deepEqual(urisOf(playlist), uris);
    for (const [flags, options] of [
      [['--yes'], TERMINAL],
      [[], {}],
    ] as const) {
      const silent = await run([...args, ...flags], options);
      assert.deepEqual(
        [silent.code, silent.out.split('\n')[0]],
        [0, 'Nothing changed: "Morning Ferry" has exactly these songs.'],
      );
      assert.doesNotMatch(silent.err, /Continue\?/);
    }
  }));

test('a list goes into a playlist by link, or among the saved songs, from stdin too', () =>
  withLists(async (scene) => {
    const { world, run } = scene;
    const { path, uris, lines } = songsIn(scene);
    const playlist = named(world, 'Running, Badly');
    const former = urisOf(playlist);
    const link = `https://open.spotify.com/playlist/${playlist.id}?si=x`;
    assert.equal((await run(['import', path, '--to', link])).code, 0);
    assert.deepEqual(urisOf(playlist), [...former, ...uris]);
    owner(world.provider).saved.length = 0;
    const saved = await run(['import', '-', '--saved', '--json'], { stdin: lines.join('\n') });
    const { written, skipped, unresolved, playlists, target, jobs } = JSON.parse(saved.out);
    assert.deepEqual(
      [saved.code, written, skipped, unresolved, playlists, target, jobs.length, jobs[0].status],
      [0, 8, 1, 0, [], { kind: 'saved' }, 1, 'completed'],
    );
    assert.deepEqual(savedUris(world).sort(), [...new Set(uris)].sort());
  }));

test('an import that is refused says why, and leaves no job behind', () =>
  withLists(async (scene) => {
    const { world, run, file, dir } = scene;
    const { path } = songsIn(scene);
    const prose = file(
      'letter.txt',
      'Dear friend,\nhow are you - well?\nI am well.\nThe weather is fine.\nIt sings.\nYours\n',
    );
    const cases: Array<[args: string[], code: number, first: RegExp]> = [
      [
        [path, '--to', 'A', '--new', 'B'],
        2,
        /^relay: --to, --new, --saved and --each say where the songs go/,
      ],
      [[path, '--replace'], 2, /^relay: --replace needs --to/],
      [[path, '--new', ' '], 2, /^relay: The name of a playlist has 1 to 100 characters\./],
      [
        [path, '--to', 'Morning Fery'],
        1,
        /^relay: Your library has no playlist "Morning Fery"\.\n.*"Morning Ferry"\? `relay playlists` lists them\./,
      ],
      [
        [path, '--to', 'cafe noctelle'],
        2,
        /^relay: 2 playlists are called "cafe noctelle"\.\n.*\(18 rows\) or .*\(9 rows\)/,
      ],
      [
        [path, '--to', 'Mareas y Mapas'],
        1,
        /^relay: "Mareas y Mapas" belongs to Náutica; you cannot add to it\./,
      ],
      [[path, '--format', 'docx'], 2, /Allowed choices are csv/],
      [[dir], 1, /^relay: .* holds no listening history: [\s\S]* import one file at a time, such as /],
      [
        [dir, '--to', 'A'],
        2,
        /^relay: An archive or directory is read as Spotify's data export\. This one has no playlists\./,
      ],
      [[`${dir}/none.csv`], 1, /^relay: .*none\.csv cannot be read\. There is no such file\./],
      [[prose], 1, /^relay: Only 1 of 6 lines can be read as a song;[\s\S]* add\s--format txt\./],
      [[file('empty.txt', '')], 1, /^relay: The file is empty\./],
      [[file('book.xlsx', 'PK\u0003\u0004xxxx')], 1, /^relay: .*Excel workbook/],
      [
        [file('large.txt', Buffer.alloc(20 * 1024 * 1024 + 1, 'a'))],
        1,
        /^relay: The file has more than 20 MiB/,
      ],
    ];
    for (const [args, code, first] of cases) {
      const result = await run(['import', ...args]);
      assert.deepEqual([result.code, result.out], [code, ''], args.join(' '));
      assert.match(result.err.replace(/^\S*: \d+ songs,[\s\S]*\nrelay: /, 'relay: '), first);
    }
    const piped = await run(['import', '-'], { stdin: 'Ula - Plinth\nOvo - Kettle' });
    assert.equal(piped.code, 2);
    assert.match(piped.err, /relay: Say where the songs go, with --new, --to or --saved\.\n/);
    assert.deepEqual([searches(world), writes(world)], [0, 0]);
  }));

test('without a login, import says what to run', () =>
  withLists(
    async (scene) => {
      const { path } = { path: scene.file('a.txt', 'Ula - Plinth\nOvo - Kettle\n') };
      const { code, err } = await scene.run(['import', path]);
      assert.equal(code, 3);
      assert.match(
        err,
        /relay: No Spotify account is connected, or its login has ended\.\n {2}Connect it with `relay login`, then import again\.\n$/,
      );
    },
    { connect: false },
  ));

const LEFT: ReadonlyArray<
  [what: string, end: (world: Relay, stop: AbortController) => unknown, code: number, told: RegExp]
> = [
  [
    'Ctrl-C leaves the job to the server',
    (_, stop) => stop.abort(new RelayError('INTERRUPTED', 'Interrupted.')),
    130,
    /continues what it has begun\.\n {2}`relay jobs show \w{8} --watch` follows it and says what to do next\.\n$/,
  ],
  [
    'if the server stops meanwhile, the job is kept',
    ({ server }) => server.close(),
    4,
    /\n {2}Start the server again\. The job is kept and then continues: `relay jobs show \w{8} --watch` follows it\.\n$/,
  ],
];

for (const [what, end, exit, told] of LEFT) {
  test(`${what}, and import says how to follow it`, () =>
    withLists(async (scene) => {
      const { world, run } = scene;
      const stop = new AbortController();
      world.provider.faults.add({ path: '/search', times: 100, kind: 'rate_limit', retryAfterSeconds: 60 });
      const running = run(['import', songsIn(scene).path], { signal: stop.signal });
      await until(() => searches(world) > 0);
      await end(world, stop);
      const { code, err } = await running;
      assert.equal(code, exit, err);
      assert.match(err, told);
    }));
}

const misspelled = (track: Parameters<typeof asQuery>[0]) => {
  const { title, artist } = asQuery(track);
  return `${artist} - ${title.slice(0, 3)}zq${title.slice(3)}`;
};

test('on a terminal one command does everything: it asks about each open item, and again before it writes', () =>
  withLists(async (scene) => {
    const { world, run, file } = scene;
    const [one, two, three, four] = uniqueTracks(world, 4);
    assert.ok(one && two && three && four);
    const lines = [
      lineOf(one),
      misspelled(two),
      lineOf(three),
      'Nobody - No Such Song Anywhere',
      lineOf(four),
    ];
    const path = file('plain.txt', lines.join('\n'));
    const { code, out, err } = await run(['import', path], { ...TERMINAL, stdin: '\n1\nx\n\n' });
    const playlist = named(world, 'plain');
    assert.deepEqual(
      [code, out],
      [0, `Added to "plain": 4 songs.\nhttps://open.spotify.com/playlist/${playlist.id}\n`],
    );
    assert.deepEqual(urisOf(playlist), pluck([one, two, three, four], 'uri'));
    assert.match(err, /2 of 5 songs need you\. Go through them now\? \[Y\/n\] /);
    assert.match(err, /\(close match\)|\(similar\)/);
    assert.match(err, /Write 4 songs to "plain"\? \[Y\/n\] /);
  }));

/** Prose with a dash here and there. */
const README = [
  ...Array.from({ length: 12 }, (_, n) => `Word ${n} - another word ${n}`),
  ...Array.from({ length: 20 }, (_, n) => `This is line number ${n} of a text about something else`),
].join('\n');

test('for a file with many lines that are not songs, import asks first; without a terminal it needs --yes', () =>
  withLists(async ({ world, run, file }) => {
    const path = file('README.md', README);
    const doubt = 'This may not be a list of songs: only 12 of 32 lines look like songs.';
    const piped = await run(['import', path]);
    assert.deepEqual([piped.code, piped.out], [2, '']);
    assert.ok(
      piped.err.endsWith(
        `relay: ${doubt}\n  Nothing was searched. To import it anyway, add --yes; --dry-run shows how it is read.\n`,
      ),
      piped.err,
    );
    const asked = await run(['import', path], { ...TERMINAL, stdin: 'n\n' });
    assert.equal(asked.code, 130);
    assert.ok(asked.err.includes(`${doubt} Import it anyway? [y/N] `), asked.err);
    assert.deepEqual([searches(world), writes(world)], [0, 0]);
    const { preview } = JSON.parse((await run(['import', path, '--dry-run', '--json'])).out);
    assert.equal(preview.doubt, doubt);
    // With --yes the songs are searched for. As for any list, the exit code is 1 if some are not found.
    assert.equal((await run(['import', path, '--yes'])).code, 1);
    assert.ok(searches(world) > 0);
  }));

test('each of several playlists in a file becomes a playlist', () =>
  withLists(async ({ world, run, file }) => {
    const [one, two, three] = uniqueTracks(world, 3);
    assert.ok(one && two && three);
    const lists = [
      { name: 'First', tracks: [asQuery(one)] },
      { name: 'Second', tracks: [asQuery(two)] },
      { name: 'Third', tracks: [asQuery(three)] },
    ];
    const path = file('several.json', JSON.stringify({ playlists: lists }));
    const all = await run(['import', path, '--each']);
    assert.equal(all.code, 0, all.err);
    assert.deepEqual(
      ['First', 'Second', 'Third'].map((name) => urisOf(named(world, name))),
      [[one.uri], [two.uri], [three.uri]],
    );
    const which = await run(['import', path]);
    assert.equal(which.code, 2);
    assert.match(which.err, /The file has 3 playlists: "First", "Second", "Third"\.\n {2}.* --each.* --new/);
    assert.equal((await run(['import', path, '--new', 'Both'])).code, 0);
    assert.deepEqual(urisOf(named(world, 'Both')), [one.uri, two.uri, three.uri]);
    const asked = await run(['import', path], { ...TERMINAL, stdin: 'y\ny\n' });
    assert.equal(asked.code, 0, asked.err);
    assert.match(asked.err, /Create 3 playlists, one for each\? \[Y\/n\] /);
  }));

test('one undo takes back an import of several playlists, and another one brings them back; each alone by its own', () =>
  withLists(async ({ world, run, file }) => {
    const songs = uniqueTracks(world, 3);
    const lists = songs.map((song, index) => ({ name: `Part ${index}`, tracks: [asQuery(song)] }));
    const path = file('several.json', JSON.stringify({ playlists: lists }));
    assert.equal((await run(['import', path, '--each'])).code, 0);
    const listed = () =>
      lists.map(({ name }) => owner(world.provider).playlists.some((one) => one.name === name));
    const [last, , first] = JSON.parse((await run(['history', '--json'])).out).items;
    assert.equal((await run(['undo', first.change_id, '--yes'])).code, 0);
    assert.deepEqual(listed(), [false, true, true]);
    const shown = await run(['undo', '--dry-run']);
    assert.match(shown.out, /^2 playlists off your list/m);
    const undone = JSON.parse((await run(['undo', '--json'])).out);
    assert.deepEqual([undone.together, listed()], [2, [false, false, false]]);
    assert.equal((await run(['undo', undone.change_id, '--yes'])).code, 0);
    assert.deepEqual(listed(), [false, true, true]);
    assert.equal((await run(['undo', last.change_id, '--yes'])).code, 0);
    assert.deepEqual(listed(), [false, true, false]);
  }));

test('a listening history is a list of songs: repeats and short plays are left out', () =>
  withLists(async ({ run, file }) => {
    const play = (trackName: string, msPlayed: number) => ({
      endTime: '2026-01-02 03:04',
      artistName: 'Someone',
      trackName,
      msPlayed,
    });
    const plays = [play('One', 200_000), play('Two', 4_000), play('One', 90_000), play('Three', 30_000)];
    const path = file('StreamingHistory0.json', JSON.stringify(plays));
    const told = await run(['import', path, '--dry-run']);
    assert.match(
      told.out,
      /: 2 songs, read as [\s\S]*\n {2}2 lines without a song: 1 heard for less than 30 s, 1 heard before\n/,
    );
    assert.match(told.err, /its plays go into the library/);
  }));

test('--dry-run needs no server', async (context) => {
  const env = { RELAY_HOME: temporaryHome(context), RELAY_KEYCHAIN: 'file' };
  await makeState(env);
  const list = 'A - One\nB - Two\nC - Three\n';
  const { code, out, err } = await relay(['import', '-', '--dry-run'], {
    env,
    stdin: list,
    parts: { openOffline },
  });
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^The list: 3 songs, read as txt \(utf-8\)\n/);
});
