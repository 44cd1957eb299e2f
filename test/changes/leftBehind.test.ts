/** Writes that cannot end at once, and whose caller has left. They end although nobody waits for them. */

import assert from 'node:assert/strict';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { jobOf } from '../jobs/jobCalls.ts';
import { assertRows, tracks, urisOf } from '../support/playlists.ts';
import { writes } from '../support/requests.ts';
import { longTest } from '../support/scale.ts';
import type { Relay } from '../support/world.ts';
import { poll } from './settled.ts';
import { withUnkindPlaylist } from './unkind.ts';

const ITEMS = /\/items$/;

/** Calls a tool and leaves when `leave` is called. */
function callAndLeave({ client }: Relay, name: string, args: Record<string, unknown>) {
  const leaving = new AbortController();
  const call = client.callTool({ name, arguments: args }, { signal: leaving.signal });
  return { left: assert.rejects(call), leave: () => leaving.abort() };
}

longTest('a rollback whose caller has left, and which a limit stops, continues once the limit is over', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    let leave = () => {};
    relay.provider.faults.add(
      { method: 'POST', path: ITEMS, kind: 'hook', fn: () => leave() },
      { method: 'POST', path: ITEMS, kind: 'status', status: 400 },
      { method: 'PUT', path: ITEMS, skip: 1, kind: 'rate_limit', retryAfterSeconds: 40 },
    );
    const args = { playlist_id, track_ids: tracks(relay, 150, 3_000) };
    const call = callAndLeave(relay, 'replace_playlist_tracks', args);
    leave = call.leave;
    await call.left;
    await poll(() => (urisOf(playlist).length === former.length ? true : null));
    assertRows(playlist, former);
  }),
);

longTest('an addition whose caller has left is not sent again when it proves to have had no effect', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    let leave = () => {};
    relay.provider.faults.add(
      { method: 'POST', path: ITEMS, kind: 'hook', fn: () => leave() },
      { method: 'POST', path: ITEMS, kind: 'status', status: 502 },
      { method: 'GET', path: ITEMS, skip: 2, kind: 'rate_limit', retryAfterSeconds: 40 },
    );
    const args = { playlist_id, track_ids: tracks(relay, 10, 3_000) };
    const call = callAndLeave(relay, 'add_tracks_to_playlist', args);
    leave = call.leave;
    await call.left;
    const job = await poll(async () => {
      const [made] = (await relay.call('list_jobs')).items as JobRecord[];
      const seen = made && (await jobOf(relay, made.job_id));
      return seen?.result && seen.result.outcome_unknown === undefined ? seen : null;
    });
    assert.deepEqual([job?.status, job?.written], ['cancelled', 0]);
    assert.equal(writes(relay), 1);
    assertRows(playlist, former);
  }),
);
