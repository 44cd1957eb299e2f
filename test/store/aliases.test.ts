import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Track } from '../../src/domain/shapes.ts';
import { countAliases, countTracks, getAlias, putAlias } from '../../src/store/tables/aliases.ts';
import { NOON, testStore } from './testStore.ts';

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
  assert.deepEqual([countAliases(store), countTracks(store)], [1, 1]);
});
