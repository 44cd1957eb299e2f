import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import type { ChangeSummary } from '../../src/domain/change.ts';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { createJob, reach } from '../jobs/jobCalls.ts';
import type { ToolFailure } from '../support/answers.ts';
import { run } from '../support/cli.ts';
import { at } from '../support/entries.ts';
import { assertRows, assertSame, fill, named, tracks, urisOf, without } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import type { FaultMatch, FaultRule } from '../support/simulator/faults.ts';
import { until } from '../support/until.ts';
import type { Relay } from '../support/world.ts';
import { undoLast, withExtras } from './extras.ts';
import { committed, ended } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;
/** The answer to the second append is lost, after its effect. */
const LOST: FaultRule = { ...APPEND, skip: 1, kind: 'status_after', status: 502 };

interface Scene {
  relay: Relay;
  playlist: DemoPlaylist;
  former: string[];
  items: string[];
}

/** The parts of both lists that the details of a conflict show. */
interface Shown {
  shown_from: number;
  expected_uris: string[];
  present_uris: string[];
}

/** Lets `meanwhile` prepare what happens, then runs a job of three appends. The answer to the second append is lost. */
async function append(
  meanwhile: (scene: Scene) => void,
  then: (scene: Scene, job: JobRecord) => Promise<void>,
): Promise<void> {
  await withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const [former, items] = [tracks(relay, 200), tracks(relay, 250, 3_000)];
    fill(playlist, former);
    const scene = { relay, playlist, former, items };
    const id = await committed(relay, 'add_to_playlist', items, { playlist_id }, () => {
      meanwhile(scene);
      relay.provider.faults.add(LOST);
    });
    await then(scene, await ended(relay, id));
  });
}

