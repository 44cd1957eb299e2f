import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { RelayError } from '../../src/domain/errors.ts';
import type { ProviderApi, ProviderResponse } from '../../src/provider/api.ts';
import { createPlaylistRows } from '../../src/provider/resources/playlistRows.ts';
import { putAccount } from '../../src/store/tables/account.ts';
import type { ListRequest } from '../../src/work/newWork.ts';
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

/** Lets time pass until `condition` holds. */
function passTime(clock: ManualClock, condition: () => boolean): Promise<void> {
  return until(() => {
    clock.advance(1_000);
    return condition();
  });
}
