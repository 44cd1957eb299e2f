/** Playlists that are gone while a job writes to them. */

import assert from 'node:assert/strict';
import { reach } from '../jobs/jobCalls.ts';
import { fill, tracks } from '../support/playlists.ts';
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