/** Runs `fn` after an append (by default the second) has taken effect, just before relay looks how it ended. */
function beforeTheLook({ provider }: Relay, fn: () => void, skip = 1): void {
  const look = { method: 'GET', path: /^\/playlists\//, kind: 'hook', fn } as const;
  provider.faults.add({ ...APPEND, skip, kind: 'hook', fn: () => provider.faults.add(look) });
}

function assertNoReview({ playlist, former, items }: Scene, job: JobRecord): void {
  assertRows(playlist, [...former, ...items]);
  assert.deepEqual([job.status, job.review_required], ['completed', false]);
}

longTest('a relinked track leads to no review', () =>
  append(
    ({ relay, items }) => relay.provider.lag.relink(at(items, 120), at(tracks(relay, 1, 8_000), 0)),
    async (scene, job) => assertNoReview(scene, job),
  ),
);

longTest('an old row that has become unavailable leads to no review', () =>
  append(
    ({ relay, former }) => {
      const fn = () => relay.provider.lag.vanish(at(former, 3));
      relay.provider.faults.add({ ...APPEND, kind: 'hook', fn });
    },
    async (scene, job) => assertNoReview(scene, job),
  ),
);

longTest('a written row that has become unavailable leads to no review', () =>
  append(
    ({ relay, items }) => relay.provider.lag.vanish(at(items, 110)),
    async (scene, job) => assertNoReview(scene, job),
  ),
);

longTest('a count that lags leads to no review', () =>
  append(
    ({ relay }) => relay.provider.lag.set({ totals: 8_000 }),
    async (scene, job) => assertNoReview(scene, job),
  ),
);

longTest('a song that another person appends leads to no review, or to one that can be carried on', () =>
  append(
    ({ relay, playlist }) => {
      const [song = ''] = tracks(relay, 1, 8_000);
      beforeTheLook(relay, () => void relay.provider.editPlaylist(playlist.id, [...urisOf(playlist), song]));
    },
    async ({ relay, playlist, former, items }, first) => {
      const [song = ''] = tracks(relay, 1, 8_000);
      let job = first;
      if (job.review_required) {
        await relay.call('resume_job', { job_id: job.job_id, review: 'carry_on' });
        job = await ended(relay, job.job_id);
      }
      assert.equal(job.status, 'completed');
      assertSame(without(urisOf(playlist), song), [...former, ...items]);
      assert.equal(urisOf(playlist).filter((uri) => uri === song).length, 1);
    },
  ),
);

for (const gone of [0, 6])
  longTest(
    `songs whose answer was lost are there once, although others take ${gone} rows out and add some`,
    () =>
      withUnkindPlaylist('Exactly Two Hundred', async ({ relay, provider, playlist }) => {
        const [track_ids, theirs] = [tracks(relay, 2, 3_000), tracks(relay, 4, 8_000)];
        const playlist_id = playlist.id;
        provider.lag.set({ lists: 3_000, totals: 3_000, snapshots: 3_000 });
        const before = () => void provider.editPlaylist(playlist_id, urisOf(playlist).slice(gone));
        provider.faults.add({ ...APPEND, kind: 'hook', fn: before });
        beforeTheLook(
          relay,
          () => void provider.editPlaylist(playlist_id, [...urisOf(playlist), ...theirs]),
          0,
        );
        provider.faults.add({ ...APPEND, kind: 'status_after', status: 500 });
        const answer = await relay.call('add_tracks_to_playlist', { playlist_id, track_ids });
        const failure = answer.error as ToolFailure | undefined;
        // If too much differs to tell whether the songs are there, relay asks a person.
        if (failure) {
          assert.equal(failure.code, 'CONFLICT');
          const job_id = String(failure.details.job_id);
          await reach(relay, job_id, 'failed');
          await relay.call('resume_job', { job_id, review: 'carry_on' });
          assert.equal((await ended(relay, job_id)).status, 'completed');
        }
        const times = [...track_ids, ...theirs].map(
          (uri) => urisOf(playlist).filter((row) => row === uri).length,
        );
        assert.deepEqual(times, [1, 1, 1, 1, 1, 1]);
      }),
  );

longTest('a tool of relay may write to the playlist while a job waits', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, provider, playlist, playlist_id, former }) => {
    const items = tracks(relay, 350, 3_000);
    const [song = ''] = tracks(relay, 1, 8_000);
    const id = await committed(relay, 'add_to_playlist', items, { playlist_id }, () =>
      provider.faults.add({ ...APPEND, skip: 1, kind: 'rate_limit', retryAfterSeconds: 40 }),
    );
    await reach(relay, id, 'waiting');
    // A later append of the job loses its answer, so that the job has to look how that append ended.
    provider.faults.add({ ...LOST, skip: 1 });
    const args = { playlist_id, track_ids: [song] };
    // Spotify has named the end of the limit, so the tool has to wait for it too.
    provider.faults.add({ ...APPEND, skip: 1, kind: 'latency', ms: 1 });
    let answer: Record<string, unknown> = {};
    await until(async () => {
      answer = await relay.call('add_tracks_to_playlist', args);
      return (answer.error as { code?: string } | undefined)?.code !== 'RATE_LIMITED';
    });
    assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    const job = await ended(relay, id);
    assert.deepEqual([job.status, job.review_required], ['completed', false]);
    assertSame(without(urisOf(playlist), song), [...former, ...items]);
    assert.equal(urisOf(playlist).length, former.length + items.length + 1);
  }),
);

/** The rows that are left after another person has taken out some former rows and some that the job has just written. */
const edited = ({ former, items }: Scene) => [...former.slice(5), ...items.slice(0, 150)];

/** The rows that an undo of the job's write leaves of these. */
const undone = ({ former, items }: Scene) => [...former.slice(5), ...items.slice(100, 150)];

function underEdit(then: (scene: Scene, job: JobRecord) => Promise<void>): Promise<void> {
  return append((scene) => {
    const { relay, playlist } = scene;
    beforeTheLook(relay, () => void relay.provider.editPlaylist(playlist.id, edited(scene)));
  }, then);
}

