/** `relay import` of a listening history, and what can be asked of it afterwards. */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { RelayError } from '../../../src/domain/errors.ts';
import { relay as cli, run, temporaryHome } from '../../support/cli.ts';
import { until } from '../../support/until.ts';
import type { Cell } from '../queries.ts';
import { endsong, extended, PRIVATE, short, trackUri, userdata, zipped } from './exports.ts';
import { allPlays, filesIn, withExports } from './withExports.ts';

const A = { at: '2014-05-06T07:08:09Z', song: 3 };
const B = { at: '2019-12-31T23:59:59Z', song: 4, ms: 31_000 };
const C = { at: '2020-01-01T00:00:00Z', song: 5, ms: 900 };
const D = { at: '2026-02-03T04:05:00Z', song: 6 };

interface Played {
  at: string;
  song: number;
  ms?: number;
}

/** A row of `plays`. */
function playOf({ at, song, ms = 200_000 }: Played, skipped: Cell = 0): Cell[] {
  const names = [trackUri(song), `Song ${song}`, `Artist ${song % 7}`, `Album ${song % 11}`];
  return [at, ...names, ms, 'track', skipped];
}

function shortOf({ at, song, ms = 200_000 }: Played): Cell[] {
  return [`${at.slice(0, 16)}:00Z`, null, `Song ${song}`, `Artist ${song % 7}`, null, ms, 'track', null];
}

test('both kinds of history, with the names and oddities of all years, are read exactly; a second import adds nothing', () =>
  withExports({ connect: false }, async (relay, at) => {
    const files = {
      'MyData/endsong_0.json': [
        endsong(A, 'vera'),
        endsong({ ...B, at: '2019-12-31 23:59:59 UTC' }, 'Vera', { skipped: null }),
        endsong(A, 'vera'),
      ],
      'Spotify Extended Streaming History/Streaming_History_Audio_2020-2026_1 (1).json': [
        extended(C, { skipped: true }),
        extended(D, { skipped: 1 }),
        // A podcast, an audiobook, a local file, something without a name, and two rows without a valid time.
        extended(
          { at: '2021-01-01T10:00:00Z', ms: 5 },
          {
            ...{ master_metadata_track_name: null, master_metadata_album_artist_name: null },
            ...{ master_metadata_album_album_name: null, spotify_track_uri: null },
            ...{
              episode_name: 'Talk',
              episode_show_name: 'The Show',
              spotify_episode_uri: 'spotify:episode:1',
            },
          },
        ),
        extended(
          { at: '2021-01-01T11:00:00.500Z' },
          {
            ...{ master_metadata_track_name: null, spotify_track_uri: null },
            ...{ audiobook_title: 'The Book', audiobook_uri: 'spotify:show:1' },
            ...{ audiobook_chapter_title: 'One', audiobook_chapter_uri: 'spotify:episode:2' },
          },
        ),
        extended({ at: '2021-01-01T12:00:00Z', ms: -4 }, { spotify_track_uri: 'spotify:local:me:::1' }),
        { ts: '2021-01-01T13:00:00Z', ms_played: '77', skipped: '' },
        { ts: 'yesterday', ms_played: 1 },
        { ts: '2021-02-30T13:00:00Z', ms_played: 1 },
      ],
      'Spotify Extended Streaming History/Streaming_History_Video_2021.json': [
        extended({ at: '2021-01-01T14:00:00Z', song: 9, name: 'Ünï "çødé" \u{1f3b5}' }),
      ],
      'Spotify Account Data/StreamingHistory_music_0.json': [short(D), short({ ...D, song: 8 })],
      'Spotify Account Data/StreamingHistory_podcast_0.json': [
        { endTime: '2026-02-03 05:06', podcastName: 'Other Show', episodeName: 'Two', msPlayed: 12 },
      ],
      'Spotify Account Data/StreamingHistory0.json': [],
      'Spotify Account Data/Userdata.json': userdata('vera'),
      'Spotify Account Data/YourLibrary.json': { tracks: [] },
      '__MACOSX/MyData/._endsong_0.json': 'no JSON at all',
      'ReadMeFirst.pdf': '%PDF-1.4',
    };
    const path = await at('my_spotify_data.zip', zipped(files));
    const expected = [
      playOf(A),
      [...playOf(B).slice(0, 7), null],
      playOf(C, 1),
      ['2021-01-01T10:00:00Z', 'spotify:episode:1', 'Talk', 'The Show', 'The Show', 5, 'episode', 0],
      ['2021-01-01T11:00:00Z', 'spotify:episode:2', 'One', 'The Book', 'The Book', 200_000, 'chapter', 0],
      ['2021-01-01T12:00:00Z', 'spotify:local:me:::1', 'Song 1', 'Artist 1', 'Album 1', 0, 'local', 0],
      ['2021-01-01T13:00:00Z', null, null, null, null, 77, 'unknown', null],
      [
        '2021-01-01T14:00:00Z',
        trackUri(9),
        'Ünï "çødé" \u{1f3b5}',
        'Artist 2',
        'Album 9',
        200_000,
        'track',
        0,
      ],
      shortOf({ ...D, song: 8 }),
      playOf(D, 1),
      ['2026-02-03T05:06:00Z', null, 'Two', 'Other Show', 'Other Show', 12, 'episode', null],
    ];
    const told = await run(relay, ['import', path]);
    assert.deepEqual(told, {
      code: 0,
      out: '13 plays, 2014 to 2026; 11 are new.\n',
      err: 'Left out 2 rows without a valid time or length.\n',
    });
    assert.deepEqual(await allPlays(relay), expected);
    const again = await run(relay, ['import', path, '--json']);
    const times = { from: '2014-05-06T07:08:09Z', to: '2026-02-03T05:06:00Z', unreadable: 2 };
    const rest = { unread: [], lists: { playlists: 0, saved: 0 } };
    assert.deepEqual(JSON.parse(again.out), { plays: { read: 13, added: 0, total: 11, ...times, ...rest } });
    assert.deepEqual(await allPlays(relay), expected);
    assert.deepEqual(relay.provider.requests, []);
  }));

