import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutNoise } from '../../src/music/listNoise.ts';
import { queryOf, testRows } from './matchRows.ts';

/** Titles of Ula Brenk's songs as lists write them, each with the title without noise. */
const TITLES: readonly (readonly [written: string, plain: string])[] = [
  ['Plinth', 'Plinth'],
  ['Plinth HD', 'Plinth'],
  ['Plinth 4K', 'Plinth'],
  ['Plinth Full HD', 'Plinth'],
  ['Plinth Lyrics', 'Plinth'],
  ['Plinth with Lyrics', 'Plinth'],
  ['Plinth Official Video', 'Plinth'],
  ['Plinth OFFICIAL MUSIC VIDEO', 'Plinth'],
  ['Plinth Official Music Video HD', 'Plinth'],
  ['Plinth Official Lyric Video 4K', 'Plinth'],
  ['Plinth (Official Audio) HD', 'Plinth'],
  ['Plinth [Official Video] [HD]', 'Plinth'],
  ['Plinth HD (Audio)', 'Plinth'],
  ['Plinth 4K [Video]', 'Plinth'],
  ['Plinth M/V', 'Plinth'],
  ['Plinth Vidéo Officielle', 'Plinth'],
  ['Plinth Video Oficial', 'Plinth'],
  ['Plinth Offizielles Video', 'Plinth'],
  ['Plinth | Official Video', 'Plinth'],
  ['Plinth // Official Video', 'Plinth'],
  ['Été Perdu HD', 'Été Perdu'],
  ['Straße HD', 'Straße'],
  ['灯台 HD', '灯台'],
  ['03. Plinth', 'Plinth'],
  ['03.Plinth', 'Plinth'],
  ['12) Plinth', 'Plinth'],
  ['[07] Plinth', 'Plinth'],
  ['(7) Plinth', 'Plinth'],
  ['#7: Plinth', 'Plinth'],
  ['03 Plinth', 'Plinth'],
  ['03 - Plinth', 'Plinth'],
  ['3 – Plinth', 'Plinth'],
  ['1-03 Plinth', 'Plinth'],
  ['A1. Plinth', 'Plinth'],
  ['B2 - Plinth', 'Plinth'],
  ['Track 3: Plinth', 'Plinth'],
  ['• Plinth', 'Plinth'],
  ['- Plinth', 'Plinth'],
  ['Plinth.mp3', 'Plinth'],
  ['03_-_Ula_Brenk_-_Plinth.flac', 'Plinth'],
  ['Ula Brenk - Plinth', 'Plinth'],
  ['Ula Brenk – Plinth', 'Plinth'],
  ['Ula Brenk-  Plinth', 'Plinth'],
  ['Ula Brenk: Plinth', 'Plinth'],
  ['Ula Brenk | Plinth', 'Plinth'],
  ['Ula Brenk // Plinth', 'Plinth'],
  ['Ula Brenk "Plinth"', 'Plinth'],
  ['Ula Brenk - Plinth - Live', 'Plinth - Live'],
  ['Ula Brenk - Plinth (Live at Brask)', 'Plinth (Live at Brask)'],
  ['Ula Brenk - Plinth (Official Video)', 'Plinth'],
  ['Ula Brenk - Plinth [4K]', 'Plinth'],
  ['03. Ula Brenk - Plinth (Official Audio) HD', 'Plinth'],
  ['07 - Ula Brenk - Plinth.mp3', 'Plinth'],
  ['Ula Brenk feat. Ovo - Plinth', 'Plinth (feat. Ovo)'],
  ['Ula Brenk & Ovo - Plinth', 'Plinth (feat. Ovo)'],
  ['Plinth - Ula Brenk', 'Plinth'],
  ['Plinth by Ula Brenk', 'Plinth'],
  ['Plinth (3:45)', 'Plinth'],
  ['Plinth [1:03:45]', 'Plinth'],
  ['Ula Brenk - Plinth (Official Video) [3:45]', 'Plinth'],
  ['Rope &amp; Tar', 'Rope & Tar'],
  ['Don&#39;t &quot;Rope&quot; &#x2013; Live', `Don't "Rope" - Live`],
  ['&#201;t&#xe9;&nbsp;Perdu HD', 'Été Perdu'],
  ['Plinth Radio Edit', 'Plinth - Radio Edit'],
  ['Plinth Album Version', 'Plinth - Album Version'],
];

for (const [written, plain] of TITLES) {
  test(`"${written}" in a list is "${plain}"`, () => {
    assert.equal(withoutNoise({ title: written, artist: 'Ula Brenk' }).title, plain);
  });
}

