/** Rules that apply to all API calls. */

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { owner, pluck } from '../support/entries.ts';
import { named, tracks } from '../support/playlists.ts';
import { logIn, USUAL_SCOPES } from './login.ts';
import { errorBody, send } from './web.ts';
import { withProvider } from './withProvider.ts';

const UNAUTHORIZED = errorBody(401, 'Missing/invalid/expired access token');

test('the challenge says whether the token is missing or bad', () =>
  withProvider(async ({ provider }) => {
    const missing = await send(`${provider.apiUrl}/me`, 'GET', null);
    assert.deepEqual(missing.json, UNAUTHORIZED);
    assert.equal(missing.status, 401);
    assert.equal(missing.headers.get('www-authenticate'), 'Bearer realm="spotify", error="missing_token"');
    const bad = await send(`${provider.apiUrl}/me`, 'GET', 'nonsense');
    assert.deepEqual(bad.json, UNAUTHORIZED);
    assert.equal(bad.headers.get('www-authenticate'), 'Bearer realm="spotify", error="invalid_token"');
  }));

const ID = 'A'.repeat(22);

/** Endpoints and the scope that each needs; URI and LIST stand for a track and one of the user's playlists. */
const SCOPED: [string, string, string, unknown?][] = [
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
  ['GET', '/me/top/artists', 'user-top-read'],
  ['GET', '/me/player/recently-played', 'user-read-recently-played'],
  ['GET', '/me/player', 'user-read-playback-state'],
  ['GET', '/me/player/devices', 'user-read-playback-state'],
  ['GET', '/me/player/currently-playing', 'user-read-currently-playing'],
  ['PUT', '/me/player/play', 'user-modify-playback-state'],
  ['POST', '/me/player/next', 'user-modify-playback-state'],
  ['PUT', '/me/player/volume?volume_percent=3', 'user-modify-playback-state'],
  ['GET', '/me/player/queue', 'user-read-playback-state'],
  ['POST', '/me/player/queue?uri=URI', 'user-modify-playback-state'],
  ['PUT', '/me/player/shuffle?state=true', 'user-modify-playback-state'],
  ['PUT', '/me/player/repeat?state=track', 'user-modify-playback-state'],
];

for (const [method, path, scope, body] of SCOPED) {
  test(`${method} ${path} needs ${scope}${body ? ` for ${JSON.stringify(body)}` : ''}`, () =>
    withProvider(async ({ provider, callerWith }) => {
      const uri = tracks({ provider }, 1)[0] ?? '';
      const list = named({ provider }, 'Morning Ferry').id;
      const at = path.replace('LIST', list).replace('URI', uri);
      const sent = body === undefined ? undefined : JSON.parse(JSON.stringify(body).replace('URI', uri));
      const others = USUAL_SCOPES.split(' ').filter((name) => name !== scope);
      const refused = await (await callerWith(others.join(' ')))(method, at, sent);
      assert.deepEqual(refused.json, errorBody(403, 'Insufficient client scope'));
      const allowed = await (await callerWith(scope))(method, at, sent);
      assert.ok(allowed.status < 300, `${allowed.status} ${allowed.text}`);
    }));
}

const FREE = ['/me', '/search?q=kettle&type=track', '/tracks/TRACK', '/artists/ARTIST', '/playlists/LIST'];

test('the profile, the search and the catalogue need no scope', () =>
  withProvider(async ({ provider, callerWith }) => {
    const call = await callerWith('');
    const track = provider.catalogue.tracks[0];
    const list = named({ provider }, 'Morning Ferry').id;
    for (const path of FREE) {
      const at = path
        .replace('TRACK', track?.id ?? '')
        .replace('ARTIST', track?.artists[0]?.id ?? '')
        .replace('LIST', list);
      assert.equal((await call('GET', at)).status, 200, path);
    }
  }));

const REMOVED: [string, string][] = [
  ['GET', `/artists/${ID}/top-tracks`],
  ['GET', `/tracks?ids=${ID}`],
  ['GET', `/albums?ids=${ID}`],
  ['GET', `/artists?ids=${ID}`],
  ['GET', `/playlists/${ID}/tracks`],
  ['POST', `/playlists/${ID}/tracks`],
  ['PUT', `/playlists/${ID}/tracks`],
  ['DELETE', `/playlists/${ID}/tracks`],
  ['PUT', `/playlists/${ID}/followers`],
  ['PUT', `/me/tracks?ids=${ID}`],
  ['DELETE', `/me/tracks?ids=${ID}`],
  ['GET', `/me/tracks/contains?ids=${ID}`],
  ['GET', '/users/someone'],
  ['POST', '/users/someone/playlists'],
  ['GET', '/browse/new-releases'],
  ['GET', '/markets'],
];

for (const [method, path] of REMOVED) {
  test(`${method} ${path} was removed and answers 403 Forbidden`, () =>
    withProvider(async ({ call }) => {
      const { status, json } = await call(method, path);
      assert.deepEqual({ status, json }, { status: 403, json: errorBody(403, 'Forbidden') });
    }));
}

test('malformed IDs are 400, unknown ones 404, unknown paths 404', () =>
  withProvider(async ({ call }) => {
    for (const kind of ['tracks', 'artists', 'playlists', 'albums']) {
      assert.deepEqual((await call('GET', `/${kind}/short`)).json, errorBody(400, 'Invalid base62 id'));
      assert.deepEqual((await call('GET', `/${kind}/${ID}`)).json, errorBody(404, 'Resource not found'));
    }
    assert.equal((await call('GET', '/nothing/here')).status, 404);
  }));

