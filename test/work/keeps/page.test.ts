/** Kept playlists and earlier versions on the owner's page: what the page gets, and what it can do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resize } from '../../library/accounts.ts';
import { signIn } from '../../oauth/ownerBrowser.ts';
import { send } from '../../support/http.ts';
import { savedUris } from '../../support/playlists.ts';
import { withRelay } from '../../support/world.ts';
import { rowsOf, unsave } from './account.ts';
import { act, type Keep, keep, kept, WITH_ALL } from './keptPlaylists.ts';

test('the page shows kept playlists, and approves a review', async () => {
  await withRelay(WITH_ALL, async (relay) => {
    resize(relay, 20, 1);
    const headers = { 'x-relay-owner': await signIn(relay), 'content-type': 'application/json' };
    const shown = async () => {
      const answer = await send(`${relay.baseUrl}/owner/state`, { headers });
      return (JSON.parse(answer.text) as { kept: Keep[] }).kept;
    };
    const press = (id: string, action: string) =>
      send(`${relay.baseUrl}/owner/keeps/act`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ id, action }),
      });
    assert.deepEqual(await shown(), []);
    const { keep: made } = await keep(relay, { name: 'Mine' });
    assert.deepEqual(await shown(), await kept(relay));
    unsave(relay, 10);
    await act(relay, made.id, 'run');
    const [held] = await shown();
    assert.deepEqual([held?.status, held?.preview?.removed_count], ['review', 10]);
    assert.equal((await press(made.id, 'accept')).status, 200);
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    assert.equal((await press(made.id, 'pause')).status, 200);
    assert.equal((await shown())[0]?.status, 'paused');
    assert.equal((await press(made.id, 'away')).status, 400);
    assert.equal((await press(made.id, 'stop')).status, 200);
    assert.deepEqual(await shown(), []);
  });
});