/** Titles without noise. */
const KEPT = [
  '99 Lanterns',
  '7 Kettles',
  '11:47',
  '1979',
  '03',
  '24/7',
  '3.14 Kettles',
  'Lyrics',
  'HD',
  '(Live)',
  'Ula Brenk',
  'Ula Brenk - Live',
  'Ula Brenk - Remix',
  'Video Plinth',
  'Official Plinth',
  'The Audio Plinth',
  'Stand by Me',
  'Plinth - Mallet',
  'Plinth: Mallet',
  'Ovo - Plinth',
  'Plinth Live',
  'Plinth Karaoke',
  'Plinth Acoustic',
  '…—…',
  '???',
  '灯台',
  'Rise/Fall/Rise',
  'Rope & Tar; Kettle',
  'Rope &unknown; Tar',
  'Rope &#0; Tar',
  '(3:45)',
  '(1999)',
  'Plinth (12)',
];

for (const title of KEPT) {
  test(`"${title}" has nothing to remove`, () => {
    assert.deepEqual(withoutNoise({ title, artist: 'Ula Brenk' }), { title, artist: 'Ula Brenk' });
  });
}

test('a year in brackets after the title or the artist is the year, unless another one is given', () => {
  const asked = { title: 'Plinth (1999)', artist: 'Ula Brenk' };
  assert.deepEqual(withoutNoise(asked), { title: 'Plinth', artist: 'Ula Brenk', year: 1999 });
  assert.deepEqual(withoutNoise({ title: 'Plinth', artist: 'Ula Brenk (1999)' }), {
    title: 'Plinth',
    artist: 'Ula Brenk',
    year: 1999,
  });
  assert.deepEqual(withoutNoise({ ...asked, year: 2001 }), {
    title: 'Plinth',
    artist: 'Ula Brenk',
    year: 2001,
  });
});

/** Names of channels, each with its artist. */
const CHANNELS: readonly (readonly [channel: string, artist: string])[] = [
  ['Ula Brenk - Topic', 'Ula Brenk'],
  ['Ula &amp; Brenk', 'Ula & Brenk'],
  ['UlaBrenkVEVO', 'Ula Brenk'],
  ['UlaBrenkVevo', 'Ula Brenk'],
  ['Ula Brenk VEVO', 'Ula Brenk'],
  ['ULABRENKVEVO', 'ULABRENK'],
  ['TheKettlesVEVO', 'The Kettles'],
  ['MORVVEVO', 'MORV'],
  ['Ula Brenk Official', 'Ula Brenk'],
  ['Ula Brenk (Official)', 'Ula Brenk'],
  ['Ula Brenk - Official', 'Ula Brenk'],
  ['Ula Brenk Official Channel', 'Ula Brenk'],
  ['Ula Brenk Official YouTube Channel', 'Ula Brenk'],
  ['UlaBrenkOfficial', 'Ula Brenk'],
  ['Ёлкин - Topic', 'Ёлкин'],
  ['Topic', 'Topic'],
  ['VEVO', 'VEVO'],
  ['Official', 'Official'],
  ['Unofficial', 'Unofficial'],
  ['The Official', 'The Official'],
  ['Hot Topic', 'Hot Topic'],
];

for (const [channel, artist] of CHANNELS) {
  test(`the channel "${channel}" is that of "${artist}"`, () => {
    assert.deepEqual(withoutNoise({ title: 'Plinth', artist: channel }), { title: 'Plinth', artist });
  });
}

for (const nobody of ['Various Artists', 'V.A.', 'Unknown Artist', 'unknown', 'N/A']) {
  test(`"${nobody}" is no artist: the title names one`, () => {
    const query = { title: '03. Ula Brenk - Plinth [HD]', artist: nobody, year: 1994 };
    assert.deepEqual(withoutNoise(query), { title: 'Plinth', artist: 'Ula Brenk', year: 1994 });
    assert.equal(withoutNoise({ title: 'Plinth', artist: nobody }).title, 'Plinth');
  });
}

