import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeSummary } from '../../src/domain/change.ts';
import { failureOf } from '../support/answers.ts';
import { createBrowser } from '../support/browser.ts';
import { pluck } from '../support/entries.ts';
import { assertRows, fill, tracks, urisOf } from '../support/playlists.ts';
import { withPlaylist } from '../support/withPlaylist.ts';
import type { Relay } from '../support/world.ts';
import { undoLast } from './extras.ts';
import { assertDone, change } from './settled.ts';
import { withUnkindPlaylist } from './unkind.ts';

/** Connects another account in place of the present one. */
async function connect({ provider, server }: Relay, account: number): Promise<void> {
  provider.loginAs(account);
  const { browserUrl } = await server.local.startLogin({ switchAccount: true });
  await createBrowser().open(browserUrl);
}

test('an undo that would put local files elsewhere is refused before anything is written', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [song = ''] = tracks(relay, 1);
    const [one, two] = ['spotify:local:Band:Record:One:200', 'spotify:local:Band:Record:Two:200'];
    fill(playlist, [one, two, one, two, song]);
    const move = { range_start: 3, range_length: 2, insert_before: 1 };
    assertDone(await change(relay, 'reorder_playlist_tracks', { playlist_id, ...move }));
    const moved = [one, two, song, two, one];
    assertRows(playlist, moved);
    assert.equal((await undoLast(relay)).error?.code, 'UNSUPPORTED_ITEMS');
    assertRows(playlist, moved);
  }));

test('a row that Spotify no longer offers is not taken for the removed row that was above it', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [first, second, third] = tracks(relay, 3) as [string, string, string];
    fill(playlist, [first, second, third]);
    relay.provider.lag.vanish(second);
    assertDone(await change(relay, 'remove_tracks_from_playlist', { playlist_id, track_ids: [first] }));
    assertDone(await undoLast(relay));
    assertRows(playlist, [first, second, third]);
  }));

test('what was changed in another account is neither offered nor undone until that account is connected again', () =>
  withPlaylist(
    'Empty Shelf',
    { env: { RELAY_ACCESS: 'everything' } },
    async ({ relay, call, playlist, ...scene }) => {
      const track_ids = tracks(relay, 2, 7_000);
      await call('save_tracks', { track_ids });
      await call('add_tracks_to_playlist', { playlist_id: scene.playlist_id, track_ids });
      const offered = async () => pluck((await call('list_changes')).items as ChangeSummary[], 'can_undo');
      const library = () => relay.provider.accounts.map(({ saved }) => pluck(saved, 'uri'));
      const before = library();
      await connect(relay, 1);
      assert.deepEqual(await offered(), [false, false]);
      const ids = pluck((await call('list_changes')).items as ChangeSummary[], 'change_id');
      for (const args of [{}, ...ids.map((change_id) => ({ change_id, force: true }))]) {
        const { details } = failureOf(await call('undo_change', args));
        assert.deepEqual(details, { reason: 'other_account' }, JSON.stringify(args));
      }
      assert.deepEqual([urisOf(playlist), library()], [track_ids, before]);
      await connect(relay, 0);
      assert.deepEqual(await offered(), [true, true]);
      assert.equal((await call('undo_change')).error, undefined);
      assert.deepEqual(urisOf(playlist), []);
    },
  ));
