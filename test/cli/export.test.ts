import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileNames } from '../../src/cli/lists/exportCommand.ts';
import { WRITTEN_FORMATS } from '../../src/domain/listExport.ts';
import { linesOf, owner, pluck } from '../support/entries.ts';
import { hostileTexts } from '../support/hostileText.ts';
import { type ListScene, withLists } from '../support/lists.ts';
import { named, savedUris, urisOf } from '../support/playlists.ts';
import { searches } from '../support/requests.ts';

const LOST = ['Cannot be restored: 1 local file.', 'Cannot be restored: 1 row that Spotify no longer has.'];

const isKept = (uri: string) => !uri.startsWith('spotify:local:');

/** The rows that can be restored: all but local files and items that Spotify no longer has. */
function keptOf(playlist: ReturnType<typeof named>): string[] {
  return playlist.rows.filter(({ uri, unavailable }) => isKept(uri) && !unavailable).map(({ uri }) => uri);
}

/** Imports a file as a new playlist, and returns the rows of that playlist. */
async function broughtBack({ world, run }: ListScene, path: string, name: string): Promise<string[]> {
  world.provider.clearRequests();
  const { code, err } = await run(['import', path, '--new', name]);
  assert.equal(code, 0, err);
  assert.equal(searches(world), 0);
  return urisOf(named(world, name));
}

test('a playlist is written to stdout or to a file, and says what cannot be restored', () =>
  withLists(async (scene) => {
    const { world, run, dir } = scene;
    const playlist = named(world, 'Odds and Ends');
    const shown = await run(['export', 'odds and ends']);
    assert.deepEqual([shown.code, shown.err], [0, `${LOST.join('\n')}\n`]);
    const lines = shown.out.split('\n');
    assert.equal(lines[0], '\ufefftitle,artists,album,duration_ms,uri,isrc,added_at');
    assert.equal(lines.length, playlist.rows.length + 2);
    assert.deepEqual(await run(['export', playlist.id, '-o', '-']), shown);
    for (const format of WRITTEN_FORMATS) {
      const path = join(dir, `odds.${format}`);
      const written = await run(['export', playlist.id, '-o', path]);
      assert.deepEqual(written, {
        code: 0,
        out: `Wrote 31 rows of "Odds and Ends" to ${path}.\n`,
        err: `${LOST.join('\n')}\n`,
      });
    }
    const csv = join(dir, 'odds.csv');
    assert.deepEqual(await broughtBack(scene, csv, 'Back'), keptOf(playlist));
    const asJson = await run(['export', playlist.id, '--json']);
    assert.deepEqual(JSON.parse(asJson.out), JSON.parse(readFileSync(join(dir, 'odds.json'), 'utf8')));
    const both = await run(['export', playlist.id, '--json', '--format', 'csv']);
    assert.deepEqual([both.code, JSON.parse(both.err).error.code], [2, 'USAGE']);
  }));

test('importing an export says which lines are local files or gone', () =>
  withLists(async ({ run, dir }) => {
    for (const [format, reasons] of [
      ['csv', ['a local file, which Spotify keeps on one device only', 'no title and no artist']],
      ['txt', ['comment', 'a local file, which Spotify keeps on one device only', 'comment']],
    ] as const) {
      const path = join(dir, `odds.${format}`);
      await run(['export', 'Odds and Ends', '-o', path]);
      const { out } = await run(['import', path, '--dry-run', '--json']);
      const { preview } = JSON.parse(out);
      assert.deepEqual(pluck(preview.not_songs.lines, 'why'), reasons);
      assert.deepEqual([preview.with_uri, preview.searches], [29, { at_least: 0, at_most: 0 }]);
    }
  }));

test('a whole library becomes one file for each playlist, and comes back', () =>
  withLists(async (scene) => {
    const { world, run, dir } = scene;
    const all = join(dir, 'all');
    const { code, out, err } = await run(['export', '--all', '-o', all, '--format', 'json']);
    assert.deepEqual([code, out], [0, `Wrote 13 files to ${all}.\n`]);
    assert.deepEqual(linesOf(err), [
      ...LOST.map((line) => `Odds and Ends: ${line}`),
      ...[
        ['Mareas y Mapas', 'Náutica'],
        ['Guest Favourites', 'Demo Guest'],
        ['Daily Weather Mix', 'Spotify'],
      ].map(
        ([name, by]) =>
          `Left out: "${name}" by ${by}. Spotify gives the rows of a playlist only to its owner and collaborators.`,
      ),
    ]);
    const mine = owner(world.provider).playlists.filter(({ name }) =>
      readdirSync(all).includes(`${name}.json`),
    );
    assert.equal(mine.length, 12);
    const again = await run(['export', '--all', '-o', all, '--format', 'json']);
    assert.deepEqual([again.code, again.out], [1, '']);
    assert.match(again.err, /Liked Songs\.json and 12 more would be overwritten\.\n/);

    const short = mine.slice(0, 3);
    for (const playlist of short.filter(({ rows }) => rows.length > 0)) {
      const name = `${playlist.name} again`;
      const rows = await broughtBack(scene, join(all, `${playlist.name}.json`), name);
      assert.deepEqual(rows, keptOf(playlist), playlist.name);
    }
    const empty = await run(['import', join(all, 'Empty Shelf.json')]);
    assert.equal(empty.code, 1);
    assert.equal(
      empty.err,
      'relay: The file was read as JSON, but no song was found in it.\n  Give a file with songs in it.\n',
    );
    const saved = savedUris(world);
    owner(world.provider).saved.length = 0;
    assert.equal((await run(['import', join(all, 'Liked Songs.json'), '--saved'])).code, 0);
    assert.deepEqual(savedUris(world).sort(), saved.sort());
  }));

test('names of files are safe and distinct, whatever playlists are called', () => {
  const cases = {
    Road: 'Road',
    road: 'road (2)',
    ROAD: 'ROAD (3)',
    'a/b\\c:d': 'a_b_c_d',
    '../up': '___up',
    '.hidden': '_hidden',
    CON: '_CON',
    'nul.txt': '_nul.txt',
    ' . ': '_',
    '': 'playlist',
    '-rf': '_rf',
  };
  assert.deepEqual(fileNames(Object.keys(cases)), Object.values(cases));
  assert.deepEqual(fileNames(['Cafe\u0301', 'Caf\u00e9']), ['Cafe\u0301', 'Caf\u00e9 (2)']);
  const hostile = hostileTexts(300).flatMap((text) => [text, text.repeat(40)]);
  const names = fileNames(hostile);
  assert.equal(new Set(names.map((name) => name.normalize('NFKC').toLowerCase())).size, names.length);
  for (const name of names) {
    assert.doesNotMatch(name, /[/\\:*?"<>|\p{Cc}]|^[.\-~ ]|[. ]$/u);
    assert.ok(Buffer.byteLength(`${name}.json`) <= 200, name);
    assert.doesNotMatch(name, /\p{Cs}/u);
  }
});
