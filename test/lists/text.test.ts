/** Text with one song a line, as people write and paste it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../src/music/lists/readList.ts';
import { bytesOf, ISRC, OTHER_TRACK, TRACK, testLists, testRefusals, told } from './told.ts';

const LINK = `https://open.spotify.com/intl-de/track/${'b'.repeat(22)}?si=0123456789abcdef`;
/** An ID without the address around it. */
const ID = '4uLU6hMCjMI75M1A2tKUQC';
const ALBUM_LINK = `https://open.spotify.com/album/${'c'.repeat(22)}`;

testLists({
  'a plain list with a comment, a heading and an empty line': [
    '# for the party\nOvo Brenk - Plinth\n\nSide B:\n----\nOvo Brenk - Kettle\n// more later',
    '1: comment\n2 Ovo Brenk / Plinth\n3: empty\n4: heading\n5: no words\n6 Ovo Brenk / Kettle\n7: comment',
  ],
  'dashes of every kind': [
    'Ovo - Plinth\nTam – Kettle\nUla — Rope\nOvo−− - Quill\nTam―Weir\nOvo -- Lantern',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo−− / Quill\n5 Tam / Weir\n6 Ovo / Lantern',
  ],
  'version notes belong to the title, also with the artist on the right': [
    'Plinth - Ovo - Live\nKettle - Ovo\nRope - Remastered 2011 - Ovo',
    '1 Ovo / Plinth - Live\n2 Ovo / Kettle\n3 Ovo / Rope - Remastered 2011',
  ],
  'Title by Artist': [
    'Plinth by Ovo Brenk\nStand by Rope by Tam\n"Kettle" by The Weirs\nQuill - Live by Ula',
    '1 Ovo Brenk / Plinth\n2 Tam / Stand by Rope\n3 The Weirs / Kettle\n4 Ula / Quill - Live',
  ],
  'characters as HTML writes them': [
    '<li>Ovo &amp; Tam &ndash; Plinth</li>\nUla &ndash; Don&#39;t Rope<br />',
    "1 Ovo & Tam / Plinth\n2 Ula / Don't Rope",
  ],
  'numbers that are names stay': [
    '9. Kettle - Ovo\n1979 - Ovo\n24K Rope - Tam\nQuill - Ovo\n99 Lanterns - Ovo',
    '1 Ovo / 9. Kettle\n2 Ovo / 1979\n3 Tam / 24K Rope\n4 Ovo / Quill\n5 Ovo / 99 Lanterns',
  ],
  'times at the end': [
    'Ovo - Plinth 3:45\nTam - Kettle (4:02)\nUla - Rope [12:00]\nOvo - Quill – 3:01\nTam - 4:44\nUla - Weir | 2:22',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Quill\n5 Tam / 4:44\n6 Ula / Weir',
  ],
  'from when to when, as below a video': [
    '00:00 - 03:45 Ovo - Plinth\n03:45 – 07:00 Tam - Kettle\n07:00-09:10 Ula - Rope',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope',
  ],
  'quotation marks': [
    'Ovo Brenk "Plinth"\nTam „Kettle“\nUla: «Rope»\n“Quill” – Ovo\n“Weir”, Tam',
    '1 Ovo Brenk / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Quill\n5 Tam / Weir',
  ],
  'remarks after titles in quotation marks': [
    [
      '1. "Plinth" by Ovo (1999) – a great opener',
      '2. "Kettle - Part 2" by Tam (2001): mellow, and warm',
      '3. Ula – "Rope" – for the road',
      '4. Ula - "Quill" - Live at Brask',
      '5. "Weir - Live" by Ovo (2003) - for dancing',
    ].join('\n'),
    '1 Ovo / Plinth 1999\n2 Tam / Kettle - Part 2 2001\n3 Ula / Rope\n4 Ula / Quill - Live at Brask\n5 Ovo / Weir - Live 2003',
  ],
  'version notes after artists': [
    `"Plinth" by Ovo - Live\n“Kettle,” by Tam – Ula Remix\n'Rope' by Ula: Part 2\n"Quill" by Ovo`,
    '1 Ovo / Plinth - Live\n2 Tam / Kettle - Ula Remix\n3 Ula / Rope - Part 2\n4 Ovo / Quill',
  ],
  'titles in single quotation marks': [
    `1. 'Don't Rope' by Ovo - a great opener\n2. ‘Kettle’ by Tam: mellow\n3. 'Quill' by Ula`,
    `1 Ovo / Don't Rope\n2 Tam / Kettle\n3 Ula / Quill`,
  ],
  'apostrophes in front of shortened words': [
    `'Til Tuesday - Livin' by Night\nTam - 'Cause I'm Ropin' by Day\nOvo - Kettle`,
    `1 'Til Tuesday / Livin' by Night\n2 Tam / 'Cause I'm Ropin' by Day\n3 Ovo / Kettle`,
  ],
  'remarks after songs in bold': [
    '1. **Ovo – Plinth** – a great opener\n2. **Tam – Kettle - Live** (2001): mellow\n3. **Ula – Rope:** for the road\n4. **Ovo – Quill** – Live at Brask\n5. **Tam – Weir** – Ula Remix',
    '1 Ovo / Plinth\n2 Tam / Kettle - Live (2001)\n3 Ula / Rope\n4 Ovo / Quill - Live at Brask\n5 Tam / Weir - Ula Remix',
  ],
  'asterisks that are part of a name': [
    '*Ovo - Plinth\nT*M - K**tle\nUla - Rope ** Tar\nQuill - W***',
    '1 *Ovo / Plinth\n2 T*M / K**tle\n3 Ula / Rope ** Tar\n4 Quill / W***',
  ],
  'a block of code within an answer': [
    'Here are two songs:\n\n```\nOvo - Plinth\nTam - Kettle\n```\nEnjoy - have fun',
    '1: outside the block of code\n2: empty\n3: empty\n4 Ovo / Plinth\n5 Tam / Kettle\n6: empty\n7: outside the block of code',
  ],
  'bars, with the album last': [
    'Ovo | Plinth | First\nOvo | Kettle | First\nTam | Rope | Second',
    '1 Ovo / Plinth (First)\n2 Ovo / Kettle (First)\n3 Tam / Rope (Second)',
  ],
  'what a player copies: title, length, artist, album': [
    'Plinth\t3:45\tOvo\tFirst\nKettle\t2:22\tOvo\tFirst\nRope\t4:00\tOvo\tSecond',
    '1 Ovo / Plinth (First)\n2 Ovo / Kettle (First)\n3 Ovo / Rope (Second)',
  ],
  'commas, where every line has one': [
    'Plinth, Ovo\nKettle, Ovo\nRope, Tam\nQuill, Ovo\n',
    '1 Ovo / Plinth\n2 Ovo / Kettle\n3 Tam / Rope\n4 Ovo / Quill',
  ],
  'a heading says which side is the artist': [
    'Song - Artist\nOvo - Plinth\nOvo - Kettle',
    '1: heading\n2 Plinth / Ovo\n3 Kettle / Ovo',
  ],
  'links, URIs and codes are taken as they are': [
    `${TRACK}\n${LINK}\nOvo - Plinth ${LINK}\nFor you: ${LINK}.\n${ISRC}\nTam - Kettle [ZZ-ABC-12-00002]`,
    `1  /  ${TRACK}\n2  /  ${OTHER_TRACK}\n3 Ovo / Plinth ${OTHER_TRACK}\n4  / For you ${OTHER_TRACK}\n5  /  ${ISRC}\n6 Tam / Kettle ZZABC1200002`,
  ],
  'links of Markdown': [
    `[Plinth](${LINK}) – Ovo\n[Tam – Kettle](https://example.com/1)\n[Rope](https://example.com/2) – Ula`,
    `1 Plinth / Ovo ${OTHER_TRACK}\n2 Tam / Kettle\n3 Rope / Ula`,
  ],
  'bare IDs': [
    `${ID}\n\n# more\n ${ID} `,
    `1  /  spotify:track:${ID}\n2: empty\n3: comment\n4  /  spotify:track:${ID}`,
  ],
  'several links on one line': [
    `${TRACK},${OTHER_TRACK} ${LINK}`,
    `1  /  ${TRACK}\n1  /  ${OTHER_TRACK}\n1  /  ${OTHER_TRACK}`,
  ],
  'addresses of other things': [
    `${ALBUM_LINK}\nOvo - Plinth ${ALBUM_LINK}\nhttps://spotify.link/abc\nhttps://example.com/1\nspotify:local:Ovo::Plinth:1\nTam - Kettle https://example.com/2`,
    [
      '1: the address of an album, not of a song',
      '2 Ovo / Plinth',
      '3: an address that does not say which song; open a short link in a browser to get the full address',
      '4: a link that is not to Spotify',
      '5: a local file, which Spotify keeps on one device only',
      '6 Tam / Kettle',
    ],
  ],
  'controls in a name are left out': ['Ovo\u001b[31m - Pl\u202einth', '1 Ovo[31m / Plinth'],
});

