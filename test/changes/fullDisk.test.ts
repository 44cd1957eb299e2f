/** Changes that cannot be saved once they have begun: nothing is lost or doubled, and the answer says how far they got. */
import assert from 'node:assert/strict';
import type { Incoming } from '../../src/demo/http.ts';
import { nodeSaveFs } from '../../src/store/file/save.ts';
import { jobOf } from '../jobs/jobCalls.ts';
import type { ToolFailure } from '../support/answers.ts';
import { owner } from '../support/entries.ts';
import type { JumpingClock } from '../support/jumpingClock.ts';
import { assertRows, fill, named, tracks, urisOf } from '../support/playlists.ts';
import { writes } from '../support/requests.ts';
import { longTest } from '../support/scale.ts';
import type { Relay } from '../support/world.ts';
import { committed, ended, poll } from './settled.ts';
import { withUnkind } from './unkind.ts';

const ITEMS = /\/items$/;

interface Disk {
  fill(): void;
  /** Fills the disk, and waits until a save has failed. */
  fillAndFail(): Promise<void>;
  /** From now on no save ends, until `free` is called. */
  hold(): void;
  free(): void;
}

/** A relay whose disk can be filled. */
async function withDisk(
  work: (relay: Relay, disk: Disk, clock: JumpingClock) => Promise<void>,
): Promise<void> {
  const { writeSynced } = nodeSaveFs;
  let full: string | null = null;
  let failures = 0;
  let held: Promise<void> | null = null;
  let letGo = () => {};
  nodeSaveFs.writeSynced = async (path, parts) => {
    await held;
    if (full === null || !path.startsWith(full)) return writeSynced(path, parts);
    failures += 1;
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  const hold = () => {
    held = new Promise((resolve) => {
      letGo = resolve;
    });
  };
  const free = () => {
    full = null;
    held = null;
    letGo();
  };
  try {
    await withUnkind({}, async (relay, clock) => {
      const fill = () => {
        full = relay.home;
      };
      const fillAndFail = async () => {
        fill();
        await poll(() => (failures > 0 ? true : null));
      };
      // The disk is freed before relay stops, since an error of the last save would hide why the test failed.
      await work(relay, { fill, fillAndFail, hold, free }, clock).finally(free);
    });
  } finally {
    nodeSaveFs.writeSynced = writeSynced;
  }
}

/** Stops relay while nothing can be saved, and starts it again. The disk is then as after a crash. */
async function crash(relay: Relay): Promise<void> {
  await assert.rejects(relay.server.close(), { code: 'STORE_ERROR' });
  relay.server.close = async () => {};
  await relay.restart();
}

/** Makes a playlist of 30 songs. The disk is full as soon as the empty playlist is made. */
async function make(relay: Relay, disk: Disk) {
  relay.provider.faults.add({ method: 'POST', path: '/me/playlists', kind: 'hook', fn: disk.fill });
  const uris = tracks(relay, 30);
  const answer = await relay.call('create_playlist_from_tracks', { name: 'Long Road', tracks: uris });
  const made = () => owner(relay.provider).playlists.filter(({ name }) => name === 'Long Road');
  return { uris, answer, made };
}

longTest(
  'the answer names a playlist that was made when the disk became full, and a job fills it once there is space',
  () =>
    withDisk(async (relay, disk) => {
      const { uris, answer, made } = await make(relay, disk);
      const [playlist, ...more] = made();
      assert.ok(playlist && more.length === 0);
      const { status, playlist_id, job_id, change_id } = answer;
      assert.deepEqual([status, playlist_id], ['deferred', playlist.id], JSON.stringify(answer));
      assert.deepEqual([typeof change_id, urisOf(playlist)], ['string', []]);
      assert.equal((await jobOf(relay, String(job_id))).status, 'waiting');
      disk.free();
      assert.equal((await ended(relay, String(job_id))).status, 'completed');
      assertRows(playlist, uris);
      assert.deepEqual([made().length, writes(relay)], [1, 2]);
    }),
);

longTest(
  'the job that the answer names is there after a crash with a full disk, and makes no second playlist',
  () =>
    withDisk(async (relay, disk) => {
      const { uris, answer, made } = await make(relay, disk);
      const id = String(answer.job_id);
      await crash(relay);
      assert.notEqual((await jobOf(relay, id)).status, 'completed');
      disk.free();
      assert.equal((await ended(relay, id)).status, 'completed');
      assert.deepEqual(made().map(urisOf), [uris]);
    }),
);

for (const [when, fill] of [
  ['on a full disk', 'fill'],
  ['once a save has failed on a full disk', 'fillAndFail'],
] as const)
  longTest(
    `a replacement that is to be rolled back ${when} says how far it got, and is rolled back later`,
    () =>
      withDisk(async (relay, disk) => {
        const playlist = named(relay, 'Exactly Two Hundred');
        const before = urisOf(playlist);
        relay.provider.faults.add(
          { method: 'POST', path: ITEMS, kind: 'hook', fn: disk[fill] },
          { method: 'POST', path: ITEMS, kind: 'status', status: 400 },
        );
        const uris = tracks(relay, 150, 3_000);
        const answer = await relay.call('replace_playlist_tracks', {
          playlist_id: playlist.id,
          track_ids: uris,
        });
        const { code, message, remedy, details } = answer.error as ToolFailure;
        assert.equal(code, 'STORE_ERROR');
        assert.match(
          message,
          /^100 of 150 written so far\. The state cannot be saved to .*: the disk is full\.$/,
        );
        assert.match(
          remedy,
          /^Free some space\. .* Do not send it again yet: job \S+ brings back by itself what was there before\./,
        );
        assert.deepEqual([details.playlist_id, details.written], [playlist.id, 100]);
        assert.equal(typeof details.change_id, 'string');
        disk.free();
        const job = await ended(relay, String(details.job_id));
        assert.deepEqual([job.status, job.result?.rolled_back], ['failed', true], JSON.stringify(job));
        assertRows(playlist, before);
      }),
  );

longTest('with a full disk, requests are sent only for a short time after the last save', () =>
  withDisk(async (relay, disk) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    fill(playlist, []);
    const uris = tracks(relay, 500, 3_000);
    relay.provider.faults.add(
      { method: 'POST', path: ITEMS, kind: 'hook', fn: disk.fill },
      { method: 'POST', path: ITEMS, kind: 'slow_answer', ms: 20_000, times: 3 },
    );
    const { job_id } = await relay.call('bulk_add_tracks', { playlist_id: playlist.id, tracks: uris });
    const job = await jobOf(relay, String(job_id));
    assert.deepEqual([job.status, job.reason, job.written], ['waiting', 'STORE_ERROR', 100]);
    assertRows(playlist, uris.slice(0, 100));
    await crash(relay);
    disk.free();
    assert.equal((await ended(relay, String(job_id))).status, 'completed');
    assertRows(playlist, uris);
  }),
);

