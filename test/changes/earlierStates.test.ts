/**
 * Homes that an earlier version of relay has left, in every state of a change and of a job. `earlierStates.jsonl` has one home
 * a line: the stored rows of that version, copied while it was at work. The present version opens the home, and does what the
 * earlier one would have done.
 */
import assert from 'node:assert/strict';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Clock, systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { MIGRATIONS } from '../../src/generated/sql.ts';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { restoreState } from '../../src/server/restore/restoreState.ts';
import { openStore, type Store } from '../../src/store/file/open.ts';
import { jobOf, reach } from '../jobs/jobCalls.ts';
import { temporaryHome } from '../store/testStore.ts';
import { at } from '../support/entries.ts';
import { fill, named, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { ENCRYPTION_KEY, type Relay } from '../support/world.ts';
import { withExtras } from './extras.ts';
import { ended, poll } from './settled.ts';
import { withUnkind } from './unkind.ts';

type Row = Record<string, string | number>;

/** What one home held; columns that are null or 0 are left out. */
interface Home {
  home: string;
  /** URIs of the playlist at Spotify. */
  rows: string[];
  changes: Row[];
  jobs: Row[];
  /** Items of jobs: job, position, status and URI. An entry to search for also has its input and key. */
  items: Array<[number, number, string, string | null, object?, string?]>;
}

const HOMES: Promise<Home[]> = readFile(new URL('./earlierStates.jsonl', import.meta.url), 'utf8').then(
  (text) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
);

/** The migrations of the version that made the homes. */
const EARLIER = MIGRATIONS.filter(({ version }) => version <= 13);

const TIME = /_at$|^run_after$|^server_time$/;

function insert(store: Store, table: string, row: Row, laterMs: number): void {
  const values = Object.entries(row).map(([column, value]) => {
    if (column === 'body') return Buffer.from(String(value), 'hex');
    return TIME.test(column) ? Number(value) + laterMs : value;
  });
  const places = values.map(() => '?').join(', ');
  store.run(`insert into ${table} (${Object.keys(row).join(', ')}) values (${places})`, values);
}

function insertAll(store: Store, { changes, jobs, items }: Home, now: number): void {
  const newest = Math.max(...[...changes, ...jobs].map(({ updated_at }) => Number(updated_at)));
  for (const row of jobs) insert(store, 'jobs', { total_items: 0, ...row }, now - newest);
  for (const row of changes) insert(store, 'changes', row, now - newest);
  for (const [job, position, status, uri, input = uri, key] of items) {
    store.run('insert into job_items (job, position, status, uri, input, key) values (?, ?, ?, ?, ?, ?)', [
      job,
      position,
      status,
      uri,
      JSON.stringify(input),
      key ?? null,
    ]);
  }
}

/** The tables that hold the login. */
const LOGIN = ['account', 'secrets', 'meta'];

interface Taken {
  relay: Relay;
  home: Home;
  /** ID of the last change. */
  change: string;
  /** ID of the first job. In a home without jobs, the change becomes a job with its own ID. */
  job: string;
}

interface Way {
  /** Changes the stored home before it is opened. */
  alter?: ((home: Home) => Home) | undefined;
  /** Brings the state at `file` into the server's home while the server is stopped. */
  bring?: (file: string, home: string, clock: Clock) => Promise<unknown>;
}

/** Opens the home of this name with the present version. */
async function takenOver(
  t: TestContext,
  name: string,
  work: (taken: Taken) => Promise<void>,
  { alter = (home) => home, bring = (file, home) => rename(file, join(home, 'relay.db')) }: Way = {},
): Promise<void> {
  const stored = (await HOMES).find((one) => one.home === name);
  assert.ok(stored);
  const home = alter(stored);
  await withUnkind({}, async (relay, clock) => {
    await relay.server.close();
    const folder = temporaryHome(t);
    const [present, earlier] = await Promise.all([
      openStore({ home: relay.home, clock, log: silentLog }),
      openStore({ home: folder, clock, log: silentLog, migrations: EARLIER }),
    ]);
    await earlier.durable(() => {
      for (const table of LOGIN) {
        for (const row of present.all<Row>(`select * from ${table}`)) {
          const isOwn = row.name === 'oldest_compatible';
          if (!isOwn) insert(earlier, table, row, 0);
        }
      }
      insertAll(earlier, home, clock.now());
    });
    await Promise.all([present.close(), earlier.close()]);
    await bring(join(folder, 'relay.db'), relay.home, clock);
    fill(named(relay, 'Empty Shelf'), home.rows);
    await relay.restart();
    const change = String(home.changes.at(-1)?.id ?? '');
    await work({ relay, home, change, job: String(home.jobs[0]?.id ?? change) });
  });
}

const shelf = (relay: Relay) => urisOf(named(relay, 'Empty Shelf'));

/** States as `list_changes` tells them, newest first. */
async function statesOf(relay: Relay): Promise<unknown[]> {
  let states: unknown[] = [];
  await withExtras(relay, async ({ call }) => {
    const { items } = await call('list_changes');
    states = (items as Array<{ state: string }>).map(({ state }) => state);
  });
  return states;
}

async function resumed(relay: Relay, id: string, review?: string): Promise<JobRecord> {
  const answer = await relay.call('resume_job', { job_id: id, ...(review ? { review } : {}) });
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return ended(relay, id);
}

const CUT_SHORT: ReadonlyArray<[name: string, home: string, alter?: (home: Home) => Home]> = [
  ['a change whose request was on its way', 'writing'],
  ['a change that was looking', 'looking'],
  [
    'a change whose answer was lost',
    'looking',
    (home) => ({ ...home, changes: home.changes.map((row) => ({ ...row, state: 'outcome_unknown' })) }),
  ],
  [
    'a change that waited while its caller waited for it',
    'writing',
    (home) => ({
      ...home,
      changes: home.changes.map(({ in_transit, ...row }) => ({
        ...row,
        state: 'waiting',
        reason: 'PROVIDER_UNAVAILABLE',
        run_after: row.updated_at ?? 0,
      })),
    }),
  ],
  ['a list whose call was under way', 'list under way'],
];

for (const [what, name, alter] of CUT_SHORT) {
  const run = name === 'writing' ? test : longTest;
  run(`${what} becomes a job and is written`, (t) =>
    takenOver(
      t,
      name,
      async ({ relay, change }) => {
        await poll(async () => ((await relay.call('list_jobs')).total === 1 ? true : null));
        assert.equal((await ended(relay, change)).status, 'completed');
        assert.deepEqual(shelf(relay), tracks(relay, 2, 3_000));
        assert.deepEqual(await statesOf(relay), ['done']);
      },
      { alter },
    ),
  );
}

for (const [what, name] of [
  ['a rollback continues', 'rolling back'],
  ['a rollback that waits continues once it is resumed', 'rollback waits'],
] as const) {
  const run = name === 'rollback waits' ? test : longTest;
  run(what, (t) =>
    takenOver(t, name, async ({ relay, change }) => {
      const [a = '', b = '', c = ''] = tracks(relay, 3, 3_000);
      if (name === 'rollback waits') {
        assert.equal((await jobOf(relay, change)).reason, 'RATE_LIMITED');
        assert.deepEqual(await statesOf(relay), ['waiting']);
        await relay.call('resume_job', { job_id: change });
      }
      await poll(async () => ((await relay.call('list_jobs')).total === 1 ? true : null));
      const { status, result } = await ended(relay, change);
      assert.deepEqual([status, result?.rolled_back], ['failed', true]);
      assert.deepEqual(shelf(relay), [a, b, a, c, b]);
      assert.deepEqual(await statesOf(relay), ['rolled_back']);
    }),
  );
}

for (const name of ['cancelling', 'cancelled in doubt']) {
  longTest(`a job that is ${name} says how far it got, and writes nothing more`, (t) =>
    takenOver(t, name, async ({ relay, home, job }) => {
      const result = await poll(async () => {
        const seen = await jobOf(relay, job);
        assert.equal(seen.status, 'cancelled');
        return seen.result && seen.result.outcome_unknown === undefined ? seen.result : null;
      });
      assert.equal(result?.written, home.rows.length);
      assert.deepEqual(shelf(relay), home.rows);
      assert.deepEqual(await statesOf(relay), ['partial']);
    }),
  );
}

longTest('a job that waits for a limit keeps waiting, and can be resumed', (t) =>
  takenOver(t, 'waiting', async ({ relay, home, job }) => {
    const before = at(home.jobs, 0);
    const { status, reason, run_after, updated_at } = await jobOf(relay, job);
    const waitMs = Date.parse(String(run_after)) - Date.parse(updated_at);
    assert.deepEqual([status, reason], ['waiting', 'RATE_LIMITED']);
    assert.equal(waitMs, Number(before.run_after) - Number(before.updated_at));
    assert.deepEqual(await statesOf(relay), ['waiting']);
    assert.equal((await resumed(relay, job)).written, 102);
    assert.deepEqual(shelf(relay), tracks(relay, 102, 3_000));
  }),
);

longTest('a waiting job that does not know how a request ended first finds that out', (t) =>
  takenOver(t, 'waiting in doubt', async ({ relay, job }) => {
    assert.deepEqual(await statesOf(relay), ['waiting']);
    const { status, written } = await resumed(relay, job);
    assert.deepEqual([status, written], ['completed', 2]);
    assert.deepEqual(shelf(relay), tracks(relay, 2, 3_000));
  }),
);

test('a job whose requests were refused too often can be resumed', (t) =>
  takenOver(t, 'stopped', async ({ relay, job }) => {
    const { status, error } = await jobOf(relay, job);
    assert.deepEqual([status, error?.code], ['failed', 'FORBIDDEN']);
    assert.deepEqual(await statesOf(relay), ['stopped']);
    const { status: then, written } = await resumed(relay, job);
    assert.deepEqual([then, written], ['completed', 2]);
    assert.deepEqual(shelf(relay), tracks(relay, 2, 3_000));
  }));

for (const review of ['accept', 'carry_on']) {
  test(`a review of the earlier version is answered with ${review}`, (t) =>
    takenOver(t, 'review', async ({ relay, home, job }) => {
      const { status, review_required, result } = await jobOf(relay, job);
      assert.deepEqual([status, review_required, result?.present_count], ['failed', true, 10]);
      assert.deepEqual(await statesOf(relay), ['review']);
      assert.equal((await resumed(relay, job, review)).status, 'completed');
      const missing = review === 'accept' ? [] : tracks(relay, 6, 3_000).slice(3);
      assert.deepEqual(shelf(relay), [...home.rows, ...missing]);
      assert.deepEqual(await statesOf(relay), ['done']);
    }));
}

test('a change under review can be undone', (t) =>
  takenOver(t, 'review', async ({ relay, home }) => {
    await withExtras(relay, async ({ call }) => {
      const answer = await call('undo_change', { dry_run: true, force: true });
      assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    });
    assert.deepEqual(shelf(relay), home.rows);
  }));

test('a copy of the earlier version is restored, and its review is answered', (t) =>
  takenOver(
    t,
    'review',
    async ({ relay, home, job }) => {
      assert.equal((await jobOf(relay, job)).review_required, true);
      assert.equal((await resumed(relay, job, 'accept')).status, 'completed');
      assert.deepEqual(shelf(relay), home.rows);
    },
    {
      bring: (file, home, clock) =>
        restoreState({
          settings: loadSettings({ env: { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY } }),
          file,
          force: false,
          clock,
          random: systemRandom,
          signal: new AbortController().signal,
        }),
    },
  ));

test('changes that have ended are listed as before', (t) =>
  takenOver(t, 'ends', async ({ relay, job }) => {
    assert.equal((await jobOf(relay, job)).status, 'completed');
    await withExtras(relay, async ({ call }) => {
      const { items } = (await call('list_changes')) as {
        items: Array<{ state: string; can_undo: boolean }>;
      };
      assert.deepEqual(
        items.map(({ state, can_undo }) => [state, can_undo]),
        [
          ['rolled_back', false],
          ['done', true],
        ],
      );
    });
  }));

test('a job that the earlier version had cancelled says what it wrote', (t) =>
  takenOver(t, 'cancelled', async ({ relay, job }) => {
    const { status, result } = await jobOf(relay, job);
    assert.deepEqual([status, result?.written], ['cancelled', 102]);
    assert.deepEqual(await statesOf(relay), ['partial']);
  }));

longTest('jobs without a change continue where they were', (t) =>
  takenOver(t, 'before any change', async ({ relay, home }) => {
    const [waiting = '', dry = '', resolving = '', pending = '', cancelled = ''] = home.jobs.map(({ id }) =>
      String(id),
    );
    assert.equal((await jobOf(relay, waiting)).reason, 'QUOTA_EXCEEDED');
    assert.equal((await resumed(relay, waiting)).written, 2);
    for (const id of [resolving, pending]) assert.equal((await reach(relay, id, 'ready')).resolved, 1);
    assert.equal((await jobOf(relay, dry)).status, 'completed');
    assert.equal((await jobOf(relay, cancelled)).status, 'cancelled');
    assert.deepEqual(shelf(relay), tracks(relay, 2, 3_000));
  }),
);

const WITHOUT_RECORD = [
  { type: 'remove_from_playlist' },
  { type: 'replace_playlist', written: 1 },
] satisfies Row[];

for (const facts of WITHOUT_RECORD as readonly Row[]) {
  test(`a failed job (${facts.type}) whose change an earlier version has dropped writes nothing, and says so`, (t) => {
    const failed = ({ run_after: _, reason: __, ...job }: Row): Row => ({
      ...job,
      ...facts,
      status: 'failed',
    });
    const alter = ({ jobs: [job = {}], items, ...home }: Home): Home => ({
      ...home,
      jobs: [failed(job)],
      items: items.filter(([seq]) => seq === job.seq),
    });
    return takenOver(
      t,
      'before any change',
      async ({ relay, job }) => {
        const { status, error } = await resumed(relay, job);
        assert.deepEqual(
          [status, error?.code, error?.message],
          [
            'failed',
            'CONFLICT',
            'This job cannot continue: the record of what it had written is no longer kept.',
          ],
        );
        assert.deepEqual(shelf(relay), []);
      },
      { alter },
    );
  });
}
