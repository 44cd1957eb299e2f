import assert from 'node:assert/strict';
import test from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import type { ListedItem } from '../../src/store/tables/items.ts';
import type { Work } from '../../src/store/tables/works.ts';
import { itemRecord, jobRecord } from '../../src/work/jobRecord.ts';
import { errorFacts } from '../../src/work/moves.ts';
import { testStore } from '../store/testStore.ts';

const REMEDY = { text: 'Run {command}, then resume the job.', command: ['login'] };

/** An error as a row stores it, and as a client reads it. */
const STORED = JSON.parse(
  JSON.stringify(errorFacts(new RelayError('LOGIN_REQUIRED', 'No account.', { remedy: REMEDY }))),
);
const READ = {
  code: 'LOGIN_REQUIRED',
  message: 'No account.',
  remedy: 'Run `relay login`, then resume the job.',
};

const ITEM = {
  position: 0,
  input: 'x',
  status: 'failed',
  uri: null,
  track: null,
  candidates: null,
} as ListedItem;

test('a stored remedy reaches a client as plain text, and other surfaces as a value too', async (t) => {
  assert.deepEqual(itemRecord({ ...ITEM, error: STORED }).error, READ);
  const store = await testStore(t);
  const times = { createdAt: 0, updatedAt: 0, runAfter: null, startedAt: null, completedAt: null };
  const job = { seq: 0, error: STORED, kind: 'save', payload: {}, ...times } as unknown as Work;
  assert.deepEqual(jobRecord(store, job).error, { ...READ, fix: REMEDY });
});

test('a name beside the playlist of a job is not the name of its target', async (t) => {
  const store = await testStore(t);
  const times = { createdAt: 0, updatedAt: 0, runAfter: null, startedAt: null, completedAt: null };
  const job = {
    error: null,
    kind: 'add',
    seq: 0,
    playlistId: 'x',
    payload: { name: 'Other', playlist_id: 'x' },
    ...times,
  };
  assert.equal('name' in jobRecord(store, job as unknown as Work), false);
  const made = { ...job, payload: { name: 'Made' } };
  assert.equal(jobRecord(store, made as unknown as Work).name, 'Made');
});
