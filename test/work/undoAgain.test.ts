/** An undo that stopped part-way and is asked for again: it takes back the rest, and writes nothing twice. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRows, fill, tracks } from '../support/playlists.ts';
import { withExtras } from './extras.ts';
import { reach } from './jobCalls.ts';
import { withUnkindPlaylist } from './unkind.ts';

test('an undo that was cancelled part-way puts back only the rest when it is asked for again', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const rows = tracks(relay, 200);
    fill(playlist, rows);
    await withExtras(relay, async ({ call }) => {
      const args = { playlist_id, track_ids: rows.slice(50) };
      const { change_id } = await call('remove_tracks_from_playlist', args);
      const limit = { kind: 'rate_limit', retryAfterSeconds: 30 } as const;
      relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, ...limit });
      const { error, job_id } = await call('undo_change', { change_id });
      assert.equal(error, undefined);
      await reach(relay, String(job_id), 'waiting');
      await call('cancel_job', { job_id });
      await clock.sleep(31_000);
      assertRows(playlist, rows.slice(0, 150));
      const plan = await call('undo_change', { change_id, dry_run: true });
      const { count } = plan.added as { count: number };
      assert.deepEqual([plan.requests, plan.rows, plan.removed, count], [1, 200, 0, 50]);
      await call('undo_change', { change_id });
      assertRows(playlist, rows);
    });
  }));
