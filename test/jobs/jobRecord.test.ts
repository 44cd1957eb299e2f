import assert from 'node:assert/strict';
import test from 'node:test';
import { errorFacts } from '../../src/changes/record.ts';
import { RelayError } from '../../src/domain/errors.ts';
import { itemRecord } from '../../src/jobs/jobRecord.ts';
import type { JobItem } from '../../src/store/tables/jobItems.ts';

const REMEDY = { text: 'Run {command}, then resume the job.', command: ['login'] };

/** As a row stores it: earlier versions wrote every remedy as plain text. */
const STORED = {
  'a value': errorFacts(new RelayError('LOGIN_REQUIRED', 'No account.', { remedy: REMEDY })),
  'plain text': {
    code: 'LOGIN_REQUIRED',
    message: 'No account.',
    remedy: 'Run `relay login`, then resume the job.',
  },
};

const ITEM = {
  position: 0,
  input: 'x',
  status: 'failed',
  uri: null,
  track: null,
  candidates: null,
} as JobItem;

for (const [how, error] of Object.entries(STORED)) {
  test(`a remedy that is stored as ${how} reaches a client as plain text`, () => {
    const item = { ...ITEM, error: JSON.parse(JSON.stringify(error)) };
    assert.deepEqual(itemRecord(item).error, STORED['plain text']);
  });
}
