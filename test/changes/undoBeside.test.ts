/**
 * Another person writes between the requests of a change. When the change is undone or rolled back, what that person wrote
 * stays.
 */

import assert from 'node:assert/strict';
import { reach } from '../jobs/jobCalls.ts';
import type { ToolFailure } from '../support/answers.ts';
import { at } from '../support/entries.ts';
import { assertRows, fill, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { undoLast, withExtras } from './extras.ts';
import { assertDone, change, committed, ended } from './settled.ts';
import { LIMIT_AFTER_FIRST, withUnkindPlaylist } from './unkind.ts';

const ITEMS = /\/items$/;

/** A limit stops a job after its first request, and meanwhile another person appends a song. Then the job ends and is undone. */
async function withSongBetween(
  type: string,
  size: number,
  rows: (former: readonly string[], items: readonly string[], song: string) => readonly string[],
): Promise<void> {
  await withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [former, items] = [tracks(relay, size), tracks(relay, 250, 3_000)];
    const [song = ''] = tracks(relay, 1, 8_000);
    fill(playlist, former);
    const id = await committed(relay, type, items, { playlist_id }, () =>
      relay.provider.faults.add(LIMIT_AFTER_FIRST),
    );
    await reach(relay, id, 'waiting');
    relay.provider.editPlaylist(playlist_id, [...urisOf(playlist), song]);
    assert.equal((await ended(relay, id)).status, 'completed');
    assertRows(playlist, rows(former, items, song));
    assertDone(await undoLast(relay));
    assertRows(playlist, [...former, song]);
  });
}

for (const size of [30, 200]) {
  longTest(`the undo of an addition to ${size} rows keeps a song that came between its requests`, () =>
    withSongBetween('add_to_playlist', size, (former, items, song) => [
      ...former,
      ...items.slice(0, 100),
      song,
      ...items.slice(100),
    ]),
  );
}

longTest('the undo of a replacement keeps a song that came between its requests', () =>
  withSongBetween('replace_playlist', 200, (_, items, song) => [
    ...items.slice(0, 100),
    song,
    ...items.slice(100),
  ]),
);

longTest(
  'an undo that continues after a limit brings back what the change took out, and leaves what another person did',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
      const [former, [song = '']] = [tracks(relay, 90), tracks(relay, 1, 8_000)];
      fill(playlist, former);
      const track_ids = [...former.slice(0, 6), ...former.slice(40, 46)];
      assertDone(await change(relay, 'remove_tracks_from_playlist', { playlist_id, track_ids }));
      const theirs = (rows: readonly string[]) => rows.filter((uri) => !former.slice(60, 64).includes(uri));
      const again = at(former, 80);
      relay.provider.faults.add(LIMIT_AFTER_FIRST);
      const { error } = await undoLast(relay);
      relay.provider.editPlaylist(playlist_id, [...theirs(urisOf(playlist)), again, song]);
      assert.equal((await ended(relay, String(error?.details.job_id))).status, 'completed');
      assertRows(playlist, [...theirs(former), again, song]);
      assertDone(await undoLast(relay));
      const rest = theirs(former).filter((uri) => !track_ids.includes(uri));
      assertRows(playlist, [...rest, again, song]);
    }),
);

longTest(
  'the refusal of an undo names the change to undo first, even if that began earlier and then waited',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
      const [waited, added] = [tracks(relay, 2, 3_000), tracks(relay, 3, 6_000)];
      const id = await committed(relay, 'add_to_playlist', waited, { playlist_id }, () =>
        relay.provider.faults.add({ method: 'POST', path: ITEMS, kind: 'status', status: 403 }),
      );
      await reach(relay, id, 'waiting');
      const { answer } = await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: added });
      await ended(relay, id);
      assertRows(playlist, [...former, ...added, ...waited]);
      await withExtras(relay, async ({ changes, undo }) => {
        const [newest, oldest = ''] = await changes();
        assert.equal(newest, answer.change_id);
        const { error } = await undo(String(answer.change_id));
        assert.deepEqual(
          [error?.code, error?.remedy],
          [
            'CONFLICT',
            `First undo the change ${oldest}, which wrote to the playlist later. Or pass force: the rows from before this change come back, and later changes are lost.`,
          ],
        );
        for (const id of [oldest, String(answer.change_id)]) assertDone(await undo(id));
      });
      assertRows(playlist, former);
    }),
);

