import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupSongs, hashOfKey } from '../../src/music/songs.ts';
import { at } from '../support/entries.ts';

interface Recording {
  track: number;
  name: string;
  first: string;
  isrc: string | null;
  duration_ms: number | null;
}

/** Groups recordings by the literal rule, without regard to speed. */
function oracle(recordings: readonly Recording[]): number[][] {
  const alike = (a: Recording, b: Recording) =>
    (a.isrc !== null && a.isrc === b.isrc) ||
    (a.name.toLowerCase() === b.name.toLowerCase() &&
      a.name !== '' &&
      a.first === b.first &&
      a.duration_ms !== null &&
      b.duration_ms !== null &&
      Math.abs(a.duration_ms - b.duration_ms) <= 2_000);
  const left = new Set(recordings);
  const groups: number[][] = [];
  for (const begin of recordings) {
    if (!left.delete(begin)) continue;
    const group = [begin];
    for (const one of group)
      for (const other of [...left]) if (alike(one, other) && left.delete(other)) group.push(other);
    groups.push(group.map(({ track }) => track).sort((a, b) => a - b));
  }
  return groups.sort((a, b) => at(a, 0) - at(b, 0));
}

function grouped(songs: ReadonlyMap<number, number>): number[][] {
  const groups = new Map<number, number[]>();
  for (const [track, song] of songs)
    groups.set(
      song,
      [...(groups.get(song) ?? []), track].sort((a, b) => a - b),
    );
  return [...groups.values()].sort((a, b) => at(a, 0) - at(b, 0));
}

test('recordings are one song by ISRC, by title, artist and length, and through a third recording', () => {
  let state = 7;
  const below = (count: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % count;
  };
  for (let turn = 0; turn < 200; turn++) {
    const recordings = Array.from({ length: 1 + below(25) }, (_, index) => ({
      track: index + 1,
      name: at(['Song', 'SONG', 'Other', ''], below(4)),
      first: at(['A', 'B'], below(2)),
      isrc: below(3) === 0 ? `I${below(6)}` : null,
      duration_ms: below(8) === 0 ? null : 200_000 + below(12) * 1_000,
    }));
    assert.deepEqual(
      grouped(groupSongs(recordings.map((one) => ({ ...one, hash: hashOfKey(one) })))),
      oracle(recordings),
      `turn ${turn}`,
    );
  }
});
