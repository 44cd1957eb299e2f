import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Track } from '../../src/domain/shapes.ts';
import { countAliases, countTracks, getAlias, putAlias } from '../../src/store/tables/aliases.ts';
import { NOON, testStore } from './testStore.ts';

const MAX_LEARNED = 20_000;

function track(id: string): Track {
  const album = { id: null, name: null, release_date: null };
  const rest = { duration_ms: null, explicit: null, is_local: false, isrc: null, url: null };
  return { id, uri: `spotify:track:${id}`, type: 'track', name: id, artists: [], album, ...rest };
}

const aliasOf = (key: string, id: string, source: 'learned' | 'person') =>
  ({ key, title: key, artist: 'Someone', album: null, track: track(id), source }) as const;

test('an alias is replaced by one with its key', async (t) => {
  const store = await testStore(t);
  assert.equal(putAlias(store, aliasOf('key', 'one', 'learned'), NOON), false);
  assert.equal(putAlias(store, aliasOf('key', 'two', 'person'), NOON), true);
  assert.deepEqual(getAlias(store, 'key'), { track: track('two'), source: 'person', isConfirmed: false });
  assert.deepEqual([countAliases(store), countTracks(store)], [1, 2]);
});

test('beyond 20,000 learned aliases the oldest are removed with their tracks; aliases that a person made stay', async (t) => {
  const store = await testStore(t);
  store.transaction(() => {
    putAlias(store, aliasOf('mine', 'mine', 'person'), 0);
    putAlias(store, aliasOf('old, and mine too', 'mine', 'learned'), 1);
    for (let at = 0; at < MAX_LEARNED + 500; at++) {
      putAlias(store, aliasOf(`key ${at}`, `track ${at}`, 'learned'), NOON + at);
    }
  });
  const total = countAliases(store);
  assert.ok(total > MAX_LEARNED && total <= MAX_LEARNED + 51, `${total}`);
  assert.equal(countTracks(store), total);
  assert.deepEqual([getAlias(store, 'old, and mine too'), getAlias(store, 'key 0')], [null, null]);
  assert.deepEqual(getAlias(store, 'mine')?.track, track('mine'));
  assert.equal(getAlias(store, `key ${MAX_LEARNED + 499}`)?.source, 'learned');
});
