import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeSummary } from '../../src/domain/change.ts';
import { failureOf } from '../support/answers.ts';
import { run } from '../support/cli.ts';
import { named, savedUris, tracks, urisOf } from '../support/playlists.ts';
import { searches, writes } from '../support/requests.ts';
import { asQuery, NOTHING, twoRecordings, uniqueTracks } from '../support/songs.ts';
import { withPlaylist } from '../support/withPlaylist.ts';
import { withRelay } from '../support/world.ts';
import { createJob, reach, runToEnd } from './jobCalls.ts';

test('a job that is not strict writes what resolved', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [a, b] = uniqueTracks(relay, 2);
    assert.ok(a && b);
    const payload = { playlist_id, strict: false };
    const id = await createJob(relay, 'add_to_playlist', [asQuery(a), NOTHING, asQuery(b)], payload);
    const job = await runToEnd(relay, id);
    assert.deepEqual([job.status, job.resolved, job.unmatched, job.written], ['completed', 2, 1, 2]);
    assert.deepEqual(urisOf(playlist), [a.uri, b.uri]);
  }));

for (const status of ['ambiguous', 'unmatched', 'failed'] as const) {
  test(`a strict job writes nothing while one of its songs is ${status}, unless it is to be left out`, () =>
    withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
      const [found, failing] = uniqueTracks(relay, 2);
      assert.ok(found && failing);
      const search = new RegExp(failing.name);
      relay.provider.faults.add({ search, times: Infinity, kind: 'status', status: 500 });
      const songs = { ambiguous: twoRecordings(relay), unmatched: NOTHING, failed: asQuery(failing) };
      const items = [asQuery(found), songs[status]];
      const id = await createJob(relay, 'add_to_playlist', items, { playlist_id }, { max_attempts: 1 });
      assert.equal((await reach(relay, id, 'ready'))[status], 1);
      const { code, message } = failureOf(await relay.call('commit_job', { job_id: id }));
      assert.equal(code, 'JOB_STATE');
      assert.match(message, new RegExp(`^The job is strict and 1 of its 2 items .*\\b1 ${status}\\b`));
      assert.deepEqual([writes(relay), urisOf(playlist)], [0, []]);
      await relay.call('commit_job', { job_id: id, skip_unresolved: true });
      await reach(relay, id, 'completed');
      assert.deepEqual(urisOf(playlist), [found.uri]);
    }));
}

test('dry_run ends after resolving with a result and no write', () =>
  withRelay(async (relay) => {
    const [a] = uniqueTracks(relay, 1);
    assert.ok(a);
    const payload = { playlist_id: named(relay, 'Empty Shelf').id, dry_run: true };
    const id = await createJob(relay, 'add_to_playlist', [asQuery(a), NOTHING], payload);
    const job = await reach(relay, id, 'completed');
    assert.deepEqual(job.result, { dry_run: true, resolved: 1, ambiguous: 0, unmatched: 1, failed: 0 });
    assert.equal(writes(relay), 0);
    // Otherwise a caller would take the songs for written.
    const { code, message, remedy } = failureOf(await relay.call('commit_job', { job_id: id }));
    assert.deepEqual(
      [code, message, remedy],
      [
        'JOB_STATE',
        'This job was a dry run: it has ended and writes nothing.',
        'To write the songs, create a job without dry_run.',
      ],
    );
    assert.match((await run(relay, ['jobs'])).out, /^add to "Empty Shelf" .* dry run: writes nothing$/m);
    assert.match(
      (await run(relay, ['jobs', 'show', id])).out,
      /^status +completed, dry run: writes nothing$/m,
    );
  }));

test('items that normalise alike cost one search', () =>
  withRelay(async (relay) => {
    const [a] = uniqueTracks(relay, 1);
    assert.ok(a);
    const alike = [asQuery(a), { ...asQuery(a), title: a.name.toUpperCase() }, NOTHING, NOTHING, NOTHING];
    const answer = await relay.call('create_bulk_job', {
      type: 'save_tracks',
      items: alike,
      payload: { dry_run: true },
    });
    assert.equal(answer.estimated_requests, 2);
    const before = searches(relay);
    const job = await reach(relay, String(answer.job_id), 'completed');
    assert.deepEqual([job.resolved, job.unmatched], [2, 3]);
    const made = searches(relay) - before;
    // What is not found is tried with a second wording.
    assert.ok(made >= 2 && made <= 3, `${made} searches`);
  }));

test('the history does not count off a refused song that was not saved', () =>
  withRelay({ env: { RELAY_ACCESS: 'everything' } }, async (relay) => {
    const unknown = 'spotify:track:0000000000000000000000';
    relay.provider.faults.add({
      method: 'DELETE',
      where: ({ query }) => query.toString().includes(unknown.replace('spotify:track:', '')),
      times: Number.POSITIVE_INFINITY,
      kind: 'status',
      status: 400,
    });
    const items = [unknown, ...savedUris(relay).slice(0, 2)];
    const job = await runToEnd(relay, await createJob(relay, 'remove_saved_tracks', items));
    assert.deepEqual([job.status, job.written, job.failed], ['completed', 2, 1]);
    const changes = (await relay.call('list_changes')) as { items: ChangeSummary[] };
    assert.deepEqual(
      changes.items.map(({ state, requested, written }) => ({ state, requested, written })),
      [{ state: 'done', requested: 2, written: 2 }],
    );
  }));

