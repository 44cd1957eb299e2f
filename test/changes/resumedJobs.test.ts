/** Failed jobs that are resumed after their writes were undone, or after a dry run of that undo. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeSummary } from '../../src/domain/change.ts';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { reach } from '../jobs/jobCalls.ts';
import { failureOf } from '../support/answers.ts';
import { run } from '../support/cli.ts';
import { HOUR } from '../support/clock.ts';
import { at } from '../support/entries.ts';
import { assertRows, fill, named, tracks, urisOf } from '../support/playlists.ts';
import { longTest, sized } from '../support/scale.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import type { Relay } from '../support/world.ts';
import { extrasClient, undoLast, withExtras } from './extras.ts';
import { assertDone, change, committed, ended } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;
const REMOVE = { method: 'DELETE', path: /\/items$/ } as const;

async function resumed(relay: Relay, id: string): Promise<JobRecord> {
  await relay.call('resume_job', { job_id: id });
  return ended(relay, id);
}

const failedAppend = (relay: Relay, playlist_id: string, items: readonly string[]) =>
  failedAfterFirst(relay, 'add_to_playlist', items, { playlist_id });

/** Runs a job that fails after adding its first 100 songs, then clears the fault so that the job can be resumed. */
async function failedAfterFirst(
  relay: Relay,
  type: string,
  items: readonly string[],
  payload: Record<string, unknown>,
): Promise<string> {
  const refused: FaultRule = {
    ...APPEND,
    skip: 1,
    times: Number.POSITIVE_INFINITY,
    kind: 'status',
    status: 403,
  };
  const id = await committed(relay, type, items, payload, () => relay.provider.faults.add(refused));
  assert.equal((await ended(relay, id)).status, 'failed');
  relay.provider.faults.clear();
  return id;
}

longTest('a failed job continues where it stopped, even after a dry run of undoing it', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist }) => {
    const [former, items] = [tracks(relay, 200), tracks(relay, 250, 3_000)];
    fill(playlist, former);
    const id = await failedAppend(relay, playlist.id, items);
    const client = await extrasClient(relay.server.mcpUrl);
    const { isError } = await client.callTool({ name: 'undo_change', arguments: { dry_run: true } });
    await client.close();
    assert.ok(!isError);
    assert.equal((await resumed(relay, id)).status, 'completed');
    assertRows(playlist, [...former, ...items]);
  }),
);

longTest('a failed job whose first songs were undone adds all of its songs when it is resumed', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist }) => {
    const [former, items] = [tracks(relay, 200), tracks(relay, 250, 3_000)];
    fill(playlist, former);
    const id = await failedAppend(relay, playlist.id, items);
    assertDone(await undoLast(relay));
    assertRows(playlist, former);
    assert.equal((await resumed(relay, id)).status, 'completed');
    assertRows(playlist, [...former, ...items]);
  }),
);

longTest(
  'a failed job whose new playlist was undone makes another one with all of its songs when it is resumed',
  () =>
    withUnkind({}, async (relay) => {
      const items = tracks(relay, 150, 3_000);
      const id = await failedAfterFirst(relay, 'create_playlist', items, { name: 'Twice Begun' });
      const first = named(relay, 'Twice Begun');
      assertDone(await undoLast(relay));
      const { status, result } = await resumed(relay, id);
      const second = named(relay, 'Twice Begun');
      assert.deepEqual([status, result?.playlist_id, result?.written], ['completed', second.id, 150]);
      assertRows(second, items);
      assertRows(first, items.slice(0, 100));
    }),
);

