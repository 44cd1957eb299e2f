import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, tracks } from '../support/playlists.ts';
import { errorBody } from './web.ts';
import { type Call, withProvider } from './withProvider.ts';

const library = (uris: readonly string[]) => `/me/library?uris=${encodeURIComponent(uris.join(','))}`;
const contains = async (call: Call, uris: readonly string[]) => {
  return (await call('GET', library(uris).replace('library', 'library/contains'))).json;
};

test('saving puts a new track first and leaves one that is saved where it is; removing takes them out', () =>
  withProvider(async ({ provider, call }) => {
    const saved = provider.accounts[0]?.saved.map(({ uri }) => uri) ?? [];
    const [known = ''] = saved;
    const [fresh = ''] = tracks({ provider }, 1, 2);
    assert.deepEqual(await contains(call, [fresh, known, fresh]), [false, true, false]);
    const { status, text } = await call('PUT', library([fresh, known]));
    assert.deepEqual({ status, text }, { status: 200, text: '' });
    const first = (await call('GET', '/me/tracks?limit=2')).json;
    assert.deepEqual(
      [first.total, first.items[0].added_at, first.items[0].track.uri, first.items[1].track.uri],
      [601, '2026-11-20T12:00:00Z', fresh, known],
    );
    assert.equal((await call('DELETE', library([fresh, known]))).status, 200);
    assert.equal((await call('DELETE', library([fresh]))).status, 200);
    assert.deepEqual(await contains(call, [fresh, known]), [false, false]);
    assert.equal((await call('GET', '/me/tracks')).json.total, 599);
  }));

const ID = 'A'.repeat(22);
const REFUSED: [string, string[], string][] = [
  ['PUT', [`spotify:artist:${ID}`], `Invalid uri: spotify:artist:${ID}`],
  ['PUT', ['spotify:track:short'], 'Invalid uri: spotify:track:short'],
  ['PUT', [ID], `Invalid uri: ${ID}`],
  ['PUT', [`spotify:track:${ID}`], 'Payload contains a non-existing ID'],
  ['DELETE', ['spotify:local:a:b:c:1'], 'Invalid uri: spotify:local:a:b:c:1'],
];

for (const [method, uris, message] of REFUSED) {
  test(`${method} /me/library refuses ${uris} and changes nothing`, () =>
    withProvider(async ({ provider, call }) => {
      const known = tracks({ provider }, 1, 2);
      const { json } = await call(method, library([...known, ...uris]));
      assert.deepEqual(json, errorBody(400, message));
      assert.deepEqual(await contains(call, known), [false]);
    }));
}

test('forty URIs are accepted, forty-one are not, and URIs in a body are ignored', () =>
  withProvider(async ({ provider, call }) => {
    assert.equal((await call('PUT', library(tracks({ provider }, 40)))).status, 200);
    assert.equal((await call('PUT', library(tracks({ provider }, 41)))).status, 400);
    assert.equal((await contains(call, tracks({ provider }, 40))).length, 40);
    const body = await call('PUT', '/me/library', { uris: tracks({ provider }, 1) });
    assert.deepEqual(body.json, errorBody(400, 'Missing required field: uris'));
  }));

test('removing a playlist takes it off the list, and saving it brings it back', () =>
  withProvider(async ({ provider, call }) => {
    const { id } = named({ provider }, 'Morning Ferry');
    const uri = `spotify:playlist:${id}`;
    assert.equal((await call('DELETE', library([uri]))).status, 200);
    assert.deepEqual(await contains(call, [uri]), [false]);
    assert.equal((await call('GET', '/me/playlists')).json.total, 14);
    assert.equal((await call('GET', `/playlists/${id}`)).status, 200);
    await call('PUT', library([uri]));
    assert.equal((await call('GET', '/me/playlists')).json.items[0].id, id);
  }));

test('saved albums are not saved tracks', () =>
  withProvider(async ({ provider, call }) => {
    const uris = provider.catalogue.albums.slice(4, 6).map((album) => album.uri);
    assert.deepEqual(await contains(call, uris), [true, false]);
    await call('PUT', library(uris));
    assert.deepEqual(await contains(call, uris), [true, true]);
    assert.equal((await call('GET', '/me/tracks')).json.total, 600);
  }));
