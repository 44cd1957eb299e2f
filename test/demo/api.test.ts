/**
 * What the simulated Spotify refuses of any call. This folder tests where the simulation could be kinder than Spotify, so that a
 * mistake of relay's would pass unseen. That it works at all, the tests of relay show.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { owner } from '../support/entries.ts';
import { named, tracks } from '../support/playlists.ts';
import { errorBody, send, USUAL_SCOPES, withProvider } from './withProvider.ts';

test('the challenge says whether the token is missing or bad', () =>
  withProvider(async ({ provider }) => {
    for (const [token, error] of [
      [null, 'missing_token'],
      ['nonsense', 'invalid_token'],
    ] as const) {
      const { json, headers } = await send(`${provider.apiUrl}/me`, 'GET', token);
      assert.deepEqual(json, errorBody(401, 'Missing/invalid/expired access token'));
      assert.equal(headers.get('www-authenticate'), `Bearer realm="spotify", error="${error}"`);
    }
  }));

/** Endpoints and the scope that each needs; URI and LIST stand for a track and one of the user's playlists. */
const SCOPED: Array<[method: string, path: string, scope: string, body?: object]> = [
  ['GET', '/me/playlists', 'playlist-read-private'],
  ['GET', '/playlists/LIST/items', 'playlist-read-private'],
  ['POST', '/playlists/LIST/items', 'playlist-modify-public', { uris: ['URI'] }],
  ['PUT', '/playlists/LIST/items', 'playlist-modify-public', { uris: ['URI'] }],
  ['DELETE', '/playlists/LIST/items', 'playlist-modify-public', { items: [{ uri: 'URI' }] }],
  ['PUT', '/playlists/LIST', 'playlist-modify-public', { name: 'x' }],
  ['POST', '/me/playlists', 'playlist-modify-public', { name: 'x' }],
  ['POST', '/me/playlists', 'playlist-modify-private', { name: 'x', public: false }],
  ['GET', '/me/tracks', 'user-library-read'],
  ['GET', '/me/library/contains?uris=URI', 'user-library-read'],
  ['PUT', '/me/library?uris=URI', 'user-library-modify'],
  ['DELETE', '/me/library?uris=URI', 'user-library-modify'],
  ['GET', '/me/top/tracks', 'user-top-read'],
  ['GET', '/me/player/recently-played', 'user-read-recently-played'],
  ['GET', '/me/player', 'user-read-playback-state'],
  ['GET', '/me/player/devices', 'user-read-playback-state'],
  ['GET', '/me/player/queue', 'user-read-playback-state'],
  ['GET', '/me/player/currently-playing', 'user-read-currently-playing'],
  ['PUT', '/me/player/play', 'user-modify-playback-state'],
  ['POST', '/me/player/queue?uri=URI', 'user-modify-playback-state'],
];

test('each endpoint needs its scope; the profile, the search and the catalogue need none', () =>
  withProvider(async ({ provider, callerWith }) => {
    const uri = tracks({ provider }, 1)[0] ?? '';
    const list = named({ provider }, 'Morning Ferry').id;
    for (const [method, path, scope, body] of SCOPED) {
      const at = path.replace('LIST', list).replace('URI', uri);
      const sent = body && JSON.parse(JSON.stringify(body).replace('URI', uri));
      const others = USUAL_SCOPES.split(' ').filter((name) => name !== scope);
      const refused = await (await callerWith(others.join(' ')))(method, at, sent);
      assert.deepEqual(refused.json, errorBody(403, 'Insufficient client scope'), `${method} ${path}`);
      const allowed = await (await callerWith(scope))(method, at, sent);
      assert.ok(allowed.status < 300, `${method} ${path}: ${allowed.status} ${allowed.text}`);
    }
    const free = await callerWith('');
    const track = provider.catalogue.tracks[0] ?? assert.fail();
    for (const path of ['/me', '/search?q=x&type=track', `/tracks/${track.id}`, `/playlists/${list}`]) {
      assert.equal((await free('GET', path)).status, 200, path);
    }
  }));

test('malformed IDs are 400, unknown ones 404, endpoints that Spotify removed 403', () =>
  withProvider(async ({ call }) => {
    const id = 'A'.repeat(22);
    for (const kind of ['tracks', 'artists', 'playlists', 'albums']) {
      assert.deepEqual((await call('GET', `/${kind}/short`)).json, errorBody(400, 'Invalid base62 id'));
      assert.deepEqual((await call('GET', `/${kind}/${id}`)).json, errorBody(404, 'Resource not found'));
    }
    assert.equal((await call('GET', '/nothing/here')).status, 404);
    for (const [method, path] of [
      ['GET', `/tracks?ids=${id}`],
      ['POST', `/playlists/${id}/tracks`],
      ['PUT', `/me/tracks?ids=${id}`],
    ] as const) {
      assert.deepEqual((await call(method, path)).json, errorBody(403, 'Forbidden'), path);
    }
  }));

const PAGED: Array<[path: string, most: number]> = [
  ['/me/playlists?', 50],
  ['/me/tracks?', 50],
  ['/me/top/tracks?', 50],
  ['/me/player/recently-played?', 50],
  ['/playlists/LIST/items?', 50],
  ['/artists/ARTIST/albums?', 10],
  ['/search?type=track&q=kettle&', 10],
];

test('pages have a largest size', () =>
  withProvider(async ({ provider, call }) => {
    for (const [path, most] of PAGED) {
      const list = named({ provider }, 'Morning Ferry').id;
      const at = path.replace('LIST', list).replace('ARTIST', provider.catalogue.artists[0]?.id ?? '');
      assert.equal((await call('GET', `${at}limit=${most}`)).status, 200, path);
      for (const limit of [most + 1, 0, -1, 'many'])
        assert.deepEqual(
          (await call('GET', `${at}limit=${limit}`)).json,
          errorBody(400, 'Invalid limit'),
          path,
        );
    }
  }));

const library = (uris: readonly string[]) => `/me/library?uris=${encodeURIComponent(uris.join(','))}`;
test('the library refuses what it does not know as a whole, and more than forty URIs', () =>
  withProvider(async ({ provider, call }) => {
    const [fresh = ''] = tracks({ provider }, 1, 2);
    const id = 'A'.repeat(22);
    for (const [uri, message] of [
      [`spotify:artist:${id}`, `Invalid uri: spotify:artist:${id}`],
      ['spotify:local:a:b:c:1', 'Invalid uri: spotify:local:a:b:c:1'],
      [`spotify:track:${id}`, 'Payload contains a non-existing ID'],
    ] as const) {
      assert.deepEqual((await call('PUT', library([fresh, uri]))).json, errorBody(400, message));
    }
    assert.equal(owner(provider).saved.length, 600);
    assert.equal((await call('PUT', library(tracks({ provider }, 40)))).status, 200);
    assert.equal((await call('PUT', library(tracks({ provider }, 41)))).status, 400);
  }));