for (const [title, undo] of [
  [
    'was refused',
    async (relay: Relay) => {
      relay.provider.faults.add({ ...REMOVE, kind: 'status', status: 403 });
      assert.equal((await undoLast(relay)).error?.code, 'FORBIDDEN');
    },
  ],
  [
    'was itself undone',
    async (relay: Relay) => {
      for (let times = 0; times < 2; times++) assertDone(await undoLast(relay));
    },
  ],
] as const) {
  longTest(`a failed job continues where it stopped if the undo of its first songs ${title}`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, former }) => {
      const items = tracks(relay, 150, 3_000);
      const id = await failedAppend(relay, playlist.id, items);
      await undo(relay);
      assertRows(playlist, [...former, ...items.slice(0, 100)]);
      assert.equal((await resumed(relay, id)).status, 'completed');
      assertRows(playlist, [...former, ...items]);
    }),
  );
}

longTest(
  'a failed job that was undone leaves out what the playlist holds when it is resumed, not what it held before',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
      const [theirs = '', ...others] = tracks(relay, 150, 3_000);
      const items = [at(former, 0), theirs, ...others];
      const payload = { playlist_id, skip_existing: true };
      const id = await failedAfterFirst(relay, 'add_to_playlist', items, payload);
      assertDone(await undoLast(relay));
      relay.provider.editPlaylist(playlist_id, [...former.slice(1), theirs]);
      const { status, written, skipped_existing } = await resumed(relay, id);
      const missing = [at(former, 0), ...others].filter((uri) => !former.slice(1).includes(uri));
      assert.deepEqual(
        [status, written, skipped_existing],
        ['completed', missing.length, items.length - missing.length],
      );
      assertRows(playlist, [...former.slice(1), theirs, ...missing]);
    }),
);

for (const isRefused of [true, false]) {
  longTest(
    `a failed job that is resumed during an undo that ${isRefused ? 'Spotify refuses' : 'succeeds'} writes each song once`,
    () =>
      withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, former }) => {
        const items = tracks(relay, 150, 3_000);
        const id = await failedAppend(relay, playlist.id, items);
        const resume = async () => {
          await relay.call('resume_job', { job_id: id });
          await clock.sleep(3_000);
        };
        relay.provider.faults.add({ ...REMOVE, kind: 'hook', fn: resume });
        if (isRefused) relay.provider.faults.add({ ...REMOVE, kind: 'status', status: 403 });
        const { error } = await undoLast(relay);
        assert.equal(error?.code, isRefused ? 'FORBIDDEN' : undefined);
        assert.equal((await ended(relay, id)).status, 'completed');
        assertRows(playlist, [...former, ...items]);
      }),
  );
}

for (const isUndone of sized([false, true], [false])) {
  test(`a failed job ${isUndone ? 'whose songs were undone' : 'that was rolled back'} writes all of them when it is resumed a month later`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id, former }) => {
      const items = tracks(relay, 150, 3_000);
      let id: string;
      if (isUndone) {
        id = await failedAppend(relay, playlist.id, items);
        assertDone(await undoLast(relay));
      } else {
        relay.provider.faults.add(
          { ...APPEND, kind: 'status', status: 403 },
          { method: 'PUT', path: /\/items$/, skip: 1, kind: 'rate_limit', retryAfterSeconds: 40 },
        );
        const answer = await relay.call('replace_playlist_tracks', { playlist_id, track_ids: items });
        id = String(failureOf(answer).details.job_id);
        assert.equal((await ended(relay, id)).status, 'failed');
      }
      assertRows(playlist, former);
      clock.shift(31 * 24 * HOUR);
      // Storing a change drops those that are too old, once an answer has told Spotify's time.
      for (const from of [7_000, 7_001])
        assertDone(await change(relay, 'save_tracks', { track_ids: tracks(relay, 1, from) }));
      const { status, written } = await resumed(relay, id);
      assert.deepEqual([status, written], ['completed', 150]);
      assertRows(playlist, isUndone ? [...former, ...items] : items);
    }));
}

