/** Text with one song a line, as people write and paste it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../src/music/lists/readList.ts';
import { bytesOf, ISRC, OTHER_TRACK, TRACK, testLists, testRefusals, told } from './told.ts';

const LINK = `https://open.spotify.com/intl-de/track/${'b'.repeat(22)}?si=0123456789abcdef`;
const ALBUM_LINK = `https://open.spotify.com/album/${'c'.repeat(22)}`;

testLists({
  'a plain list with a comment, a heading and an empty line': {
    file: '# for the party\nOvo Brenk - Plinth\n\nSide B:\n----\nOvo Brenk - Kettle\n// more later',
    told: [
      '1: comment',
      '2 Ovo Brenk / Plinth',
      '3: empty',
      '4: heading',
      '5: no words',
      '6 Ovo Brenk / Kettle',
      '7: comment',
    ],
  },
  'dashes of every kind': {
    file: 'Ovo - Plinth\nTam – Kettle\nUla — Rope\nOvo−− - Quill\nTam―Weir\nOvo -- Lantern',
    told: [
      '1 Ovo / Plinth',
      '2 Tam / Kettle',
      '3 Ula / Rope',
      '4 Ovo−− / Quill',
      '5 Tam / Weir',
      '6 Ovo / Lantern',
    ],
  },
  'version notes after a second dash belong to the title': {
    file: 'Ovo - Plinth - Live\nOvo - Kettle - Remastered 2011',
    told: ['1 Ovo / Plinth - Live', '2 Ovo / Kettle - Remastered 2011'],
  },
  'version notes belong to the title, also with the artist on the right': {
    file: 'Plinth - Ovo - Live\nKettle - Ovo\nRope - Remastered 2011 - Ovo',
    told: ['1 Ovo / Plinth - Live', '2 Ovo / Kettle', '3 Ovo / Rope - Remastered 2011'],
  },
  'Title by Artist': {
    file: 'Plinth by Ovo Brenk\nStand by Rope by Tam\n"Kettle" by The Weirs\nQuill - Live by Ula',
    told: ['1 Ovo Brenk / Plinth', '2 Tam / Stand by Rope', '3 The Weirs / Kettle', '4 Ula / Quill - Live'],
  },
  '"by" in a list with dashes is part of a name': {
    file: 'Ovo - Plinth\nOvo - Stand by Rope\nOvo - Kettle\nRope by rope\nOvo - Quill',
    told: ['1 Ovo / Plinth', '2 Ovo / Stand by Rope', '3 Ovo / Kettle', '4: no artist', '5 Ovo / Quill'],
  },
  'numbers with a full stop': {
    file: '1. Ovo - Plinth\n2. Tam - Kettle\n10.Ula - Rope',
    told: ['1 Ovo / Plinth', '2 Tam / Kettle', '3 Ula / Rope'],
  },
  'numbers in other ways': {
    file: '03) Ovo - Plinth\n04) Tam - Kettle\n(5) Ula - Rope\n[6] Ovo - Quill\n#7 Tam - Weir\nNo. 8: Ula - Lantern',
    told: [
      '1 Ovo / Plinth',
      '2 Tam / Kettle',
      '3 Ula / Rope',
      '4 Ovo / Quill',
      '5 Tam / Weir',
      '6 Ula / Lantern',
    ],
  },
  'numbers followed by a space or a dash': {
    file: '01 - Ovo - Plinth\n02 - Tam - Kettle\n03 - Ula - Rope',
    told: ['1 Ovo / Plinth', '2 Tam / Kettle', '3 Ula / Rope'],
  },
  'numbers followed by a space': {
    file: '98 Ovo - Plinth\n99 Tam - Kettle\n100 Ula - Rope',
    told: ['1 Ovo / Plinth', '2 Tam / Kettle', '3 Ula / Rope'],
  },
  'a countdown with headings in between': {
    file: 'Third place\n3. Ovo - Plinth\nSecond place\n2. Tam - Kettle\n1. Ula - Rope',
    told: ['1: no artist', '2 Ovo / Plinth', '3: no artist', '4 Tam / Kettle', '5 Ula / Rope'],
  },
  'numbers that are names stay': {
    file: '9. Kettle - Ovo\n1979 - Ovo\n24K Rope - Tam\nQuill - Ovo\n99 Lanterns - Ovo',
    told: ['1 Ovo / 9. Kettle', '2 Ovo / 1979', '3 Tam / 24K Rope', '4 Ovo / Quill', '5 Ovo / 99 Lanterns'],
  },
  'times in front, as below a video': {
    file: '0:00 Ovo - Plinth\n3:45 - Tam - Kettle\n[07:30] Ula - Rope\n1:02:10 Ovo - Quill',
    told: ['1 Ovo / Plinth', '2 Tam / Kettle', '3 Ula / Rope', '4 Ovo / Quill'],
  },
  'times at the end': {
    file: 'Ovo - Plinth 3:45\nTam - Kettle (4:02)\nUla - Rope [12:00]\nOvo - Quill – 3:01\nTam - 4:44\nUla - Weir | 2:22',
    told: [
      '1 Ovo / Plinth',
      '2 Tam / Kettle',
      '3 Ula / Rope',
      '4 Ovo / Quill',
      '5 Tam / 4:44',
      '6 Ula / Weir',
    ],
  },
  'a time in one title stays': {
    file: 'Ovo - Plinth\nTam - Kettle\nUla - Wish at 11:11\nOvo - Rope',
    told: ['1 Ovo / Plinth', '2 Tam / Kettle', '3 Ula / Wish at 11:11', '4 Ovo / Rope'],
  },
  'bullets and check boxes': {
    file: '- Ovo - Plinth\n* Tam - Kettle\n• Ula - Rope\n- [x] Ovo - Quill\n[ ] Tam - Weir\n> Ula - Lantern',
    told: [
      '1 Ovo / Plinth',
      '2 Tam / Kettle',
      '3 Ula / Rope',
      '4 Ovo / Quill',
      '5 Tam / Weir',
      '6 Ula / Lantern',
    ],
  },
  'bullets, numbers, times and years at once': {
    file: '• 1. [0:00] Ovo - Plinth (1999)\n• 2. [3:45] Tam - “Kettle” (2001)',
    told: ['1 Ovo / Plinth 1999', '2 Tam / Kettle 2001'],
  },
  'quotation marks': {
    file: 'Ovo Brenk "Plinth"\nTam „Kettle“\nUla: «Rope»\n“Quill” – Ovo\n“Weir”, Tam',
    told: ['1 Ovo Brenk / Plinth', '2 Tam / Kettle', '3 Ula / Rope', '4 Quill / Ovo', '5 Tam / Weir'],
  },
  'bars, with the album last': {
    file: 'Ovo | Plinth | First\nOvo | Kettle | First\nTam | Rope | Second',
    told: ['1 Ovo / Plinth (First)', '2 Ovo / Kettle (First)', '3 Tam / Rope (Second)'],
  },
  'tabs without a header': {
    file: '1\tPlinth\tOvo\t3:45\n2\tKettle\tOvo\t2:22\n3\tRope\tOvo\t4:00',
    told: ['1 Ovo / Plinth', '2 Ovo / Kettle', '3 Ovo / Rope'],
  },
  'what a player copies: title, length, artist, album': {
    file: 'Plinth\t3:45\tOvo\tFirst\nKettle\t2:22\tOvo\tFirst\nRope\t4:00\tOvo\tSecond',
    told: ['1 Ovo / Plinth (First)', '2 Ovo / Kettle (First)', '3 Ovo / Rope (Second)'],
  },
  'commas, where every line has one': {
    file: 'Plinth, Ovo\nKettle, Ovo\nRope, Tam\nQuill, Ovo\n',
    told: ['1 Ovo / Plinth', '2 Ovo / Kettle', '3 Tam / Rope', '4 Ovo / Quill'],
  },
  'a heading says which side is the artist': {
    file: 'Song - Artist\nOvo - Plinth\nOvo - Kettle',
    told: ['1: heading', '2 Plinth / Ovo', '3 Kettle / Ovo'],
  },
  'links, URIs and codes are taken as they are': {
    file: `${TRACK}\n${LINK}\nOvo - Plinth ${LINK}\nFor you: ${LINK}.\n${ISRC}\nTam - Kettle [ZZ-ABC-12-00002]`,
    told: [
      `1  /  ${TRACK}`,
      `2  /  ${OTHER_TRACK}`,
      `3 Ovo / Plinth ${OTHER_TRACK}`,
      `4  / For you ${OTHER_TRACK}`,
      `5  /  ${ISRC}`,
      '6 Tam / Kettle ZZABC1200002',
    ],
  },
  'several links on one line': {
    file: `${TRACK},${OTHER_TRACK} ${LINK}`,
    told: [`1  /  ${TRACK}`, `1  /  ${OTHER_TRACK}`, `1  /  ${OTHER_TRACK}`],
  },
  'addresses of other things': {
    file: `${ALBUM_LINK}\nOvo - Plinth ${ALBUM_LINK}\nhttps://spotify.link/abc\nhttps://example.com/1\nspotify:local:Ovo::Plinth:1\nTam - Kettle https://example.com/2`,
    told: [
      '1: the address of an album, not of a song',
      '2 Ovo / Plinth',
      '3: an address that does not say which song; open a short link in a browser to get the full address',
      '4: a link that is not to Spotify',
      '5: a local file, which Spotify keeps on one device only',
      '6 Tam / Kettle',
    ],
  },
  'names in other scripts': {
    file: '音楽家 - 曲名\nЖар Вейр — Чайник\nعود - غناء',
    told: ['1 音楽家 / 曲名', '2 Жар Вейр / Чайник', '3 عود / غناء'],
  },
  'controls in a name are left out': {
    file: 'Ovo\u001b[31m - Pl\u202einth',
    told: ['1 Ovo[31m / Plinth'],
  },
});

const SIDES: Readonly<
  Record<string, readonly [file: string, side: string, because: string, certain: boolean]>
> = {
  'names that repeat': ['A - Ovo\nB - Ovo\nC - Ovo\nD - Tam', 'right', 'names repeat on the right', true],
  'notes of titles': [
    'Plinth (Live) - Ovo\nKettle [Remix] - Tam\nRope (feat. Ula) - Quill',
    'right',
    'titles with notes are on the left',
    true,
  ],
  'joint names': ['Ovo & Tam - Plinth\nUla x Quill - Kettle', 'left', 'joint names are on the left', false],
  'no evidence': ['Ovo - Plinth\nTam - Kettle', 'left', 'no other evidence; most lists put it there', false],
};

for (const [sign, [file, side, because, certain]] of Object.entries(SIDES)) {
  test(`the side of the artist is decided by ${sign}`, () => {
    assert.deepEqual(readList(bytesOf(file)).decided, { artistSide: { side, because, certain } });
  });
}

test('the side of the artist can be given', () => {
  assert.deepEqual(told('Ovo - Plinth\nOvo - Kettle', { artistSide: 'right' }), [
    '1 Plinth / Ovo',
    '2 Kettle / Ovo',
  ]);
});

testRefusals((what) => `${what} alone: refused with the line`, {
  'a letter': [
    'Dear Ovo,\nthank you for the kettle - it works.\nIt is blue\nand round\nand sings\nat night\n',
    'Only 1 of 6 lines can be read as a song; line 1 cannot (no artist). | line 1',
  ],
  titles: [
    'Plinth\nKettle\n',
    'No song was found in the file, read as text with one song a line. Line 1: no artist. | line 1',
  ],
  'a web page': ['<!DOCTYPE html>\n<p>Ovo - Plinth', 'Line 1 begins a web page, not a list. | line 1'],
  'other XML': ['<?xml version="1.0"?><rss/>', 'The XML is neither XSPF nor an iTunes library. | line 1'],
});

test('prose is read if the format is given', () => {
  const file = 'Dear Ovo,\nthank you - it works.\na\nb\nc\nd\n';
  assert.equal(readList(bytesOf(file), { format: 'txt' }).entries.length, 1);
});
