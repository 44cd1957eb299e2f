/** Playlists of the simulated Spotify: what is not shown, and what each change does or refuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { errorBody, withProvider } from './withProvider.ts';

const FORBIDDEN = errorBody(403, 'Forbidden');

test('rows of others and the provider’s own playlists are not shown, nor are shared ones without their scope', () =>
  withProvider(async ({ provider, call, callerWith }) => {
    const get = async (name: string, rest = '') =>
      (await call('GET', `/playlists/${named({ provider }, name).id}${rest}`)).json;
    assert.equal((await get('Road Atlas', '/items')).total, 25);
    assert.equal((await get('Mareas y Mapas')).items, undefined);
    assert.deepEqual(await get('Mareas y Mapas', '/items'), FORBIDDEN);
    assert.deepEqual(await get('Daily Weather Mix'), errorBody(404, 'Resource not found'));
    const alone = await callerWith('playlist-read-private');
    const names = JSON.stringify((await alone('GET', '/me/playlists?limit=50')).json);
    assert.deepEqual([names.includes('Kitchen Committee'), names.includes('Road Atlas')], [true, false]);
  }));

test('bad details change nothing', () =>
  withProvider(async ({ provider, call }) => {
    const playlist = named({ provider }, 'Morning Ferry');
    const change = (body: object) => call('PUT', `/playlists/${playlist.id}`, body);
    const before = structuredClone(playlist);
    for (const body of [
      {},
      { description: '' },
      { description: 'a\nb' },
      { description: 'x'.repeat(301) },
      { name: '' },
      { public: 'yes' },
      { public: true, collaborative: true },
    ]) {
      assert.equal((await change(body)).status, 400, JSON.stringify(body));
    }
    assert.deepEqual(playlist, before);
  }));

const UNKNOWN = `spotify:track:${'0'.repeat(22)}`;

/** Bodies that are refused as a whole; KNOWN stands for a track. */
const BAD_ADDS: Array<[body: unknown, message: string]> = [
  [{ uris: ['KNOWN', UNKNOWN] }, 'Payload contains a non-existing ID'],
  [{ uris: ['KNOWN', 'spotify:local:a:b:c:1'] }, 'Invalid track uri: spotify:local:a:b:c:1'],
  [['KNOWN'], 'Error parsing JSON.'],
  [{ uris: Array(101).fill('KNOWN') }, 'You can add a maximum of 100 tracks per request.'],
  [{ uris: [] }, 'No uris provided'],
  [{ uris: ['KNOWN'], position: 99_999 }, 'Invalid position'],
];

test('items are appended or inserted in order, duplicates included, or all refused', () =>
  withProvider(async ({ provider, call }) => {
    const playlist = named({ provider }, 'Empty Shelf');
    const [a = '', b = '', c = ''] = tracks({ provider }, 3);
    const add = (body: unknown) => call('POST', `/playlists/${playlist.id}/items`, body);
    const first = await add({ uris: [a, b, a] });
    const { snapshot_id } = (await call('GET', `/playlists/${playlist.id}`)).json;
    assert.deepEqual([first.status, first.json], [201, { snapshot_id }]);
    await add({ uris: [c], position: 1 });
    assert.deepEqual(urisOf(playlist), [a, c, b, a]);
    assert.deepEqual(playlist.rows[1], { uri: c, addedAt: '2026-11-20T12:00:00Z', addedBy: 'demo.listener' });
    for (const [body, message] of BAD_ADDS) {
      const sent = JSON.parse(JSON.stringify(body).replaceAll('KNOWN', b));
      assert.deepEqual((await add(sent)).json, errorBody(400, message));
    }
    assert.deepEqual(urisOf(playlist), [a, c, b, a]);
    playlist.rows = Array.from({ length: 10_999 }, () => ({ uri: a, addedAt: null, addedBy: null }));
    assert.equal((await add({ uris: [a, a] })).status, 403, 'the playlist would be too long');
    assert.equal((await add({ uris: [a] })).status, 201);
  }));

/** A move in the list a b c d e f, and the result; null if it is refused. */
const MOVES: Array<[body: Record<string, number>, left: string | null]> = [
  [{ range_start: 0, insert_before: 3 }, 'bcadef'],
  [{ range_start: 4, insert_before: 1 }, 'aebcdf'],
  [{ range_start: 0, insert_before: 6, range_length: 2 }, 'cdefab'],
  [{ range_start: 3, insert_before: 0, range_length: 3 }, 'defabc'],
  [{ range_start: 1, insert_before: 3, range_length: 3 }, 'abcdef'],
  [{ range_start: 6, insert_before: 0 }, null],
  [{ range_start: 0, insert_before: 7 }, null],
  [{ range_start: 4, insert_before: 0, range_length: 3 }, null],
  [{ range_start: 0 }, null],
];

test('rows are moved, replaced, and removed with every occurrence', () =>
  withProvider(async ({ provider, call }) => {
    const playlist = named({ provider }, 'Empty Shelf');
    const path = `/playlists/${playlist.id}/items`;
    const letters = tracks({ provider }, 6);
    for (const [body, left] of MOVES) {
      provider.editPlaylist(playlist.id, letters);
      assert.equal((await call('PUT', path, body)).status, left === null ? 400 : 200, JSON.stringify(body));
      const found = urisOf(playlist).map((uri) => 'abcdef'[letters.indexOf(uri)]);
      assert.equal(found.join(''), left ?? 'abcdef');
    }
    const [a = '', b = '', c = ''] = letters;
    assert.equal((await call('PUT', path, { uris: [a, b, a, c, a] })).status, 200);
    const { json } = await call('DELETE', path, { items: [{ uri: a, positions: [0] }] });
    assert.deepEqual(urisOf(playlist), [b, c], 'whatever positions are given');
    assert.deepEqual((await call('DELETE', path, { items: [{ uri: a }] })).json, json, 'the same snapshot');
    await call('PUT', path, { uris: [] });
    assert.deepEqual(urisOf(playlist), []);
  }));

test('playlists of others cannot be changed; of shared ones only the rows can', () =>
  withProvider(async ({ provider, call }) => {
    const items = { uris: tracks({ provider }, 1) };
    const foreign = named({ provider }, 'Guest Favourites').id;
    assert.deepEqual((await call('POST', `/playlists/${foreign}/items`, items)).json, FORBIDDEN);
    const shared = named({ provider }, 'Road Atlas').id;
    assert.equal((await call('POST', `/playlists/${shared}/items`, items)).status, 201);
    assert.deepEqual((await call('PUT', `/playlists/${shared}`, { name: 'Mine' })).json, FORBIDDEN);
  }));