test('plays of the extended history replace those of the account data, whichever is imported first', () =>
  withExports({ connect: false }, async (relay, at) => {
    const late = { ...B, at: '2019-12-31T23:59:20Z' };
    const account = { 'StreamingHistory0.json': [short(A), short(B), short(B), short(C)] };
    const lifetime = {
      'endsong_0.json': [extended(A), extended(B), extended(late), extended({ ...A, ms: 1 })],
      'StreamingHistory_music_0.json': [short(A), short({ ...D, song: 7 })],
    };
    const [first, second] = [await at('account.zip', zipped(account)), await at('all.zip', zipped(lifetime))];
    const counts = async (path: string) => {
      const { read, added, total } = JSON.parse((await run(relay, ['import', path, '--json'])).out).plays;
      return [read, added, total];
    };
    const whole = [
      ...[[...playOf(A).slice(0, 5), 1, 'track', 0], playOf(A), playOf(late), playOf(B)],
      ...[shortOf({ ...C }), shortOf({ ...D, song: 7 })],
    ];
    assert.deepEqual(await counts(first), [4, 3, 3]);
    assert.deepEqual(await counts(second), [6, 3, 6]);
    assert.deepEqual(await allPlays(relay), whole);
    assert.equal((await run(relay, ['library', 'forget', '--plays'])).out, 'The plays are deleted.\n');
    assert.deepEqual(await allPlays(relay), []);
    assert.deepEqual(await counts(second), [6, 5, 5]);
    assert.deepEqual(await counts(first), [4, 1, 6]);
    assert.deepEqual(await allPlays(relay), whole);
  }));

test('a podcast, and a play that neither history names, is one play, whichever history is imported first', () =>
  withExports({ connect: false }, async (relay, at) => {
    const [endTime, msPlayed] = ['2023-05-06 07:08', 600_000];
    const names = {
      ...{ master_metadata_track_name: null, master_metadata_album_artist_name: null },
      master_metadata_album_album_name: null,
    };
    const episode = {
      ...{ ...names, spotify_track_uri: null, spotify_episode_uri: 'spotify:episode:1' },
      ...{ episode_name: 'Talk', episode_show_name: 'The Show' },
    };
    const files = {
      'StreamingHistory0.json': [
        { endTime, artistName: 'The Show', trackName: 'Talk', msPlayed },
        short({ ...A, name: 'Unknown Track', artist: 'Unknown Artist' }),
      ],
      'StreamingHistory_podcast_0.json': [
        { endTime, podcastName: 'The Show', episodeName: 'Talk', msPlayed },
      ],
      'endsong_0.json': [extended({ at: '2023-05-06T07:08:30Z', ms: msPlayed }, episode), extended(A, names)],
    };
    const paths: string[] = [];
    for (const [name, rows] of Object.entries(files))
      paths.push(await at(`${name}.zip`, zipped({ [name]: rows })));
    for (const order of [paths, paths.toReversed()]) {
      for (const path of order) {
        await run(relay, ['import', path]);
        assert.ok((await allPlays(relay)).length <= 2, path);
      }
      assert.deepEqual(await allPlays(relay), [
        [A.at, trackUri(A.song), null, null, null, 200_000, 'track', 0],
        ['2023-05-06T07:08:30Z', 'spotify:episode:1', 'Talk', 'The Show', 'The Show', msPlayed, 'episode', 0],
      ]);
      await run(relay, ['library', 'forget', '--plays']);
    }
  }));