longTest(
  'of a failed job whose write was undone twice, only the last write and its undo are kept longer than a month',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, former }) => {
      const items = tracks(relay, 150, 3_000);
      const id = await failedAppend(relay, playlist.id, items);
      assertDone(await undoLast(relay));
      relay.provider.faults.add({
        ...APPEND,
        skip: 1,
        times: Number.POSITIVE_INFINITY,
        kind: 'status',
        status: 403,
      });
      assert.equal((await resumed(relay, id)).status, 'failed');
      relay.provider.faults.clear();
      assertDone(await undoLast(relay));
      clock.shift(31 * 24 * HOUR);
      // Storing a change drops those that are too old, once an answer has told Spotify's time.
      for (const from of [7_000, 7_001])
        assertDone(await change(relay, 'save_tracks', { track_ids: tracks(relay, 1, from) }));
      const { items: kept } = (await relay.call('list_changes')) as { items: ChangeSummary[] };
      assert.deepEqual(
        kept.map(({ kind }) => kind),
        ['save', 'save', 'undo', 'add'],
      );
      assert.equal((await resumed(relay, id)).status, 'completed');
      assertRows(playlist, [...former, ...items]);
    }),
);

longTest(
  'a failed job that is resumed during a long undo fails, names what it had written, and can be resumed after the undo',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
      const items = tracks(relay, 250, 3_000);
      const times = Number.POSITIVE_INFINITY;
      const id = await committed(relay, 'add_to_playlist', items, { playlist_id }, () =>
        relay.provider.faults.add({ ...APPEND, skip: 2, times, kind: 'status', status: 403 }),
      );
      const { change_id } = (await ended(relay, id)).result ?? {};
      relay.provider.faults.clear();
      relay.provider.faults.add({ ...REMOVE, skip: 1, kind: 'rate_limit', retryAfterSeconds: 240 });
      await withExtras(relay, async ({ call }) => {
        const { job_id: undoing } = failureOf(await call('undo_change'))?.details ?? {};
        await reach(relay, String(undoing), 'waiting');
        const { status, error, result } = await resumed(relay, id);
        assert.deepEqual(
          [status, error?.message, result?.change_id],
          ['failed', 'What this job had written is being undone.', change_id],
        );
        // On a busy machine, the fast clock is slow.
        await ended(relay, String(undoing), 180_000);
      });
      assert.equal((await resumed(relay, id)).status, 'completed');
      assertRows(playlist, [...former, ...items]);
    }),
);

longTest('a playlist that a person renames while a job adds its songs has the name of the person', () =>
  withUnkind({}, async (relay) => {
    const rule = { ...APPEND, skip: 1, kind: 'rate_limit', retryAfterSeconds: 40 } as const;
    const id = await committed(relay, 'create_playlist', tracks(relay, 150, 3_000), { name: 'Ours' }, () =>
      relay.provider.faults.add(rule),
    );
    await reach(relay, id, 'waiting');
    named(relay, 'Ours').name = 'Theirs';
    await relay.call('get_my_playlists', { all: true });
    assert.equal((await ended(relay, id)).status, 'completed');
    const { out } = await run(relay, ['history']);
    assert.match(out, /created "Theirs" with 150 songs/);
  }),
);

longTest('resuming the failed job of a removal that was undone ends with CONFLICT', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const former = tracks(relay, 400);
    fill(playlist, former);
    relay.provider.faults.add(
      { ...REMOVE, skip: 1, times: 2, kind: 'latency', ms: 50_000 },
      { ...REMOVE, skip: 3, times: Number.POSITIVE_INFINITY, kind: 'status', status: 403 },
    );
    const args = { playlist_id, track_ids: former.slice(0, 350) };
    const answer = await relay.call('remove_tracks_from_playlist', args);
    const id = String(failureOf(answer).details.job_id);
    assert.equal((await ended(relay, id)).status, 'failed');
    assert.equal(urisOf(playlist).length, 200);
    relay.provider.faults.clear();
    assertDone(await undoLast(relay));
    assertRows(playlist, former);
    const job = await resumed(relay, id);
    assert.deepEqual([job.status, (job.error as { code?: string } | null)?.code], ['failed', 'CONFLICT']);
    assertRows(playlist, former);
  }),
);
