/** What `relay import` does with jobs that continue, wait or fail. The server is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { JobRecord } from '../../src/domain/job.ts';
import type { ImportPreview } from '../../src/domain/listImport.ts';
import type { LocalApi } from '../../src/server/calls.ts';
import { type CliOptions, relay } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { exampleJob } from '../support/reports.ts';

const PREVIEW: ImportPreview = {
  format: 'csv',
  encoding: 'utf-8',
  name: 'Road',
  lists: [],
  songs: 40,
  episodes: 0,
  artist_side: null,
  columns: { title: 'Track Name', artist: 'Artist Name(s)', uri: 'Spotify URI' },
  examples: [],
  not_songs: { total: 0, reasons: {}, lines: [] },
  doubt: null,
  with_uri: 3,
  with_isrc: 2,
  remembered: 5,
  repeated: 0,
  searches: { at_least: 30, at_most: 62 },
  searches_24h: 7,
  jobs: 1,
};

const JOB = exampleJob({
  type: 'create_playlist',
  status: 'pending',
  payload: { name: 'Road', strict: false, dry_run: false, skip_existing: false, skip_duplicates: true },
  playlist_id: null,
  name: 'Road',
  total_items: 40,
  pending: 40,
  resolved: 0,
  ambiguous: 0,
  unmatched: 0,
  created_at: '2026-09-01T08:00:00.000Z',
  updated_at: '2026-09-01T08:00:00.000Z',
  started_at: null,
});
const resolving = (done: number): JobRecord => ({
  ...JOB,
  status: 'resolving',
  pending: 40 - done,
  resolved: done,
});
const READY: JobRecord = { ...resolving(40), status: 'ready' };
const committing = (written: number): JobRecord => ({
  ...READY,
  status: 'committing',
  phase: 'commit',
  written,
});
const DONE: JobRecord = { ...committing(40), status: 'completed', playlist_id: 'p'.repeat(22) };

/** A clock whose waits end at once, so that the test does not wait between two answers. */
const clock = { ...systemClock, now: () => Date.parse('2026-11-21T00:57:03.000Z'), sleep: async () => {} };

/** Runs `relay import`. Asked about a job, the server gives these answers in order, then the last one again and again. */
async function importWith(
  context: Parameters<typeof startFakeLocal>[0],
  answers: JobRecord[],
  { args = [], ...options }: CliOptions & { args?: string[]; jobs?: JobRecord[] } = {},
) {
  const left = [...answers];
  const next = async () => (left.length > 1 ? left.shift() : left[0]) ?? JOB;
  const local = await startFakeLocal(context, {
    answers: {
      previewImport: async () => PREVIEW,
      startImport: async () => ({ preview: PREVIEW, jobs: options.jobs ?? [JOB] }),
      getJob: next as LocalApi['getJob'],
      commitJob: async () => committing(0),
    },
  });
  const result = await relay(['import', '-', ...args], {
    ...options,
    clock,
    columns: 100,
    env: local.env,
    stdin: 'x',
  });
  return { ...result, routes: local.calls.map(({ call }) => call), calls: local.calls };
}

test('without a terminal, progress is a line for each tenth and for each wait', async (context) => {
  const waits: JobRecord = {
    ...resolving(20),
    status: 'waiting',
    reason: 'QUOTA_EXCEEDED',
    run_after: '2026-11-21T01:02:03.000Z',
  };
  const { code, out, err } = await importWith(context, [
    JOB,
    resolving(1),
    resolving(3),
    resolving(5),
    resolving(20),
    waits,
    waits,
    resolving(39),
    READY,
    committing(10),
    DONE,
  ]);
  assert.deepEqual(
    [code, out],
    [0, `Added to "Road": 40 songs.\nhttps://open.spotify.com/playlist/${'p'.repeat(22)}\n`],
  );
  assert.deepEqual(err.split('\n'), [
    'The list: 40 songs, read as csv (utf-8)',
    '  playlist "Road"',
    '  title from "Track Name", artist from "Artist Name(s)", uri from "Spotify URI"',
    '  3 with a Spotify link: no search',
    '  2 with a recording code (ISRC)',
    '  5 known from earlier lists: no search',
    "  searches of Spotify's daily quota: 30 to 62; 7 in the last 24 hours",
    'resolving: 1 of 40',
    'resolving: 5 of 40',
    'resolving: 20 of 40',
    'waiting: 20 of 40, continues in 5 min (QUOTA_EXCEEDED)',
    'resolving: 39 of 40',
    'committing: 10 of 40',
    '',
  ]);
});

