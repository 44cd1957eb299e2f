/** Kept playlists and earlier versions on the owner's page: what the page gets, and what it can do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resize } from '../library/accounts.ts';
import { signIn } from '../oauth/ownerBrowser.ts';
import { pluck } from '../support/entries.ts';
import { send } from '../support/http.ts';
import { savedUris } from '../support/playlists.ts';
import { withRelay } from '../support/world.ts';
import { edit, LIST_0, rowsOf, unsave, writes } from './account.ts';
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

test('the page lists the versions of a playlist, shows one and restores it', async () => {
  await withRelay(WITH_ALL, async (relay) => {
    resize(relay, 4, 2);
    const headers = { 'x-relay-owner': await signIn(relay), 'content-type': 'application/json' };
    const press = async <T>(call: string, given: object): Promise<T> => {
      const body = JSON.stringify(given);
      const answer = await send(`${relay.baseUrl}/owner/versions/${call}`, { method: 'POST', headers, body });
      return JSON.parse(answer.text) as T;
    };
    assert.deepEqual(await press('playlists', {}), { playlists: [] });
    await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
    const before = rowsOf(relay, LIST_0);
    edit(relay, LIST_0, (uris) => uris.slice(3).toReversed());
    const { playlists } = await press<{ playlists: unknown[] }>('playlists', {});
    assert.equal(playlists.length, 2);
    const list = await press<{ present: boolean; items: Array<Record<string, unknown>> }>('list', {
      id: LIST_0,
    });
    assert.deepEqual(
      list.items.map(({ version, total, added, removed }) => [version, total, added, removed]),
      [
        [2, before.length - 3, 0, 3],
        [1, before.length, before.length, 0],
      ],
    );
    const shown = await press<{ items: unknown[]; total: number }>('show', { id: LIST_0, version: 1 });
    assert.deepEqual([shown.items.length, shown.total], [before.length, before.length]);
    const asked = { id: LIST_0, version: 1, name: null, skipUnsupported: false };
    relay.provider.clearRequests();
    const preview = await press<Record<string, unknown>>('restore', { ...asked, dryRun: true });
    assert.deepEqual([preview.added_count, preview.removed_count, preview.unsupported], [3, 0, []]);
    assert.deepEqual(writes(relay), []);
    const done = await press<{ change_id?: string }>('restore', { ...asked, dryRun: false });
    assert.deepEqual(rowsOf(relay, LIST_0), before);
    assert.ok(done.change_id);
    const again = await press<{ note?: string }>('restore', { ...asked, dryRun: false });
    assert.match(again.note ?? '', /^Nothing changed/);
    const { items } = (await relay.call('list_changes')) as { items: Array<{ asked_by: string }> };
    assert.deepEqual(pluck(items, 'asked_by'), ['owner page']);
  });
});
