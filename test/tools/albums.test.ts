import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf } from '../support/answers.ts';
import { at } from '../support/entries.ts';
import { sent } from '../support/requests.ts';
import { albumShape } from '../support/shapes.ts';
import { type Relay, withRelay } from '../support/world.ts';

const EXTRAS = { env: { RELAY_ACCESS: 'everything' } };

/** An album of more than two tracks. */
function someAlbum({ provider }: Relay) {
  return provider.catalogue.albums.find(({ tracks }) => tracks.length > 2) ?? assert.fail();
}

test('get_album accepts ID, URI and link', () =>
  withRelay(EXTRAS, async (relay) => {
    const album = someAlbum(relay);
    for (const album_id of [album.id, album.uri, `https://open.spotify.com/album/${album.id}?si=x`]) {
      assert.deepEqual(await relay.call('get_album', { album_id }), albumShape(album));
    }
    const read = `GET /albums/${album.id}`;
    assert.deepEqual(sent(relay), [read, read, read]);
    assert.equal(codeOf(await relay.call('get_album', { album_id: '0000000000000000000000' })), 'NOT_FOUND');
  }));

test('get_album_tracks lists the songs in order, page by page', () =>
  withRelay(EXTRAS, async (relay) => {
    const album = someAlbum(relay);
    const rows = album.tracks.map((track) => ({
      id: track.id,
      uri: track.uri,
      name: track.name,
      artists: track.artists.map(({ id, name }) => ({ id, name })),
      disc_number: 1,
      track_number: track.trackNumber,
      duration_ms: track.durationMs,
      explicit: track.explicit,
      url: `https://open.spotify.com/track/${track.id}`,
    }));
    const total = rows.length;
    assert.deepEqual(await relay.call('get_album_tracks', { album_id: album.id, limit: 2 }), {
      items: rows.slice(0, 2),
      total,
      limit: 2,
      offset: 0,
      next_offset: 2,
    });
    assert.deepEqual(await relay.call('get_album_tracks', { album_id: album.id, limit: null, offset: 2 }), {
      items: rows.slice(2),
      total,
      limit: 50,
      offset: 2,
      next_offset: null,
    });
    assert.deepEqual(
      sent(relay),
      ['limit=2&offset=0', 'limit=50&offset=2'].map((query) => `GET /albums/${album.id}/tracks?${query}`),
    );
  }));

test('get_artist_albums lists every album that an artist is on, or only the groups that are asked for', () =>
  withRelay(EXTRAS, async (relay) => {
    const artist = at(relay.provider.catalogue.artists, 0);
    const { albums } = relay.provider.catalogue;
    const own = albums.filter((album) => album.artists.includes(artist));
    const all = albums.filter(
      (album) => own.includes(album) || album.tracks.some((track) => track.artists.includes(artist)),
    );
    const page = await relay.call('get_artist_albums', { artist_id: artist.id });
    assert.deepEqual(page, {
      items: all.slice(0, 10).map(albumShape),
      total: all.length,
      limit: 10,
      offset: 0,
      next_offset: all.length > 10 ? 10 : null,
    });
    const singles = own.filter(({ type }) => type === 'single');
    const args = { artist_id: artist.uri, groups: ['single'], limit: 1 };
    assert.deepEqual(await relay.call('get_artist_albums', args), {
      items: singles.slice(0, 1).map(albumShape),
      total: singles.length,
      limit: 1,
      offset: 0,
      next_offset: singles.length > 1 ? 1 : null,
    });
    assert.deepEqual(sent(relay), [
      `GET /artists/${artist.id}/albums?limit=10&offset=0`,
      `GET /artists/${artist.id}/albums?include_groups=single&limit=1&offset=0`,
    ]);
  }));

test('what Spotify would refuse is refused before a request', () =>
  withRelay(EXTRAS, async (relay) => {
    const artist_id = at(relay.provider.catalogue.artists, 0).id;
    const wrong: Array<[tool: string, args: Record<string, unknown>]> = [
      ['get_artist_albums', { artist_id, limit: 11 }],
      ['get_artist_albums', { artist_id, groups: [] }],
      ['get_artist_albums', { artist_id, groups: ['ep'] }],
      ['get_artist_albums', { artist_id, market: 'DE' }],
      ['get_album', { album_id: `spotify:artist:${artist_id}` }],
      ['get_album_tracks', {}],
    ];
    for (const [tool, args] of wrong) {
      assert.equal(codeOf(await relay.call(tool, args)), 'INVALID_ARGUMENT', JSON.stringify(args));
    }
    assert.deepEqual(relay.provider.requests, []);
  }));