/** A track that fits the query as written wins over a track that fits only without possible noise. */
testRows([
  ['9. Plinth | Ula', ['Plinth | Ula', '9. Plinth | Ula'], 'matched 1'],
  ['9. Plinth | Ula', ['Plinth | Ula'], 'matched 0'],
  ['Plinth HD | Ula', ['Plinth | Ula', 'Plinth HD | Ula'], 'matched 1'],
  ['Ula - Plinth | Ula', ['Plinth | Ula', 'Ula Plinth | Ula'], 'matched 1'],
  ['Plinth | Ula Official', ['Plinth | Ula', 'Plinth | Ula Official'], 'matched 1'],
  ['Ula - Live | Ula', ['Live | Ula'], 'unmatched 0: title_differs, artist, version_differs'],
  ['Plinth - Live | Live', ['Plinth - Live at Brask | Live', 'Plinth | Live'], 'matched 1'],
  ['Plinth - Live | Live', ['Plinth | Live', 'Plinth - Live | Live'], 'matched 1: version'],
  ['Ovo - Plinth | Ula', ['Plinth | Ula'], 'unmatched 0: title_differs, artist'],
  ['Ula - Plinth - Ula by Ula HD | Ula', ['| | | 180', 'Plinth - Ula By Ula | Ula | | | 240'], 'matched 1'],
  ['Ovo - Plinth | Ula', ['Plinth | Ovo'], 'unmatched'],
  ['Plinth | Ula', ['Plinth | Ula - Topic'], 'unmatched 0: title, artist_differs'],
  ['Plinth | Ula', ['Plinth | UlaVEVO'], 'unmatched 0: title, artist_differs'],
  ['Ula - Plinth (Karaoke) | Ula', ['Plinth | Ula'], 'unmatched 0: version_differs'],
  ['Ula - Plinth (Cover by Ovo) | Ula', ['Plinth | Ula'], 'unmatched 0: version_differs'],
  ['Plinth (Ula Cover) HD | Ovo', ['Plinth | Ula'], 'unmatched'],
  ['Ula - Plinth (Live) HD | Ula', ['Plinth | Ula', 'Plinth - Live | Ula'], 'matched 1: version'],
  ['Plinth Live HD | Ula', ['Plinth (Live) | Ula'], 'matched 0: title_words'],
  ['Ula - Plinth - Ovo Remix [HQ] | Ula', ['Plinth (Ovo Remix) | Ula'], 'matched 0: version'],
  [
    'Plinth feat. Ovo Official Video | Ula',
    ['| | | 180', 'Plinth (feat. Ovo) | Ula ; Ovo | | | 240'],
    'matched 1',
  ],
  ['Ula feat. Ovo - Plinth | Ula', ['| | | 180', 'Plinth (feat. Ovo) | Ula ; Ovo | | | 240'], 'matched 1'],
  ['Plinth feat. Ovo | Ula', ['Plinth feat. Ovo, Pt. 2 | Ula ; Ovo', 'Plinth | Ula ; Ovo'], 'matched 1'],
]);

/** Lists without punctuation. */
const WITHOUT_SIGNS = 'matched 0: signs_differ';
const IN_BRACKETS = 'matched 0: title_words';
testRows([
  ['Rope Tar | Ula', ['Rope & Tar | Ula'], 'matched 0: signs_differ'],
  ['Rope Tar | Ula', ['Rope & Tar | Ula', 'Rope Tar | Ula'], 'matched 1'],
  ['Rope and Tar | Ula', ['Rope Tar | Ula'], 'unmatched 0: title_differs, artist'],
  ['1147 | Ula', ['11:47 | Ula'], 'matched 0: signs_differ'],
  ['11 47 | Ula', ['11:47 | Ula'], 'matched 0'],
  ['1 147 | Ula', ['11:47 | Ula'], 'unmatched 0: title_differs, artist'],
  ['Ksk8 | Ula', ['K$sk8 | Ula'], 'matched 0: signs_differ'],
  ['Plinth From The Ferry | Ula', ['Plinth (From "The Ferry") | Ula'], IN_BRACKETS],
  ['Plinth with Ovo | Ula', ['Plinth (with Ovo) | Ula ; Ovo'], 'matched 0: title_words, other_artists'],
  ['Plinth Live at Brask | Ula', ['Plinth (Live at Brask) | Ula'], IN_BRACKETS],
  [
    'Plinth feat Ovo Tam Remix | Ula',
    ['Plinth (feat. Ovo) - Tam Remix | Ula ; Ovo'],
    'matched 0: other_artists',
  ],
  ['Plinth Radio Edit | Ula', ['Plinth - Radio Edit | Ula'], 'matched 0: title_words, note_differs'],
  ['Plinth | Tin Copper', ['Plinth | Tin & Copper'], WITHOUT_SIGNS],
  ['Plinth | Tin Copper Brass', ['Plinth | Tin, Copper & Brass'], WITHOUT_SIGNS],
  ['Plinth | Ula Brenk Ovo', ['Plinth | Ula Brenk ; Ovo'], WITHOUT_SIGNS],
  ['Plinth | Ula Ovo', ['Plinth | Ula ; Ovo'], 'unmatched 0: title, artist_differs'],
  ['Plinth | Ksk8', ['Plinth | K$sk8'], WITHOUT_SIGNS],
  ['Plinth | MORV', ['Plinth | M.O.R.V.'], 'matched 0'],
]);

test('a query without noise is returned as it is', () => {
  const query = queryOf('Plinth, Pt. 1 (Live) | Ula & Ovo | Rooms | 1994');
  assert.equal(JSON.stringify(withoutNoise(query)), JSON.stringify(query));
});
