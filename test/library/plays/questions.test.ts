/** The manual's questions about plays, through the tool, with answers worked out here. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { run } from '../../support/cli.ts';
import { at as nth, owner } from '../../support/entries.ts';
import { resize } from '../accounts.ts';
import { ask, type Cell, readAll, WITH_SQL } from '../queries.ts';
import { type ExportRow, extended, short, zipped } from './exports.ts';
import { withExports } from './withExports.ts';

interface Heard {
  at: string;
  uri: string;
  name: string;
  artist: string;
  ms: number;
}

async function examples(): Promise<string[]> {
  const manual = await readFile(new URL('../../../src/cli/README.md', import.meta.url), 'utf8');
  const section = manual.slice(manual.indexOf('## A lifetime of listening'));
  const block = /```sql\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  return block.split('\n\n').map((text) => text.trim());
}

function rowOf({ at, uri, name, artist, ms }: Heard): ExportRow {
  return extended({ at, ms, name, artist }, { spotify_track_uri: uri });
}

/** An episode, and a play of which Spotify tells only the URI. */
const NO_SONGS: readonly ExportRow[] = [
  {
    master_metadata_track_name: null,
    master_metadata_album_artist_name: null,
    master_metadata_album_album_name: null,
    spotify_track_uri: null,
    episode_name: 'An episode',
    episode_show_name: 'A show',
    spotify_episode_uri: `spotify:episode:${'0'.repeat(22)}`,
  },
  {
    master_metadata_track_name: null,
    master_metadata_album_artist_name: null,
    master_metadata_album_album_name: null,
  },
];

/** How often each song was heard, most often first, then by name. */
function most(plays: readonly Heard[]): Array<[name: string, artist: string, times: number]> {
  const counts = new Map<string, [string, string, number]>();
  for (const { name, artist } of plays) {
    const before = counts.get(`${name}\n${artist}`)?.[2] ?? 0;
    counts.set(`${name}\n${artist}`, [name, artist, before + 1]);
  }
  return [...counts.values()].sort((a, b) => b[2] - a[2] || (a[0] < b[0] ? -1 : 1));
}

test('the manual’s queries answer: first heard, most played, not heard since, the song of a summer, hours a month', () =>
  withExports({ ...WITH_SQL, client: true }, async (relay, at) => {
    const account = resize(relay, 12, 1);
    const byUri = new Map(relay.provider.catalogue.tracks.map((track) => [track.uri, track]));
    const saved = account.saved.map(({ uri }) => uri);
    assert.ok(owner(relay.provider) === account);
    const heard: Heard[] = Array.from({ length: 900 }, (_, index) => {
      const uri = nth(saved, (index * index + (index >> 4)) % 9);
      const name = byUri.get(uri)?.name ?? '';
      const when = new Date(Date.UTC(2021, 0, 1) + index * 45 * 3_600_000);
      const ms = index % 5 === 0 ? 12_000 : 180_000 + index;
      return { at: `${when.toISOString().slice(0, 19)}Z`, uri, name, artist: `By ${uri.slice(-3)}`, ms };
    });
    // What is no song, or has no name, is no answer to a question about songs.
    const others = Array.from({ length: 120 }, (_, index) => ({
      at: new Date(Date.UTC(2025, 6, 1) + index * 3_600_000).toISOString().replace('.000', ''),
      ms: 60_000,
    }));
    const rows = [...heard.map(rowOf), ...others.map((one, index) => extended(one, NO_SONGS[index % 2]))];
    const path = await at('export.zip', zipped({ 'Streaming_History_Audio_0.json': rows }));
    assert.equal((await run(relay, ['import', path])).out, '1,020 plays, 2021 to 2025.\n');
    await readAll(relay);
    relay.provider.clearRequests();
    const answers: Cell[][][] = [];
    for (const sql of await examples()) {
      const { error, rows } = await ask(relay, sql);
      assert.equal(error, undefined, sql);
      answers.push(rows);
    }
    const counted = heard.filter(({ ms }) => ms >= 30_000);
    const years = [...new Set(heard.map((one) => one.at.slice(0, 4)))].sort();
    const artists = [...new Set(heard.map(({ artist }) => artist))];
    const first = artists.map((artist) => [
      artist,
      nth(
        heard.filter((one) => one.artist === artist),
        0,
      ).at,
    ]);
    const lastOf = (uri: string) => counted.filter((one) => one.uri === uri).at(-1)?.at ?? null;
    const nameOf = (uri: string) => byUri.get(uri)?.name ?? '';
    const months = [...new Set(heard.map((one) => one.at.slice(0, 7)))].sort().reverse().slice(0, 12);
    assert.deepEqual(
      answers[0],
      first.sort((a, b) => (nth(a, 1) < nth(b, 1) ? 1 : -1)),
    );
    assert.deepEqual(
      answers[1],
      years.map((year) => [year, ...nth(most(counted.filter((one) => one.at.startsWith(year))), 0)]),
    );
    assert.deepEqual(
      answers[2]?.map(([name, , last]) => [name, last]),
      saved
        .filter((uri) => (lastOf(uri) ?? '') < '2024')
        .map((uri): [string, string | null] => [nameOf(uri), lastOf(uri)])
        .sort((a, b) => ((a[1] ?? '') + a[0] < (b[1] ?? '') + b[0] ? -1 : 1)),
    );
    assert.deepEqual(answers[3], [
      nth(most(counted.filter((one) => one.at >= '2025-06-01' && one.at < '2025-09-01')), 0),
    ]);
    assert.deepEqual(
      answers[4],
      months.map((month) => {
        const ms = [...heard, ...others]
          .filter((one) => one.at.startsWith(month))
          .reduce((sum, one) => sum + one.ms, 0);
        return [month, Math.round(ms / 360_000) / 10];
      }),
    );
    assert.equal(answers.length, 5);
    assert.deepEqual(relay.provider.requests, []);
  }));

test('the manual’s query for songs not heard since then also knows the plays that only have names', () =>
  withExports({ ...WITH_SQL, client: true }, async (relay, at) => {
    const account = resize(relay, 3, 1);
    const saved = account.saved.map(({ uri }) => relay.provider.catalogue.trackByUri.get(uri));
    const rows = ['2024-03-01T10:00:00Z', '2023-03-01T10:00:00Z'].map((end, index) =>
      short({ at: end, name: saved[index]?.name ?? '', artist: saved[index]?.artists[0]?.name ?? '' }),
    );
    const path = await at('export.zip', zipped({ 'StreamingHistory_music_0.json': rows }));
    assert.equal((await run(relay, ['import', path])).code, 0);
    await readAll(relay);
    const answer = await ask(relay, nth(await examples(), 2));
    assert.deepEqual(
      answer.rows.map(([name, , last]) => [name, last]),
      [
        [saved[2]?.name, null],
        [saved[1]?.name, '2023-03-01T10:00:00Z'],
      ],
    );
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
    const rows = [heard, { ...heard, at: '2099-02-01T10:00:00Z' }].map((one) =>
      rowOf({ ...one, name: 'One', artist: 'Somebody' }),
    );
    const path = await at('export.zip', zipped({ 'Streaming_History_Audio_0.json': rows }));
    assert.equal((await run(relay, ['import', path])).code, 0);
    const second = await ask(relay, march);
    const end = 'plays end on 2026-02-01: relay does not know what was heard since.';
    assert.deepEqual([second.rows, second.note], [[], end]);
  }));
