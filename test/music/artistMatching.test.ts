import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchTrack } from '../../src/music/match.ts';
import { queryOf, type Row, testRows, trackOf } from './matchRows.ts';

const OTHERS = 'matched 0: other_artists';
const REFUSED = 'unmatched 0: title, artist_differs';

/** Whole names, in every spelling. */
testRows([
  ['Plinth | Zoe Almqvarn', ['Plinth | Zoë Ålmqvarn'], 'matched 0'],
  ['Plinth | Bjornskar Odegryn', ['Plinth | Bjørnskår Ødegryn'], 'matched 0'],
  ['Plinth | THE KETTLES', ['Plinth | Kettles'], 'matched 0'],
  ['Plinth | Kettles', ['Plinth | The Kettles'], 'matched 0'],
  ['Plinth | Kettles, The', ['Plinth | The Kettles'], 'matched 0'],
  ['Plinth | MORV', ['Plinth | M.O.R.V.'], 'matched 0'],
  ['Plinth | D’Quillane O’Brask', ["Plinth | D'Quillane O'Brask"], 'matched 0'],
  ['Plinth | Kssk8', ['Plinth | K$sk8'], 'matched 0'],
  ['Plinth | ЕЛКИН', ['Plinth | Ёлкин'], 'matched 0'],
  ['Plinth | ｳﾞｪﾙﾓﾗﾝ', ['Plinth | ヴェルモラン'], 'matched 0'],
  ['Plinth | ¡¿!', ['Plinth | ¡¿!'], 'matched 0'],
  ['Plinth | 40417', ['Plinth | 40417'], 'matched 0'],
  ['Plinth | Ula', ['Plinth | Ulana'], REFUSED],
  ['Plinth | Ulana', ['Plinth | Ula'], REFUSED],
  ['Plinth | Ula', ['Plinth | Ula Brenk'], REFUSED],
  ['Plinth | Ula', ['Plinth | Ula & Ovo'], REFUSED],
  ['Plinth | Ula', ['Plinth | DJ Ula'], REFUSED],
  ['Plinth | !!!', ['Plinth | ???'], REFUSED],
  ['Plinth | +', ['Plinth | &'], REFUSED],
  ['Plinth | Ula', ['Plinth | '], REFUSED],
  ['Plinth | -', ['Plinth | ', 'Plinth | ㅤ'], REFUSED],
  ['Plinth | ', ['Plinth | '], REFUSED],
  ['Plinth | Ula', ['Mallet | Ovo'], 'unmatched'],
  ['Plinth | Ula', ['Mallet | Ula'], 'unmatched 0: title_differs, artist'],
]);

/** Several artists, with any separators and in any order. */
testRows(
  [
    'Ula & Ovo',
    'Ula, Ovo',
    'Ula and Ovo',
    'Ula x Ovo',
    'Ula × Ovo',
    'Ula / Ovo',
    'Ula/Ovo',
    'Ula + Ovo',
    'Ovo & Ula',
  ]
    .concat([
      'Ula feat. Ovo',
      'Ula ft Ovo',
      'Ula featuring Ovo',
      'Ula (feat. Ovo)',
      'Ula with Ovo',
      'Ula vs. Ovo',
    ])
    .concat(['Ula y Ovo', 'Ula; Ovo'])
    .map((asked): Row => [`Plinth | ${asked}`, ['Plinth | Ula ; Ovo'], 'matched 0']),
);
testRows(
  ['Ula & Ovo', 'Ula, Ovo', 'Ula and Ovo', 'Ula x Ovo', 'Ula / Ovo', 'Ula + Ovo', 'Ovo & Ula'].map(
    (asked): Row => [`Plinth | ${asked}`, ['Plinth | Ula & Ovo'], 'matched 0'],
  ),
);
testRows([
  ['Plinth | Ula, Ovo & Tam', ['Plinth | Tam ; Ula ; Ovo'], 'matched 0'],
  ['Plinth | Ula, Ovo & Tam', ['Plinth | Ula, Ovo & Tam'], 'matched 0'],
  ['Plinth | Ula Ovo and Tam', ['Plinth | Ula, Ovo & Tam'], 'matched 0'],
  ['Plinth | Ula & Ovo & The Tams', ['Plinth | Ula ; Ovo & The Tams'], 'matched 0'],
  ['Plinth | Ula and the Tams', ['Plinth | Ula & The Tams'], 'matched 0'],
  ['Plinth | Ula & Ovo', ['Plinth | Ula'], REFUSED],
  ['Plinth | Ula & Ovo', ['Plinth | Ula Ovo'], REFUSED],
  ['Plinth | Ula & Ovo', ['Plinth | Ula ; Ovoline'], REFUSED],
  ['Plinth | Ula', ['Plinth | Ula ; Ovo'], OTHERS],
  ['Plinth | Ovo', ['Plinth | Ula ; Ovo'], 'matched 0: other_artists, artist_not_first'],
  ['Plinth | Ula', ['Plinth | Ula ; Ovo | | | 180', '| | | 240'], 'matched 1'],
  [
    'Plinth | Ula',
    ['Plinth | Ovo ; Ula | | | 180', 'Plinth | Ula ; Tam | | | 240'],
    OTHERS.replace('0', '1'),
  ],
]);

