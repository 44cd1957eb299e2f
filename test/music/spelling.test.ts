import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEAR_SCORE } from '../../src/domain/settling.ts';
import { matchTrack } from '../../src/music/match.ts';
import { isTypo } from '../../src/music/spelling.ts';
import { queryOf, testRows, trackOf } from './matchRows.ts';

/** The right word, and how it was written: one letter wrong, missing, doubled, or two swapped. */
const TYPOS: Readonly<Record<string, readonly string[]>> = {
  plinth: ['plonth', 'plnth', 'plint', 'linth', 'pllinth', 'plinthh', 'lpinth', 'plinht'],
  kettle: ['ketle', 'kettel'],
  lova: ['lov'],
  dont: ['dnot', 'dontt'],
  'plinth mallet': ['plinth mallte'],
  'mallet 2 plinth': ['mallet 2 plonth'],
  acoustic: ['acoustc'],
  маяк: ['мояк'],
  φαροσ: ['φαροσσ'],
  שעון: ['שעוו'],
  منارة: ['منرة'],
};
const NO_TYPOS: Readonly<Record<string, readonly string[]>> = {
  plinth: ['plinth', 'plinths', 'plxinth', 'plonht', 'pnth', 'plіnth', ''],
  plinths: ['plinth', 'plinthh'],
  ova: ['ovo'],
  ovo: ['ov'],
  'plinth mallet': ['plonth mallte'],
  'plinth mallets': ['plinthmallet'],
  'plinth 3': ['plinth 2'],
  '1995': ['1994'],
  'plinth iii': ['plinth ii'],
  'plinth viii': ['plinth vii'],
  mine: ['nine'],
  fire: ['five'],
  'plinth five': ['plinth four'],
  live: ['life'],
  life: ['live'],
  'plinth live': ['plinth lvie'],
  cant: ['can'],
  never: ['ever'],
  'cant plinth': ['can plinth'],
  cover: ['coves'],
  mixed: ['mixes'],
  灯台守唄: ['灯台守歌'],
  かがみもつ: ['かがみもち'],
};

for (const [right, words] of Object.entries(TYPOS)) {
  for (const written of words)
    test(`"${written}" may be "${right}" with a typo`, () => assert.equal(isTypo(written, right), true));
}
for (const [right, words] of Object.entries(NO_TYPOS)) {
  for (const written of words)
    test(`"${written}" is not "${right}" with a typo`, () => assert.equal(isTypo(written, right), false));
}

const TITLE = 'matched 0: artist, spelling';
const ARTIST = 'matched 0: title, spelling';

/** One typo is forgiven when everything else is exact. */
testRows([
  ['Plonth | Ula', ['Plinth | Ula'], TITLE],
  ['Plnth | Ula', ['Plinth - 2011 Remaster | Ula'], 'matched 0: artist, note_differs, spelling'],
  ['Plnth (Live) | Ula', ['Plinth - Live | Ula', 'Plinth | Ula'], 'matched 0: artist, version, spelling'],
  ['Plnth (feat. Ovo) | Ula', ['Plinth (feat. Ovo) | Ula ; Ovo'], TITLE],
  ['Plinth (Acoustc) | Ula', ['Plinth (Acoustic) | Ula'], 'matched 0: artist, version, spelling'],
  ['Plinth - Remasterd | Ula', ['Plinth - Remastered | Ula'], TITLE],
  ['Plnth Live | Ula', ['Plinth (Live) | Ula'], 'matched 0: artist, version, spelling'],
  ['Ula - Plnth (Official Video) | Ula', ['Plinth | Ula'], TITLE],
  ['03. Plnth | UlaVEVO', ['Plinth | Ula'], TITLE],
  ['Plnth | Ula | Rooms', ['| Rooms'], 'matched 0: artist, album, spelling'],
  ['Plinth | Ula Bremk', ['Plinth | Ula Brenk'], ARTIST],
  ['Plinth | Ula Brnk', ['Plinth | Ula Brenk ; Ovo'], 'matched 0: title, other_artists, spelling'],
  ['Plinth | Ula Brnk & Ovo', ['Plinth | Ula Brenk ; Ovo'], ARTIST],
  ['Plinth (Live) | Ula Brnk', ['Plinth (Live) | Ula Brenk'], 'matched 0: title, version, spelling'],
  ['Plinth | The Ketlles', ['Plinth | The Kettles'], ARTIST],
  ['Plinth | Елкни', ['Plinth | Ёлкин'], ARTIST],
]);

/** A typo in the name of a guest is forgiven. */
testRows([
  ['Plinth feat. Tamsn | Ula', ['| | | 180', 'Plinth (feat. Tamsin) | Ula ; Tamsin | | | 240'], 'matched 1'],
]);

