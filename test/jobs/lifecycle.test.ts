import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeSummary } from '../../src/domain/change.ts';
import { signIn } from '../oauth/ownerBrowser.ts';
import { failureOf, withoutChange } from '../support/answers.ts';
import { run } from '../support/cli.ts';
import { at, owner, pluck } from '../support/entries.ts';
import { send } from '../support/http.ts';
import { named, savedUris, tracks, urisOf } from '../support/playlists.ts';
import { searches, writes } from '../support/requests.ts';
import { longTest } from '../support/scale.ts';
import { trackShape } from '../support/shapes.ts';
import { asQuery, NOTHING, twoRecordings, uniqueTracks } from '../support/songs.ts';
import { withPlaylist } from '../support/withPlaylist.ts';
import { withRelay } from '../support/world.ts';
import { commit, createJob, itemsOf, reach, runToEnd } from './jobCalls.ts';

longTest('a job resolves in the background, is committed, and leaves a full record', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [a, b, c] = uniqueTracks(relay, 3);
    assert.ok(a && b && c);
    const items = [asQuery(a), b.uri, { id: c.id }];
    const answer = await relay.call('create_bulk_job', {
      type: 'add_to_playlist',
      payload: { playlist_id: `https://open.spotify.com/playlist/${playlist_id}` },
      items,
    });
    const id = String(answer.job_id);
    assert.deepEqual(
      { ...answer, status: null },
      { job_id: id, status: null, total_items: 3, estimated_requests: 3, estimated_requests_at_most: 5 },
    );
    await reach(relay, id, 'ready');
    assert.equal(writes(relay), 0);
    assert.deepEqual(await itemsOf(relay, id), [
      { position: 0, input: asQuery(a), status: 'matched', uri: a.uri, track: trackShape(a) },
      { position: 1, input: b.uri, status: 'matched', uri: b.uri, track: null },
      { position: 2, input: { id: c.id }, status: 'matched', uri: c.uri, track: null },
    ]);
    assert.equal((await commit(relay, id)).status, 'committing');
    const job = await reach(relay, id, 'completed');
    assert.deepEqual(urisOf(playlist), [a.uri, b.uri, c.uri]);
    const { created_at, updated_at, started_at, completed_at, ...record } = job;
    for (const time of [created_at, updated_at, started_at, completed_at]) {
      assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    }
    assert.deepEqual(
      { ...record, result: withoutChange(record.result) },
      {
        job_id: id,
        type: 'add_to_playlist',
        status: 'completed',
        phase: 'commit',
        payload: {
          playlist_id,
          strict: true,
          dry_run: false,
          skip_existing: false,
          skip_duplicates: true,
        },
        playlist_id,
        total_items: 3,
        pending: 0,
        resolved: 3,
        ambiguous: 0,
        unmatched: 0,
        failed: 0,
        skipped: 0,
        skipped_existing: 0,
        written: 3,
        attempts: 0,
        max_attempts: 5,
        run_after: null,
        reason: null,
        review_required: false,
        error: null,
        result: {
          playlist_id,
          snapshot_id: Buffer.from(`${playlist.version},${playlist_id}`).toString('base64'),
          written: 3,
          skipped_existing: 0,
          failed: 0,
        },
      },
    );
    assert.deepEqual(pluck(await itemsOf(relay, id), 'status'), ['written', 'written', 'written']);
  }),
);

longTest('create_playlist creates one playlist and fills it in order', () =>
  withRelay(async (relay) => {
    const uris = tracks(relay, 250);
    const payload = { name: 'Made by a Job', description: 'in one line', public: true };
    const job = await runToEnd(relay, await createJob(relay, 'create_playlist', uris, payload));
    const made = owner(relay.provider).playlists.filter(({ name }) => name === 'Made by a Job');
    assert.equal(made.length, 1);
    const playlist = at(made, 0);
    assert.deepEqual([playlist.description, playlist.public, urisOf(playlist)], ['in one line', true, uris]);
    assert.deepEqual([job.status, job.playlist_id, job.written], ['completed', playlist.id, 250]);
  }),
);

