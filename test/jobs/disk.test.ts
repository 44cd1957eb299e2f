import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../src/domain/clock.ts';
import { RelayError } from '../../src/domain/errors.ts';
import { silentLog } from '../../src/domain/log.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import type { ProviderRequest } from '../../src/provider/request.ts';
import { manualClock, testDisk, testStore, until } from '../store/support.ts';

const PAYLOAD = { strict: true, dry_run: false, skip_existing: false, skip_duplicates: true };
const isFull = (error: unknown) => error instanceof RelayError && error.code === 'STORE_ERROR';

test('on a full disk nothing is promised and nothing is written to Spotify; with space again the job goes on', async (t) => {
  const disk = testDisk();
  const clock = manualClock();
  const store = await testStore(t, { fs: disk.fs, clock });
  const sent: ProviderRequest[] = [];
  const jobs = createJobs({
    ...({} as Parameters<typeof createJobs>[0]),
    provider: {
      async send(request) {
        sent.push(request);
        if (sent.length === 1) disk.fail('ENOSPC');
        return { status: 200, body: null, opaque: false };
      },
    },
    store,
    clock,
    random: systemRandom,
    log: silentLog,
  });
  const items = Array.from({ length: 100 }, (_, index) => ({
    input: index,
    key: null,
    uri: `spotify:track:${String(index).padStart(22, '0')}`,
    status: 'matched' as const,
  }));
  const request = { type: 'save_tracks', payload: PAYLOAD, items, maxAttempts: 5 } as const;
  jobs.start();

  disk.fail('ENOSPC');
  await assert.rejects(jobs.create(request), isFull);
  assert.equal(jobs.list(0, 10).total, 0);

  disk.fail(null);
  const { job_id: id } = (await jobs.create(request)).job;
  await until(() => jobs.get(id).status === 'ready');
  disk.fail('ENOSPC');
  await assert.rejects(jobs.commit(id), isFull);
  assert.deepEqual([jobs.get(id).status, sent.length], ['ready', 0]);

  disk.fail(null);
  await jobs.commit(id);
  await until(() => clock.sleeping().includes(10_000));
  assert.deepEqual([sent.length, jobs.get(id).status, jobs.get(id).written], [1, 'committing', 40]);
  clock.advance(10_000);
  await until(() => clock.sleeping().includes(10_000));
  assert.equal(sent.length, 1, 'still full');
  disk.fail(null);
  clock.advance(10_000);
  await until(() => jobs.get(id).status === 'completed');
  assert.deepEqual([sent.length, jobs.get(id).written], [3, 100]);
  await jobs.stop();
});