test('an unpacked export and a single file are read too, and the name of a song may change', () =>
  withExports({ connect: false }, async (relay, at) => {
    const one = await at('export/deep/endsong_0.json', `\ufeff ${JSON.stringify([extended(A)])} \n`);
    await at('export/deep/notes.txt', 'mine');
    await at('export/Streaming_History_Audio_2019_2.json', JSON.stringify([extended(B)]));
    const renamed = await at(
      'named as it likes',
      JSON.stringify([extended({ ...A, name: 'New name' }), extended(C)]),
    );
    assert.equal((await run(relay, ['import', one])).out, '1 play, 2014.\n');
    const folder = dirname(dirname(one));
    assert.equal((await run(relay, ['import', folder])).out, '2 plays, 2014 to 2019; 1 is new.\n');
    assert.equal((await run(relay, ['import', renamed])).out, '2 plays, 2014 to 2020; 1 is new.\n');
    assert.deepEqual(await allPlays(relay), [playOf(A), playOf(B), playOf(C)]);
  }));

test('no address, device, country, date of birth or mail address is in any file of the home', () =>
  withExports({ connect: false }, async (relay, at) => {
    const rows = Array.from({ length: 300 }, (_, song) => endsong({ ...A, song }, 'vera'));
    const files = { 'endsong_0.json': rows, 'Userdata.json': userdata('vera') };
    assert.equal((await run(relay, ['import', await at('a.zip', zipped(files))])).code, 0);
    const { out } = await run(relay, ['library', 'query', 'select count(*) as n from plays', '--json']);
    assert.deepEqual(JSON.parse(out).rows, [[300]]);
    const names = await filesIn(relay);
    assert.ok(names.includes('plays.db'));
    for (const name of names) {
      const bytes = await readFile(join(relay.home, name));
      for (const secret of Object.values(PRIVATE)) {
        assert.equal(bytes.includes(secret === 'ZQ' ? '"ZQ"' : secret), false, `${secret} in ${name}`);
      }
    }
    assert.equal((await stat(join(relay.home, 'plays.db'))).mode & 0o777, 0o600);
  }));

test('plays that are forgotten are gone from the home, also if an import is under way: it ends and leaves no play', () =>
  withExports({}, async (relay, at) => {
    const rows = Array.from({ length: 4_000 }, (_, song) =>
      extended({ ...A, song, name: `Unforgotten ${song}` }),
    );
    const path = await at('a.zip', zipped({ 'endsong_0.json': rows }));
    const { local } = relay.server;
    const { id } = await local.importPlays({ path });
    await local.forgetLibrary({ part: 'plays' });
    await assert.rejects(local.playsProgress({ id }), /forgotten/);
    assert.deepEqual(await allPlays(relay), []);
    const { id: again } = await local.importPlays({ path });
    await until(async () => (await local.playsProgress({ id: again })).state === 'done');
    const done = await local.playsProgress({ id: again });
    assert.deepEqual(done.state === 'done' && done.plays.added, rows.length);
    assert.equal((await run(relay, ['library', 'forget', '--plays'])).code, 0);
    for (const name of await filesIn(relay)) {
      assert.equal((await readFile(join(relay.home, name))).includes('Unforgotten'), false, name);
    }
    await local.logout({ erase: true });
    assert.equal((await filesIn(relay)).includes('plays.db'), false);
  }));

/** The text without line ends, which depend on the window's width. */
const plain = (text: string) => text.replace(/\s+/g, ' ');

const TERMINAL = { terminal: { stdin: true, stdout: true, stderr: true } };

test('Ctrl-C leaves the import to the server, and the same command shows the result', () => {
  // The server tells at once how far it is.
  const clock: Clock = { ...systemClock, sleep: (ms, stop) => systemClock.sleep(ms === 500 ? 0 : ms, stop) };
  return withExports({ clock, connect: false }, async (relay, at) => {
    const path = await at('a.zip', zipped({ 'endsong_0.json': [extended(A), extended(B)] }));
    const stop = new AbortController();
    const { code, err } = await run(relay, ['import', path], {
      ...TERMINAL,
      signal: stop.signal,
      onErr: (all) => /reading/i.test(all) && stop.abort(new RelayError('INTERRUPTED', 'Interrupted.')),
    });
    assert.equal(code, 130, err);
    assert.match(
      plain(err),
      /The server continues the import\. Run the same command again to wait for its end\. No play is added twice\. $/,
    );
    assert.equal((await run(relay, ['import', path])).out, '2 plays, 2014 to 2019; none is new.\n');
    assert.deepEqual(await allPlays(relay), [playOf(A), playOf(B)]);
  });
});

