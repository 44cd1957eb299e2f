/**
 * Six clients write and undo at once, while answers get lost and limits come. Each client has a playlist of its own, whose
 * rows are exactly what it asked for after each answer, and as at the beginning in the end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../src/base/clock.ts';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import type { JobRecord } from '../../src/work/jobRecord.ts';
import type { ToolFailure } from '../support/answers.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { addPlaylist, assertRows, tracks, urisOf } from '../support/playlists.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { callsOf, mcpClient, type Relay, withRelay } from '../support/world.ts';

const CLIENTS = 6;

/** Troubles that a write survives without help: its answer is lost, it is refused for a while, or it takes effect late. */
const WRITES = { path: /\/items$/, where: ({ method }: { method: string }) => method !== 'GET' };
const TROUBLES: FaultRule[] = [
  { ...WRITES, every: 5, times: 6, kind: 'status_after', status: 502 },
  { ...WRITES, every: 7, times: 6, kind: 'drop', when: 'before' },
  { ...WRITES, every: 11, times: 4, kind: 'late', ms: 9_000, answer: 504 },
  { ...WRITES, skip: 20, kind: 'rate_limit', retryAfterSeconds: 20 },
];

test('six clients write and undo on a bad day: nothing is lost, doubled or out of order', () => {
  const clock = jumpingClock();
  return withRelay({ env: { RELAY_ACCESS: 'everything' }, clock }, async (relay) => {
    const playlists = Array.from({ length: CLIENTS }, (_, index) =>
      addPlaylist(relay.provider, `Of client ${index}`, tracks(relay, 12, index * 200)),
    );
    relay.provider.faults.add(...TROUBLES);
    const ends = await Promise.all(
      playlists.map(async (playlist, index) => {
        const client = await mcpClient(relay.server.mcpUrl);
        const done = await work({ ...relay, client, call: callsOf(client) }, clock, playlist, index);
        await client.close();
        return done;
      }),
    );
    assert.ok(ends.reduce((sum, done) => sum + done) > CLIENTS, `${ends}`);
  });
});

/** One client's writes, then their undos. Returns how many took effect. */
async function work(relay: Relay, clock: Clock, playlist: DemoPlaylist, index: number): Promise<number> {
  const playlist_id = playlist.id;
  const former = urisOf(playlist);
  const fresh = tracks(relay, 105, index * 200 + 50);
  const asks: Array<[tool: string, args: object, wanted: (rows: string[]) => string[]]> = [
    ['add_tracks_to_playlist', { track_ids: fresh.slice(0, 20) }, (rows) => [...rows, ...fresh.slice(0, 20)]],
    [
      'reorder_playlist_tracks',
      { range_start: 0, range_length: 2, insert_before: 5 },
      (rows) => [...rows.slice(2, 5), ...rows.slice(0, 2), ...rows.slice(5)],
    ],
    ['replace_playlist_tracks', { track_ids: fresh }, () => fresh],
  ];
  const done: string[] = [];
  for (const [tool, args, wanted] of asks) {
    const before = urisOf(playlist);
    const { ok, change_id } = await settled(relay, clock, tool, { playlist_id, ...args });
    assertRows(playlist, ok ? wanted(before) : before);
    // What changed nothing has left no record.
    if (ok && change_id) done.push(change_id);
  }
  for (const change_id of done.toReversed()) {
    // An undo that a trouble has rolled back is asked for again.
    let ok = false;
    for (let tries = 0; tries < 4 && !ok; tries++)
      ({ ok } = await settled(relay, clock, 'undo_change', { change_id }));
    assert.ok(ok, `the undo of ${change_id}`);
  }
  assertRows(playlist, former);
  return done.length;
}

/** Calls a tool, and waits for its job if it becomes one, or as long as an error says. `ok` is false if nothing has changed in the end. */
async function settled(relay: Relay, clock: Clock, tool: string, args: Record<string, unknown>) {
  const answer = await relay.call(tool, args);
  const error = answer.error as ToolFailure | undefined;
  const job_id = answer.job_id ?? (error?.code === 'DEADLINE_EXCEEDED' ? error.details.job_id : undefined);
  const change_id = (answer.change_id ?? error?.details?.change_id) as string | undefined;
  if (error) await clock.sleep((error.retryAfterSeconds ?? 0) * 1000);
  if (job_id === undefined) return { ok: error === undefined, change_id };
  for (;;) {
    const { job } = (await relay.call('get_job_status', { job_id, limit: 1 })) as { job: JobRecord };
    if (job.status === 'completed' || job.status === 'failed')
      return { ok: job.status === 'completed', change_id };
    await clock.sleep(5_000);
  }
}
