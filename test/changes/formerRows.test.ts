import assert from 'node:assert/strict';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { reach } from '../jobs/jobCalls.ts';
import { owner } from '../support/entries.ts';
import { type FastClock, sharedFastClock } from '../support/fastClock.ts';
import { assertRows, differenceOf, fill, named, tracks, urisOf } from '../support/playlists.ts';
import { type Desk, withDesk } from '../support/program.ts';
import { longTest } from '../support/scale.ts';
import { type Simulator, startSimulator } from '../support/simulator/simulator.ts';
import { startVictim, type Victim, victimEnvironment } from './crash/victim.ts';
import { undoLast } from './extras.ts';
import { assertDone, change, committed, ended, poll } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

interface Scene {
  victim: Victim;
  provider: Simulator;
  playlist: DemoPlaylist;
  tracks(count: number, from?: number): string[];
}

/** Runs `work` with the real program as a process, and with a playlist at the simulated provider. */
async function withVictim(
  factor: number,
  work: (scene: Scene, clock: FastClock, desk: Desk) => Promise<void>,
): Promise<void> {
  const clock = sharedFastClock(factor);
  const provider = await startSimulator({ clock });
  const playlist = owner(provider).playlists.find(({ name }) => name === 'Exactly Two Hundred');
  const uris = provider.catalogue.tracks.map(({ uri }) => uri);
  try {
    await withDesk({ RELAY_TOOLSETS: 'all', ...victimEnvironment(provider), ...clock.env }, async (desk) => {
      const victim = await startVictim(desk);
      const scene = { victim, provider, playlist: playlist ?? assert.fail('no playlist') };
      await work({ ...scene, tracks: (count, from = 0) => uris.slice(from, from + count) }, clock, desk);
    });
  } finally {
    await provider.close();
  }
}

/** Waits until the rows are `wanted` or `former`, and fails unless they still are 20 s later. */
async function assertEither(
  { victim, playlist }: Scene,
  clock: FastClock,
  wanted: readonly string[],
  former: readonly string[],
): Promise<void> {
  await victim.revive();
  const same = (rows: readonly string[]) => differenceOf(urisOf(playlist), rows) === null;
  await poll(() => (same(wanted) || same(former) ? true : null));
  // Neither a request under way nor a later one may change the rows to anything else.
  await clock.sleep(20_000);
  if (same(former)) return;
  assertRows(playlist, wanted);
}

for (const [what, when, skip] of [
  ['before its first append', 'before', 0],
  ['after its first append', 'after', 0],
  ['in the middle', 'before', 1],
] as const) {
  longTest(`a kill during a replacement, ${what}, leaves the wanted or the former rows`, () =>
    withVictim(20, async (scene, clock) => {
      const { victim, provider, playlist, tracks: some } = scene;
      const [former, wanted] = [some(250), some(350, 3_000)];
      fill(playlist, former);
      const match = { method: 'POST', path: /\/items$/, skip } as const;
      provider.faults.add({ ...match, kind: 'hook', fn: () => victim.kill() });
      if (when === 'before') provider.faults.add({ ...match, kind: 'drop', when });
      await victim.call('replace_playlist_tracks', { playlist_id: playlist.id, track_ids: wanted });
      assert.equal(victim.isAlive, false);
      await assertEither(scene, clock, wanted, former);
    }),
  );
}

longTest('a kill during the removal of duplicates leaves the wanted or the former rows', () =>
  withVictim(20, async (scene, clock) => {
    const { victim, provider, playlist, tracks: some } = scene;
    const once = some(60);
    const former = [...once, ...once.slice(0, 40)].toReversed();
    const wanted = [...new Set(former)];
    fill(playlist, former);
    // The first write takes rows away, and the program dies with the second.
    provider.faults.add(
      { method: 'POST', path: /\/items$/, kind: 'hook', fn: () => victim.kill() },
      { method: 'POST', path: /\/items$/, kind: 'drop', when: 'before' },
    );
    await victim.call('deduplicate_playlist', { playlist_id: playlist.id });
    await assertEither(scene, clock, wanted, former);
  }),
);

longTest('a new playlist that was found after its answer was lost is not made again after a kill', () =>
  withVictim(4, async ({ victim, provider, tracks: some }, clock) => {
    const uris = some(150);
    provider.faults.add(
      { method: 'POST', path: '/me/playlists', kind: 'html', effect: true },
      { method: 'POST', path: /\/items$/, kind: 'hook', fn: () => victim.kill() },
    );
    const name = 'Found Out';
    await victim.call('create_playlist_from_tracks', { name, tracks: uris });
    assert.equal(victim.isAlive, false);
    await victim.revive();
    const made = () => owner(provider).playlists.filter((one) => one.name === name);
    await poll(() => (made().some(({ rows }) => rows.length === uris.length) ? true : null));
    await clock.sleep(20_000);
    assert.deepEqual(
      made().map((one) => urisOf(one)),
      [uris],
    );
  }),
);

longTest(
  'on SIGTERM during a replacement relay stops within 20 s, and the change continues after the next start',
  () =>
    withVictim(20, async (scene, clock) => {
      const { victim, provider, playlist, tracks: some } = scene;
      const [former, wanted] = [some(2_000), some(4_000, 3_000)];
      fill(playlist, former);
      provider.faults.add({ path: /\/items$/, times: Infinity, kind: 'latency', ms: 400 });
      const calling = victim.call('replace_playlist_tracks', { playlist_id: playlist.id, track_ids: wanted });
      const posts = () => provider.requests.filter(({ method }) => method === 'POST').length;
      await poll(() => (posts() >= 5 ? true : null));
      const asked = clock.monotonic();
      await victim.stop();
      assert.ok(clock.monotonic() - asked < 20_000, `it took ${clock.monotonic() - asked} ms to stop`);
      await calling;
      provider.faults.clear();
      await assertEither(scene, clock, wanted, former);
    }),
);

