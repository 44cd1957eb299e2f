/** Saved albums and followed artists. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../support/cli.ts';
import { at, owner } from '../support/entries.ts';
import { withRelay } from '../support/world.ts';

const ALL = { env: { RELAY_ACCESS: 'everything' } };

test('albums are saved and removed, each once, and undone exactly', () =>
  withRelay(ALL, async (relay) => {
    const account = owner(relay.provider);
    const before = account.savedAlbums.map(({ uri }) => uri);
    const held = at(before, 0);
    const fresh = relay.provider.catalogue.albums.find(({ uri }) => !before.includes(uri));
    assert.ok(fresh);
    const saved = await relay.call('save_albums', { album_ids: [fresh.id, held] });
    assert.deepEqual([saved.ok, saved.requested, account.savedAlbums[0]?.uri], [true, 2, fresh.uri]);
    const { items } = await relay.call('get_saved_albums', { limit: 1, detail: 'lean' });
    assert.equal((items as Array<{ name: string }>)[0]?.name, fresh.name);
    assert.match((await run(relay, ['history'])).out, /saved 2 albums/);
    const undone = await relay.call('undo_change', { change_id: saved.change_id });
    assert.match(JSON.stringify(undone), /The library: 1 album out/);
    assert.deepEqual(
      account.savedAlbums.map(({ uri }) => uri),
      before,
    );
    const removed = await relay.call('remove_saved_albums', { album_ids: [held, fresh.id] });
    assert.deepEqual([removed.removed, removed.not_found], [1, [fresh.uri]]);
    await relay.call('undo_change', { change_id: removed.change_id });
    assert.deepEqual(new Set(account.savedAlbums.map(({ uri }) => uri)), new Set(before));
  }));

test('followed artists are listed page by page', () =>
  withRelay(ALL, async (relay) => {
    const { following } = owner(relay.provider);
    const found: string[] = [];
    let after: unknown;
    do {
      const page = await relay.call('get_followed_artists', { limit: 7, ...(after ? { after } : {}) });
      found.push(...(page.items as Array<{ uri: string }>).map(({ uri }) => uri));
      after = page.next_after;
    } while (after);
    assert.deepEqual(found, following);
  }));
