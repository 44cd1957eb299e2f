/**
 * What the contract promises of every write, through a real client: order, chunks, strict and lenient lists, limits, cancelling,
 * undo, and what happens when somebody else edits the playlist.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobRecord } from '../../src/work/jobRecord.ts';
import type { ToolFailure } from '../support/answers.ts';
import { at } from '../support/entries.ts';
import type { JumpingClock } from '../support/jumpingClock.ts';
import { assertRows, fill, tracks, urisOf } from '../support/playlists.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import type { PlaylistScene } from '../support/withPlaylist.ts';
import { API_KEY, mcpClient } from '../support/world.ts';
import { type Extras, withExtras } from './extras.ts';
import { jobOf, reach } from './jobCalls.ts';
import { committed, ended } from './settled.ts';
import { withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;
const REMOVE = { method: 'DELETE', path: /\/items$/ } as const;
type Scene = PlaylistScene & { clock: JumpingClock } & Extras;

/** A playlist of `size` known rows, and tools that list and undo changes. */
function scene(size: number, work: (scene: Scene) => Promise<void>): Promise<void> {
  return withUnkindPlaylist('Exactly Two Hundred', async (given) => {
    const former = tracks(given.relay, size);
    fill(given.playlist, former);
    await withExtras(given.relay, (extras) => work({ ...given, ...extras, former }));
  });
}

const errorOf = (answer: Record<string, unknown>) => answer.error as ToolFailure | undefined;

