import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followPlaylist, unfollowPlaylist } from '../../src/provider/resources/playlistWrites.ts';
import { playlistNamed, withProvider } from '../demo/support.ts';
import { owner } from '../support/shapes.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

const EXTRAS: RelayOptions = { env: { RELAY_TOOLSETS: 'all' } };

const named = ({ provider }: Relay, name: string) =>
  owner(provider).playlists.find((playlist) => playlist.name === name) ?? assert.fail();
const listed = ({ provider }: Relay) => owner(provider).playlists.map(({ id }) => id);
const codeOf = (answer: Record<string, unknown>) => (answer.error as { code: string } | undefined)?.code;

for (const [what, name] of [
  ["the account's own", 'Running, Badly'],
  ["another person's", 'Guest Favourites'],
] as const) {
  test(`delete_playlist takes ${what} playlist off the list, and the second time changes nothing`, async () => {
    await withRelay(EXTRAS, async (relay) => {
      const before = listed(relay);
      const { id } = named(relay, name);
      const done = { ok: true, playlist_id: id };
      assert.deepEqual(await relay.call('delete_playlist', { playlist_id: id }), done);
      assert.deepEqual(await relay.call('delete_playlist', { playlist_id: `spotify:playlist:${id}` }), done);
      const rest = before.filter((one) => one !== id);
      assert.deepEqual(listed(relay), rest);
      const request = { method: 'DELETE', path: '/me/library', query: { uris: `spotify:playlist:${id}` } };
      assert.deepEqual(
        relay.provider.requests.map(({ method, path, query }) => ({ method, path, query })),
        [request, request],
      );
      const found = await relay.call('find_playlist_by_name', { name });
      assert.deepEqual(found.matches, []);
    });
  });
}

test('delete_playlist that Spotify refuses deletes nothing and is not sent again', async () => {
  await withRelay(EXTRAS, async (relay) => {
    const before = listed(relay);
    const { id } = named(relay, 'Running, Badly');
    relay.provider.faults.add({ path: '/me/library', kind: 'status', status: 502 });
    assert.equal(codeOf(await relay.call('delete_playlist', { playlist_id: id })), 'PROVIDER_UNAVAILABLE');
    assert.deepEqual(listed(relay), before);
    assert.equal(relay.provider.requests.length, 1);
  });
});

test('delete_playlist names what it does not understand, and sends nothing', async () => {
  await withRelay(EXTRAS, async (relay) => {
    const { id } = named(relay, 'Running, Badly');
    for (const args of [
      {},
      { playlist_id: null },
      { playlist_id: id, confirm: true },
      { playlist_id: 'x' },
    ]) {
      assert.equal(codeOf(await relay.call('delete_playlist', args)), 'INVALID_ARGUMENT');
    }
    assert.deepEqual(relay.provider.requests, []);
  });
});

test('a playlist that was deleted can be followed again: its ID keeps working', () =>
  withProvider(async ({ provider, call }) => {
    const playlist = playlistNamed(provider, 'Running, Badly');
    const isListed = () => owner(provider).playlists.includes(playlist);
    const api = {
      async send({ method, path, query }: { method: string; path: string; query?: object }) {
        const { status } = await call(method, `${path}?${new URLSearchParams({ ...query })}`);
        return { status, body: null, opaque: false };
      },
    };
    await unfollowPlaylist(api, playlist.id, UNSTOPPABLE);
    assert.equal(isListed(), false);
    await followPlaylist(api, playlist.id, UNSTOPPABLE);
    await followPlaylist(api, playlist.id, UNSTOPPABLE);
    assert.equal(isListed(), true);
    assert.equal(owner(provider).playlists.filter((one) => one === playlist).length, 1);
  }));
