import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchIsrc } from '../../src/music/match.ts';
import { aliasKey } from '../../src/music/trackQuery.ts';
import { trackOf } from './matchRows.ts';

const CODE = 'ZZABC1200001';

const FOUND = [
  'Plinth | Ula | Collected | 2008-02-01 | 200 | ZZABC1200001',
  'Plinth | Ula | Rooms | 1994 | 200 | zz-abc-12-00001',
  'Plinth | Ula | Undated | | 200 | ZZABC1200001',
  'Plinth | Ula | Unknown Date | 0000 | 200 | ZZABC1200001',
  'Plinth (Live) | Ula | Rooms | 1990 | 200 | ZZABC1200002',
  'Plinth | Ula | Bare | 1980',
].map(trackOf);

test('a recording code finds the earliest release of that recording, or the one on the album asked for', () => {
  const [collected, rooms] = FOUND;
  const matched = (track: unknown) => ({
    status: 'matched',
    match: { track, score: 1 },
    candidates: [{ track, score: 1, reasons: ['isrc'] }],
  });
  assert.deepEqual(matchIsrc(CODE, undefined, FOUND), matched(rooms));
  assert.deepEqual(matchIsrc(CODE, 'COLLECTED', FOUND), matched(collected));
  assert.deepEqual(matchIsrc(CODE, 'Elsewhere', FOUND), matched(rooms));
  const none = { status: 'unmatched', match: null, candidates: [] };
  assert.deepEqual(matchIsrc('ZZABC1200003', undefined, FOUND), none);
  assert.deepEqual(matchIsrc(CODE, undefined, [{ ...(rooms ?? assert.fail()), is_local: true }]), none);
});

test('what a recording code found is remembered for that code, whatever the names', () => {
  const query = { title: 'Plinth', artist: 'Ula', isrc: CODE };
  assert.equal(aliasKey(query), aliasKey({ ...query, title: '', artist: '' }));
  assert.notEqual(aliasKey(query), aliasKey({ title: 'Plinth', artist: 'Ula' }));
  assert.notEqual(aliasKey(query), aliasKey({ ...query, album: 'Rooms' }));
});