longTest('a job that is killed while lists lag writes everything once', () =>
  withVictim(2, async ({ victim, provider, playlist, tracks: some }) => {
    const [former, uris] = [urisOf(playlist), some(180, 3_000)];
    provider.lag.set({ lists: 5_000, totals: 5_000 });
    const payload = { playlist_id: playlist.id, skip_duplicates: false };
    const made = await victim.call('create_bulk_job', { type: 'add_to_playlist', items: uris, payload });
    const job_id = String(made?.job_id);
    const status = async () => {
      const answer = await victim.call('get_job_status', { job_id });
      return (answer?.job as { status: string; review_required: boolean } | undefined) ?? null;
    };
    await poll(async () => ((await status())?.status === 'ready' ? true : null));
    const died = new Promise<void>((resolve) => {
      const fn = () => {
        victim.kill();
        resolve();
      };
      provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, kind: 'hook', fn });
    });
    await victim.call('commit_job', { job_id });
    await died;
    await victim.revive();
    const job = await poll(async () => {
      const seen = await status();
      return seen?.status === 'completed' || seen?.status === 'failed' ? seen : null;
    });
    assert.deepEqual([job?.status, job?.review_required], ['completed', false]);
    assertRows(playlist, [...former, ...uris]);
  }),
);

for (const [what, stop] of [
  ['is cancelled half-way', 'cancel_job'],
  ['fails half-way', null],
] as const) {
  longTest(`the former rows of a replacement that ${what} can be brought back`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, provider, playlist, playlist_id }) => {
      const [former, uris] = [tracks(relay, 2_000), tracks(relay, 1_500, 3_000)];
      fill(playlist, former);
      const posts = { method: 'POST', path: /\/items$/ } as const;
      const id = await committed(relay, 'replace_playlist', uris, { playlist_id }, () =>
        provider.faults.add(
          { ...posts, times: 5, kind: 'latency', ms: 300 },
          { ...posts, skip: 5, times: Infinity, kind: 'status', status: stop === null ? 403 : 503 },
        ),
      );
      await poll(() => (urisOf(playlist).length >= 500 && urisOf(playlist)[0] === uris[0] ? true : null));
      if (stop !== null) await relay.call(stop, { job_id: id });
      await reach(relay, id, 'cancelled', 'failed');
      provider.faults.clear();
      // A replacement that relay has rolled back by itself needs no undo.
      if (differenceOf(urisOf(playlist), former) === null) return;
      assertDone(await undoLast(relay));
      assertRows(playlist, former);
    }),
  );
}

longTest(
  'a replacement that takes longer than 45 s continues as a job, and the answer names its change',
  () =>
    withUnkind({}, async (relay, clock) => {
      const playlist = named(relay, 'Exactly Two Hundred');
      fill(playlist, tracks(relay, 2_000));
      const wanted = [...tracks(relay, 9_000), ...tracks(relay, 1_000)].toReversed();
      relay.provider.faults.add({ path: /\/items$/, times: Infinity, kind: 'latency', ms: 450 });
      const began = clock.monotonic();
      const args = { playlist_id: playlist.id, track_ids: wanted };
      const answer = await relay.call('replace_playlist_tracks', args);
      const took = clock.monotonic() - began;
      const { code, details } = answer.error as { code: string; details: Record<string, unknown> };
      assert.deepEqual(
        [code, typeof details.job_id, typeof details.change_id],
        ['DEADLINE_EXCEEDED', 'string', 'string'],
      );
      assert.ok(took <= 45_000, `the answer took ${took} ms`);
      assert.equal((await ended(relay, String(details.job_id))).status, 'completed');
      assertRows(playlist, wanted);
    }),
);

longTest('every write of a tool names its change', () =>
  withUnkind({}, async (relay) => {
    const playlist_id = named(relay, 'Exactly Two Hundred').id;
    const [first = '', ...rest] = tracks(relay, 20, 4_000);
    const writes: Array<[tool: string, args: Record<string, unknown>]> = [
      ['add_tracks_to_playlist', { playlist_id, track_ids: [first, ...rest, first] }],
      ['reorder_playlist_tracks', { playlist_id, range_start: 0, insert_before: 5 }],
      ['remove_tracks_from_playlist', { playlist_id, track_ids: rest }],
      ['deduplicate_playlist', { playlist_id }],
      ['replace_playlist_tracks', { playlist_id, track_ids: rest }],
      ['update_playlist_details', { playlist_id, name: 'Renamed' }],
      ['save_tracks', { track_ids: rest }],
      ['remove_saved_tracks', { track_ids: rest }],
      ['bulk_add_tracks', { playlist_id, tracks: [first] }],
      ['create_playlist_from_tracks', { name: 'Made', tracks: [first] }],
      ['create_playlist', { name: 'Empty' }],
    ];
    const without: string[] = [];
    for (const [tool, args] of writes) {
      const { answer, error } = await change(relay, tool, args);
      assert.equal(error, null, `${tool}: ${JSON.stringify(error)}`);
      if (typeof answer.change_id !== 'string' || answer.change_id === '') without.push(tool);
    }
    assert.deepEqual(without, []);
  }),
);
