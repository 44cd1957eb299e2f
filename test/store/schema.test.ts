import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testStore } from './testStore.ts';

test('a fresh state checks foreign keys, and marks its file as a state of relay', async (t) => {
  const store = await testStore(t);
  assert.deepEqual(store.get('pragma foreign_keys'), { foreign_keys: 1 });
  assert.deepEqual(store.get('pragma application_id'), { application_id: 0x726c6179 });
});