longTest('replace_playlist replaces all rows with the items', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 350, 2_000);
    const id = await createJob(relay, 'replace_playlist', uris, { playlist_id });
    assert.equal((await runToEnd(relay, id)).status, 'completed');
    assert.deepEqual(urisOf(playlist), uris);
  }),
);

longTest('replace_playlist refuses a playlist whose rows could not be restored, and writes nothing', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    at(playlist.rows, 3).unavailable = true;
    const before = urisOf(playlist);
    const id = await createJob(relay, 'replace_playlist', tracks(relay, 5), { playlist_id });
    const job = await runToEnd(relay, id);
    assert.deepEqual([job.status, job.error?.code, job.written], ['failed', 'UNSUPPORTED_ITEMS', 0]);
    assert.deepEqual([urisOf(playlist), writes(relay)], [before, 0]);
  }),
);

longTest('save_tracks and remove_saved_tracks change the library', () =>
  withRelay(async (relay) => {
    const before = savedUris(relay);
    const fresh = tracks(relay, 500)
      .filter((uri) => !before.includes(uri))
      .slice(0, 90);
    assert.equal((await runToEnd(relay, await createJob(relay, 'save_tracks', fresh))).written, 90);
    const saved = () => savedUris(relay);
    assert.deepEqual(saved(), [...fresh.toReversed(), ...before]);
    assert.equal((await runToEnd(relay, await createJob(relay, 'remove_saved_tracks', fresh))).written, 90);
    assert.deepEqual(saved(), before);
  }),
);

longTest(
  'the commit of a strict job with unresolved items is refused with the counts; resume_job searches for them again',
  () =>
    withPlaylist('Empty Shelf', async ({ relay, playlist_id }) => {
      const [a] = uniqueTracks(relay, 1);
      assert.ok(a);
      const typo = { title: `${a.name} Quux`, artist: asQuery(a).artist };
      const id = await createJob(relay, 'add_to_playlist', [asQuery(a), NOTHING, typo], {
        playlist_id,
      });
      await reach(relay, id, 'ready');
      const { code, details } = failureOf(await relay.call('commit_job', { job_id: id }));
      assert.deepEqual(
        [code, details],
        [
          'JOB_STATE',
          {
            job_id: id,
            status: 'ready',
            resolved: 1,
            ambiguous: 0,
            unmatched: 2,
            failed: 0,
            skipped: 0,
            written: 0,
            total_items: 3,
          },
        ],
      );
      assert.equal(writes(relay), 0);
      const before = searches(relay);
      await relay.call('resume_job', { job_id: id });
      await reach(relay, id, 'ready');
      assert.ok(searches(relay) > before, 'what was not found is searched for again');
    }),
);

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

test('a job without resolved items writes nothing, not even an empty playlist', () =>
  withRelay(async (relay) => {
    const id = await createJob(relay, 'create_playlist', [NOTHING], { name: 'Of Nothing', strict: false });
    await reach(relay, id, 'ready');
    assert.equal(failureOf(await relay.call('commit_job', { job_id: id })).code, 'JOB_STATE');
    assert.equal(writes(relay), 0);
  }));

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

longTest('skip_existing and skip_duplicates skip what is already there and what is listed twice', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [a = '', b = '', c = ''] = tracks(relay, 3);
    playlist.rows.push({ uri: a, addedAt: null, addedBy: null });
    const payload = { playlist_id, skip_existing: true };
    const id = await createJob(relay, 'add_to_playlist', [b, a, b, c, a], payload);
    const job = await runToEnd(relay, id);
    assert.deepEqual([job.status, job.written, job.skipped_existing], ['completed', 2, 3]);
    assert.deepEqual(urisOf(playlist), [a, b, c]);
    const twice = { playlist_id, skip_duplicates: false };
    await runToEnd(relay, await createJob(relay, 'add_to_playlist', [c, c], twice));
    assert.deepEqual(urisOf(playlist), [a, b, c, c, c]);
  }),
);

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

longTest(
  'one item that Spotify does not know fails, and all others are written, also those of the same request',
  () =>
    withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
      const uris = tracks(relay, 120);
      const unknown = 'spotify:track:0000000000000000000000';
      const items = [...uris.slice(0, 37), unknown, ...uris.slice(37)];
      const job = await runToEnd(relay, await createJob(relay, 'add_to_playlist', items, { playlist_id }));
      assert.deepEqual([job.status, job.written, job.failed], ['completed', 120, 1]);
      assert.deepEqual(urisOf(playlist), uris);
      const item = at(await itemsOf(relay, job.job_id), 37);
      assert.deepEqual([item.status, item.error?.code], ['failed', 'INVALID_ARGUMENT']);
    }),
);

