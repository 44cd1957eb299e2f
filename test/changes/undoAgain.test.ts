/** An undo that stopped part-way and is asked for again: it takes back the rest, and writes nothing twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reach } from '../jobs/jobCalls.ts';
import { failureOf } from '../support/answers.ts';
import { run } from '../support/cli.ts';
import type { JumpingClock } from '../support/jumpingClock.ts';
import { assertRows, fill, tracks } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import type { PlaylistScene } from '../support/withPlaylist.ts';
import { type Extras, withExtras } from './extras.ts';
import { ended } from './settled.ts';
import { withUnkindPlaylist } from './unkind.ts';

interface Scene extends PlaylistScene, Extras {
  clock: JumpingClock;
  /** The rows from before the removal. */
  rows: string[];
  /** ID of the removal. */
  change_id: string;
  /** Undoes the removal until Spotify sets a limit after `skip` requests. Returns when the limit is over. */
  undoUntilLimit(skip: number): Promise<void>;
}

/** Runs `work` with a playlist from whose 200 or more rows a tool has removed those between `from` and `to`. */
function withRemoved(
  { from, to, total = 200 }: { from: number; to: number; total?: number },
  work: (scene: Scene) => Promise<void>,
): Promise<void> {
  return withUnkindPlaylist('Exactly Two Hundred', async (scene) => {
    const { relay, playlist, playlist_id, clock } = scene;
    const rows = tracks(relay, total);
    fill(playlist, rows);
    await withExtras(relay, async (extras) => {
      const args = { playlist_id, track_ids: rows.slice(from, to) };
      const change_id = String((await extras.call('remove_tracks_from_playlist', args)).change_id);
      const undoUntilLimit = async (skip: number) => {
        const limit = { kind: 'rate_limit', retryAfterSeconds: 30 } as const;
        relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip, ...limit });
        const failure = failureOf(await extras.call('undo_change', { change_id }));
        // What is put back before other rows continues as a job, which a person may cancel.
        const job_id = failure?.details?.job_id;
        if (job_id === undefined) assert.equal(failure?.code, 'PARTIAL_WRITE');
        else {
          await reach(relay, String(job_id), 'waiting');
          await extras.call('cancel_job', { job_id });
          await ended(relay, String(job_id));
        }
        await clock.sleep(31_000);
      };
      await work({ ...scene, ...extras, rows, change_id, undoUntilLimit });
    });
  });
}

test('an undo that stopped part-way puts back only the rest when it is asked for again', () =>
  withRemoved({ from: 50, to: 200 }, async ({ call, playlist, rows, change_id, undoUntilLimit }) => {
    await undoUntilLimit(1);
    assertRows(playlist, rows.slice(0, 150));
    const { requests, rows: count, removed, added } = await call('undo_change', { change_id, dry_run: true });
    assert.deepEqual([requests, count, removed, (added as { count: number }).count], [1, 200, 0, 50]);
    await call('undo_change', { change_id });
    assertRows(playlist, rows);
  }));

longTest('at a terminal, an undo that stops names the command and the time at which to call it again', () =>
  withRemoved({ from: 50, to: 200 }, async ({ relay, playlist, change_id }) => {
    const limit = { kind: 'rate_limit', retryAfterSeconds: 50_400 } as const;
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, ...limit });
    const { code, err } = await run(relay, ['undo', '--yes'], { columns: 200 });
    assert.deepEqual([code, playlist.rows.length], [1, 150]);
    const command = `relay undo ${change_id.slice(0, 8)}`;
    assert.ok(
      err.endsWith(`\n  Undo it again with \`${command}\` after 14 hours: that takes back the rest.\n`),
      err,
    );
  }),
);

longTest('while an undo waits, its change is being undone, and the job of the undo is named', () =>
  withRemoved({ from: 0, to: 150 }, async ({ relay, call, changes, change_id }) => {
    const limit = { kind: 'rate_limit', retryAfterSeconds: 50_400 } as const;
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, ...limit });
    await call('undo_change', { change_id });
    const [undo = ''] = await changes();
    await reach(relay, undo, 'waiting');
    const again = failureOf(await call('undo_change', { change_id }));
    assert.deepEqual(
      [again?.code, again?.message, again?.remedy],
      [
        'CONFLICT',
        `The change ${change_id} is being undone already.`,
        `Wait until the job has ended (get_job_status), or call cancel_job, with job_id ${undo}.`,
      ],
    );
    const { out } = await run(relay, ['history'], { columns: 200 });
    assert.match(out, new RegExp(`^removed 150 songs .* being undone by ${undo.slice(0, 8)} `, 'm'));
  }),
);

longTest('an undo that stopped twice puts back the rest', () =>
  withRemoved(
    { from: 50, to: 350, total: 350 },
    async ({ call, playlist, rows, change_id, undoUntilLimit }) => {
      await undoUntilLimit(1);
      await undoUntilLimit(1);
      assertRows(playlist, rows.slice(0, 250));
      await call('undo_change', { change_id });
      assertRows(playlist, rows);
    },
  ),
);

longTest('an undo whose job was cancelled puts back the rest, also before other rows', () =>
  withRemoved({ from: 0, to: 150 }, async ({ call, playlist, rows, change_id, undoUntilLimit }) => {
    await undoUntilLimit(1);
    assert.equal(playlist.rows.length, 150);
    await call('undo_change', { change_id });
    assertRows(playlist, rows);
  }),
);

longTest('what somebody adds to a playlist whose undo stopped stays when the rest is put back', () =>
  withRemoved({ from: 50, to: 200 }, async (scene) => {
    const { relay, call, playlist, rows, change_id, undoUntilLimit } = scene;
    const [first = '', last = ''] = tracks(relay, 2, 3_000);
    await undoUntilLimit(1);
    relay.provider.editPlaylist(playlist.id, [first, ...rows.slice(0, 150), last]);
    await call('undo_change', { change_id });
    assert.deepEqual(
      playlist.rows.map(({ uri }) => uri).filter((uri) => uri !== last),
      [first, ...rows],
    );
    assert.equal(playlist.rows.filter(({ uri }) => uri === last).length, 1);
  }),
);

longTest('an undo that stopped and was itself undone puts back everything when it is asked for again', () =>
  withRemoved({ from: 50, to: 200 }, async ({ call, changes, playlist, rows, change_id, undoUntilLimit }) => {
    await undoUntilLimit(1);
    const [stopped] = await changes();
    await call('undo_change', { change_id: stopped });
    assertRows(playlist, rows.slice(0, 50));
    await call('undo_change', { change_id });
    assertRows(playlist, rows);
  }),
);

longTest('with force too, nothing is put back twice', () =>
  withRemoved({ from: 50, to: 200 }, async ({ call, playlist, rows, change_id, undoUntilLimit }) => {
    await undoUntilLimit(1);
    await call('undo_change', { change_id, force: true });
    assertRows(playlist, rows);
  }),
);
