/** Acting on a set: everyday acts on hundreds of rows, each in one call that costs few tokens, and each undone exactly. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { playlistOf, resize, rowsFrom } from '../library/accounts.ts';
import { failureOf } from '../support/answers.ts';
import { at, owner } from '../support/entries.ts';
import { type Relay, withRelay } from '../support/world.ts';

const ROWS = 300;
const ALL = { env: { RELAY_ACCESS: 'everything', RELAY_LIBRARY_REQUESTS_PER_MINUTE: '10000' } };

/** A relay with two playlists, of three hundred and of thirty rows, and sixty saved songs of 2019 and later. */
function withSets(
  work: (relay: Relay, big: DemoPlaylist, small: DemoPlaylist) => Promise<void>,
): Promise<void> {
  return withRelay(ALL, async (relay) => {
    const account = resize(relay, 60, 0);
    const big = { ...playlistOf(account, 0, rowsFrom(relay, 40, ROWS)), name: 'Big' };
    const small = { ...playlistOf(account, 1, rowsFrom(relay, 330, 30)), name: 'Small' };
    account.playlists = [big, small];
    for (const [n, one] of account.saved.entries()) one.addedAt = `${n < 30 ? 2024 : 2019}-05-01T00:00:00Z`;
    await work(relay, big, small);
  });
}

const uris = ({ rows }: Pick<DemoPlaylist, 'rows'>) => rows.map(({ uri }) => uri);

/** Edits, checks what it costs a model, and returns the answer. */
async function edit(relay: Relay, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const answer = await relay.call('edit_by_query', args);
  assert.equal(answer.status, 'done', JSON.stringify(answer));
  const tokens = countTokens(JSON.stringify(args)) + countTokens(JSON.stringify(answer));
  assert.ok(tokens <= 400, `${tokens} tokens`);
  return answer;
}

const undo = (relay: Relay, { change_id }: Record<string, unknown>) =>
  relay.call('undo_change', { change_id });

test('a playlist is sorted by artist and album', () =>
  withSets(async (relay, big) => {
    const before = uris(big);
    const sql = `SELECT uri FROM playlist_rows JOIN tracks USING (uri) WHERE playlist_id = '${big.id}' ORDER BY artist, album, name, uri`;
    const answer = await edit(relay, { sql, playlist_id: 'Big', mode: 'replace' });
    assert.match(String(answer.note), /shows today as the date of every row/);
    const { artists } = at(relay.provider.catalogue.tracks, 0);
    assert.ok(artists.length > 0);
    assert.deepEqual([...uris(big)].sort(), [...before].sort());
    assert.notDeepEqual(uris(big), before);
    await undo(relay, answer);
    assert.deepEqual(uris(big), before);
  }));

test('two playlists are merged without repeats, and the artist that nobody wants is taken out', () =>
  withSets(async (relay, big, small) => {
    const before = uris(big);
    const merge = `SELECT uri FROM playlist_rows WHERE playlist_id = '${small.id}' AND uri NOT IN (SELECT uri FROM playlist_rows WHERE playlist_id = '${big.id}') ORDER BY position`;
    const merged = await edit(relay, { sql: merge, playlist_id: big.id });
    const fresh = uris(small).filter((uri) => !before.includes(uri));
    assert.deepEqual(uris(big), [...before, ...fresh]);
    const artist = at(relay.provider.catalogue.tracks, 100).artists[0]?.name ?? '';
    const of = `SELECT track_uri FROM track_artists WHERE artist = '${artist.replaceAll("'", "''")}'`;
    const removed = await edit(relay, { sql: of, playlist_id: big.id, mode: 'remove' });
    const { trackByUri } = relay.provider.catalogue;
    const isTheirs = (uri: string) => trackByUri.get(uri)?.artists.some(({ name }) => name === artist);
    assert.ok(!uris(big).some(isTheirs));
    await undo(relay, removed);
    await undo(relay, merged);
    assert.deepEqual(uris(big), before);
  }));

test('a playlist is made from what was saved in 2019 and is in no playlist', () =>
  withSets(async (relay, big, small) => {
    const held = new Set([...uris(big), ...uris(small)]);
    const { saved } = owner(relay.provider);
    const sql =
      "SELECT uri FROM saved WHERE added_at LIKE '2019%' AND uri NOT IN (SELECT uri FROM playlist_rows WHERE uri IS NOT NULL) ORDER BY position";
    const answer = await edit(relay, { sql, new_playlist: 'Forgotten' });
    const expected = saved.filter(({ uri, addedAt }) => addedAt.startsWith('2019') && !held.has(uri));
    const made = owner(relay.provider).playlists.find(({ name }) => name === 'Forgotten');
    assert.deepEqual(
      made && uris(made),
      expected.map(({ uri }) => uri),
    );
    await undo(relay, answer);
    assert.ok(!owner(relay.provider).playlists.some(({ name }) => name === 'Forgotten'));
  }));

test('the songs of a playlist are saved, and saved songs of a query are unsaved, after a question if they are many', () =>
  withSets(async (relay, _, small) => {
    const account = owner(relay.provider);
    const before = account.saved.map(({ uri }) => uri);
    const sql = `SELECT uri FROM playlist_rows WHERE playlist_id = '${small.id}'`;
    const saved = await edit(relay, { sql, saved: true });
    assert.ok(uris(small).every((uri) => account.saved.some((one) => one.uri === uri)));
    await undo(relay, saved);
    assert.deepEqual(new Set(account.saved.map(({ uri }) => uri)), new Set(before));
    const old = { sql: "SELECT uri FROM saved WHERE added_at < '2020'", saved: true, mode: 'remove' };
    const asked = await relay.call('edit_by_query', old);
    assert.deepEqual([asked.status, account.saved.length], ['confirm', 60]);
    assert.match(String(asked.note), /leaves 30 of 60 rows.*confirm=true/);
    const unsaved = await edit(relay, { ...old, confirm: true });
    assert.equal(account.saved.length, 30);
    await undo(relay, unsaved);
    assert.deepEqual(new Set(account.saved.map(({ uri }) => uri)), new Set(before));
  }));

test('what gives no URIs, empties a list or names no target writes nothing and says what to do', () =>
  withSets(async (relay, big) => {
    const wrong: Array<[args: Record<string, unknown>, message: RegExp]> = [
      [{ sql: 'SELECT name FROM tracks', playlist_id: big.id }, /first column of the query must be a URI/],
      [{ sql: 'SELECT uri FROM saved' }, /Exactly one of playlist_id, new_playlist and saved/],
      [{ sql: 'SELECT uri FROM saved', saved: true, mode: 'replace' }, /does not fit this target/],
      [{ sql: 'DELETE FROM saved', saved: true }, /./],
    ];
    for (const [args, message] of wrong) {
      const { code, message: text, remedy } = failureOf(await relay.call('edit_by_query', args));
      assert.deepEqual([code, typeof remedy], ['INVALID_ARGUMENT', 'string']);
      assert.match(text, message);
    }
    const empty = { sql: "SELECT uri FROM saved WHERE uri = 'x'", playlist_id: big.id, mode: 'replace' };
    assert.equal((await relay.call('edit_by_query', empty)).status, 'confirm');
    assert.equal((await relay.call('edit_by_query', { ...empty, dry_run: true })).status, 'dry_run');
    assert.equal(big.rows.length, ROWS);
    assert.ok(relay.provider.requests.every(({ method }) => method === 'GET'));
  }));
