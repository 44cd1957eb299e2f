import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, owner } from '../support/entries.ts';
import { named } from '../support/playlists.ts';
import { sent } from '../support/requests.ts';
import { episodeShape, playlistShape, trackShape } from '../support/shapes.ts';
import { withPlaylist } from '../support/withPlaylist.ts';
import { withRelay } from '../support/world.ts';

interface List {
  items: Array<Record<string, unknown>>;
  total: number;
  next_offset: number | null;
  truncated?: boolean;
}

test('get_my_playlists returns one page', () =>
  withRelay(async ({ call, provider }) => {
    const { playlists } = owner(provider);
    const page = await call('get_my_playlists', { limit: 2, offset: 1 });
    assert.deepEqual(page, {
      items: playlists.slice(1, 3).map(playlistShape),
      total: playlists.length,
      limit: 2,
      offset: 1,
      next_offset: 3,
      truncated: false,
    });
    assert.deepEqual(sent({ provider }), ['GET /me/playlists?limit=2&offset=1']);
  }));

test('tools also read the fields that older apps get', () =>
  withRelay({ provider: { legacyShapes: true } }, async (relay) => {
    const playlist = named(relay, 'Morning Ferry');
    const answer = await relay.call('get_playlist', { playlist_id: playlist.id });
    assert.deepEqual(answer, playlistShape(playlist));
    relay.provider.faults.add({ path: /\/items$/, kind: 'transform', fn: withoutNewNames });
    const page = (await relay.call('get_playlist_tracks', {
      playlist_id: playlist.id,
      limit: 1,
    })) as unknown as List;
    assert.equal((at(page.items, 0).item as { uri: string }).uri, at(playlist.rows, 0).uri);
  }));

function withoutNewNames(body: unknown): unknown {
  for (const row of (body as { items: Array<Record<string, unknown>> }).items) delete row.item;
  return body;
}

test('get_playlist_tracks keeps every kind of row at its position', () =>
  withRelay(async (relay) => {
    const { call, provider } = relay;
    const playlist = named(relay, 'Odds and Ends');
    const page = (await call('get_playlist_tracks', { playlist_id: playlist.id })) as unknown as List;
    const { trackByUri, episodeByUri } = provider.catalogue;
    const expected = playlist.rows.map((row, position) => {
      const track = trackByUri.get(row.uri);
      const episode = episodeByUri.get(row.uri);
      const isLocal = row.uri.startsWith('spotify:local:');
      const item = row.unavailable
        ? null
        : track
          ? trackShape(track)
          : episode
            ? episodeShape(episode)
            : 'local';
      const item_type = item === null ? 'unknown' : episode ? 'episode' : 'track';
      return { position, added_at: row.addedAt, item_type, is_local: isLocal, item };
    });
    const actual = page.items.map((row) => {
      const item = row.item as { is_local?: boolean } | null;
      return item?.is_local ? { ...row, item: 'local' } : row;
    });
    assert.deepEqual(actual, expected);
    const kinds = new Set(expected.map((row) => (row.is_local ? 'local' : row.item_type)));
    assert.deepEqual([...kinds].sort(), ['episode', 'local', 'track', 'unknown']);
    assert.deepEqual(
      { total: page.total, next: page.next_offset },
      { total: playlist.rows.length, next: null },
    );
    assert.deepEqual(provider.requests.at(-1)?.query, {
      additional_types: 'track,episode',
      limit: '50',
      offset: '0',
    });
  }));

test('a local file has its name and no IDs', () =>
  withPlaylist('Odds and Ends', async ({ relay, playlist, playlist_id }) => {
    const position = playlist.rows.findIndex((row) => row.uri.startsWith('spotify:local:'));
    const args = { playlist_id, offset: position, limit: 1 };
    const page = (await relay.call('get_playlist_tracks', args)) as unknown as List;
    const item = page.items[0]?.item as Record<string, unknown> & { album: { id: null } };
    assert.deepEqual(
      {
        id: item.id,
        uri: item.uri,
        album: item.album.id,
        isrc: item.isrc,
        url: item.url,
        local: item.is_local,
      },
      { id: null, uri: at(playlist.rows, position).uri, album: null, isrc: null, url: null, local: true },
    );
  }));

test('beyond the end there are no rows', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist_id }) => {
    assert.deepEqual(await relay.call('get_playlist_tracks', { playlist_id, offset: 7 }), {
      items: [],
      total: 0,
      limit: 50,
      offset: 7,
      next_offset: null,
    });
  }));

test("another person's playlist is FORBIDDEN, Spotify's own is NOT_FOUND", () =>
  withRelay(async ({ call, provider }) => {
    const account = owner(provider);
    const foreign = account.playlists.find(
      ({ ownerId, collaborative }) => ownerId !== account.id && ownerId !== 'spotify' && !collaborative,
    );
    const editorial = account.playlists.find(({ ownerId }) => ownerId === 'spotify');
    assert.ok(foreign && editorial);
    const codeOf = async (tool: string, playlist_id: string) =>
      ((await call(tool, { playlist_id })).error as { code: string } | undefined)?.code;
    assert.equal(await codeOf('get_playlist_tracks', foreign.id), 'FORBIDDEN');
    assert.equal(await codeOf('get_playlist', foreign.id), undefined);
    assert.equal(await codeOf('get_playlist', editorial.id), 'NOT_FOUND');
  }));