longTest('a job whose songs Spotify refuses all leaves no change to undo', () =>
  withPlaylist(
    'Empty Shelf',
    { env: { RELAY_TOOLSETS: 'all' } },
    async ({ relay, playlist, playlist_id }) => {
      const unknown = ['spotify:track:0000000000000000000000', 'spotify:track:0000000000000000000001'];
      for (const [type, payload] of [
        ['add_to_playlist', { playlist_id }],
        ['save_tracks', {}],
      ] as const) {
        const job = await runToEnd(relay, await createJob(relay, type, unknown, payload));
        assert.deepEqual([job.status, job.written, job.failed], ['completed', 0, 2]);
        assert.equal(job.result?.change_id, undefined);
      }
      assert.deepEqual(urisOf(playlist), []);
      assert.equal((await relay.call('list_changes')).total, 0);
    },
  ),
);

longTest(
  'the history counts what a job wrote: no repeats, no refused songs, and no songs that were not saved',
  () =>
    withPlaylist(
      'Empty Shelf',
      { env: { RELAY_TOOLSETS: 'all' } },
      async ({ relay, playlist, playlist_id }) => {
        const [a = '', b = '', c = ''] = tracks(relay, 3);
        playlist.rows.push({ uri: a, addedAt: null, addedBy: null });
        const unknown = 'spotify:track:0000000000000000000000';
        const counts = async () => {
          const { items } = (await relay.call('list_changes', { limit: 1 })) as { items: ChangeSummary[] };
          const { kind, state, requested, written } = at(items, 0);
          return { kind, state, requested, written };
        };
        const existing = { playlist_id, skip_existing: true };
        await runToEnd(relay, await createJob(relay, 'add_to_playlist', [a, b, unknown, c, c], existing));
        assert.deepEqual(await counts(), { kind: 'add', state: 'done', requested: 2, written: 2 });
        await runToEnd(relay, await createJob(relay, 'create_playlist', [a, a, b], { name: 'Once' }));
        assert.deepEqual(await counts(), { kind: 'create', state: 'done', requested: 2, written: 2 });
        await runToEnd(
          relay,
          await createJob(relay, 'replace_playlist', [unknown, a, b, a], { playlist_id }),
        );
        assert.deepEqual(await counts(), { kind: 'replace', state: 'done', requested: 2, written: 2 });
        await relay.call('remove_saved_tracks', { track_ids: [a, b, c] });
        await runToEnd(relay, await createJob(relay, 'save_tracks', [a, a, b]));
        assert.deepEqual(await counts(), { kind: 'save', state: 'done', requested: 2, written: 2 });
        await runToEnd(relay, await createJob(relay, 'remove_saved_tracks', [c, a, a, b]));
        assert.deepEqual(await counts(), { kind: 'unsave', state: 'done', requested: 2, written: 2 });
      },
    ),
);

test('the history does not count off a refused song that was not saved', () =>
  withRelay({ env: { RELAY_TOOLSETS: 'all' } }, async (relay) => {
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

longTest('after the only job was cleared from the page, the next job writes its own items', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const payload = { playlist_id };
    const first = await createJob(relay, 'add_to_playlist', tracks(relay, 3), payload);
    await reach(relay, first, 'ready');
    await commit(relay, first);
    await reach(relay, first, 'completed');
    const cleared = await send(`${relay.baseUrl}/owner/events/clear`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-relay-owner': await signIn(relay) },
      body: '{}',
    });
    assert.deepEqual(JSON.parse(cleared.text), { cleared: 1 });
    const id = await createJob(relay, 'add_to_playlist', tracks(relay, 2, 10), payload);
    await reach(relay, id, 'ready');
    await commit(relay, id);
    const job = await reach(relay, id, 'completed');
    assert.equal(job.written, 2);
    assert.equal(urisOf(playlist).length, 5);
  }),
);
