/** Jobs that are resumed or answered when there is nothing to answer, or long after they failed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolFailure } from '../support/answers.ts';
import { HOUR } from '../support/clock.ts';
import { assertRows, tracks } from '../support/playlists.ts';
import { undoLast } from './extras.ts';
import { createJob, reach } from './jobCalls.ts';
import { assertDone, change, committed, ended } from './settled.ts';
import { withUnkindPlaylist } from './unkind.ts';

for (const type of ['add_to_playlist', 'replace_playlist'])
  test(`a failed job of type ${type} that was undone writes everything when it is resumed a month later`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id, former }) => {
      const items = tracks(relay, 150, 3_000);
      const refused = { method: 'POST', path: /\/items$/, times: Number.POSITIVE_INFINITY } as const;
      const id = await committed(relay, type, items, { playlist_id }, () =>
        relay.provider.faults.add({
          ...refused,
          skip: type === 'add_to_playlist' ? 1 : 0,
          kind: 'status',
          status: 403,
        }),
      );
      assert.equal((await ended(relay, id)).status, 'failed');
      relay.provider.faults.clear();
      assertDone(await undoLast(relay));
      assertRows(playlist, former);
      clock.shift(31 * 24 * HOUR);
      // Storing a change drops those that are too old, once an answer has told Spotify's time.
      for (const from of [7_000, 7_001])
        assertDone(await change(relay, 'save_tracks', { track_ids: tracks(relay, 1, from) }));
      await relay.call('resume_job', { job_id: id });
      const { status, written } = await ended(relay, id);
      assert.deepEqual([status, written], ['completed', 150]);
      assertRows(playlist, type === 'add_to_playlist' ? [...former, ...items] : items);
    }));

test('a job that is not in review takes no answer', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist_id }) => {
    const id = await createJob(relay, 'add_to_playlist', tracks(relay, 3), { playlist_id });
    await reach(relay, id, 'ready');
    const { error } = await relay.call('resume_job', { job_id: id, review: 'keep' });
    assert.equal((error as ToolFailure | undefined)?.code, 'JOB_STATE');
  }));