/** Not forgiven: two typos, a typo that may mean two songs, a name that exists as written. */
testRows([
  ['Plnth | Ula Brnk', ['Plinth | Ula Brenk'], 'unmatched 0: title_differs, artist_differs'],
  ['Plonht | Ula', ['Plinth | Ula'], 'unmatched 0: title_differs, artist'],
  ['Plith | Ula', ['Plinth | Ula', 'Plish | Ula'], 'unmatched 0: title_differs, artist'],
  ['Plinth | Ula Bren', ['Plinth | Ula Brenk', 'Plinth | Ula Brent'], 'unmatched 0: title, artist_differs'],
  ['Plint | Ulane', ['Plinth | Ulane', 'Plint | Ulana'], 'unmatched 0: title_differs, artist'],
  ['Plint | Ula', ['Plinth | Ula', 'Plint | Ovo'], 'unmatched 0: title_differs, artist'],
  ['Plinth | Ulane', ['Plinth | Ulana', 'Mallet | Ulane'], 'unmatched 0: title, artist_differs'],
  ['Plnth | Ula', ['Plinth (Live) | Ula'], 'unmatched 0: title_differs, artist, version_differs'],
  ['Plinth feat. Ovo - Demmo | Ula', ['Plinth (feat. Ovo) | Ula'], 'unmatched 0: title_differs, artist'],
  ['Plinth Life | Ula', ['Plinth (Live) | Ula'], 'unmatched 0: title_differs, artist, version_differs'],
  [
    'Plinth | Ula Bremk',
    ['Plinth (Karaoke) | Ula Brenk'],
    'unmatched 0: title, artist_differs, version_differs',
  ],
  ['The Plnth | Ula', ['Plinth | Ula'], 'unmatched 0: title_differs, artist'],
  ['Plіnth | Ula', ['Plinth | Ula'], 'unmatched 0: title_differs, artist'],
  ['Plinth | Ula', ['Plnth | Ula', 'Plinth | Ula'], 'matched 1'],
  ['Plnth | Ula', ['| A | 1994 | 200', '| B | 1999 | 231'], 'ambiguous 0 1'],
]);

/** Requests, each with its near misses, the likeliest first. */
const NEAR: readonly (readonly [ask: string, ...offered: string[]])[] = [
  [
    'Lanternfish | Ula Brenk',
    'Lanternfishx | Ula Brenk',
    'Lanternfishes | Ula Brenk',
    'Lanternfish (Live) | Ula Brenk',
    'Lantern | Ula Brenk',
    'Lanternfish | Ovo',
    'Lanternfish (Karaoke) | Ula Brenk',
    'Mallet | Ula Brenk',
  ],
  [
    'Lanternfish | Ula Brenk',
    'Lanternfish | Ula Brenks',
    'Lanternfish | Ula Brenkes',
    'Lanternfish | Ulla Brand',
    'Lanternfish | Tribute to Ula Brenk',
  ],
  [
    'Lanternfish (Live at Cridgeton) | Ula Brenk',
    'Lanternfish (Live at Bridgeton) | Ula Brenk',
    'Lanternfish | Ula Brenk',
    'Lanternfish (Live at Ovo) | Ula Brenk',
  ],
  [
    'Lanternfish - Marshhaw Remix | Ula Brenk',
    'Lanternfish - Marshaw Remix | Ula Brenk',
    'Lanternfish | Ula Brenk',
    'Lanternfish - Tam Remix | Ula Brenk',
  ],
  ['Lanternfish (Live 1994) | Ula Brenk', 'Lanternfish (Live 1995) | Ula Brenk', 'Lanternfish | Ula Brenk'],
  ['Lanternfsh | Ula Brnk', 'Lanternfish | Ula Brenk', 'Lantern | Ula Brook'],
  [
    'Lantrnfsh (Live) | Ula Brenk',
    'Lanternfish (Live) | Ula Brenk',
    'Lanternfish | Ula Brenk',
    'Lanternfish - Tam Remix | Ula Brenk',
    'Lanternfish (Karaoke) | Ula Brenk',
  ],
];

for (const [ask, ...offered] of NEAR) {
  test(`near misses of ${ask}: ${offered.join(', ')}`, () => {
    const { status, candidates } = matchTrack(queryOf(ask), offered.map(trackOf).reverse());
    assert.equal(status, 'unmatched');
    assert.deepEqual(
      candidates.map(({ track: { name, artists } }) => `${name} | ${artists[0]?.name}`),
      offered.slice(0, 5),
    );
    const scores = candidates.map(({ score }) => score);
    assert.equal(new Set(scores).size, scores.length, `scores ${scores}`);
    assert.ok(scores.every((score) => score > 0 && score < 0.4));
  });
}

test('one or two typos in the title or the artist are near enough to be taken in one call; another version is not', () => {
  const scoreOf = (offered: string) =>
    matchTrack(queryOf('Lanternfish | Ula Brenk'), [trackOf(offered)]).candidates[0]?.score ?? 0;
  const near = ['Lanternfishes | Ula Brenk', 'Lanternfish | Ula Brenkes'];
  const other = ['Lanternfish (Live) | Ula Brenk', 'Lanternfishes (Live) | Ula Brenk'];
  assert.deepEqual(
    [...near, ...other].map((offered) => scoreOf(offered) >= NEAR_SCORE),
    [true, true, false, false],
  );
});

test('a title without its negation is neither a match nor near enough to be taken', () => {
  for (const [ask, offered] of [
    ['Can Sleep | Ula Brenk', "Can't Sleep | Ula Brenk"],
    ["Don't Sleep | Ula Brenk", 'Do Sleep | Ula Brenk'],
    ['Do Sleep | Ula Brenk', 'Don’t Sleep | Ula Brenk'],
    ['Ever Sleep | Ula Brenk', 'Never Sleep | Ula Brenk'],
  ] as const) {
    const { status, candidates } = matchTrack(queryOf(ask), [trackOf(offered)]);
    assert.equal(status, 'unmatched', ask);
    assert.ok((candidates[0]?.score ?? 0) < NEAR_SCORE, ask);
  }
});
