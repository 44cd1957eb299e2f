import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunk } from '../../src/base/lists.ts';
import { type PlaylistRequest, planDeduplicate, repeatedRows } from '../../src/music/deduplication.ts';
import { seeded } from './support.ts';

test('chunks keep the order, and all but the last are full', () => {
  assert.deepEqual(chunk([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
  assert.deepEqual(chunk([1, 2], 2), [[1, 2]]);
  assert.deepEqual(chunk([], 2), []);
});

test('rows that repeat the URI of an earlier one are duplicates, rows without a URI are not', () => {
  const rows = ['a', null, 'b', 'a', null, 'a'].map((uri, position) => ({ position, uri }));
  assert.deepEqual(
    repeatedRows(rows, ({ uri }) => uri),
    [rows[3], rows[5]],
  );
});

test('a playlist without duplicates needs no request', () => {
  assert.deepEqual(planDeduplicate(['a', 'b']), { strategy: 'none', requests: [] });
  assert.deepEqual(planDeduplicate([]), { strategy: 'none', requests: [] });
});

test('duplicates are deleted, and their first occurrences reinserted in place', () => {
  assert.deepEqual(planDeduplicate(['a', 'b', 'c', 'b', 'd', 'a', 'e', 'd']), {
    strategy: 'delete_and_reinsert',
    requests: [
      { kind: 'delete', uris: ['b', 'a', 'd'] },
      { kind: 'insert', position: 0, uris: ['a', 'b'] },
      { kind: 'insert', position: 3, uris: ['d'] },
    ],
  });
});

test('a playlist is rewritten only if that takes fewer requests and deleting takes more than 20', () => {
  const rows = Array.from({ length: 60 }, (_, n) => `t${n}`);
  const everyThird = rows.filter((_, n) => n % 3 === 0);
  assert.deepEqual(planDeduplicate([...rows, ...everyThird.slice(0, 19)]).strategy, 'delete_and_reinsert');
  assert.deepEqual(planDeduplicate([...rows, ...everyThird]), {
    strategy: 'rewrite',
    requests: [{ kind: 'replace', uris: rows }],
  });
  const long = Array.from({ length: 3_000 }, (_, n) => `t${n}`);
  const { strategy, requests } = planDeduplicate([...long, ...long.filter((_, n) => n % 104 === 0)]);
  assert.deepEqual([strategy, requests.length], ['delete_and_reinsert', 30]);
});

interface Row {
  uri: string;
  addedBefore: boolean;
}

/** Applies a request as the provider would. */
function apply(rows: readonly Row[], request: PlaylistRequest): Row[] {
  const fresh = request.uris.map((uri) => ({ uri, addedBefore: false }));
  assert.ok(fresh.length >= 1 && fresh.length <= 100, `${fresh.length} URIs in one request`);
  switch (request.kind) {
    case 'delete':
      return rows.filter(({ uri }) => !request.uris.includes(uri));
    case 'insert':
      assert.ok(request.position <= rows.length, 'inserted behind the end');
      return [...rows.slice(0, request.position), ...fresh, ...rows.slice(request.position)];
    case 'replace':
      return fresh;
    case 'append':
      return [...rows, ...fresh];
  }
}

function madeUpPlaylist(next: () => number): string[] {
  const length = Math.floor(next() * 700);
  const kinds = 1 + Math.floor(next() * 2 * length);
  const start = Math.floor(next() * length);
  const some = Array.from({ length }, () => `t${Math.floor(next() * kinds)}`);
  // Half of them repeat one stretch, like a playlist to which an album was added twice.
  return next() < 0.5 ? some : [...new Set(some), ...new Set(some.slice(start, start + 150))];
}

test('a plan leaves the first occurrences in order and keeps the dates that it promises to keep', () => {
  const next = seeded(7);
  const strategies = new Set<string>();
  for (let turn = 0; turn < 400; turn += 1) {
    const uris = madeUpPlaylist(next);
    const { strategy, requests } = planDeduplicate(uris);
    strategies.add(strategy);
    const before = uris.map((uri) => ({ uri, addedBefore: true }));
    const after = requests.reduce(apply, before);
    assert.deepEqual(after, expectedRows(uris, strategy), JSON.stringify(uris));
  }
  assert.deepEqual([...strategies].sort(), ['delete_and_reinsert', 'none', 'rewrite']);
});

function expectedRows(uris: readonly string[], strategy: string): Row[] {
  const isRepeated = (uri: string) => uris.indexOf(uri) !== uris.lastIndexOf(uri);
  return [...new Set(uris)].map((uri) => ({ uri, addedBefore: strategy !== 'rewrite' && !isRepeated(uri) }));
}
