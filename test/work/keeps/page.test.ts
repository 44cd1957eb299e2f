/** Kept playlists and earlier versions on the owner's page: what the page gets, and what it can do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resize } from '../../library/accounts.ts';
import { send } from '../../support/http.ts';
import { cardsOf, signIn } from '../../support/ownerBrowser.ts';
import { savedUris } from '../../support/playlists.ts';
import { withRelay } from '../../support/world.ts';
import { rowsOf, unsave } from './account.ts';
import { act, keep, WITH_ALL } from './keptPlaylists.ts';

test('the page shows kept playlists, and approves a review', async () => {
  await withRelay(WITH_ALL, async (relay) => {
    resize(relay, 20, 1);
    const headers = { 'x-relay-owner': await signIn(relay), 'content-type': 'application/json' };
    const card = async (id: string) => (await cardsOf(relay, headers))[id];
    const press = (id: string, action: string) =>
      send(`${relay.baseUrl}/owner/keeps/act`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ id, action }),
      });
    assert.equal(await card('kept'), undefined);
    const { keep: made } = await keep(relay, { name: 'Mine' });
    assert.match(`${await card('kept')}`, /<bdi>Mine<\/bdi>/);
    unsave(relay, 10);
    await act(relay, made.id, 'run');
    assert.match(`${await card('needs')}`, /<bdi>Mine<\/bdi>.*Would go, 10:/s);
    assert.equal((await press(made.id, 'accept')).status, 200);
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    assert.equal((await press(made.id, 'pause')).status, 200);
    assert.match(`${await card('kept')}`, /Paused/);
    assert.equal((await press(made.id, 'away')).status, 400);
    assert.equal((await press(made.id, 'stop')).status, 200);
    assert.equal(await card('kept'), undefined);
  });
});
