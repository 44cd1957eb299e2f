import assert from 'node:assert/strict';
import { test } from 'node:test';
import { owner, pluck } from '../support/entries.ts';
import { USUAL_SCOPES } from './login.ts';
import { errorBody } from './web.ts';
import { START, withProvider } from './withProvider.ts';

interface PlayRow {
  played_at: string;
  track: { uri: string };
  context: { type: string } | null;
}

test('each time range has its own top items', () =>
  withProvider(async ({ call }) => {
    for (const kind of ['tracks', 'artists']) {
      const uris = new Set<string>();
      for (const range of ['short_term', 'medium_term', 'long_term']) {
        const { json } = await call('GET', `/me/top/${kind}?time_range=${range}&limit=50`);
        assert.equal(json.total, 60);
        for (const { uri } of json.items) uris.add(uri);
      }
      assert.equal(uris.size, 150);
      const standard = (await call('GET', `/me/top/${kind}`)).json;
      const medium = (await call('GET', `/me/top/${kind}?time_range=medium_term&limit=20`)).json;
      assert.deepEqual(standard.items, medium.items);
    }
    assert.equal((await call('GET', '/me/top/tracks?time_range=ever')).status, 400);
  }));

test('the history holds fifty plays, newest first, some with a context', () =>
  withProvider(async ({ call }) => {
    const { json } = await call('GET', '/me/player/recently-played?limit=50');
    const times = json.items.map((row: PlayRow) => Date.parse(row.played_at));
    assert.equal(times.length, 50);
    assert.deepEqual(
      times,
      [...times].sort((a, b) => b - a),
    );
    assert.ok(times[0] < START);
    assert.equal(json.next, null);
    const contexts = new Set(json.items.map((row: PlayRow) => row.context?.type ?? null));
    assert.deepEqual(contexts, new Set(['playlist', 'album', null]));
  }));

test('the cursors lead through the history without a gap', () =>
  withProvider(async ({ provider, call }) => {
    const seen: string[] = [];
    let next: string | null = '/me/player/recently-played?limit=20';
    while (next !== null) {
      const { json } = await call('GET', next.replace(provider.apiUrl, ''));
      seen.push(...json.items.map((row: PlayRow) => row.track.uri));
      assert.equal(json.cursors.before, String(Date.parse(json.items.at(-1).played_at)));
      assert.equal(json.cursors.after, String(Date.parse(json.items[0].played_at)));
      next = json.next;
    }
    assert.deepEqual(seen, pluck(owner(provider).history, 'uri'));
  }));

test('before and after are exclusive and cannot be combined', () =>
  withProvider(async ({ provider, call }) => {
    const plays = provider.accounts[0]?.history ?? [];
    const times = async (query: string) => {
      const { json } = await call('GET', `/me/player/recently-played?limit=50&${query}`);
      return json.items.map((row: PlayRow) => Date.parse(row.played_at));
    };
    const all = plays.map(({ playedAt }) => playedAt);
    assert.deepEqual(await times(`after=${all[3]}`), all.slice(0, 3));
    assert.deepEqual(await times(`before=${all[46]}`), all.slice(47));
    const both = await call('GET', `/me/player/recently-played?before=${all[3]}&after=${all[9]}`);
    assert.equal(both.status, 400);
    const bad = await call('GET', '/me/player/recently-played?before=yesterday');
    assert.deepEqual(bad.json, errorBody(400, 'Invalid value for before'));
  }));

test('an empty history has no cursors', () =>
  withProvider(async ({ callerWith }) => {
    const { json } = await (await callerWith(USUAL_SCOPES, 1))('GET', '/me/player/recently-played');
    assert.deepEqual([json.items, json.cursors, json.next], [[], null, null]);
  }));

test('the profile belongs to the account that logged in', () =>
  withProvider(async ({ call, callerWith }) => {
    assert.equal((await call('GET', '/me')).json.display_name, 'Demo Listener');
    const guest = (await (await callerWith('', 1))('GET', '/me')).json;
    assert.deepEqual(
      [guest.id, guest.uri, guest.account_id.length],
      ['demo-guest', 'spotify:user:demo-guest', 22],
    );
  }));
