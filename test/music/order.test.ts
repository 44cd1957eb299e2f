import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Track } from '../../src/domain/shapes.ts';
import { matchTrack } from '../../src/music/match.ts';
import { seeded, shuffled } from '../support/seeded.ts';
import { queryOf, trackOf } from './matchRows.ts';

const PARTS = {
  title: [
    'Plinth',
    'Plinth',
    'The Plinth',
    'Plinth - 2011 Remaster',
    'Plinth - Radio Edit',
    'Plinth (Live)',
  ].concat(['Plinth (feat. Ovo)', 'Plinths']),
  artists: ['Ula', 'Ula', 'Ula ; Ovo', 'Ulana'],
  album: ['Rooms', 'Rooms (Deluxe)', 'Collected', 'Live at Brask', ''],
  date: ['1994', '1994-03-01', '2008-02-01', '2011', ''],
  seconds: ['200', '202', '205', '231', '260', ''],
  isrc: ['X1', 'X2', 'X3', ''],
  mark: ['E', 'C', ''],
};
const TURNS = 150;
const ASKED = [
  'Plinth | Ula',
  'Plinth | Ula | Rooms',
  'Plinth | Ula | | 1994',
  'Plinth (Live) | Ula',
  'Plinth | Ula, Ovo',
];

function madeUpTracks(next: () => number): Track[] {
  const pick = (from: readonly string[]) => from[Math.floor(next() * from.length)] ?? '';
  const count = 1 + Math.floor(next() * 8);
  return Array.from({ length: count }, (_, n) => trackOf(Object.values(PARTS).map(pick).join(' | '), n));
}

/**
 * The part of the outcome that must be the same for every order of the results. The chosen track is not in it: order may
 * decide between releases of one recording that have the same date.
 */
function essence(ask: string, tracks: readonly Track[]): unknown {
  const { status, match } = matchTrack(queryOf(ask), tracks);
  if (!match) return { status };
  const { isrc, album } = match.track;
  return { status, score: match.score, isrc, date: album.release_date };
}

test('the order of the results decides at most between releases that are equally good', () => {
  const next = seeded(20_261_120);
  const statuses = new Set<string>();
  for (let turn = 0; turn < TURNS; turn += 1) {
    const tracks = madeUpTracks(next);
    const ask = ASKED[turn % ASKED.length] ?? '';
    statuses.add(matchTrack(queryOf(ask), tracks).status);
    assert.deepEqual(
      essence(ask, shuffled(tracks, next)),
      essence(ask, tracks),
      JSON.stringify([ask, tracks]),
    );
  }
  assert.deepEqual([...statuses].sort(), ['ambiguous', 'matched', 'unmatched']);
});

test('among identical releases the provider’s first is chosen', () => {
  const tracks = [0, 1, 2].map((n) => trackOf('Plinth | Ula | Rooms | 1994 | 200 | X1', n));
  const taken = [tracks, [...tracks].reverse()].map(
    (found) => matchTrack(queryOf('Plinth | Ula'), found).match,
  );
  assert.deepEqual(taken, [
    { track: tracks[0], score: 1 },
    { track: tracks[2], score: 1 },
  ]);
});
