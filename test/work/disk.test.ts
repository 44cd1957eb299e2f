import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NEVER } from '../../src/base/abort.ts';
import { systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { RelayError } from '../../src/domain/errors.ts';
import type { ProviderApi, ProviderResponse } from '../../src/provider/api.ts';
import { createPlaylistRows } from '../../src/provider/resources/playlistRows.ts';
import { putAccount } from '../../src/store/tables/account.ts';
import type { ListRequest } from '../../src/work/newWork.ts';
import type { Resolution } from '../../src/work/resolve/resolver.ts';
import { createWorks } from '../../src/work/works.ts';
import { createWrites } from '../../src/work/write/writes.ts';
import { ACCOUNT, storeOnDisk } from '../store/testStore.ts';
import type { ManualClock } from '../support/clock.ts';
import { gate, until } from '../support/waiting.ts';

type Context = Parameters<typeof createWorks>[0];

const PAYLOAD = { strict: true, dry_run: false, skip_existing: false, skip_duplicates: true };
const isFull = (error: unknown) => error instanceof RelayError && error.code === 'STORE_ERROR';

const DONE = { status: 200, body: null, opaque: false };
const serverTime = () => null;

test('on a full disk no job is accepted and no commit begins; with space again, the job writes everything once', async (t) => {
  let sent = 0;
  const answered = gate();
  const send = writing(async () => {
    sent += 1;
    await answered.wait();
    if (sent === 1) disk.fail('ENOSPC');
    return DONE;
  });
  const { disk, clock, store, jobs } = await world(t, { provider: { send, serverTime } });
  const request = saving(matched(100));

  disk.fail('ENOSPC');
  await assert.rejects(jobs.create(request), isFull);
  assert.equal(jobs.list(0, 10).total, 0);

  disk.fail(null);
  const { job_id: id } = (await accepted(() => jobs.create(request))).job;
  await until(() => jobs.get(id).status === 'ready');
  disk.fail('ENOSPC');
  await assert.rejects(jobs.commit(id), isFull);
  assert.deepEqual([jobs.get(id).status, sent], ['ready', 0]);

  // That the job has begun to write is on disk before its first request. The rest is saved once there is space again.
  disk.fail(null);
  await accepted(() => jobs.commit(id));
  answered.open();
  await until(() => jobs.get(id).written === 100);
  await passTime(clock, () => store.state().status === 'degraded');
  disk.fail(null);
  await passTime(clock, () => jobs.get(id).status === 'completed');
  await passTime(clock, () => store.state().status === 'ok' && !store.state().unsavedChanges);
  assert.equal(sent, 3);
});

/** Asks again if a save that began while the disk was full is still under way. */
async function accepted<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!isFull(error) || tries === 20) throw error;
    }
  }
}

async function world(t: TestContext, parts: Pick<Context, 'provider'> & Partial<Context>) {
  const { store, disk, clock } = await storeOnDisk(t);
  putAccount(store, ACCOUNT, clock.now());
  const rows = createPlaylistRows(parts.provider, clock, () => []);
  const context = { rows, store, clock, random: systemRandom, log: silentLog, ...parts };
  const writes = createWrites(context);
  const jobs = createWorks({ ...({} as Context), ...context, writes });
  jobs.start();
  t.after(() => jobs.stop());
  return { disk, clock, store, jobs };
}

/** Answers that no track is saved yet, and hands every other request to `write`. */
function writing(write: () => Promise<ProviderResponse>): ProviderApi['send'] {
  return async ({ path, query }) => {
    if (!path.endsWith('/contains')) return write();
    return {
      ...DONE,
      body: String(query?.uris)
        .split(',')
        .map(() => false),
    };
  };
}

const SEARCH = {
  input: { title: 'Song', artist: 'Singer' },
  key: 'a key',
  uri: null,
  status: 'pending',
} as const;

const matched = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    input: index,
    key: null,
    uri: `spotify:track:${String(index).padStart(22, '0')}`,
    status: 'matched' as const,
  }));

const saving = (items: ListRequest['items']): ListRequest => ({
  type: 'save_tracks',
  payload: PAYLOAD,
  items,
  maxAttempts: 5,
  askedBy: 'a test',
});

test('resume_job on a full disk does not let a strict job be committed without its unresolved items', async (t) => {
  const found = { status: 'unmatched', match: null, candidates: [], source: 'search' } satisfies Resolution;
  const { disk, clock, jobs } = await world(t, {
    provider: { send: async () => DONE, serverTime },
    resolver: { resolve: async () => found, keep: () => false, knows: () => false },
  });
  const { job_id: id } = (await jobs.create(saving([...matched(1), SEARCH]))).job;
  await until(() => jobs.get(id).status === 'ready');
  disk.fail('ENOSPC');
  await assert.rejects(jobs.resume(id, undefined, { signal: NEVER, progress() {} }), isFull);
  disk.fail(null);
  await assert.rejects(jobs.commit(id), { code: 'JOB_STATE' });
  await passTime(clock, () => jobs.get(id).status === 'ready');
  const { status, pending, unmatched } = jobs.get(id);
  assert.deepEqual([status, pending, unmatched], ['ready', 0, 1]);
  await assert.rejects(jobs.commit(id), { code: 'JOB_STATE' });
});

test('a job whose cancellation could not be saved continues', async (t) => {
  const answered = gate();
  let sent = 0;
  const send = writing(async () => {
    sent += 1;
    if (sent === 1) await answered.wait();
    return DONE;
  });
  const { disk, clock, jobs } = await world(t, { provider: { send, serverTime } });
  const { job_id: id } = (await jobs.create(saving(matched(100)))).job;
  await until(() => jobs.get(id).status === 'ready');
  await jobs.commit(id);
  await until(() => answered.waiting === 1);
  disk.fail('ENOSPC');
  const release = disk.hold();
  const cancelled = jobs.cancel(id, new AbortController().signal);
  cancelled.catch(() => {});
  await until(() => jobs.get(id).status === 'cancelled');
  // The writing lane finds the job cancelled before relay knows that the cancellation cannot be saved.
  answered.open();
  await until(() => jobs.get(id).written === 40);
  await turns(20);
  release();
  await assert.rejects(cancelled, isFull);
  disk.fail(null);
  await passTime(clock, () => jobs.get(id).status === 'completed');
  assert.deepEqual([jobs.get(id).status, jobs.get(id).written, sent], ['completed', 100, 3]);
});

/** Lets time pass until `condition` holds. */
function passTime(clock: ManualClock, condition: () => boolean): Promise<void> {
  return until(() => {
    clock.advance(1_000);
    return condition();
  });
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