test('without a server nothing is imported', async (context) => {
  const home = temporaryHome(context);
  const path = join(home, 'a.zip');
  await writeFile(path, zipped({ 'endsong_0.json': [extended(A)] }));
  const { code, out, err } = await cli(['import', path], { env: { RELAY_HOME: join(home, 'none') } });
  assert.deepEqual([code, out], [4, '']);
  assert.match(err, /No server is running/);
});

test('options for a list are refused with an archive of plays, and a missing archive is reported', () =>
  withExports({ connect: false }, async (relay, at) => {
    const path = await at('a.zip', zipped({ 'endsong_0.json': [extended(A)] }));
    for (const option of [['--to', 'X'], ['--saved'], ['--format', 'csv']]) {
      const { code, err } = await run(relay, ['import', path, ...option]);
      assert.equal(code, 2);
      assert.match(err, /This one has no (playlists|saved songs)|relay import --help/);
    }
    const missing = await run(relay, ['import', join(dirname(path), 'none.zip')]);
    assert.equal(missing.code, 1);
    assert.match(missing.err, /cannot be read|no file/);
  }));

test('a damaged plays.db is put aside with a message, and a new one is begun', () =>
  withExports({ connect: false }, async (relay, at) => {
    await writeFile(join(relay.home, 'plays.db'), 'SQLite format 3\0 and then nothing');
    const path = await at('a.zip', zipped({ 'endsong_0.json': [extended(A)] }));
    const told = await run(relay, ['import', path]);
    const aside = (await filesIn(relay)).find((name) => name.startsWith('plays.db.damaged-')) ?? '';
    assert.equal(told.out, '1 play, 2014.\n');
    assert.ok(told.err.includes(aside) && aside !== '', told.err);
    assert.match(await readFile(join(relay.home, aside), 'latin1'), /and then nothing$/);
    assert.deepEqual(await allPlays(relay), [playOf(A)]);
  }));

test('a play that an export has twice counts once, and offline plays of one second are told apart', () =>
  withExports({ connect: false }, async (relay, at) => {
    const began = 1_682_963_800;
    const twice = [
      extended({ at: '2023-05-01T18:00:00Z', song: 1 }, { offline_timestamp: began }),
      extended({ at: '2023-05-01T18:00:03Z', song: 1 }, { offline_timestamp: began }),
    ];
    const offline = [0, 200, 400].map((later) =>
      extended({ at: '2023-06-01T09:00:00Z', song: 2 }, { offline: true, offline_timestamp: began + later }),
    );
    // An earlier export of the same plays does not know when they began, or counts in milliseconds.
    const earlier = [
      extended({ at: '2023-05-01T18:00:03Z', song: 1 }, { offline_timestamp: began * 1_000 + 5 }),
      extended({ at: '2023-06-01T09:00:00Z', song: 2 }, { offline_timestamp: null }),
    ];
    const present = await at(
      'now.zip',
      zipped({ 'Streaming_History_Audio_2023.json': [...twice, ...offline] }),
    );
    const former = await at('before.zip', zipped({ 'endsong_0.json': earlier }));
    const times = ['2023-05-01T18:00:00Z', ...Array(3).fill('2023-06-01T09:00:00Z')];
    for (const order of [
      [present, former, present],
      [former, present],
    ]) {
      for (const path of order) assert.equal((await run(relay, ['import', path])).code, 0);
      const found = (await allPlays(relay)).map(([time]) => String(time).replace(':03Z', ':00Z'));
      assert.deepEqual(found, times);
      await run(relay, ['library', 'forget', '--plays']);
    }
  }));

test('times with an offset are read', () =>
  withExports({ connect: false }, async (relay, at) => {
    const rows = ['2020-01-01T01:30:00+02:00', '2019-12-31T18:00:00-05:30', '2019-12-31 23:29:00 +0000'];
    const plays = rows.map((ts, song) => extended({ at: ts, song }));
    await run(relay, ['import', await at('a.zip', zipped({ 'endsong_0.json': plays }))]);
    assert.deepEqual(
      (await allPlays(relay)).map(([time]) => time),
      ['2019-12-31T23:29:00Z', '2019-12-31T23:30:00Z', '2019-12-31T23:30:00Z'],
    );
  }));