test('if the app’s owner has no Premium, or the user is not registered, every request is refused in plain text', () =>
  withProvider(async ({ provider, call }) => {
    const [account] = provider.accounts;
    assert.ok(account);
    account.registered = false;
    const unlisted = await call('GET', '/search?q=x&type=track');
    assert.equal(unlisted.status, 403);
    assert.match(unlisted.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(unlisted.text, /the user may not be registered/);
    account.appOwnerPremium = false;
    const unpaid = await call('PUT', '/me/player/play');
    assert.equal(unpaid.status, 403);
    assert.match(unpaid.text, /^Active premium subscription required for the owner of the app\./);
  }));

test('a PUT without a length gets 411', () =>
  withProvider(async ({ provider }) => {
    const { access_token } = await logIn(provider);
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${access_token}` };
      const outgoing = request(
        `${provider.apiUrl}/me/player/pause`,
        { method: 'PUT', headers },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      outgoing.on('error', reject);
      outgoing.removeHeader('content-length');
      outgoing.removeHeader('transfer-encoding');
      outgoing.end();
    });
    assert.equal(status, 411);
  }));

test('market=from_token needs user-read-private, and a market adds is_playable', () =>
  withProvider(async ({ provider, call }) => {
    const path = `/tracks/${provider.catalogue.tracks[0]?.id}`;
    assert.equal((await call('GET', `${path}?market=from_token`)).status, 403);
    assert.equal((await call('GET', path)).json.is_playable, undefined);
    assert.equal((await call('GET', `${path}?market=DE`)).json.is_playable, true);
  }));

/** Paged endpoints and their maximum limit. */
const PAGED: [string, number][] = [
  ['/me/playlists', 50],
  ['/me/tracks', 50],
  ['/me/top/tracks', 50],
  ['/me/top/artists', 50],
  ['/me/player/recently-played', 50],
  ['/playlists/LIST/items', 50],
  ['/artists/ARTIST/albums', 10],
  ['/search?type=track&q=kettle', 10],
];

for (const [path, most] of PAGED) {
  test(`${path} takes limits from 1 to ${most}`, () =>
    withProvider(async ({ provider, call }) => {
      const list = named({ provider }, 'Morning Ferry').id;
      const at = path.replace('LIST', list).replace('ARTIST', provider.catalogue.artists[0]?.id ?? '');
      const withLimit = (limit: string) => call('GET', `${at}${at.includes('?') ? '&' : '?'}limit=${limit}`);
      assert.equal((await withLimit(String(most))).json.limit ?? most, most);
      for (const limit of [String(most + 1), '0', '-1', 'many']) {
        assert.deepEqual((await withLimit(limit)).json, errorBody(400, 'Invalid limit'), limit);
      }
    }));
}

test('pages link to each other and end', () =>
  withProvider(async ({ provider, call }) => {
    const seen: string[] = [];
    let next: string | null = '/me/tracks?limit=50';
    while (next !== null) {
      const { json } = await call('GET', next.replace(provider.apiUrl, ''));
      seen.push(...json.items.map((row: { track: { uri: string } }) => row.track.uri));
      assert.equal(json.total, 600);
      next = json.next;
    }
    assert.deepEqual(seen, pluck(owner(provider).saved, 'uri'));
    const beyond = await call('GET', '/me/tracks?offset=900');
    assert.deepEqual(beyond.json.items, []);
    assert.equal(beyond.json.next, null);
  }));

test('a track and the profile lack the fields that were removed', () =>
  withProvider(async ({ provider, call }) => {
    const track = provider.catalogue.tracks[0];
    assert.ok(track);
    const { json } = await call('GET', `/tracks/${track.id}`);
    assert.deepEqual(Object.keys(json).sort(), [
      'album',
      'artists',
      'disc_number',
      'duration_ms',
      'explicit',
      'external_ids',
      'external_urls',
      'href',
      'id',
      'is_local',
      'name',
      'preview_url',
      'track_number',
      'type',
      'uri',
    ]);
    const artist = (await call('GET', `/artists/${track.artists[0]?.id}`)).json;
    assert.equal(artist.genres ?? artist.followers ?? artist.popularity, undefined);
    const me = (await call('GET', '/me')).json;
    assert.deepEqual(Object.keys(me).sort(), [
      'account_id',
      'display_name',
      'external_urls',
      'href',
      'id',
      'images',
      'type',
      'uri',
    ]);
  }));

test('every request is recorded with its body and status until the log is cleared', () =>
  withProvider(async ({ provider, call }) => {
    await call('GET', '/me');
    provider.clearRequests();
    await call('POST', '/me/playlists?x=1', { name: '' });
    const { at, ...request } = provider.requests[0] ?? { at: 0 };
    assert.equal(provider.requests.length, 1);
    assert.equal(at, Date.UTC(2026, 10, 20, 12));
    const expected = {
      method: 'POST',
      path: '/me/playlists',
      query: { x: '1' },
      body: { name: '' },
      status: 400,
    };
    assert.deepEqual(request, expected);
    await logIn(provider);
    assert.deepEqual(
      provider.requests.slice(1).map(({ method, path, status }) => [method, path, status]),
      [
        ['GET', '/authorize', 302],
        ['POST', '/api/token', 200],
      ],
    );
  }));
