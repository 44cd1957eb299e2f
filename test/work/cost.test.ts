import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRows, fill, tracks, urisOf } from '../support/playlists.ts';
import { committed, ended } from './settled.ts';
import { withUnkindPlaylist } from './unkind.ts';

test('an append to a long playlist reads only its first and its last rows', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    fill(playlist, tracks(relay, 9_900));
    const [former, uris] = [urisOf(playlist), tracks(relay, 500, 100)];
    relay.provider.clearRequests();
    const id = await committed(relay, 'add_to_playlist', uris, { playlist_id });
    assert.equal((await ended(relay, id)).status, 'completed');
    assertRows(playlist, [...former, ...uris]);
    const reads = relay.provider.requests.filter(({ method }) => method === 'GET').length;
    assert.ok(reads <= 3, `${reads} reads`);
  }));