longTest('a review can be accepted: the playlist stays as it is and the job has ended', () =>
  underEdit(async (scene, job) => {
    const { relay, playlist } = scene;
    assert.deepEqual([job.status, job.review_required], ['failed', true]);
    assertRows(playlist, edited(scene));
    await relay.call('resume_job', { job_id: job.job_id, review: 'accept' });
    const { status, written } = await ended(relay, job.job_id);
    assert.deepEqual([status, written], ['completed', 100]);
    assertRows(playlist, edited(scene));
    await withExtras(relay, async ({ call }) => {
      const { items } = (await call('list_changes')) as { items: ChangeSummary[] };
      assert.deepEqual(
        items.map(({ state, requested, written }) => ({ state, requested, written })),
        [{ state: 'done', requested: 100, written: 100 }],
      );
    });
  }),
);

longTest('a review can still be accepted after an undo of its write that Spotify refused', () =>
  underEdit(async (scene, { job_id }) => {
    const { relay, playlist } = scene;
    const times = Number.POSITIVE_INFINITY;
    for (const method of ['PUT', 'POST', 'DELETE'])
      relay.provider.faults.add({ method, path: /\/items$/, times, kind: 'status', status: 403 });
    await withExtras(relay, async ({ call }) => {
      const { error } = await call('undo_change', { force: true });
      assert.equal((error as ToolFailure | undefined)?.code, 'FORBIDDEN');
    });
    relay.provider.faults.clear();
    await relay.call('resume_job', { job_id, review: 'accept' });
    const { status, written } = await ended(relay, job_id);
    assert.deepEqual([status, written], ['completed', 100]);
    assertRows(playlist, edited(scene));
  }),
);

for (const isRefused of [false, true]) {
  longTest(
    `a review cannot be accepted during an undo that ${isRefused ? 'Spotify refuses, but after it' : 'succeeds, nor after it'}`,
    () =>
      underEdit(async (scene, { job_id }) => {
        const { relay, playlist } = scene;
        const answers: Array<Record<string, unknown>> = [];
        const accept = async () =>
          void answers.push(await relay.call('resume_job', { job_id, review: 'accept' }));
        const writing: FaultMatch = { path: /\/items$/, where: ({ method }) => method !== 'GET' };
        relay.provider.faults.add({ ...writing, kind: 'hook', fn: accept });
        const times = Number.POSITIVE_INFINITY;
        if (isRefused) relay.provider.faults.add({ ...writing, times, kind: 'status', status: 403 });
        await withExtras(relay, async ({ call }) => {
          const { error } = await call('undo_change', { force: true });
          assert.equal((error as ToolFailure | undefined)?.code, isRefused ? 'FORBIDDEN' : undefined);
        });
        relay.provider.faults.clear();
        await accept();
        const errors = answers.map(({ error }) => (error as ToolFailure | undefined)?.message);
        const wasUndone = 'What this job had written was undone, so there is nothing to accept.';
        assert.deepEqual(errors, [
          'What this job had written is being undone.',
          isRefused ? undefined : wasUndone,
        ]);
        const { status, review_required } = await ended(relay, job_id);
        assert.deepEqual([status, review_required], isRefused ? ['completed', false] : ['failed', true]);
        assertRows(playlist, isRefused ? edited(scene) : undone(scene));
      }),
  );
}