longTest('no lane asks again and again for a job whose start is still being saved', () =>
  withDisk(async (relay, disk, clock) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const uris = tracks(relay, 5, 3_000);
    relay.provider.faults.add({ method: 'POST', path: ITEMS, kind: 'rate_limit', retryAfterSeconds: 20 });
    const { job_id } = await relay.call('bulk_add_tracks', { playlist_id: playlist.id, tracks: uris });
    disk.fill();
    await relay.call('save_tracks', { track_ids: uris });
    disk.hold();
    await clock.sleep(19_000);
    let sleeps = 0;
    const { sleep } = clock;
    clock.sleep = (...args) => {
      sleeps += 1;
      return sleep.apply(clock, args);
    };
    await sleep.call(clock, 10_000);
    assert.ok(sleeps < 50, `${sleeps} sleeps`);
    disk.free();
    assert.equal((await ended(relay, String(job_id))).status, 'completed');
  }),
);

longTest('a review whose acceptance cannot be saved can still be carried on', () =>
  withDisk(async (relay, disk) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const [former, items] = [tracks(relay, 200), tracks(relay, 250, 3_000)];
    fill(playlist, former);
    const theirs = [...former.slice(5), ...items.slice(0, 150)];
    const { faults } = relay.provider;
    const edit = () => void relay.provider.editPlaylist(playlist.id, theirs);
    const look = { method: 'GET', path: /^\/playlists\//, kind: 'hook', fn: edit } as const;
    const second = { method: 'POST', path: ITEMS, skip: 1 } as const;
    const id = await committed(relay, 'add_to_playlist', items, { playlist_id: playlist.id }, () => {
      faults.add({ ...second, kind: 'hook', fn: () => faults.add(look) });
      faults.add({ ...second, kind: 'status_after', status: 502 });
    });
    assert.equal((await ended(relay, id)).review_required, true);
    const isLastPage = ({ query }: Incoming) => Number(query.get('offset')) >= 300;
    faults.add({ method: 'GET', path: ITEMS, where: isLastPage, kind: 'hook', fn: disk.fill });
    const { error } = await relay.call('resume_job', { job_id: id, review: 'accept' });
    assert.equal((error as ToolFailure | undefined)?.code, 'STORE_ERROR');
    disk.free();
    await relay.call('resume_job', { job_id: id, review: 'carry_on' });
    const { status, written } = await ended(relay, id);
    assert.deepEqual([status, written], ['completed', 250]);
    assertRows(playlist, [...theirs, ...items.slice(150)]);
  }),
);
