import assert from 'node:assert/strict';
import test from 'node:test';
import { fullId, type Tools } from '../../src/cli/jobs/jobCalls.ts';
import { barText, jobTable, jobText } from '../../src/cli/jobs/jobText.ts';
import { type Table, tableLines } from '../../src/cli/terminal/table.ts';
import type { JobRecord } from '../../src/domain/job.ts';
import { type CliOptions, run } from '../support/cli.ts';
import { manualClock } from '../support/clock.ts';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { exampleJob } from '../support/reports.ts';
import { asQuery, NOTHING, uniqueTracks } from '../support/songs.ts';
import { until } from '../support/until.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { createJob, jobOf, reach } from '../work/jobCalls.ts';

/** Options for showing jobs, at a moment half an hour after the example job was made. */
const VIEW = {
  named: { home: undefined, platform: 'linux' },
  now: Date.parse('2026-11-20T13:04:56.000Z'),
  names: new Map([['p'.repeat(22), 'Road Trip']]),
} as const;

const RECORD = exampleJob();

const waiting: JobRecord = {
  ...RECORD,
  status: 'waiting',
  reason: 'QUOTA_EXCEEDED',
  run_after: '2026-11-21T01:02:03.000Z',
};

const linesOf = (table: Table) => tableLines(table);

test('the bar shows progress, or the end of a wait', () => {
  assert.equal(barText(RECORD, true, VIEW), 'Finding songs ██████░░░░░░░░░░░░░░░░░░ 100 of 400');
  assert.equal(
    barText(waiting, false, VIEW),
    'Waiting ######------------------ 100 of 400, continues in 11 h 57 min (QUOTA_EXCEEDED)',
  );
  // A computer that slept notices some minutes later that the time has come.
  const late = { ...VIEW, now: Date.parse('2026-11-21T01:09:00.000Z') };
  assert.match(barText(waiting, false, late), /continues soon \(QUOTA_EXCEEDED\)$/);
});

test('the commands that a job shows contain --home', () => {
  const named = { home: '/my home', platform: 'linux' } as const;
  const failed: JobRecord = { ...RECORD, status: 'failed' };
  assert.equal(
    jobText(failed, [], 80, { ...VIEW, named }).at(-1),
    "To resume it: relay --home '/my home' jobs resume 1f0c2b3a",
  );
  const error = {
    code: 'FORBIDDEN',
    message: 'Another account.',
    remedy: 'plain',
    fix: { text: 'Connect it with {command}.', command: ['login', '--switch-account'] },
  };
  assert.ok(
    jobText({ ...failed, error }, [], 80, { ...VIEW, named }).includes(
      "  Connect it with `relay --home '/my home' login --switch-account`.",
    ),
  );
  const login: JobRecord = { ...RECORD, status: 'waiting', reason: 'LOGIN_REQUIRED' };
  assert.match(
    linesOf(jobTable([login], { ...VIEW, named })).at(-1) ?? '',
    / {2}for a login: relay --home '\/my home' login$/,
  );
});

test('the table and the text of a job say what to do next', () => {
  assert.deepEqual(linesOf(jobTable([RECORD, waiting], VIEW)), [
    'WHAT                ID        STATUS     DONE        OPEN  CREATED     NEXT',
    'add to "Road Trip"  1f0c2b3a  resolving  100 of 400    10  30 min ago',
    'add to "Road Trip"  1f0c2b3a  waiting    100 of 400    10  30 min ago  continues in 11 h 57 min (QUOTA_EXCEEDED)',
  ]);
  const ready: JobRecord = {
    ...RECORD,
    status: 'ready',
    pending: 0,
    resolved: 400,
    ambiguous: 0,
    unmatched: 0,
  };
  assert.equal(jobText(ready, [], 80, VIEW).at(-1), 'To write it: relay jobs commit 1f0c2b3a');
  const open: JobRecord = { ...ready, resolved: 399, unmatched: 1 };
  const item = { position: 7, input: NOTHING, status: 'unmatched', uri: null, track: null } as const;
  assert.deepEqual(jobText(open, [item], 80, VIEW), [
    'job       1f0c2b3a-0000-4000-8000-000000000000',
    'what      add to "Road Trip"',
    'status    ready',
    `playlist  https://open.spotify.com/playlist/${'p'.repeat(22)}`,
    'items     400: 399 found, 1 unmatched',
    'created   30 min ago',
    '',
    'Need you:',
    '  8. No Such Song Anywhere by Nobody of That Name (unmatched)',
    '',
    '1 song needs you: relay jobs fix 1f0c2b3a',
    'To write it without them: relay jobs commit 1f0c2b3a --skip-unresolved',
  ]);
  const given = [{ title: '', artist: '', isrc: 'GBAAA0000001' }, { id: 'x'.repeat(22) }, 'spotify:track:y'];
  assert.deepEqual(
    given.map((input) => jobText(open, [{ ...item, input }], 80, VIEW).at(-4)),
    [
      '  8. ISRC GBAAA0000001 (unmatched)',
      `  8. ${'x'.repeat(22)} (unmatched)`,
      '  8. spotify:track:y (unmatched)',
    ],
  );
  const over = { status: 'completed', phase: 'commit', total_items: 0, resolved: 0 } as const;
  const undo: JobRecord = { ...ready, ...over, type: 'undo' };
  assert.deepEqual(linesOf(jobTable([undo], VIEW)), [
    'WHAT           ID        STATUS     CREATED',
    'undo a change  1f0c2b3a  completed  30 min ago',
  ]);
  assert.doesNotMatch(jobText(undo, [], 80, VIEW).join('\n'), /^items/m);
  // Nobody can settle the songs of a job that has ended.
  assert.deepEqual(
    (['completed', 'cancelled'] as const).map((status) =>
      jobText({ ...open, status, written: 399 }, [item], 80, VIEW).slice(-3),
    ),
    Array(2).fill(['', 'Left out:', '  8. No Such Song Anywhere by Nobody of That Name (unmatched)']),
  );
});