longTest('a review whose write is undone while it is being accepted stays a review', () =>
  underEdit(async (scene, { job_id }) => {
    const { relay, playlist, items } = scene;
    let undoing = Promise.resolve();
    const fn = () => {
      undoing = withExtras(relay, async ({ call }) => {
        assert.equal((await call('undo_change', { force: true })).error, undefined);
      });
      return undoing;
    };
    relay.provider.faults.add({ method: 'GET', path: /^\/playlists\//, kind: 'hook', fn });
    const { error } = await relay.call('resume_job', { job_id, review: 'accept' });
    // On a slow machine, the reading that the undo holds up is given up and repeated.
    await undoing;
    assert.equal((error as ToolFailure | undefined)?.code, 'CONFLICT');
    assert.equal((await ended(relay, job_id)).review_required, true);
    assertRows(playlist, undone(scene));
    await relay.call('resume_job', { job_id, review: 'carry_on' });
    assert.equal((await ended(relay, job_id)).status, 'completed');
    assertRows(playlist, [...undone(scene), ...items]);
  }),
);

longTest(
  'a replacement that was accepted before a song was written is not said to have emptied the playlist',
  () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, provider, playlist, playlist_id }) => {
      const put = { method: 'PUT', path: /\/items$/ } as const;
      const theirs = tracks(relay, 50, 6_000);
      const fn = () => void provider.editPlaylist(playlist_id, theirs);
      const look: FaultRule = { method: 'GET', path: /^\/playlists\//, kind: 'hook', fn };
      const id = await committed(relay, 'replace_playlist', tracks(relay, 150, 3_000), { playlist_id }, () =>
        provider.faults.add(
          { ...put, kind: 'hook', fn: () => provider.faults.add(look) },
          { ...put, kind: 'status_after', status: 502 },
        ),
      );
      assert.equal((await ended(relay, id)).review_required, true);
      await relay.call('resume_job', { job_id: id, review: 'accept' });
      const { status, written } = await ended(relay, id);
      assert.deepEqual([status, written], ['completed', 0]);
      assertRows(playlist, theirs);
      const { out } = await run(relay, ['history']);
      assert.match(out, /began to replace the songs of "Exactly Two Hundred"/);
    }),
);

longTest('a job that failed without a review cannot be accepted, and nothing is written', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const items = tracks(relay, 3, 3_000);
    const id = await committed(relay, 'add_to_playlist', items, { playlist_id }, () =>
      relay.provider.faults.add({ ...APPEND, times: Number.POSITIVE_INFINITY, kind: 'status', status: 403 }),
    );
    assert.equal((await ended(relay, id)).status, 'failed');
    relay.provider.faults.clear();
    const { error } = await relay.call('resume_job', { job_id: id, review: 'accept' });
    assert.equal((error as ToolFailure | undefined)?.message, 'The job has failed. It is not in review.');
    assert.equal((await ended(relay, id)).status, 'failed');
    assertRows(playlist, former);
    await relay.call('resume_job', { job_id: id });
    assert.equal((await ended(relay, id)).status, 'completed');
    assertRows(playlist, [...former, ...items]);
  }),
);

test('a job that is ready cannot be accepted, and the refusal does not advise to write it', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist_id }) => {
    const id = await createJob(relay, 'add_to_playlist', tracks(relay, 3), { playlist_id });
    await reach(relay, id, 'ready');
    const { error } = await relay.call('resume_job', { job_id: id, review: 'accept' });
    const { code, message, remedy } = error as ToolFailure;
    assert.deepEqual(
      [code, message, remedy],
      ['JOB_STATE', 'The job is ready. It is not in review.', 'Call get_job_status for details.'],
    );
  }));