const SIDES: readonly (readonly [file: string, side: string, because: string, certain: boolean])[] = [
  ['A - Ovo\nB - Ovo\nC - Ovo\nD - Tam', 'right', 'names repeat on the right', true],
  [
    'A (Live) - Ovo\nB [Remix] - Tam\nC (feat. X) - Quill',
    'right',
    'titles with notes are on the left',
    true,
  ],
  ['Ovo & Tam - Plinth\nUla x Quill - Kettle', 'left', 'joint names are on the left', false],
  ['"Plinth" - Ovo\n“Kettle” - Tam', 'right', 'titles in quotation marks are on the left', true],
  ['Ovo - Plinth\nTam - Kettle', 'left', 'no other evidence; most lists put it there', false],
];

for (const [file, side, because, certain] of SIDES) {
  test(`the side of the artist: ${because}`, () => {
    assert.deepEqual(readList(bytesOf(file)).decided, { artistSide: { side, because, certain } });
  });
}

test('the side of the artist can be given', () => {
  assert.deepEqual(told('Ovo - Plinth\nOvo - Kettle', { artistSide: 'right' }), [
    '1 Plinth / Ovo',
    '2 Kettle / Ovo',
  ]);
});

testRefusals((what) => `${what} alone: refused, and the error names the line`, {
  'a letter': [
    'Dear Ovo,\nthank you for the kettle - it works.\nIt is blue\nand round\nand sings\nat night\n',
    'Only 1 of 6 lines can be read as a song; line 1 cannot (no artist). | line 1',
  ],
  titles: [
    'Plinth\nKettle\n',
    'The file was read as text with one song a line, but no song was found in it. Line 1: no artist. | line 1',
  ],
});

test('every line is a song if the format is given', () => {
  const file = 'Dear Ovo,\nthank you - it works.\na\nb\n\nc\nd\n';
  assert.equal(readList(bytesOf(file), { format: 'txt' }).entries.length, 6);
});
