/** A job of many items is stored in batches. Nobody sees the job before the last batch is stored. */

import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { countJobItems } from '../../src/store/tables/works.ts';
import { temporaryHome, testStore } from '../store/testStore.ts';
import { until } from '../support/until.ts';
import { jobsOver, songsRequest } from './jobsOver.ts';

const SONGS = 3_000;

const rowsOf = (store: Store) => [
  store.get<{ total: number }>('select count(*) as total from works')?.total,
  store.get<{ total: number }>('select count(*) as total from items')?.total,
];

test('a job that was half stored when relay crashed is gone after the next start', async (t) => {
  const store = await testStore(t);
  const jobs = jobsOver(store);
  const created = jobs.create(songsRequest(SONGS));
  await until(() => Number(rowsOf(store)[1]) >= 50);
  assert.deepEqual([jobs.list(0, 10), countJobItems(store)], [{ items: [], total: 0 }, 0]);
  await store.saveNow();
  const home = temporaryHome(t);
  await copyFile(store.state().path, join(home, 'relay.db'));
  const { job } = await created;
  assert.deepEqual([job.total_items, jobs.list(0, 10).total, countJobItems(store)], [SONGS, 1, SONGS]);

  const after = await testStore(t, { home });
  assert.equal(rowsOf(after)[0], 1);
  const later = jobsOver(after);
  assert.equal(later.list(0, 10).total, 0);
  assert.throws(() => later.get(job.job_id), { code: 'JOB_NOT_FOUND' });
  later.start();
  t.after(() => later.stop());
  await until(() => rowsOf(after)[0] === 0);
  assert.deepEqual(rowsOf(after), [0, 0]);
});