/** Sends `accept`, and meanwhile, before relay reads the playlist for it, another call. Returns both errors. */
async function acceptedBeside({ relay }: Scene, { job_id }: JobRecord, tool: string, args: object = {}) {
  let beside: Promise<Record<string, unknown>> | undefined;
  const fn = async () => {
    beside = relay.call(tool, { job_id, ...args });
    await beside;
  };
  relay.provider.faults.add({ method: 'GET', path: /^\/playlists\//, kind: 'hook', fn });
  const accept = await relay.call('resume_job', { job_id, review: 'accept' });
  const other = await beside;
  return { accept: accept.error as ToolFailure | undefined, other: other?.error as ToolFailure | undefined };
}

longTest(
  'a review that is carried on while another call accepts it goes on, and the other call is refused',
  () =>
    underEdit(async (scene, job) => {
      const { relay, playlist, items } = scene;
      const { accept, other } = await acceptedBeside(scene, job, 'resume_job', { review: 'carry_on' });
      assert.deepEqual([accept?.code, other], ['JOB_STATE', undefined]);
      assert.equal((await ended(relay, job.job_id)).status, 'completed');
      assertRows(playlist, [...edited(scene), ...items.slice(150)]);
    }),
);

longTest(
  'a review that is cancelled while another call accepts it is cancelled, and the other call is refused',
  () =>
    underEdit(async (scene, job) => {
      const { relay, playlist } = scene;
      const { accept, other } = await acceptedBeside(scene, job, 'cancel_job');
      assert.deepEqual([accept?.code, other], ['JOB_STATE', undefined]);
      assert.equal((await ended(relay, job.job_id)).status, 'cancelled');
      assertRows(playlist, edited(scene));
    }),
);

longTest('a review that two calls accept at once is accepted once', () =>
  underEdit(async (scene, job) => {
    const { relay, playlist } = scene;
    const { accept, other } = await acceptedBeside(scene, job, 'resume_job', { review: 'accept' });
    assert.deepEqual([accept?.code, other], ['JOB_STATE', undefined]);
    assert.equal((await ended(relay, job.job_id)).status, 'completed');
    assertRows(playlist, edited(scene));
  }),
);

for (const review of ['carry_on', undefined]) {
  longTest(
    `a review can be carried on (${review ?? 'by default'}): what is missing is written after what is there`,
    () =>
      underEdit(async (scene, job) => {
        const { relay, playlist, items } = scene;
        assert.deepEqual([job.status, job.review_required], ['failed', true]);
        await relay.call('resume_job', { job_id: job.job_id, ...(review ? { review } : {}) });
        const { status, written, result } = await ended(relay, job.job_id);
        assert.deepEqual([status, written, result?.written], ['completed', 250, 250]);
        assertRows(playlist, [...edited(scene), ...items.slice(150)]);
      }),
  );
}

longTest(
  'a review of long lists shows a model only the rows around the first difference, and their positions',
  () =>
    append(
      ({ relay, playlist, former, items }) => {
        const theirs = [...former.slice(0, 190), ...former.slice(195), ...items.slice(0, 150)];
        beforeTheLook(relay, () => void relay.provider.editPlaylist(playlist.id, theirs));
      },
      async ({ relay, former, items }, { job_id }) => {
        const answer = await relay.call('get_job_status', { job_id, detail: 'lean' });
        const { job, items: shown } = answer as unknown as { job: JobRecord; items: unknown[] };
        const { shown_from, expected_uris, present_uris } = job.result as unknown as Shown;
        assert.deepEqual([shown_from, shown.length], [180, 25]);
        const present = [...former.slice(180, 190), ...former.slice(195), ...items];
        assert.deepEqual(expected_uris, [...former.slice(180), ...items].slice(0, expected_uris.length));
        assert.deepEqual(present_uris, present.slice(0, present_uris.length));
        assert.deepEqual([expected_uris.length, present_uris.length], [40, 40]);
      },
    ),
);

longTest('a refused undo shows a model only the rows around the first difference, and their positions', () =>
  withUnkind({}, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const [wanted, [song = '']] = [tracks(relay, 300, 3_000), tracks(relay, 1, 8_000)];
    await relay.call('replace_playlist_tracks', { playlist_id: playlist.id, track_ids: wanted });
    relay.provider.editPlaylist(playlist.id, [...wanted.slice(0, 250), song, ...wanted.slice(250)]);
    const { error } = await undoLast(relay);
    assert.ok(error);
    const { shown_from, expected_uris, present_uris } = error.details as unknown as Shown;
    assert.deepEqual([error.code, shown_from], ['CONFLICT', 240]);
    assert.deepEqual(expected_uris, wanted.slice(240, 240 + expected_uris.length));
    assert.equal(present_uris.indexOf(song), 10);
  }),
);
