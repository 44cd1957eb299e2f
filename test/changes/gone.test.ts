/** Playlists that are gone, or records that are erased, while a change writes. */

import assert from 'node:assert/strict';
import { reach } from '../jobs/jobCalls.ts';
import { assertRows, fill, tracks } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { committed, ended } from './settled.ts';
import { LIMIT_AFTER_FIRST, withUnkindPlaylist } from './unkind.ts';

for (const type of ['replace_playlist', 'add_to_playlist']) {
  longTest(`a job of type ${type} ends once its playlist is gone`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
      fill(playlist, tracks(relay, 200));
      const items = tracks(relay, 250, 3_000);
      const id = await committed(relay, type, items, { playlist_id }, () =>
        relay.provider.faults.add(LIMIT_AFTER_FIRST),
      );
      await reach(relay, id, 'waiting');
      const gone = {
        path: /^\/playlists\//,
        times: Number.POSITIVE_INFINITY,
        kind: 'status',
        status: 404,
      } as const;
      relay.provider.faults.add(gone);
      const { status, error, attempts } = await ended(relay, id);
      assert.deepEqual([status, error?.code, attempts], ['failed', 'NOT_FOUND', 5]);
    }),
  );
}

for (const [what, tool] of [
  ['an addition', 'add_tracks_to_playlist'],
  ['a replacement', 'replace_playlist_tracks'],
] as const) {
  longTest(
    `if everything about the account is erased during ${what}, the answer says that relay has no record of it`,
    () =>
      withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
        const track_ids = tracks(relay, 250, 3_000);
        const { local } = relay.server;
        relay.provider.faults.add({
          method: 'POST',
          path: /\/items$/,
          kind: 'hook',
          fn: () => local.logout({ erase: true }).then(() => {}),
        });
        const { error } = await relay.call(tool, { playlist_id, track_ids });
        assert.deepEqual(error, {
          code: 'CANCELLED',
          message: 'The write was stopped, because everything that relay knew about the account was erased.',
          remedy:
            'What was already written stays, and relay has no record of it. Check in Spotify what is there, and correct it there.',
        });
        const written =
          tool === 'add_tracks_to_playlist'
            ? [...former, ...track_ids.slice(0, 100)]
            : track_ids.slice(0, 200);
        assertRows(playlist, written);
        assert.equal((await relay.call('list_jobs')).total, 0);
      }),
  );
}