const jobs = (world: Relay, args: string[], options: CliOptions = {}) =>
  run(world, ['jobs', ...args], options);

test('jobs are listed, shown, committed and cancelled by the first characters of their IDs', () =>
  withRelay(async (world) => {
    assert.deepEqual(await jobs(world, []), { code: 0, out: '', err: 'There are no jobs.\n' });
    const playlist = named(world, 'Empty Shelf');
    const uris = tracks(world, 5);
    const id = await createJob(world, 'add_to_playlist', uris, { playlist_id: playlist.id });
    await reach(world, id, 'ready');
    const short = id.slice(0, 8);
    assert.match(
      (await jobs(world, [])).out,
      new RegExp(`^add to "Empty Shelf"  ${short}  ready   5 of 5 `, 'm'),
    );
    assert.match(
      (await jobs(world, ['show', short])).out,
      new RegExp(`^To write it: relay jobs commit ${short}$`, 'm'),
    );
    const done = await jobs(world, ['commit', short, '--watch']);
    assert.equal(done.code, 0, done.err);
    assert.match(done.out, /^status +completed$/m);
    assert.deepEqual(urisOf(playlist), uris);

    const other = await createJob(world, 'save_tracks', [NOTHING]);
    await reach(world, other, 'ready');
    assert.match(
      (await jobs(world, ['show', other])).out,
      /1\. No Such Song Anywhere by Nobody of That Name \(unmatched/,
    );
    assert.match((await jobs(world, ['cancel', other])).out, /^status +cancelled$/m);
    const refused = await jobs(world, ['commit', other]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /This job was cancelled\./);
    const listed = JSON.parse((await jobs(world, ['--json'])).out);
    assert.deepEqual([listed.total, listed.items[0].job_id], [2, other]);
    assert.deepEqual(
      JSON.parse((await jobs(world, ['show', other, '--json'])).out),
      await jobOf(world, other),
    );
  }));

test('--watch draws a bar on a terminal until the job is ready or has ended', () =>
  withRelay(async (world) => {
    const clock = manualClock();
    world.provider.faults.add({ path: '/search', kind: 'rate_limit', retryAfterSeconds: 90 });
    const id = await createJob(world, 'save_tracks', uniqueTracks(world, 3).map(asQuery));
    await reach(world, id, 'waiting');
    const watching = jobs(world, ['--watch'], { clock, terminal: { stderr: true }, columns: 200 });
    await until(() => clock.waiting(100) > 0);
    await world.call('cancel_job', { job_id: id });
    clock.advance(100);
    const { code, out, err } = await watching;
    assert.equal(code, 0);
    assert.match(err, /Waiting [#-]{24} \d of 3, continues [^(]+ \(RATE_LIMITED\)/);
    assert.match(out, /^status +cancelled$/m);
  }));

test('an unknown job ID, an empty one, and an ambiguous one, are reported', () =>
  withRelay({ connect: false }, async (world) => {
    const missing = await jobs(world, ['show', 'zzz']);
    assert.deepEqual(missing, {
      code: 1,
      out: '',
      err: 'relay: There is no job "zzz".\n  `relay jobs` lists them.\n',
    });
    const id = await createJob(world, 'save_tracks', tracks(world, 1));
    assert.deepEqual(await jobs(world, ['cancel', '']), {
      code: 2,
      out: '',
      err: 'relay: The ID of the job is empty. Is a variable of the shell not set?\n  `relay jobs` lists the jobs.\n',
    });
    assert.notEqual((await jobOf(world, id)).status, 'cancelled');
    const items = [{ job_id: '1f0c2b3a' }, { job_id: '1f0c9d4e' }];
    const listing: Tools = async <T>() => ({ items, total: 2 }) as T;
    assert.equal(await fullId(listing, '1f0c9'), '1f0c9d4e');
    await assert.rejects(fullId(listing, '1f0c'), {
      code: 'USAGE',
      message: '2 job IDs begin with "1f0c".',
    });
  }));