test('what cannot be read in an export is named, and the rest is read', () =>
  withExports({ connect: false }, async (relay, at) => {
    const rows = JSON.stringify([extended(A), extended(B)]);
    const archive = zipped({
      'MyData\\endsong_0.json': [extended(D)],
      'Verlauf Xmlaut/Streaming_History_Audio_1.json': [extended(C)],
      'StreamingHistory_podcast_0.json': '',
      'Streaming_History_Video_2018.json': new Uint8Array(Buffer.from(`\ufeff${rows}`, 'utf16le')),
      'Streaming_History_Audio_2.json': rows.slice(0, -30),
      'Streaming_History_Audio_3.json': [{ a: 1 }],
      'Streaming_History_Audio_4.json': '[{"ts": }]',
    });
    // Names of older programs are not UTF-8.
    const bytes = Buffer.from(archive).toString('latin1').replaceAll('Xmlaut', '\u00fcmlaut');
    const path = await at('a.zip', Buffer.from(bytes, 'latin1'));
    const { code, out, err } = await run(relay, ['import', path]);
    assert.deepEqual([code, out], [0, '3 plays, 2014 to 2026.\n']);
    assert.deepEqual(err.trim().split('\n'), [
      'Left out: "StreamingHistory_podcast_0.json" is empty.',
      'Left out: "Streaming_History_Video_2018.json" is not a list of plays.',
      'Left out: "Streaming_History_Audio_2.json" ends in the middle.',
      'Left out: "Streaming_History_Audio_3.json" holds no plays.',
      'Left out: "Streaming_History_Audio_4.json" is not valid JSON before byte 8.',
    ]);
    assert.deepEqual(await allPlays(relay), [playOf(A), playOf(C), playOf(D)]);
  }));

test('what is no export is refused by name, and nothing is written', () =>
  withExports({ connect: false }, async (relay, at) => {
    const good = Buffer.from(zipped({ 'endsong_0.json': [extended(A)] }));
    const cases: Array<[content: Uint8Array, message: RegExp]> = [
      [good.subarray(0, 200), /a\.zip is not a complete zip archive/],
      [zipped({ 'xl/workbook.xml': '<x/>' }), /a\.zip holds no listening history/],
      [zipped({ 'my_spotify_data.zip': good }), /holds no listening history/],
      [
        zipped({ 'endsong_0.json': `${'['.repeat(400_000)}` }),
        /Nothing of a\.zip can be read: "endsong_0\.json"/,
      ],
      [zipped({ 'endsong_0.json': `[{"ts":"${'9'.repeat(3_000_000)}` }), /has a row without an end/],
    ];
    const before = await filesIn(relay);
    for (const [content, message] of cases) {
      const { code, out, err } = await run(relay, ['import', await at('a.zip', content), '--json']);
      const { error } = JSON.parse(err);
      assert.deepEqual([code, out, error.code], [1, '', 'INVALID_ARGUMENT'], err);
      assert.match(error.message, message);
    }
    assert.deepEqual(await filesIn(relay), before);
  }));

test('the playlists and saved songs of an export are counted, and can be imported from it', () =>
  withExports({}, async (relay, at) => {
    const [one, two] = relay.provider.catalogue.tracks;
    const track = (song: typeof one) => ({
      ...{ trackName: song?.name, artistName: song?.artists[0]?.name },
      ...{ albumName: song?.album.name, trackUri: song?.uri },
    });
    const list = (name: string, song: typeof one) => ({ name, items: [{ track: track(song) }] });
    const path = await at(
      'my_spotify_data.zip',
      zipped({
        'Spotify Account Data/StreamingHistory_music_0.json': [short(A)],
        'Spotify Account Data/Playlist1.json': { playlists: [list('First list', one)] },
        'Spotify Account Data/Playlist2.json': { playlists: [list('Second list', two)] },
        'Spotify Account Data/YourLibrary.json': {
          tracks: [
            { artist: one?.artists[0]?.name, album: one?.album.name, track: one?.name, uri: one?.uri },
          ],
        },
      }),
    );
    const { err } = await run(relay, ['import', path]);
    assert.match(plain(err), /holds 2 playlists\. To create them here: relay import \S+ --each/);
    assert.match(plain(err), /holds 1 saved song\. To save them here: relay import \S+ --saved/);
    const made = await run(relay, ['import', path, '--each', '--yes']);
    assert.equal(made.code, 0, made.err);
    const names = relay.provider.accounts[0]?.playlists.map(({ name }) => name) ?? [];
    assert.ok(names.includes('First list') && names.includes('Second list'), made.out);
    const saved = await run(relay, ['import', path, '--saved', '--dry-run']);
    assert.match(saved.out, /1 song/);
  }));