type Wrong = [what: string, args: Record<string, unknown>, words: RegExp];

const wrong: Wrong[] = [
  [
    'a missing playlist',
    { type: 'add_to_playlist', items: ['x'.repeat(22)] },
    /payload\.playlist_id is required/,
  ],
  ['a missing name', { type: 'create_playlist', items: ['x'.repeat(22)] }, /payload\.name is required/],
  ['no items', { type: 'save_tracks', items: [] }, /items: Too small/],
  ['an unknown type', { type: 'delete_all', items: ['x'.repeat(22)] }, /type: Invalid option/],
  [
    'an episode for the library',
    { type: 'save_tracks', items: [`spotify:episode:${'x'.repeat(22)}`] },
    /items\[0\] is an episode/,
  ],
  [
    'an album as item',
    { type: 'save_tracks', items: [`spotify:album:${'x'.repeat(22)}`] },
    /items\[0\].* is an album/,
  ],
  [
    'an unknown field of payload',
    { type: 'save_tracks', items: ['x'.repeat(22)], payload: { stricct: true } },
    /"payload.stricct"/,
  ],
  ...['create_playlist', 'save_tracks', 'remove_saved_tracks'].map(
    (type): Wrong => [
      `a playlist for ${type}, which would write elsewhere`,
      { type, items: ['x'.repeat(22)], payload: { name: 'New', playlist_id: 'y'.repeat(22) } },
      new RegExp(`payload\\.playlist_id does not go with ${type}`),
    ],
  ),
];

for (const [what, args, words] of wrong) {
  test(`create_bulk_job refuses ${what} and creates no job`, () =>
    withRelay({ connect: false }, async (relay) => {
      const { code, message } = failureOf(await relay.call('create_bulk_job', args));
      assert.equal(code, 'INVALID_ARGUMENT');
      assert.match(message, words);
      assert.equal((await relay.call('list_jobs')).total, 0);
    }));
}

test('the first characters of an ID are enough, as commands show them', () =>
  withRelay(async (relay) => {
    const id = await createJob(relay, 'save_tracks', tracks(relay, 3));
    await reach(relay, id, 'ready');
    const short = id.slice(0, 8);
    const { job } = (await relay.call('get_job_status', { job_id: short })) as { job: { job_id: string } };
    assert.equal(job.job_id, id);
    assert.equal(failureOf(await relay.call('commit_job', { job_id: id.slice(0, 5) })).code, 'JOB_NOT_FOUND');
    assert.equal(failureOf(await relay.call('commit_job', { job_id: `${short}%` })).code, 'JOB_NOT_FOUND');
    await relay.call('cancel_job', { job_id: short });
    await reach(relay, id, 'cancelled');
  }));

test('each tool reports an unknown job, and a state that does not allow the call', () =>
  withRelay(async (relay) => {
    for (const tool of ['get_job_status', 'resume_job', 'commit_job', 'cancel_job']) {
      assert.equal(failureOf(await relay.call(tool, { job_id: 'nope' })).code, 'JOB_NOT_FOUND', tool);
    }
    const id = await createJob(relay, 'save_tracks', tracks(relay, 3));
    await reach(relay, id, 'ready');
    assert.equal(failureOf(await relay.call('resume_job', { job_id: id })).code, 'JOB_STATE');
    await runToEnd(relay, id);
    for (const tool of ['resume_job', 'commit_job', 'cancel_job']) {
      const { code, details } = failureOf(await relay.call(tool, { job_id: id }));
      assert.deepEqual([code, details.status], ['JOB_STATE', 'completed'], tool);
    }
  }));

test('list_jobs pages newest first, get_job_status pages items', () =>
  withRelay({ connect: false }, async (relay) => {
    const ids: string[] = [];
    for (let n = 1; n <= 5; n++) ids.unshift(await createJob(relay, 'save_tracks', tracks(relay, n * 10)));
    const page = await relay.call('list_jobs', { offset: 1, limit: 2 });
    const listed = page.items as Array<{ job_id: string; total_items: number; payload?: unknown }>;
    assert.deepEqual(
      [listed.map((job) => [job.job_id, job.total_items, job.payload]), page.total, page.next_offset],
      [
        [
          [ids[1], 40, undefined],
          [ids[2], 30, undefined],
        ],
        5,
        3,
      ],
    );
    const status = await relay.call('get_job_status', { job_id: ids[0], offset: 45, limit: 10 });
    const positions = (status.items as Array<{ position: number }>).map(({ position }) => position);
    assert.deepEqual([positions, status.total, status.next_offset], [[45, 46, 47, 48, 49], 50, null]);
    const first = await relay.call('get_job_status', { job_id: ids[0] });
    assert.deepEqual([(first.items as unknown[]).length, first.next_offset], [25, 25]);
    const { counts } = (await relay.call('get_state_diagnostics')) as { counts: Record<string, unknown> };
    const { jobs, job_items } = counts;
    assert.deepEqual(
      [Object.values(jobs as Record<string, number>).reduce((a, b) => a + b), job_items],
      [5, 150],
    );
  }));
