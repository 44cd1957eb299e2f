/** Additions whose rows are there already, so that the last rows do not tell whether they took effect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, tracks, urisOf } from '../jobs/support.ts';
import { longTest } from '../support/scale.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { assertDone, assertRows, change, withUnkind } from './support.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;
const BAD_DAYS: Record<string, FaultRule> = {
  'without effect': { ...APPEND, kind: 'status', status: 502 },
  'after its effect': { ...APPEND, kind: 'status_after', status: 502 },
};

for (const [name, rule] of Object.entries(BAD_DAYS)) {
  longTest(`the same songs again, whose answer is lost ${name}`, () =>
    withUnkind({}, async (relay) => {
      const playlist = named(relay, 'Exactly Two Hundred');
      const [former, songs] = [urisOf(playlist), tracks(relay, 20, 3_000)];
      const args = { playlist_id: playlist.id, track_ids: songs };
      assertDone(await change(relay, 'add_tracks_to_playlist', args));
      relay.provider.faults.add(rule);
      const { error, job } = await change(relay, 'add_tracks_to_playlist', args);
      const isDone = error === null || job?.status === 'completed';
      assertRows(playlist, [...former, ...songs, ...(isDone ? songs : [])]);
    }),
  );

  test(`a list of the same hundred twice, the second time with an answer lost ${name}`, () =>
    withUnkind({}, async (relay) => {
      const playlist = named(relay, 'Exactly Two Hundred');
      const [former, songs] = [urisOf(playlist), tracks(relay, 100, 3_000)];
      relay.provider.faults.add({ ...rule, skip: 1 });
      const args = { playlist_id: playlist.id, track_ids: [...songs, ...songs] };
      const { error, job } = await change(relay, 'add_tracks_to_playlist', args);
      assert.ok(error === null || job?.status === 'completed', JSON.stringify(error));
      assertRows(playlist, [...former, ...songs, ...songs]);
    }));
}
