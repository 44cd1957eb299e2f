/**
 * What the simulated Spotify refuses of any call. This folder tests where the simulation could be kinder than Spotify, so that a
 * mistake of relay's would pass unseen. That it works at all, the tests of relay show.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { owner } from '../support/entries.ts';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { type DemoWorld, errorBody, USUAL_SCOPES, withProvider } from './withProvider.ts';

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

test('an answer has only the requested types, up to the thousandth result', () =>
  withProvider(async ({ call }) => {
    const { json } = await call('GET', '/search?q=kettle&type=track,album,artist');
    assert.deepEqual(Object.keys(json), ['tracks', 'albums', 'artists']);
    assert.deepEqual([json.tracks.items.length, json.albums.items[0].type], [5, 'album']);
    const { tracks: last } = (await call('GET', '/search?q=the&type=track&limit=10&offset=990')).json;
    assert.equal(last.items.length, 10);
    for (const [query, message] of [
      ['type=track', 'No search query'],
      ['q=x', 'Missing parameter type'],
      ['q=x&type=track,song', 'Bad search type field song'],
      ['q=x&type=track&limit=11', 'Invalid limit'],
      ['q=x&type=track&limit=10&offset=991', 'Invalid offset'],
    ] as const) {
      assert.deepEqual((await call('GET', `/search?${query}`)).json, errorBody(400, message), query);
    }
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

const failed = (status: number, what: string, reason: string) =>
  errorBody(status, `Player command failed: ${what}`, reason);

const device = ({ provider }: DemoWorld, name: string) =>
  owner(provider).devices.find((one) => one.name === name) ?? assert.fail(name);

test('every command needs Premium and a device that accepts commands, the volume one that allows it', () =>
  withProvider(async (world) => {
    const { provider, call } = world;
    const account = owner(provider);
    const ALL = ['play', 'pause', 'next', 'previous', 'seek?position_ms=1', 'volume?volume_percent=1'];
    const refusalsOf = async (query: string) => {
      const found = new Set<string>();
      for (const command of [...ALL, 'shuffle?state=true', 'repeat?state=off']) {
        const method = /next|previous/.test(command) ? 'POST' : 'PUT';
        const path = `/me/player/${command}${query && (command.includes('?') ? '&' : '?')}${query}`;
        found.add(JSON.stringify((await call(method, path)).json));
      }
      return [...found].map((text) => JSON.parse(text));
    };
    assert.deepEqual(await refusalsOf('device_id=nonsense'), [errorBody(404, 'Device not found')]);
    const hall = `device_id=${device(world, 'Hall Screen').id}`;
    assert.deepEqual(await refusalsOf(hall), [failed(403, 'Restricted device', 'UNKNOWN')]);
    const loud = `/me/player/volume?volume_percent=7&device_id=${device(world, 'Pocket Phone').id}`;
    const disallowed = failed(403, 'Cannot control device volume', 'VOLUME_CONTROL_DISALLOW');
    assert.deepEqual((await call('PUT', loud)).json, disallowed);
    account.player.deviceId = null;
    assert.deepEqual(await refusalsOf(''), [failed(404, 'No active device found', 'NO_ACTIVE_DEVICE')]);
    account.premium = false;
    assert.deepEqual(await refusalsOf(''), [failed(403, 'Premium required', 'PREMIUM_REQUIRED')]);
  }));
