/** Jobs that are cancelled while relay finds out how their last request ended. */

import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { jobOf, reach } from '../jobs/jobCalls.ts';
import { assertRows, fill, tracks } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { committed, poll } from './settled.ts';
import { withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;

longTest(
  'a job that is cancelled while a limit stops its look waits for the limit, and then says what it wrote',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
      const [former, items] = [tracks(relay, 200), tracks(relay, 250, 3_000)];
      fill(playlist, former);
      const limit = {
        method: 'GET',
        path: /^\/playlists\//,
        kind: 'rate_limit',
        retryAfterSeconds: 60,
      } as const;
      const id = await committed(relay, 'add_to_playlist', items, { playlist_id }, () =>
        relay.provider.faults.add(
          { ...APPEND, skip: 1, kind: 'hook', fn: () => relay.provider.faults.add(limit) },
          { ...APPEND, skip: 1, kind: 'status_after', status: 502 },
        ),
      );
      await reach(relay, id, 'waiting');
      await relay.call('cancel_job', { job_id: id });
      // Work left over from other tests may fill one of these seconds. A job that asks again and again would fill all of them.
      let least = Number.POSITIVE_INFINITY;
      for (let seconds = 0; seconds < 5 && least >= 600; seconds++) {
        const before = process.cpuUsage();
        await setTimeout(1_000);
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, (user + system) / 1_000);
      }
      assert.ok(least < 600, `${least} ms of 1,000 were spent waiting, at least`);
      const settled = await poll(async () => {
        const { result } = await jobOf(relay, id);
        return result?.outcome_unknown === undefined ? result : null;
      });
      assert.equal(settled?.written, 200);
      assertRows(playlist, [...former, ...items.slice(0, 200)]);
    }),
);