/** Guests in titles. */
testRows([
  ['Plinth | Ovo', ['Plinth (feat. Ovo) | Ula'], 'matched 0: other_artists, artist_not_first'],
  ['Plinth | Ula', ['Plinth (feat. Ovo) | Ula ; Ovo'], OTHERS],
  ['Plinth (feat. Ovo) | Ula', ['Plinth | Ula ; Ovo'], 'matched 0'],
  ['Plinth (feat. Ovo) | Ula', ['Plinth (with Ovo) | Ula'], 'matched 0'],
  ['Plinth ft. Ovo | Ula', ['Plinth [featuring Ovo] | Ula ; Ovo'], 'matched 0'],
  ['Plinth | Ula feat. Ovo', ['Plinth (feat. Ovo) | Ula'], 'matched 0'],
  ['Plinth (feat. Ovo & Tam) | Ula', ['Plinth | Ula ; Tam ; Ovo'], 'matched 0'],
  ['Plinth | Ula & Ovo', ['Plinth (feat. Ovo) | Ula'], 'matched 0'],
  ['Plinth (feat. Ovo) | Ula', ['Plinth | Ula'], 'matched 0: guest_missing'],
  ['Plinth | Ula feat. Ovo', ['Plinth | Ovo'], REFUSED],
  [
    'Plinth (feat. Ovo) | Ula',
    ['| | | 200', 'Plinth (feat. Tam) | Ula ; Tam | | | 210', 'Plinth | Ula ; Ovo | | | 220'],
    'matched 2',
  ],
  ['Plinth (With You) | Ula', ['Plinth | Ula'], 'unmatched 0: title_differs, artist'],
]);

/** Artists who perform other people's songs. */
testRows([
  [
    'Plinth | Ula Brenk',
    [
      'Plinth (Originally Performed by Ula Brenk) [Karaoke] | Backing Parlour',
      'Plinth (Tribute to Ula Brenk) | Tribute Bureau',
      'Plinth | The Ula Brenk Tribute',
      'Plinth | Ula Brenk Karaoke Club',
      'Plinth | Ula Brenk',
    ],
    'matched 4',
  ],
  ['Plinth | Ula', ['Plinth (Karaoke Version) | Ula'], 'unmatched 0: version_differs'],
  ['Plinth | Ula', ['Plinth - Cover | Ovo'], 'unmatched 0: title, artist_differs, version_differs'],
  ['Plinth (Karaoke) | Ovo', ['Plinth - Karaoke Version | Ovo'], 'matched 0: version'],
  ['Plinth | Ovo', ['Plinth | Ula', 'Plinth | Ovo', 'Plinth | Tam'], 'matched 1'],
]);

test('a long list of artists is matched quickly', () => {
  const artist = `${'Ula, '.repeat(60)}Tam`;
  const track = trackOf('Plinth | Ula ; Ula & Ula ; Ula, Ula & Ula');
  const started = process.cpuUsage();
  assert.equal(matchTrack({ ...queryOf('Plinth'), artist }, [track]).status, 'unmatched');
  assert.ok(process.cpuUsage(started).user < 500_000, 'less than half a second');
});
