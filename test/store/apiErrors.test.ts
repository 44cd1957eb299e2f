import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countApiErrors,
  listApiErrors,
  type NewApiError,
  recordApiError,
  resolveApiErrors,
} from '../../src/store/tables/apiErrors.ts';
import { NOON, testStore } from './testStore.ts';

const failure: NewApiError = {
  provider: 'spotify',
  scope: 'playlists.write',
  method: 'POST',
  path: '/playlists/{id}/items',
  statusCode: 502,
  code: 'PROVIDER_UNAVAILABLE',
  reason: null,
  message: 'Spotify answers with a server error.',
};

test('the same failure is counted in one row; another status, reason or method is another row', async (t) => {
  const store = await testStore(t);
  recordApiError(store, failure, NOON);
  recordApiError(store, { ...failure, message: 'Spotify answers with 502.' }, NOON + 5);
  recordApiError(store, { ...failure, statusCode: null }, NOON + 6);
  recordApiError(store, { ...failure, statusCode: null }, NOON + 7);
  recordApiError(store, { ...failure, reason: 'UNKNOWN' }, NOON + 8);
  recordApiError(store, { ...failure, method: 'PUT' }, NOON + 9);
  const times = { firstSeenAt: NOON, lastSeenAt: NOON + 5, resolvedAt: null };
  const rows = listApiErrors(store);
  assert.deepEqual(
    rows.map(({ method, statusCode, reason, occurrences }) => [method, statusCode, reason, occurrences]),
    [
      ['PUT', 502, null, 1],
      ['POST', 502, 'UNKNOWN', 1],
      ['POST', null, null, 2],
      ['POST', 502, null, 2],
    ],
  );
  assert.deepEqual(rows[3], {
    ...failure,
    ...times,
    id: 1,
    occurrences: 2,
    message: 'Spotify answers with 502.',
  });
});

test('a success resolves what failed before on the same method and path, and a new failure reopens it', async (t) => {
  const store = await testStore(t);
  recordApiError(store, failure, NOON);
  recordApiError(store, { ...failure, statusCode: 503 }, NOON);
  recordApiError(store, { ...failure, path: '/me' }, NOON);
  assert.equal(resolveApiErrors(store, failure.method, failure.path, NOON + 1), 2);
  assert.equal(resolveApiErrors(store, failure.method, failure.path, NOON + 2), 0);
  assert.deepEqual(countApiErrors(store), { total: 3, unresolved: 1 });
  recordApiError(store, failure, NOON + 3);
  const [latest] = listApiErrors(store);
  assert.deepEqual(
    [latest?.statusCode, latest?.occurrences, latest?.firstSeenAt, latest?.resolvedAt],
    [502, 2, NOON, null],
  );
});

test('a success where nothing had failed leaves nothing to save', async (t) => {
  const store = await testStore(t);
  resolveApiErrors(store, 'GET', '/me', NOON);
  assert.equal(store.state().unsavedChanges, false);
});

test('the list is filtered and bounded, latest first', async (t) => {
  const store = await testStore(t);
  for (let n = 0; n < 30; n++) recordApiError(store, { ...failure, path: `/p/${n}` }, NOON + n);
  recordApiError(store, { ...failure, provider: 'other', statusCode: 429 }, NOON + 30);
  resolveApiErrors(store, 'POST', '/p/29', NOON + 31);
  const paths = (filter: Parameters<typeof listApiErrors>[1]) =>
    listApiErrors(store, filter).map(({ path }) => path);
  assert.equal(paths({}).length, 20);
  assert.deepEqual(paths({ limit: 2 }), [failure.path, '/p/29']);
  assert.deepEqual(paths({ limit: 2, unresolved_only: true }), [failure.path, '/p/28']);
  assert.deepEqual(paths({ limit: 2, provider: 'spotify' }), ['/p/29', '/p/28']);
  assert.deepEqual(paths({ status_code: 429 }), [failure.path]);
});

test('of more than 500 rows the oldest resolved ones go first, then the oldest', async (t) => {
  const store = await testStore(t);
  for (let n = 0; n < 500; n++) recordApiError(store, { ...failure, path: `/p/${n}` }, NOON + n);
  resolveApiErrors(store, 'POST', '/p/100', NOON + 500);
  resolveApiErrors(store, 'POST', '/p/50', NOON + 501);
  const dropped = () => {
    const kept = new Set(listApiErrors(store, { limit: 1_000 }).map(({ path }) => path));
    assert.equal(kept.size, 500);
    return Array.from({ length: 500 }, (_, n) => `/p/${n}`).filter((path) => !kept.has(path));
  };
  recordApiError(store, { ...failure, path: '/new/1' }, NOON + 502);
  assert.deepEqual(dropped(), ['/p/50']);
  recordApiError(store, { ...failure, path: '/new/2' }, NOON + 503);
  assert.deepEqual(dropped(), ['/p/50', '/p/100']);
  recordApiError(store, { ...failure, path: '/new/3' }, NOON + 504);
  assert.deepEqual(dropped(), ['/p/0', '/p/50', '/p/100']);
});
