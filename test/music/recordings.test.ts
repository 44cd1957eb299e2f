import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchTrack } from '../../src/music/match.ts';
import { queryOf, testRows, trackOf } from './matchRows.ts';

/** One recording on several albums. */
testRows([
  ['Plinth | Ula', ['| Collected | 2001-11-01 | 200 | X1', '| Rooms | 1994-03-01 | 200 | X1'], 'matched 1'],
  [
    '| Collected',
    ['| Rooms | 1994-03-01 | 200 | X1', '| Collected | 2001-11-01 | 200 | X1'],
    'matched 1: album',
  ],
  [
    '| The Collected',
    ['| Rooms | 1994-03-01 | 200 | X1', '| Collected | 2001-11-01 | 200 | X1'],
    'matched 1: album',
  ],
  [
    '| Rooms',
    ['| Rooms (Deluxe Edition) | 1993 | 200 | X1', '| Rooms | 1994 | 200 | X1'],
    'matched 1: album',
  ],
  [
    '| Rooms',
    ['| Collected | 1990 | 200 | X1', '| Rooms (2011 Remaster) | 2011 | 200 | X1'],
    'matched 1: album, album_edition',
  ],
  [
    '| Rooms, Vol. 2',
    ['| Rooms, Vol. 1 | 1990 | 200 | X1', '| Rooms Volume II | 1992 | 200 | X1'],
    'matched 1: album, album_edition',
  ],
  ['| | 2001', ['| Rooms | 1994 | 200 | X1', '| Collected | 2001-11-01 | 200 | X1'], 'matched 1: year'],
  ['Plinth | Ula', ['| A | 1994-06-01 | 200 | X1', '| B | 1994 | 200 | X1'], 'matched 1'],
  ['Plinth | Ula', ['| A | 0000 | 200 | X1', '| B | 1994 | 200 | X1'], 'matched 1'],
  ['Plinth | Ula', ['| A | | 200 | X1', '| B | 2020 | 200 | X1'], 'matched 1'],
  ['Plinth | Ula', ['| A | 1994 | 200 | X1', '| B | 1994 | 200 | X1'], 'matched 0'],
  ['Plinth | Ula', ['| A | 1999 | 200 | XA-1-99-1', '| B | 1994 | 230 | xa1991'], 'matched 1'],
  [
    'Plinth | Ula',
    ['| B | 1999 | 200 | X1', 'Plinth (feat. Ovo) | Ula ; Ovo | A | 1994 | 200 | X1'],
    'matched 1: other_artists',
  ],
  [
    'Plinth | Ula',
    ['| B | 1999 | 200 | X1', 'Plinth - 2011 Remaster | Ula | A | 1994 | 200 | X1'],
    'matched 1: note_differs',
  ],
  ['Plinth | Ula', ['| A | 1999 | 200', '| B | 1994 | 202'], 'matched 1'],
  ['Plinth | Ula', ['| A | 1999 | 200 | X1', '| B | 1994 | 202 | X2'], 'matched 1'],
]);

/** Albums other than the requested one. */
testRows([
  ['| Rooms', ['| Collected'], 'matched 0: album_differs'],
  ['| Rooms', ['Plinth | Ula'], 'matched 0: album_differs'],
  ['| Rooms', ['| Rooms (Live)'], 'matched 0: album_differs, album_version'],
  ['| Rooms', ['| Rooms of Tin | 1990 | 180', '| Collected | 1994 | 240'], 'ambiguous 0 1'],
  ['| Live at Brask', ['| Rooms | 1994 | 200', '| Live at Brask | 1996 | 260'], 'matched 1: album'],
]);

