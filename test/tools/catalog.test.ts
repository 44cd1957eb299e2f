import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, pluck } from '../support/entries.ts';
import { sent } from '../support/requests.ts';
import { albumShape, artistShape, trackShape } from '../support/shapes.ts';
import { withRelay } from '../support/world.ts';

test('a link in a search field finds that track, without a search', () =>
  withRelay({ env: { RELAY_ACCESS: 'everything' } }, async ({ call, provider }) => {
    const wanted = at(provider.catalogue.tracks, 7);
    for (const query of [wanted.uri, `https://open.spotify.com/track/${wanted.id}?si=x`]) {
      assert.deepEqual(await call('search_tracks', { query }), {
        query,
        items: [trackShape(wanted)],
        total: 1,
      });
    }
    assert.deepEqual(pluck(provider.requests, 'path'), [`/tracks/${wanted.id}`, `/tracks/${wanted.id}`]);
    const album = `https://open.spotify.com/album/${wanted.album.id}`;
    for (const query of [album, 'https://spotify.link/abc']) {
      const { error } = (await call('search_tracks', { query })) as { error: { code: string } };
      assert.equal(error.code, 'INVALID_ARGUMENT', query);
    }
    const found = async (tool: string, query: string) => {
      const { items } = (await call(tool, { query })) as { items: unknown[] };
      return items;
    };
    assert.deepEqual(await found('search_albums', album), [await call('get_album', { album_id: album })]);
    const artist = at(wanted.artists, 0);
    assert.deepEqual(await found('search_artists', artist.uri), [artistShape(artist)]);
  }));

test('search_tracks finds tracks in one request', () =>
  withRelay(async ({ call, provider }) => {
    const wanted = at(provider.catalogue.tracks, 2);
    const query = `track:"${wanted.name}" artist:"${at(wanted.artists, 0).name}"`;
    const result = (await call('search_tracks', { query, limit: 1 })) as { items: unknown[]; total: number };
    assert.deepEqual(result, { query, items: [trackShape(wanted)], total: result.total });
    assert.deepEqual(sent({ provider }), [`GET /search?q=${query}&type=track&limit=1&offset=0`]);
  }));

test('search reads pages of ten at the provider and keeps their order', () =>
  withRelay(async ({ call, provider }) => {
    const whole = (await call('search_tracks', { query: 'remastered', limit: 25 })) as {
      items: Array<{ id: string }>;
    };
    assert.equal(whole.items.length, 25);
    const windows = sent({ provider }).map((line) => line.split('track&')[1]);
    assert.deepEqual(windows.sort(), ['limit=10&offset=0', 'limit=10&offset=10', 'limit=5&offset=20']);
    const first = (await call('search_tracks', { query: 'remastered' })) as { items: Array<{ id: string }> };
    assert.deepEqual(pluck(first.items, 'id'), pluck(whole.items.slice(0, 10), 'id'));
  }));

test('search asks for no page beyond the end and skips nulls', () =>
  withRelay(async ({ call, provider }) => {
    const none = await call('search_albums', { query: 'zzzznothing', limit: 50 });
    assert.deepEqual(none, { query: 'zzzznothing', items: [], total: 0 });
    assert.equal(provider.requests.length, 1);
    const transform = (body: unknown) => {
      const page = (body as { albums: { items: unknown[] } }).albums;
      page.items = [null, ...page.items.slice(0, 2), null];
      return body;
    };
    provider.faults.add({ path: '/search', kind: 'transform', fn: transform });
    const some = (await call('search_albums', { query: 'the' })) as { items: unknown[] };
    assert.equal(some.items.length, 2);
  }));

test('search_artists and search_albums return their shapes', () =>
  withRelay(async ({ call, provider }) => {
    const artist = at(provider.catalogue.artists, 0);
    const artists = (await call('search_artists', { query: `artist:"${artist.name}"`, limit: 1 })) as {
      items: unknown[];
    };
    assert.deepEqual(artists.items, [artistShape(artist)]);
    const album = at(provider.catalogue.albums, 0);
    const query = `album:"${album.name}" artist:"${at(album.artists, 0).name}"`;
    const albums = (await call('search_albums', { query, limit: 1 })) as { items: unknown[] };
    assert.deepEqual(albums.items, [albumShape(album)]);
  }));

test('get_track accepts ID, URI and link', () =>
  withRelay(async ({ call, provider }) => {
    const track = at(provider.catalogue.tracks, 10);
    for (const track_id of [track.id, track.uri, `https://open.spotify.com/intl-de/track/${track.id}?si=x`]) {
      assert.deepEqual(await call('get_track', { track_id }), trackShape(track));
    }
    assert.deepEqual(sent({ provider }), Array(3).fill(`GET /tracks/${track.id}`));
  }));

test('get_artist works without genres, which newer apps do not get', () =>
  withRelay(async ({ call, provider }) => {
    const artist = at(provider.catalogue.artists, 3);
    assert.deepEqual(await call('get_artist', { artist_id: artist.uri }), artistShape(artist));
  }));

test('genres are returned if the app gets them', () =>
  withRelay({ provider: { legacyShapes: true } }, async ({ call, provider }) => {
    const artist = at(provider.catalogue.artists, 3);
    const expected = { ...artistShape(artist), genres: [...artist.genres] };
    assert.deepEqual(await call('get_artist', { artist_id: artist.id }), expected);
  }));

test('an unknown track is NOT_FOUND, with a remedy', () =>
  withRelay(async ({ call }) => {
    const answer = await call('get_track', { track_id: '0000invented0000track0' });
    assert.deepEqual(answer, {
      error: {
        code: 'NOT_FOUND',
        message: 'Spotify cannot find this item.',
        remedy: 'Check the ID. It must be that of a track: episodes cannot be read.',
        details: { status: 404 },
      },
    });
  }));