test('on a terminal, progress is a bar that goes away at the end', async (context) => {
  const terminal = { stdin: true, stdout: true, stderr: true };
  const { code, err } = await importWith(context, [resolving(10), READY, committing(20), DONE], { terminal });
  assert.equal(code, 0);
  const bars = err.split('\r\u001b[K').slice(1);
  assert.deepEqual(
    bars.map((bar) => bar.replace(/, [\d.]+ a second.*/, '')),
    ['Finding songs ######------------------ 10 of 40', '', 'Writing ############------------ 20 of 40', ''],
  );
});

test('with --json there is one document at the end and no progress', async (context) => {
  const { code, out, err } = await importWith(context, [resolving(10), READY, committing(20), DONE], {
    args: ['--json'],
  });
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(JSON.parse(out), {
    preview: PREVIEW,
    target: { kind: 'new', name: 'Road' },
    written: 40,
    skipped: 0,
    unresolved: 0,
    playlists: [{ id: 'p'.repeat(22), url: `https://open.spotify.com/playlist/${'p'.repeat(22)}` }],
    jobs: [DONE],
  });
});

test('several jobs are written in order, and only once all of them have found their songs', async (context) => {
  const second = { ...JOB, job_id: '2a0c2b3a-0000-4000-8000-000000000000' };
  const ready = { ...READY, job_id: second.job_id };
  const { code, out, calls } = await importWith(
    context,
    [READY, ready, DONE, { ...DONE, job_id: second.job_id, playlist_id: 'q'.repeat(22) }],
    { jobs: [JOB, second] },
  );
  assert.equal(code, 0);
  assert.deepEqual(
    calls.slice(2).map(({ call, body }) => `${call} ${String(body.id).slice(0, 4)}`),
    ['getJob 1f0c', 'getJob 2a0c', 'commitJob 1f0c', 'getJob 1f0c', 'commitJob 2a0c', 'getJob 2a0c'],
  );
  assert.match(out, /^Added to "Road": 80 songs\.\nhttps:\S+p\nhttps:\S+q\n$/);
});

test('a job that waits for a login, or has failed, ends the command with what to run', async (context) => {
  const cases: Array<[job: JobRecord, code: number, told: string]> = [
    [
      { ...resolving(5), status: 'waiting', reason: 'LOGIN_REQUIRED' },
      3,
      'relay: Job 1f0c2b3a waits for a login.\n  Log in with `relay login`. The job then continues; after a search it waits to be committed.\n',
    ],
    [
      {
        ...READY,
        status: 'waiting',
        phase: 'commit',
        reason: 'LOGIN_REQUIRED',
        error: { code: 'FORBIDDEN', message: 'This job belongs to a different account.' },
      },
      3,
      'relay: Job 1f0c2b3a waits for a login.\n  Log in with `relay login --switch-account`. The job then continues; after a search it waits to be committed.\n',
    ],
    [
      { ...READY, status: 'failed', error: { code: 'FORBIDDEN', message: 'Spotify refuses it.' } },
      1,
      'relay: Spotify refuses it.\n  To continue: `relay jobs resume 1f0c2b3a`\n',
    ],
    [
      {
        ...READY,
        status: 'failed',
        review_required: true,
        error: { code: 'CONFLICT', message: 'Someone changed the playlist.' },
      },
      1,
      'relay: Someone changed the playlist.\n  To continue: `relay jobs show 1f0c2b3a`\n',
    ],
    [
      { ...READY, status: 'cancelled' },
      1,
      'relay: The job was cancelled.\n  To see it: `relay jobs show 1f0c2b3a`\n',
    ],
  ];
  for (const [job, code, told] of cases) {
    const result = await importWith(context, [job]);
    assert.deepEqual([result.code, result.out, result.err.endsWith(told)], [code, '', true], result.err);
  }
});