/** Two recordings of one song by the same artist. */
const EARLY_AND_LATE = ['| Rooms | 1994 | 200 | X1', '| Again | 2008-02-01 | 231 | X2'];
testRows([
  ['Plinth | Ula', EARLY_AND_LATE, 'ambiguous 0 1'],
  ['| Again', EARLY_AND_LATE, 'matched 1: album'],
  ['| Elsewhere', EARLY_AND_LATE, 'ambiguous 0 1'],
  ['| | 1994', EARLY_AND_LATE, 'matched 0: year'],
  ['| | 2008', EARLY_AND_LATE, 'matched 1: year'],
  ['| | 2007', EARLY_AND_LATE, 'matched 1: year_near'],
  ['| | 2001', EARLY_AND_LATE, 'ambiguous 0 1'],
  ['| Elsewhere | 2008', EARLY_AND_LATE, 'matched 1: album_differs, year'],
  ['| Rooms | 2008', EARLY_AND_LATE, 'matched 0: album, year_differs'],
  ['Plinth | Ula', ['Plinth | Ula', 'Plinth | Ula'], 'ambiguous 0 1'],
  ['Plinth | Ula', ['| A | 1994 | 200', '| B | 1999 | 204'], 'ambiguous 0 1'],
  [
    'Plinth (Live) | Ula',
    ['Plinth (Live at Brask) | Ula', 'Plinth (Live at Velhaven) | Ula'],
    'ambiguous 0 1',
  ],
  ['Plinth | Ula', [...EARLY_AND_LATE, '| Best | 2012 | 201 | X3'], 'ambiguous 0 1 2'],
]);

/** Version notes that do not mean a different recording. */
const PLAIN_AND_REMASTER = [
  'Plinth - 2011 Remaster | Ula | Rooms (2011 Remaster) | 2011-09-26 | 208 | X2',
  '| Rooms | 1994 | 200 | X1',
];
testRows([
  ['Plinth | Ula', PLAIN_AND_REMASTER, 'matched 1'],
  ['Plinth - 2011 Remaster | Ula', PLAIN_AND_REMASTER, 'matched 0'],
  ['Plinth - Remastered 2009 | Ula', PLAIN_AND_REMASTER, 'matched 0: remaster_differs'],
  ['| | 2011', PLAIN_AND_REMASTER, 'matched 0: year, note_differs'],
  ['| Rooms', PLAIN_AND_REMASTER, 'matched 1: album'],
  ['Plinth | Ula', ['Plinth - Remastered | Ula'], 'matched 0: note_differs'],
  ['Plinth - Radio Edit | Ula', ['Plinth | Ula'], 'matched 0: note_differs'],
  ['Plinth (Mono) | Ula', ['Plinth - Mono Version | Ula'], 'matched 0'],
  ['Plinth (Album Version) | Ula', ['Plinth | Ula'], 'matched 0'],
  ['Plinth (Live) | Ula', ['Plinth - Live; 2011 Remaster | Ula'], 'matched 0: version, note_differs'],
  ['Plinth | Ula', ['Plinth - Radio Edit | Ula | S | 1993 | 180', '| A | 1994 | 260'], 'matched 1'],
  [
    'Plinth - Radio Edit | Ula',
    ['| A | 1994 | 260', 'Plinth - Radio Edit | Ula | S | 1993 | 180'],
    'matched 1',
  ],
  [
    'Plinth | Ula',
    ['Plinth - 2011 Remaster | Ula | A | 2011 | 205', 'Plinth - 2003 Remaster | Ula | B | 2003 | 200'],
    'matched 1: note_differs',
  ],
  [
    'Plinth | Ula',
    ['| Again | 2008 | 250 | X2', 'Plinth - 2011 Remaster | Ula | Rooms | 1994 | 200 | X1'],
    'ambiguous 0 1',
  ],
  ['Plinth - 2011 Remaster | Ula', [...PLAIN_AND_REMASTER, '| Again | 2008 | 260 | X3'], 'matched 0'],
]);

