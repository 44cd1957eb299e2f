/** Undoing a change of details, where Spotify does not clear a description. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../support/answers.ts';
import { run } from '../support/cli.ts';
import { at } from '../support/entries.ts';
import { type PlaylistScene, withPlaylist } from '../support/withPlaylist.ts';

const EXTRAS = { env: { RELAY_ACCESS: 'everything' } };
const STAYS = 'Spotify refused to clear the description, so the description stays as it is now.';

/** Kind, number of entries requested and number written of each change, newest first. */
async function counted({ call }: PlaylistScene): Promise<unknown[]> {
  const { items } = await call('list_changes');
  return (items as Array<Record<string, unknown>>).map(({ kind, requested, written }) => [
    kind,
    requested,
    written,
  ]);
}

test('a description that Spotify does not clear is not said to be gone', () =>
  withPlaylist('Café Noctelle', EXTRAS, async (scene) => {
    const { call, playlist, playlist_id } = scene;
    await call('update_playlist_details', { playlist_id, name: 'Another Name', description: 'New words' });
    const ahead = await call('undo_change', { dry_run: true });
    assert.deepEqual(
      [ahead.summary, ahead.notes],
      [
        '"Another Name": name "Café Noctelle", no description.',
        ['Spotify may refuse to clear a description.'],
      ],
    );
    const { summary, notes } = await call('undo_change');
    assert.deepEqual([summary, notes], ['"Café Noctelle": name "Café Noctelle".', [STAYS]]);
    assert.deepEqual([playlist.name, playlist.description], ['Café Noctelle', 'New words']);
    assert.deepEqual(await counted(scene), [
      ['undo', 2, 1],
      ['details', 2, 2],
    ]);
  }));

test('if nothing but the description was to come back, the undo says that nothing changed', () =>
  withPlaylist('Café Noctelle', EXTRAS, async (scene) => {
    const { relay, call, playlist, playlist_id } = scene;
    await call('update_playlist_details', { playlist_id, description: 'New words' });
    const { out } = await run(relay, ['undo', '--yes', '--json']);
    const { ok, summary, notes } = JSON.parse(out);
    assert.deepEqual([ok, summary, notes], [true, 'Nothing to write.', [STAYS]]);
    assert.equal(playlist.description, 'New words');
    assert.deepEqual(await counted(scene), [['details', 1, 1]]);
    const { items } = await call('list_changes');
    assert.equal(at(items as Answer[], 0).can_undo, true);
  }));

test('details that come back are counted one by one, and a description that Spotify clears is gone', () =>
  withPlaylist('Tea & Biscuits', EXTRAS, async (scene) => {
    const { call, playlist, playlist_id } = scene;
    const details = { name: 'Another Name', description: 'New words', public: false };
    await call('update_playlist_details', { playlist_id, ...details });
    const { summary, notes } = await call('undo_change');
    const words = 'Quiet <b>evenings</b> & "slow" mornings';
    assert.deepEqual(
      [summary, notes],
      [`"Tea & Biscuits": name "Tea & Biscuits", public, description "${words}".`, []],
    );
    assert.deepEqual([playlist.name, playlist.description, playlist.public], ['Tea & Biscuits', words, true]);
    assert.deepEqual(await counted(scene), [
      ['undo', 3, 3],
      ['details', 3, 3],
    ]);
  }));

test('if Spotify clears the description, nothing is said about a refusal', () =>
  withPlaylist('Café Noctelle', EXTRAS, async (scene) => {
    const { relay, call, playlist, playlist_id } = scene;
    await call('update_playlist_details', { playlist_id, description: 'New words' });
    const put = { method: 'PUT', path: `/playlists/${playlist_id}` } as const;
    const clear = () => {
      playlist.description = null;
    };
    relay.provider.faults.add({ ...put, kind: 'hook', fn: clear }, { ...put, kind: 'status', status: 200 });
    const { summary, notes } = await call('undo_change');
    assert.deepEqual([summary, notes, playlist.description], ['"Café Noctelle": no description.', [], null]);
    assert.deepEqual(await counted(scene), [
      ['undo', 1, 1],
      ['details', 1, 1],
    ]);
  }));

test('the undo of a second renaming brings back the first, although Spotify still showed the original name', () =>
  withPlaylist('Tea & Biscuits', EXTRAS, async ({ relay, call, playlist, playlist_id }) => {
    const path = `/playlists/${playlist_id}`;
    const fn = (body: unknown) => ({ ...(body as object), name: 'Tea & Biscuits' });
    await call('update_playlist_details', { playlist_id, name: 'First' });
    relay.provider.faults.add({ method: 'GET', path, kind: 'transform', fn });
    await call('update_playlist_details', { playlist_id, name: 'Second' });
    await call('undo_change');
    assert.equal(playlist.name, 'First');
  }));