/** A job of three appends whose second answer is lost, while somebody takes out rows that it has just written. */
async function inReview({ relay, provider, playlist, playlist_id, former }: Scene) {
  const items = tracks(relay, 250, 3_000);
  const stranger = at(tracks(relay, 1, 8_000), 0);
  const edited = [...former.slice(3), ...items.slice(0, 150), stranger];
  const edit = () => void provider.editPlaylist(playlist.id, edited);
  const look = { method: 'GET', path: /^\/playlists\//, kind: 'hook', fn: edit } as const;
  const id = await committed(relay, 'add_to_playlist', items, { playlist_id }, () =>
    provider.faults.add(
      { ...APPEND, skip: 1, kind: 'hook', fn: () => provider.faults.add(look) },
      { ...APPEND, skip: 1, kind: 'status_after', status: 502 },
    ),
  );
  const job = await ended(relay, id);
  assert.deepEqual([job.status, job.review_required], ['failed', true], JSON.stringify(job));
  return { id, job, items, edited };
}

test('a lenient list leaves out the entry that Spotify refuses, and writes the others in order', () =>
  scene(3, async ({ call, relay, playlist, playlist_id, former }) => {
    const uris = tracks(relay, 120, 50);
    const gone = 'spotify:track:0000000000000000000000';
    const list = [...uris.slice(0, 60), gone, ...uris.slice(60)].map((uri) => ({ uri }));
    const answer = await call('bulk_add_tracks', { playlist_id, tracks: list, strict: false });
    assert.deepEqual([answer.status, answer.matched, answer.unmatched], ['done', 120, 1]);
    assertRows(playlist, [...former, ...uris]);
  }));

test('a write that has begun and only has to wait goes on as a job, without an error', () =>
  scene(130, async ({ call, relay, playlist, playlist_id, provider }) => {
    const wanted = tracks(relay, 250, 900);
    provider.faults.add({ ...APPEND, skip: 1, kind: 'rate_limit', retryAfterSeconds: 900 });
    const answer = await call('replace_playlist_tracks', { playlist_id, track_ids: wanted });
    assert.equal(answer.error, undefined);
    assert.deepEqual([answer.written, answer.requested], [200, 250]);
    assert.equal((await ended(relay, String(answer.job_id))).status, 'completed');
    assertRows(playlist, wanted);
  }));

test('thousands of items pass a quota of hours: all are written once, in order', () =>
  scene(0, async ({ relay, playlist, playlist_id, provider, clock }) => {
    const items = tracks(relay, 2_500);
    const begun = clock.now();
    const id = await committed(relay, 'add_to_playlist', items, { playlist_id }, () =>
      provider.faults.add({ ...APPEND, skip: 10, kind: 'quota', retryAfterSeconds: 14 * 3_600 }),
    );
    const job = await ended(relay, id);
    assert.deepEqual([job.status, job.written, job.attempts], ['completed', 2_500, 0]);
    assertRows(playlist, items);
    assert.ok(clock.now() - begun >= 14 * 3_600_000);
  }));

test('a job that is cancelled while it waits keeps whole requests, and one undo takes them back', () =>
  scene(3, async (all) => {
    const { relay, playlist, playlist_id, former, call, provider, clock } = all;
    const items = tracks(relay, 250, 50);
    const id = await committed(relay, 'add_to_playlist', items, { playlist_id }, () =>
      provider.faults.add({ ...APPEND, skip: 1, kind: 'quota', retryAfterSeconds: 9 * 3_600 }),
    );
    await reach(relay, id, 'waiting');
    const { job } = (await call('cancel_job', { job_id: id })) as { job: JobRecord };
    assert.deepEqual([job.status, job.written], ['cancelled', 100]);
    assertRows(playlist, [...former, ...items.slice(0, 100)]);
    await clock.sleep(9 * 3_600_000);
    const { error } = await call('undo_change');
    assert.equal(error, undefined, JSON.stringify(error));
    assertRows(playlist, former);
  }));

test('a caller who leaves a replacement finds what was there before', () =>
  scene(130, async ({ relay, playlist, playlist_id, former, provider }) => {
    const gone = new AbortController();
    provider.faults.add({ ...APPEND, kind: 'hook', fn: () => gone.abort() });
    const client = await mcpClient(relay.server.mcpUrl, API_KEY);
    const args = { playlist_id, track_ids: tracks(relay, 350, 900) };
    await client
      .callTool({ name: 'replace_playlist_tracks', arguments: args }, { signal: gone.signal })
      .catch(() => {});
    await client.close();
    const deadline = Date.now() + 60_000;
    while (urisOf(playlist)[0] !== former[0] && Date.now() < deadline)
      await new Promise((go) => setTimeout(go, 20));
    while (urisOf(playlist).length !== 130 && Date.now() < deadline)
      await new Promise((go) => setTimeout(go, 20));
    assertRows(playlist, former);
  }));

const LOST: Array<[string, FaultRule]> = [
  ['was lost', { ...APPEND, kind: 'drop', when: 'after' }],
  ['never came', { ...APPEND, kind: 'drop', when: 'before' }],
  ['was a server error, with an effect 15 s later', { ...APPEND, kind: 'late', ms: 15_000, answer: 504 }],
];
for (const [what, fault] of LOST)
  test(`songs whose answer ${what} are there once`, () =>
    scene(3, async ({ relay, playlist, playlist_id, former, provider, call }) => {
      const items = tracks(relay, 5, 50);
      provider.faults.add(fault);
      const answer = await call('add_tracks_to_playlist', { playlist_id, track_ids: items });
      if (answer.job_id) await ended(relay, String(answer.job_id));
      assertRows(playlist, [...former, ...items]);
    }));

test('a removal whose answer was lost is sent again at once', () =>
  scene(9, async ({ call, clock, playlist, playlist_id, former, provider }) => {
    provider.faults.add({ ...REMOVE, kind: 'drop', when: 'before' });
    const begun = clock.now();
    const answer = await call('remove_tracks_from_playlist', { playlist_id, track_ids: former.slice(2, 4) });
    assert.deepEqual([answer.ok, answer.removed], [true, 2]);
    assert.ok(clock.now() - begun < 15_000, `${clock.now() - begun} ms`);
    assertRows(playlist, [...former.slice(0, 2), ...former.slice(4)]);
  }));

const EDITS: Array<[tool: string, args: (scene: Scene) => Record<string, unknown>]> = [
  ['add_tracks_to_playlist', ({ relay }) => ({ track_ids: tracks(relay, 120, 50) })],
  ['remove_tracks_from_playlist', ({ former }) => ({ track_ids: [former[1], former[4]] })],
  ['replace_playlist_tracks', ({ relay }) => ({ track_ids: tracks(relay, 130, 900) })],
  ['reorder_playlist_tracks', () => ({ range_start: 1, insert_before: 9, range_length: 3 })],
  ['deduplicate_playlist', () => ({})],
];
for (const [tool, args] of EDITS)
  test(`${tool} is undone row for row, and so is the undo`, () =>
    scene(12, async (all) => {
      const { call, playlist, playlist_id, relay } = all;
      const [first = '', second = ''] = all.former;
      const former = [...all.former, first, second, first];
      fill(playlist, former);
      const { change_id, error } = await call(tool, { playlist_id, ...args(all) });
      assert.equal(error, undefined);
      const written = urisOf(playlist);
      assert.notDeepEqual(written, former);
      const undo = await call('undo_change', { change_id });
      assertRows(playlist, former);
      await call('undo_change', { change_id: undo.change_id });
      assertRows(playlist, written);
      assert.ok(relay);
    }));

test('the undo of an addition leaves what somebody has added since', () =>
  scene(30, async ({ call, relay, playlist, playlist_id, former, provider }) => {
    const { change_id } = await call('add_tracks_to_playlist', {
      playlist_id,
      track_ids: tracks(relay, 8, 50),
    });
    const [theirs = '', first = ''] = tracks(relay, 2, 8_000);
    await provider.editPlaylist(playlist.id, [first, ...urisOf(playlist), theirs]);
    const { error } = await call('undo_change', { change_id });
    assert.equal(error, undefined, JSON.stringify(error));
    assertRows(playlist, [first, ...former, theirs]);
  }));

test('any other undo refuses what somebody has changed since, shows what differs, and is forced', () =>
  scene(30, async ({ call, relay, playlist, playlist_id, former, provider }) => {
    const { change_id } = await call('replace_playlist_tracks', {
      playlist_id,
      track_ids: tracks(relay, 9, 50),
    });
    const [theirs = ''] = tracks(relay, 1, 8_000);
    await provider.editPlaylist(playlist.id, [...urisOf(playlist).slice(1), theirs]);
    const { code, details } = errorOf(await call('undo_change', { change_id })) ?? assert.fail();
    assert.deepEqual([code, details.missing_count, details.extra_count], ['CONFLICT', 1, 1]);
    await call('undo_change', { change_id, force: true });
    assertRows(playlist, former);
  }));

test('an undo that takes out songs refuses a list with rows that Spotify does not name', () =>
  scene(30, async ({ call, relay, playlist, playlist_id, former, provider }) => {
    const { change_id } = await call('add_tracks_to_playlist', {
      playlist_id,
      track_ids: tracks(relay, 8, 50),
    });
    provider.lag.vanish(at(former, 3));
    assert.equal(errorOf(await call('undo_change', { change_id }))?.code, 'CONFLICT');
    assert.equal(playlist.rows.length, 38);
    await call('undo_change', { change_id, force: true });
    assertRows(playlist, former);
  }));

test('a review says in one sentence and at most ten names a side what differs, and asks for a decision', () =>
  scene(40, async (all) => {
    const { call } = all;
    const { id, job } = await inReview(all);
    assert.match(job.error?.message ?? '', /^Someone else changed the playlist[^.]*\.$/);
    const { missing, missing_count, extra } = job.result as Record<string, string[]>;
    assert.ok(Number(missing_count) > 0 && (missing?.length ?? 99) <= 10 && (extra?.length ?? 99) <= 10);
    assert.match(missing?.[0] ?? '', / – /);
    const error = errorOf(await call('resume_job', { job_id: id }));
    assert.equal(error?.code, 'JOB_STATE');
    for (const answer of ['continue', 'keep', 'undo']) assert.match(error?.remedy ?? '', new RegExp(answer));
  }));

test('a review is continued: what is missing is added, and an undo brings back what stood there', () =>
  scene(40, async (all) => {
    const { call, relay, playlist } = all;
    const { id, items, edited } = await inReview(all);
    await call('resume_job', { job_id: id, review: 'continue' });
    assert.equal((await ended(relay, id)).status, 'completed');
    assertRows(playlist, [...edited, ...items.slice(150)]);
    const { error } = await call('undo_change');
    assert.equal(error, undefined, JSON.stringify(error));
    assertRows(playlist, edited);
  }));

test('a review is kept: the list stays as it is', () =>
  scene(40, async (all) => {
    const { call, relay, playlist } = all;
    const { id, edited } = await inReview(all);
    await call('resume_job', { job_id: id, review: 'keep' });
    const { status, review_required } = await jobOf(relay, id);
    assert.deepEqual([status, review_required], ['completed', false]);
    assertRows(playlist, edited);
  }));

test('a review is undone: the list becomes what it was, and an undo brings back what stood there', () =>
  scene(40, async (all) => {
    const { call, relay, playlist, former, changes } = all;
    const { id, edited } = await inReview(all);
    await call('resume_job', { job_id: id, review: 'undo' });
    assert.equal((await jobOf(relay, id)).status, 'cancelled');
    assertRows(playlist, former);
    await call('undo_change', { change_id: at(await changes(), 0) });
    assertRows(playlist, edited);
  }));

test('a replacement under review is continued over what others did, or undone', async () => {
  for (const review of ['continue', 'undo'])
    await scene(130, async ({ call, relay, playlist, playlist_id, former, provider, clock }) => {
      const wanted = tracks(relay, 250, 900);
      provider.faults.add({ ...APPEND, kind: 'rate_limit', retryAfterSeconds: 60 });
      const { job_id } = await call('replace_playlist_tracks', { playlist_id, track_ids: wanted });
      await reach(relay, String(job_id), 'waiting');
      const theirs = [...tracks(relay, 1, 8_000), ...urisOf(playlist).slice(7)];
      await provider.editPlaylist(playlist.id, theirs);
      await clock.sleep(61_000);
      const job = await reach(relay, String(job_id), 'failed');
      assert.equal(job.review_required, true);
      await call('resume_job', { job_id, review });
      await ended(relay, String(job_id));
      assertRows(playlist, review === 'continue' ? wanted : former);
    });
});

test('one unfinished write to a playlist at a time: the second names the job that waits', () =>
  scene(3, async ({ call, relay, playlist, playlist_id, former, provider }) => {
    const items = tracks(relay, 150, 50);
    const id = await committed(relay, 'add_to_playlist', items, { playlist_id }, () =>
      provider.faults.add({ ...APPEND, skip: 1, kind: 'quota', retryAfterSeconds: 3_600, times: 99 }),
    );
    await reach(relay, id, 'waiting');
    const more = tracks(relay, 2, 8_000);
    const { code, details } =
      errorOf(await call('add_tracks_to_playlist', { playlist_id, track_ids: more })) ?? assert.fail();
    assert.deepEqual([code, details.job_id], ['CONFLICT', id]);
    await call('cancel_job', { job_id: id });
    provider.faults.clear();
    assertRows(playlist, [...former, ...items.slice(0, 100)]);
  }));

test('an import of which Spotify shows some songs under other IDs asks at most once, and its undo is exact', () =>
  scene(60, async (all) => {
    const { relay, playlist, playlist_id, former, provider, call } = all;
    const items = tracks(relay, 500, 1_000);
    for (const [index, other] of tracks(relay, 10, 8_000).entries())
      provider.lag.relink(at(items, index * 50 + 7), other);
    const id = await committed(relay, 'add_to_playlist', items, { playlist_id }, () =>
      provider.faults.add(
        { ...APPEND, skip: 1, kind: 'drop', when: 'after' },
        { ...APPEND, skip: 3, kind: 'drop', when: 'before' },
        { ...APPEND, skip: 4, kind: 'late', ms: 9_000, answer: 504 },
      ),
    );
    let [job, reviews] = [await ended(relay, id), 0];
    for (; job.review_required; reviews++) {
      await call('resume_job', { job_id: id, review: 'continue' });
      job = await ended(relay, id);
    }
    assert.ok(reviews <= 1, `${reviews} reviews`);
    assert.equal(job.status, 'completed');
    assertRows(playlist, [...former, ...items]);
    const { error } = await call('undo_change');
    assert.equal(error, undefined, JSON.stringify(error));
    assertRows(playlist, former);
  }));