/** Explicit and clean. */
const CLEAN_AND_EXPLICIT = ['| Rooms | 2019-02-01 | 200 | X1 | C', '| Rooms | 2019-02-01 | 201 | X2 | E'];
testRows([
  ['Plinth | Ula', CLEAN_AND_EXPLICIT, 'matched 1'],
  ['Plinth (Clean) | Ula', CLEAN_AND_EXPLICIT, 'matched 0'],
  ['Plinth [Explicit] | Ula', CLEAN_AND_EXPLICIT, 'matched 1'],
  ['Plinth (Clean) | Ula', ['| | | | | E'], 'matched 0: note_differs'],
  ['Plinth | Ula', ['Plinth - Original Dirty | Ula | A | 1994 | 200', '| B | 1999 | 260'], 'matched 1'],
  [
    'Plinth - Original Dirty | Ula',
    ['| B | 1994 | 260 | | C', 'Plinth - Original Dirty | Ula | A | 1999 | 200 | | E'],
    'matched 1',
  ],
  [
    'Plinth - Remastered 2011 | Ula',
    ['Plinth - Original Dirty | Ula | A | 1994 | 200', '| B | 1999 | 260'],
    'matched 1: note_differs',
  ],
  [
    'Plinth - Original Dirty - Remastered 2011 | Ula',
    ['| B | 1994 | 260 | | C', 'Plinth - Original Dirty | Ula | A | 1999 | 200 | | E'],
    'matched 1: note_differs',
  ],
  ['Plinth | Ula', ['| S | 2018 | 200 | X1 | C', '| A | 2019 | 200 | X2 | E'], 'matched 0'],
]);

test('at most five candidates are listed, one release of each equally good recording first', () => {
  const tracks = [
    '| Rooms | 1994 | 200 | X1',
    '| Collected | 2001 | 200 | X1',
    '| Again | 2008 | 231 | X2',
    'Plinth | Ula ; Ovo | Duets | 2009 | 215 | X3',
    'Plinth (Live) | Ula | Live at Brask | 1996 | 260 | X4',
    '| Gathered | 2010 | 200 | X1',
    '| Gathered Again | 2011 | 200 | X1',
  ].map(trackOf);
  const fits = ['title', 'artist'];
  assert.deepEqual(matchTrack(queryOf('Plinth | Ula'), tracks), {
    status: 'ambiguous',
    match: null,
    candidates: [
      { track: tracks[0], score: 1, reasons: fits },
      { track: tracks[2], score: 1, reasons: fits },
      { track: tracks[1], score: 1, reasons: fits },
      { track: tracks[5], score: 1, reasons: fits },
      { track: tracks[6], score: 1, reasons: fits },
    ],
  });
});

test('near misses are listed nearest first, unrelated tracks not at all', () => {
  const tracks = ['Mallet | Ovo', 'Mallet | Ula', 'Plinth | Ovo', 'Plinth (Live) | Ula'].map(trackOf);
  assert.deepEqual(matchTrack(queryOf('Plinth | Ula'), tracks), {
    status: 'unmatched',
    match: null,
    candidates: [
      { track: tracks[3], score: 0.325, reasons: ['title', 'artist', 'version_differs'] },
      { track: tracks[2], score: 0.16, reasons: ['title', 'artist_differs'] },
      { track: tracks[1], score: 0.105, reasons: ['title_differs', 'artist'] },
    ],
  });
});

test('of near misses, one release of each recording is listed', () => {
  const tracks = [
    'Plinth (Live) | Ula | Rooms | 1994-03-01 | 200 | X1',
    'Plinth (Live) | Ula | Collected | 2001-11-01 | 200 | X1',
    'Plinth (Live) | Ula | Rooms (Deluxe) | 2011-03-01 | 201 | X2',
    'Plinth | Ovo | Ovo | 1999-03-01 | 180 | X3',
    'Plinth (Live) | Ula | Elsewhere | 1999-03-01 | 260 | X4',
  ].map(trackOf);
  assert.deepEqual(
    matchTrack(queryOf('Plinth | Ula'), tracks).candidates.map(({ track }) => tracks.indexOf(track)),
    [0, 4, 3],
  );
});

test('local files and duplicate results are ignored', () => {
  const [track, other] = [trackOf('| Rooms', 0), trackOf('Plinth | Ula', 1)];
  const local = { ...other, id: null, uri: 'spotify:local:Ula::Plinth:200', is_local: true };
  assert.deepEqual(matchTrack(queryOf('Plinth | Ula'), [local, track, track]), {
    status: 'matched',
    match: { track, score: 1 },
    candidates: [{ track, score: 1, reasons: ['title', 'artist'] }],
  });
});

test('no results means unmatched', () => {
  const nothing = { status: 'unmatched', match: null, candidates: [] };
  assert.deepEqual(matchTrack(queryOf('Plinth | Ula'), []), nothing);
});
