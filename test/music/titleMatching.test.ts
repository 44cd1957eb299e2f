import { type Row, testRows } from './matchRows.ts';

const VERSION = 'matched 0: version';
const UNNAMED = 'matched 0: version_unnamed';
const OTHER_VERSION = 'unmatched 0: version_differs';
const OTHER_TITLE = 'unmatched 0: title_differs, artist';

function pairs(result: string, rows: readonly (readonly [asked: string, offered: string])[]): Row[] {
  return rows.map(([asked, offered]) => [`${asked} | Ula`, [`${offered} | Ula`], result]);
}

testRows(
  pairs('matched 0', [
    ['Ete Perdu a Quillport', 'Été Perdu à Quillport'],
    ['Smorbrod pa Manen', 'Smørbrød på Månen'],
    ['GROSSE STRASSE', 'Große Straße'],
    ['Cæsium Dæmon', 'Caesium Daemon'],
    ['маяк и йод', 'Маяк и Йод'],
    ['ΦΆΡΟΣ', 'Φάρος'],
    ['ガラス窓', 'ｶﾞﾗｽ窓'],
    ['منارة', 'مَنارة'],
    ['등대', '등대'],
    ['Ｐｌｉｎｔｈ', 'Plinth'],
    ['Don’t Unpick It', "Don't Unpick It"],
    ['Dont Unpick It', "Don't Unpick It"],
    ['Rope & Tar', 'Rope and Tar'],
    ["Rope 'n' Tar", 'Rope & Tar'],
    ['Mending…', 'Mending'],
    ['Mending - Weighing', 'Mending – Weighing'],
    ['Night-Ferry', 'Nightferry'],
    ['Rise/Fall/Rise', 'Rise / Fall / Rise'],
    ['11:47', '11:47'],
    ['10000 Kettles', '10,000 Kettles'],
    ['Plinth, Pt. 1', 'Plinth (Part I)'],
    ['Plinth Part Two', 'Plinth - Pt. 2'],
    ['Kettle Vol. 2', 'Kettle, Volume II'],
    ['???', '???'],
    ['…—…', '…—…'],
    ['🔥', '🔥️'],
    ['Plinth 🔥', 'Plinth'],
    ['Plinth (From "The Ferry")', 'Plinth'],
    [`Plinth ${'and Mallet '.repeat(17)}`.trim(), `Plinth ${'& Mallet '.repeat(17)}`.trim()],
  ]),
);

testRows(
  pairs(OTHER_TITLE, [
    ['Plinth', 'Plinths'],
    ['Plinth', 'Plinth (Reprise)'],
    ['Plinth', 'Plinth / Mallet'],
    ['Rise', 'Rise/Fall/Rise'],
    ['Plinth, Pt. 1', 'Plinth, Pt. 2'],
    ['Plinth, Pt. 1', 'Plinth'],
    ['Plinth 2', 'Plinth II'],
    ['Plinth 1 23', 'Plinth 12 3'],
    ['???', '?!?'],
    ['🔥', '❤️'],
    ['が', 'か'],
    ['Lanterns', 'Live Lanterns'],
    ['My Kettle', 'Cover My Kettle'],
  ]),
);

testRows(
  pairs(VERSION, [
    ['Plinth (Live)', 'Plinth - Live'],
    ['Plinth (Live)', 'Plinth - En Vivo'],
    ['Plinth - Live at Brask Hall', 'Plinth (Live at Brask)'],
    ['Plinth - Live at Brask', 'Plinth (Live from Brask, 1994)'],
    ['Plinth (Ovo Remix)', 'Plinth - Ovo Remix'],
    ['Plinth (Ovo Remix)', 'Plinth (Remixed by Ovo)'],
    ['Plinth (Acoustic)', 'Plinth - Acoustic Version'],
    ['Plinth (Unplugged)', 'Plinth - Acoustic'],
    ['Plinth (Instrumental)', 'Plinth - Instrumental Version'],
    ['Plinth (Sped Up)', 'Plinth - Sped Up Version'],
    ['Plinth (Slowed & Reverb)', 'Plinth - Slowed + Reverb'],
    ["Plinth (Ula's Version)", 'Plinth (Ula’s Version)'],
  ]),
);

testRows(
  pairs(OTHER_VERSION, [
    ['Plinth', 'Plinth (Live)'],
    ['Plinth', 'Plinth - Ovo Remix'],
    ['Plinth', 'Plinth (Acoustic)'],
    ['Plinth', 'Plinth - Instrumental'],
    ['Plinth', 'Plinth (Sped Up)'],
    ['Plinth', 'Plinth - Slowed'],
    ['Plinth', 'Plinth (Demo)'],
    ['Plinth', 'Plinth (Extended Mix)'],
    ['Plinth', 'Plinth (Re-Recorded)'],
    ['Plinth', "Plinth (Ula's Version)"],
    ['Plinth', 'Plinth - French Version'],
    ['Plinth (Live)', 'Plinth'],
    ['Plinth (Acoustic)', 'Plinth'],
    ['Plinth (Live)', 'Plinth (Live Acoustic)'],
    ['Plinth (Live at Brask)', 'Plinth (Live at Velhaven)'],
    ['Plinth (Live 1994)', 'Plinth (Live 2003)'],
    ['Plinth (Ovo Remix)', 'Plinth (Tam Remix)'],
    ['Plinth (Ovo Remix)', 'Plinth (Ovoline Remix)'],
    ['Plinth (Ovo Remix)', 'Plinth (Remix)'],
    ['Plinth (Slowed)', 'Plinth (Slowed + Reverb)'],
    ['Live (Live)', 'Live'],
  ]),
);

testRows([
  ['Plinth (Remix) | Ula', ['Plinth - Ovo Remix | Ula'], UNNAMED],
  ['Plinth (Remix) | Ula', ['Plinth - Ovo Remix | Ula', 'Plinth - Tam Remix | Ula'], 'ambiguous 0 1'],
  ['Plinth (Remix) | Ula', ['Plinth - Ovo Remix | Ula', 'Plinth - Remix | Ula'], 'matched 1: version'],
  ['Plinth (Ovo Remix) | Ula', ['Plinth (Remix) | Ula ; Ovo'], 'matched 0: version_unnamed'],
  ['Plinth (Ovo Remix) | Ula', ['Plinth - Ovo Remix | Ula ; Ovo'], VERSION],
  ['Plinth (Live at Brask) | Ula', ['Plinth - Live | Ula'], UNNAMED],
  ['Plinth (Live) | Ula', ['| Live at Brask'], 'matched 0: version, album_version'],
  ['Plinth | Ula', ['| Live at Brask | 1990 | 250', '| Tinderbox | 1994 | 200'], 'matched 1'],
  ['Plinth | Ula', ['Plinth - Live | Ula', 'Plinth (Ovo Remix) | Ula', 'Plinth | Ula'], 'matched 2'],
  ['Plinth Live | Ula', ['Plinth (Live) | Ula'], 'matched 0: title_words'],
  ['Plinth Ovo Remix | Ula', ['Plinth - Ovo Remix | Ula'], 'matched 0: title_words'],
  ['Plinth Live | Ula', ['Plinth (Live) | Ula', 'Plinth Live | Ula'], 'matched 1'],
  ['The Plinth | Ula', ['Plinth | Ula'], 'matched 0: title_article'],
  ['Plinth | Ula', ['The Plinth | Ula', 'Plinth | Ula'], 'matched 1'],
  ['" " | Ula', ['Plinth | Ula'], OTHER_TITLE],
]);
