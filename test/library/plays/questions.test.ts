/** The manual's questions about plays, through the tool, with answers worked out here. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { run } from '../../support/cli.ts';
import { at as nth, owner } from '../../support/entries.ts';
import { resize } from '../accounts.ts';
import { ask, type Cell, readAll, WITH_SQL } from '../queries.ts';
import { extended, short, zipped } from './exports.ts';
import { withExports } from './withExports.ts';

async function examples(): Promise<string[]> {
  const manual = await readFile(new URL('../../../src/cli/README.md', import.meta.url), 'utf8');
  const section = manual.slice(manual.indexOf('## A lifetime of listening'));
  const block = /```sql\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  return block.split('\n\n').map((text) => text.trim());
}

const HALF_AN_HOUR = 1_800_000;

test('the manual’s queries answer: first heard, most played, not heard since, the song of a summer, hours a month', () =>
  withExports({ ...WITH_SQL, client: true }, async (relay, at) => {
    const artists = new Set<string | undefined>();
    const songs = relay.provider.catalogue.tracks
      .filter((track) => artists.size < artists.add(track.artists[0]?.name).size)
      .slice(0, 4);
    const [one, two, named, never] = songs.map(({ uri, name, artists }) => ({
      ...{ uri, name, artist: artists[0]?.name ?? '' },
    }));
    assert.ok(one && two && named && never);
    resize(relay, 0, 1).saved = songs.map(({ uri }) => ({ uri, addedAt: '2020-01-01T00:00:00Z' }));
    const heard = (song: typeof one, when: string, ms = HALF_AN_HOUR) =>
      extended({ at: when, ms, ...song }, { spotify_track_uri: song.uri });
    const nameless = { master_metadata_track_name: null, master_metadata_album_artist_name: null };
    const files = {
      'Streaming_History_Audio_0.json': [
        heard(one, '2021-05-01T10:00:00Z'),
        heard(one, '2021-06-01T10:00:00Z', 12_000),
        heard(two, '2022-07-01T10:00:00Z'),
        heard(two, '2025-07-02T10:00:00Z'),
        heard(two, '2025-07-03T10:00:00Z'),
        // What has no name is no answer to a question about songs.
        extended({ at: '2025-07-04T10:00:00Z', ms: HALF_AN_HOUR }, nameless),
      ],
      'StreamingHistory_music_0.json': [short({ at: '2023-03-01T10:00:00Z', ms: HALF_AN_HOUR, ...named })],
    };
    const path = await at('export.zip', zipped(files));
    assert.equal((await run(relay, ['import', path])).out, '7 plays, 2021 to 2025.\n');
    await readAll(relay);
    relay.provider.clearRequests();
    const answers: Cell[][][] = [];
    for (const sql of await examples()) {
      const { error, rows } = await ask(relay, sql);
      assert.equal(error, undefined, sql);
      answers.push(rows);
    }
    const [first, mostPlayed, notHeard, summer, hours] = answers;
    assert.deepEqual(first, [
      [named.artist, '2023-03-01T10:00:00Z'],
      [two.artist, '2022-07-01T10:00:00Z'],
      [one.artist, '2021-05-01T10:00:00Z'],
    ]);
    assert.deepEqual(mostPlayed, [
      ['2021', one.name, one.artist, 1],
      ['2022', two.name, two.artist, 1],
      ['2023', named.name, named.artist, 1],
      ['2025', two.name, two.artist, 2],
    ]);
    assert.deepEqual(
      notHeard?.map(([name, , last]) => [name, last]),
      [
        [never.name, null],
        [one.name, '2021-05-01T10:00:00Z'],
        [named.name, '2023-03-01T10:00:00Z'],
      ],
    );
    assert.deepEqual(summer, [[two.name, two.artist, 2]]);
    assert.deepEqual(hours, [
      ['2025-07', 1.5],
      ['2023-03', 0.5],
      ['2022-07', 0.5],
      ['2021-06', 0],
      ['2021-05', 0.5],
    ]);
    assert.deepEqual(relay.provider.requests, []);
  }));

test('a question about plays says so if none have been imported, until some are', () =>
  withExports({ ...WITH_SQL, client: true }, async (relay, at) => {
    const none =
      'plays is empty: relay knows no plays until the owner imports Spotify’s export of the listening history (relay import my_spotify_data.zip).';
    const march = "SELECT name FROM plays WHERE played_at LIKE '2026-03%'";
    const first = await ask(relay, march);
    assert.deepEqual([first.rows, first.note], [[], none]);
    assert.deepEqual((await ask(relay, 'select count(*) from PLAYS')).note, none);
    assert.equal((await ask(relay, 'SELECT count(*) FROM saved')).note, undefined);
    const csv = await run(relay, ['library', 'query', march, '--csv']);
    assert.deepEqual([csv.out, csv.code], ['name\n', 0]);
    assert.match(csv.err, /plays is empty/);
    const heard = { at: '2026-02-01T10:00:00Z', uri: nth(owner(relay.provider).saved, 0).uri, ms: 180_000 };
    // A play of a device whose clock was wrong does not tell how far the plays reach.
    const rows = [heard, { ...heard, at: '2099-02-01T10:00:00Z' }].map(({ uri, ...one }) =>
      extended({ ...one, name: 'One', artist: 'Somebody' }, { spotify_track_uri: uri }),
    );
    const path = await at('export.zip', zipped({ 'Streaming_History_Audio_0.json': rows }));
    assert.equal((await run(relay, ['import', path])).code, 0);
    const second = await ask(relay, march);
    const end = 'plays end on 2026-02-01: relay does not know what was heard since.';
    assert.deepEqual([second.rows, second.note], [[], end]);
  }));
