/** Jobs that are cancelled while relay finds out how their last request ended. */

import assert from 'node:assert/strict';
import type { ChangeSummary } from '../../src/domain/change.ts';
import type { OwnerState } from '../../src/domain/ownerPage.ts';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { jobOf, reach } from '../jobs/jobCalls.ts';
import { signIn } from '../oauth/ownerBrowser.ts';
import type { ToolFailure } from '../support/answers.ts';
import { at, owner } from '../support/entries.ts';
import { send } from '../support/http.ts';
import { assertRows, fill, tracks } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import type { Relay } from '../support/world.ts';
import { withExtras } from './extras.ts';
import { committed, poll } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

/** The changes that `list_changes` shows. */
async function listed(relay: Relay): Promise<ChangeSummary[]> {
  let items: unknown;
  await withExtras(relay, async ({ call }) => {
    items = (await call('list_changes')).items;
  });
  return items as ChangeSummary[];
}

/** What the owner's page shows. */
const ownerState = async (relay: Relay) =>
  send(`${relay.baseUrl}/owner/state`, { headers: { 'x-relay-owner': await signIn(relay) } });

const LIMIT = { kind: 'rate_limit', retryAfterSeconds: 3_600 } as const;

const APPEND = { method: 'POST', path: /\/items$/ } as const;

longTest(
  'a job that is cancelled while a limit stops its look waits for the limit, and then says what it wrote',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
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
      const before = relay.provider.requests.length;
      await clock.sleep(30_000);
      assert.equal(relay.provider.requests.length, before, 'it must not ask again and again');
      const settled = await poll(async () => {
        const { result } = await jobOf(relay, id);
        return result?.outcome_unknown === undefined ? result : null;
      });
      assert.equal(settled?.written, 200);
      assertRows(playlist, [...former, ...items.slice(0, 200)]);
    }),
);

longTest('a job that is cancelled while it waits to write its first request leaves no change to undo', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const id = await committed(relay, 'add_to_playlist', tracks(relay, 5, 3_000), { playlist_id }, () =>
      relay.provider.faults.add({ ...APPEND, ...LIMIT }),
    );
    await reach(relay, id, 'waiting');
    const [waiting] = await listed(relay);
    assert.equal(waiting?.state, 'waiting');
    const { job } = (await relay.call('cancel_job', { job_id: id })) as { job: JobRecord };
    assert.deepEqual(job.result, { playlist_id, written: 0 });
    const { jobs, events } = JSON.parse((await ownerState(relay)).text) as OwnerState;
    assert.deepEqual(
      [jobs, events.items.map(({ job, change }) => [job?.id, change])],
      [[], [[id, null]]],
      'the page offers nothing to undo',
    );
    await withExtras(relay, async ({ call }) => {
      const undo = (dry_run: boolean) => call('undo_change', { change_id: waiting?.change_id, dry_run });
      for (const { error } of [await undo(true), await undo(false)]) {
        const { code, message, remedy } = error as ToolFailure;
        assert.deepEqual(
          [code, message, remedy],
          ['CONFLICT', `The change ${waiting?.change_id} has written nothing.`, 'There is nothing to undo.'],
        );
      }
    });
    assert.deepEqual(await listed(relay), []);
    assertRows(playlist, former);
  }),
);

longTest(
  'a job that is cancelled after it has made a playlist leaves a change that an undo can take back',
  () =>
    withUnkind({}, async (relay) => {
      const { faults } = relay.provider;
      const id = await committed(
        relay,
        'create_playlist',
        tracks(relay, 5, 3_000),
        { name: 'Half Made' },
        () => faults.add({ ...APPEND, ...LIMIT }),
      );
      await reach(relay, id, 'waiting');
      const made = at(
        owner(relay.provider).playlists.filter(({ name }) => name === 'Half Made'),
        0,
      );
      fill(made, tracks(relay, 1, 4_000));
      faults.add({ ...APPEND, ...LIMIT });
      await relay.call('resume_job', { job_id: id });
      await reach(relay, id, 'waiting');
      await relay.call('cancel_job', { job_id: id });
      const [change] = await listed(relay);
      assert.deepEqual([change?.state, change?.can_undo], ['partial', true]);
    }),
);