/** Undoes `id`, which must be refused because of what others wrote. @returns the remedy */
const remedyOf = async (undo: (id: string) => ReturnType<typeof change>, id: string) => {
  const { error } = await undo(id);
  assert.equal(error?.code, 'CONFLICT');
  return error.remedy;
};

const OR_FORCE = 'Pass force to bring back the rows from before this change. Later changes are then lost.';

longTest('the refusal of an undo names the later change of rows, and no change of the name', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const add = (first: number) =>
      change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: tracks(relay, 2, first) });
    for (const first of [3_000, 6_000]) assertDone(await add(first));
    assertDone(await change(relay, 'update_playlist_details', { playlist_id, name: 'Renamed' }));
    await withExtras(relay, async ({ changes, undo }) => {
      const [, second = '', first = ''] = await changes();
      assert.match(String(await remedyOf(undo, first)), new RegExp(`^First undo the change ${second}`));
      relay.provider.editPlaylist(playlist_id, urisOf(playlist).slice(1));
      assert.equal(await remedyOf(undo, second), OR_FORCE);
    });
  }),
);

longTest('of two changes that another person has written after, at most one names the other', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const id = await committed(relay, 'add_to_playlist', tracks(relay, 2, 3_000), { playlist_id }, () =>
      relay.provider.faults.add({ method: 'POST', path: ITEMS, kind: 'status', status: 403 }),
    );
    await reach(relay, id, 'waiting');
    const track_ids = tracks(relay, 3, 6_000);
    assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids }));
    await ended(relay, id);
    relay.provider.editPlaylist(playlist_id, urisOf(playlist).slice(1));
    await withExtras(relay, async ({ changes, undo }) => {
      const [between = '', waited = ''] = await changes();
      assert.match(String(await remedyOf(undo, between)), new RegExp(`^First undo the change ${waited}`));
      assert.equal(await remedyOf(undo, waited), OR_FORCE);
    });
  }),
);

/** A replacement is refused, and a limit stops its rollback. Meanwhile another person edits the rows. */
async function rolledBackBeside(
  edit: (rows: readonly string[], song: string) => readonly string[],
  rows: (former: readonly string[], song: string) => readonly string[],
): Promise<void> {
  await withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [former, [song = '']] = [urisOf(playlist), tracks(relay, 1, 8_000)];
    relay.provider.faults.add(
      { method: 'POST', path: ITEMS, kind: 'status', status: 400 },
      { method: 'PUT', path: ITEMS, skip: 1, kind: 'rate_limit', retryAfterSeconds: 40 },
    );
    const args = { playlist_id, track_ids: tracks(relay, 150, 3_000) };
    const { error } = (await relay.call('replace_playlist_tracks', args)) as { error: ToolFailure };
    relay.provider.editPlaylist(playlist_id, edit(urisOf(playlist), song));
    const job = await ended(relay, String(error.details.job_id));
    assert.deepEqual([job.status, job.review_required], ['failed', false]);
    assertRows(playlist, rows(former, song));
  });
}

longTest('a rollback keeps a song that was appended while a limit stopped the rollback', () =>
  rolledBackBeside(
    (rows, song) => [...rows, song],
    (former, song) => [...former, song],
  ),
);

longTest('a rollback keeps a song that was put first while a limit stopped the rollback', () =>
  rolledBackBeside(
    (rows, song) => [song, ...rows],
    (former, song) => [song, ...former],
  ),
);
