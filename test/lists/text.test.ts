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
    [
      '1: comment',
      '2 Ovo Brenk / Plinth',
      '3: empty',
      '4: heading',
      '5: no words',
      '6 Ovo Brenk / Kettle',
      '7: comment',
    ],
  ],
  'dashes of every kind': [
    'Ovo - Plinth\nTam – Kettle\nUla — Rope\nOvo−− - Quill\nTam―Weir\nOvo -- Lantern',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo−− / Quill\n5 Tam / Weir\n6 Ovo / Lantern',
  ],
  'version notes after a second dash belong to the title': [
    'Ovo - Plinth - Live\nOvo - Kettle - Remastered 2011',
    '1 Ovo / Plinth - Live\n2 Ovo / Kettle - Remastered 2011',
  ],
  'version notes belong to the title, also with the artist on the right': [
    'Plinth - Ovo - Live\nKettle - Ovo\nRope - Remastered 2011 - Ovo',
    '1 Ovo / Plinth - Live\n2 Ovo / Kettle\n3 Ovo / Rope - Remastered 2011',
  ],
  'Title by Artist': [
    'Plinth by Ovo Brenk\nStand by Rope by Tam\n"Kettle" by The Weirs\nQuill - Live by Ula',
    '1 Ovo Brenk / Plinth\n2 Tam / Stand by Rope\n3 The Weirs / Kettle\n4 Ula / Quill - Live',
  ],
  '"by" in a list with dashes is part of a name': [
    'Ovo - Plinth\nOvo - Stand by Rope\nOvo - Kettle\nRope by rope\nOvo - Quill',
    '1 Ovo / Plinth\n2 Ovo / Stand by Rope\n3 Ovo / Kettle\n4  / Rope by rope\n5 Ovo / Quill',
  ],
  'numbers with a full stop': [
    '1. Ovo - Plinth\n2. Tam - Kettle\n10.Ula - Rope',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope',
  ],
  'numbers in other ways': [
    '03) Ovo - Plinth\n04) Tam - Kettle\n(5) Ula - Rope\n[6] Ovo - Quill\n#7 Tam - Weir\nNo. 8: Ula - Lantern',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Quill\n5 Tam / Weir\n6 Ula / Lantern',
  ],
  'numbers of records, tracks and keycaps': [
    'A1. Ovo - Plinth\nA2. Tam - Kettle\nB1. Ula - Rope\nTrack 4: Ovo - Quill\n5️⃣ Tam - Weir',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Quill\n5 Tam / Weir',
  ],
  'numbers of East Asia': [
    '①音楽家 － 曲名\n② 別の音楽家 － 別の曲\n3、四人組 － 三番\n04．六人組 － 五番',
    '1 音楽家 / 曲名\n2 別の音楽家 / 別の曲\n3 四人組 / 三番\n4 六人組 / 五番',
  ],
  'wide strokes': [
    '曲名／音楽家\n別の曲／音楽家\n三番／四人組',
    '1 音楽家 / 曲名\n2 音楽家 / 別の曲\n3 四人組 / 三番',
  ],
  'characters as HTML writes them': [
    '<li>Ovo &amp; Tam &ndash; Plinth</li>\nUla &ndash; Don&#39;t Rope<br />',
    "1 Ovo & Tam / Plinth\n2 Ula / Don't Rope",
  ],
  'numbers followed by a space or a dash': [
    '01 - Ovo - Plinth\n02 - Tam - Kettle\n03 - Ula - Rope',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope',
  ],
  'numbers followed by a space': [
    '98 Ovo - Plinth\n99 Tam - Kettle\n100 Ula - Rope',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope',
  ],
  'sides and numbers of a record followed by a space': [
    'A1 Ovo – Plinth 3:45\nA2 Tam – Kettle 4:01\nB1 Ula – Rope 2:59',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope',
  ],
  'sides and numbers of a record in a column, as in a discography': [
    'A1\tOvo –\tPlinth\t3:45\nA2\tTam –\tKettle\t4:01\nB1\tUla –\tRope\t2:59',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope',
  ],
  'an artist with a name like the number of a record': [
    'D12 - Plinth - Live\nD12 - Kettle',
    '1 D12 / Plinth - Live\n2 D12 / Kettle',
  ],
  'sides and numbers of a record followed by a dash': [
    'A1 - Ovo - Plinth\nA2 - Tam - Kettle\nB1 - Ula - Rope',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope',
  ],
  'a countdown with headings in between': [
    'Third place\n3. Ovo - Plinth\nSecond place\n2. Tam - Kettle\n1. Ula - Rope',
    '1: no artist\n2 Ovo / Plinth\n3: no artist\n4 Tam / Kettle\n5 Ula / Rope',
  ],
  'numbers that are names stay': [
    '9. Kettle - Ovo\n1979 - Ovo\n24K Rope - Tam\nQuill - Ovo\n99 Lanterns - Ovo',
    '1 Ovo / 9. Kettle\n2 Ovo / 1979\n3 Tam / 24K Rope\n4 Ovo / Quill\n5 Ovo / 99 Lanterns',
  ],
  'times in front, as below a video': [
    '0:00 Ovo - Plinth\n3:45 - Tam - Kettle\n[07:30] Ula - Rope\n1:02:10 Ovo - Quill',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Quill',
  ],
  'from when to when, as below a video': [
    '00:00 - 03:45 Ovo - Plinth\n03:45 – 07:00 Tam - Kettle\n07:00-09:10 Ula - Rope',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope',
  ],
  'times at the end': [
    'Ovo - Plinth 3:45\nTam - Kettle (4:02)\nUla - Rope [12:00]\nOvo - Quill – 3:01\nTam - 4:44\nUla - Weir | 2:22',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Quill\n5 Tam / 4:44\n6 Ula / Weir',
  ],
  'a time in one title stays': [
    'Ovo - Plinth\nTam - Kettle\nUla - Wish at 11:11\nOvo - Rope',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Wish at 11:11\n4 Ovo / Rope',
  ],
  'bullets and check boxes': [
    '- Ovo - Plinth\n* Tam - Kettle\n• Ula - Rope\n- [x] Ovo - Quill\n[ ] Tam - Weir\n> Ula - Lantern',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Quill\n5 Tam / Weir\n6 Ula / Lantern',
  ],
  'bullets, numbers, times and years at once': [
    '• 1. [0:00] Ovo - Plinth (1999)\n• 2. [3:45] Tam - “Kettle” (2001)',
    '1 Ovo / Plinth 1999\n2 Tam / Kettle 2001',
  ],
  'quotation marks': [
    'Ovo Brenk "Plinth"\nTam „Kettle“\nUla: «Rope»\n“Quill” – Ovo\n“Weir”, Tam',
    '1 Ovo Brenk / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Quill\n5 Tam / Weir',
  ],
  'quotation marks with a comma before they close': [
    '“Plinth,” Ovo Brenk\n"Kettle," by Tam\nUla, "Rope,"',
    '1 Ovo Brenk / Plinth\n2 Tam / Kettle\n3 Ula / Rope',
  ],
  'quotation marks of East Asia': [
    '音楽家「曲名」\n別の音楽家 『別の曲』\n「三番」四人組\n「五番」 六人組',
    '1 音楽家 / 曲名\n2 別の音楽家 / 別の曲\n3 四人組 / 三番\n4 六人組 / 五番',
  ],
  'Markdown, as assistants write it': [
    '1. **"Plinth"** – Ovo (3:45)\n2. **"Kettle"** – *Tam* (4:01)\n**3. "Rope" – Ula**\n- *"Quill"* – Ovo',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Quill',
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
  'an apostrophe in front of a title with "by"': [
    `'Twas Ropin' by Candle - Ovo\nKettle - Ovo\nRope - Tam`,
    `1 Ovo / 'Twas Ropin' by Candle\n2 Ovo / Kettle\n3 Tam / Rope`,
  ],
  'parts after titles in quotation marks': [
    'Ovo - "Weir" - II. Slow\nOvo - "Weir" - III. Fast\nTam - "Rope" - a great opener\nTam - "Kettle" - Part 2',
    '1 Ovo / Weir - II. Slow\n2 Ovo / Weir - III. Fast\n3 Tam / Rope\n4 Tam / Kettle - Part 2',
  ],
  'remarks after artists': [
    '“Plinth” – Ovo – a great opener\n“Kettle” – Tam – mellow\n“Rope” – Remastered 2011 – Ula',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope - Remastered 2011',
  ],
  'remarks after songs in bold': [
    '1. **Ovo – Plinth** – a great opener\n2. **Tam – Kettle - Live** (2001): mellow\n3. **Ula – Rope:** for the road\n4. **Ovo – Quill** – Live at Brask\n5. **Tam – Weir** – Ula Remix',
    '1 Ovo / Plinth\n2 Tam / Kettle - Live (2001)\n3 Ula / Rope\n4 Ovo / Quill - Live at Brask\n5 Tam / Weir - Ula Remix',
  ],
  'remarks after titles in bold': [
    '- **Stand by Rope** by **Ovo**: a great opener\n- **Kettle** by Tam - mellow',
    '1 Ovo / Stand by Rope\n2 Tam / Kettle',
  ],
  'titles in bold with a dash, and an artist': [
    '**Plinth - Live** – Ovo\n**Stand by Rope** – Ovo\n**Kettle** – Ovo',
    '1 Ovo / Plinth - Live\n2 Ovo / Stand by Rope\n3 Ovo / Kettle',
  ],
  'asterisks that are part of a name': [
    '*Ovo - Plinth\nT*M - K**tle\nUla - Rope ** Tar\nQuill - W***',
    '1 *Ovo / Plinth\n2 T*M / K**tle\n3 Ula / Rope ** Tar\n4 Quill / W***',
  ],
  'a block of code around the list': [
    '```text\nOvo - Plinth\nTam - Kettle\n```',
    '1: empty\n2 Ovo / Plinth\n3 Tam / Kettle',
  ],
  'a block of code within an answer': [
    'Here are two songs:\n\n```\nOvo - Plinth\nTam - Kettle\n```\nEnjoy - have fun',
    [
      '1: outside the block of code',
      '2: empty',
      '3: empty',
      '4 Ovo / Plinth',
      '5 Tam / Kettle',
      '6: empty',
      '7: outside the block of code',
    ],
  ],
  'several blocks of code within an answer': [
    'Slow - for the evening:\n```\nOvo - Plinth\n```\nFast:\n```\nTam - Kettle\n```',
    '1: outside the block of code\n2: empty\n3 Ovo / Plinth\n4: empty\n5: outside the block of code\n6: empty\n7 Tam / Kettle',
  ],
  'an empty block of code': [
    'Ovo - Plinth\n```\n\n\n```\nTam - Kettle',
    '1 Ovo / Plinth\n2: no artist\n3: empty\n4: empty\n5: no artist\n6 Tam / Kettle',
  ],
  'a block of code that begins with a bracket': [
    'Ovo - Plinth\nTam - Kettle\n```\n[0:31] Ula - Rope\n```',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3: no artist\n4 Ula / Rope\n5: no artist',
  ],
  'a block of code with less than what is around it': [
    'Ovo - Plinth\nTam - Kettle\nUla - Rope\nOvo - Weir\n```\nrelay\n```',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Weir\n5: no artist\n6: no artist\n7: no artist',
  ],
  'bars, with the album last': [
    'Ovo | Plinth | First\nOvo | Kettle | First\nTam | Rope | Second',
    '1 Ovo / Plinth (First)\n2 Ovo / Kettle (First)\n3 Tam / Rope (Second)',
  ],
  'tabs without a header': [
    '1\tPlinth\tOvo\t3:45\n2\tKettle\tOvo\t2:22\n3\tRope\tOvo\t4:00',
    '1 Ovo / Plinth\n2 Ovo / Kettle\n3 Ovo / Rope',
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
    [
      `1  /  ${TRACK}`,
      `2  /  ${OTHER_TRACK}`,
      `3 Ovo / Plinth ${OTHER_TRACK}`,
      `4  / For you ${OTHER_TRACK}`,
      `5  /  ${ISRC}`,
      '6 Tam / Kettle ZZABC1200002',
    ],
  ],
  'links of Markdown': [
    `[Plinth](${LINK}) – Ovo\n[Tam – Kettle](https://example.com/1)\n[Rope](https://example.com/2) – Ula`,
    `1 Plinth / Ovo ${OTHER_TRACK}\n2 Tam / Kettle\n3 Rope / Ula`,
  ],
  'links in angle brackets': [
    `<${LINK}>\nOvo - Plinth <${TRACK}>\nTam - Kettle <https://example.com/1>`,
    `1  /  ${OTHER_TRACK}\n2 Ovo / Plinth ${TRACK}\n3 Tam / Kettle`,
  ],
  'bare IDs': [
    `${ID}\n\n# more\n ${ID} `,
    `1  /  spotify:track:${ID}\n2: empty\n3: comment\n4  /  spotify:track:${ID}`,
  ],
  'a heading as long as an ID': [
    'MyFavouriteSongsOf2024\nOvo - Plinth\nTam - Kettle',
    '1: no artist\n2 Ovo / Plinth\n3 Tam / Kettle',
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
  'names in other scripts': [
    '音楽家 - 曲名\nЖар Вейр — Чайник\nعود - غناء',
    '1 音楽家 / 曲名\n2 Жар Вейр / Чайник\n3 عود / غناء',
  ],
  'controls in a name are left out': ['Ovo\u001b[31m - Pl\u202einth', '1 Ovo[31m / Plinth'],
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
  'titles in quotation marks': [
    '"Plinth" - Ovo\n“Kettle” - Tam',
    'right',
    'titles in quotation marks are on the left',
    true,
  ],
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

testRefusals((what) => `${what} alone: refused, and the error names the line`, {
  'a letter': [
    'Dear Ovo,\nthank you for the kettle - it works.\nIt is blue\nand round\nand sings\nat night\n',
    'Only 1 of 6 lines can be read as a song; line 1 cannot (no artist). | line 1',
  ],
  titles: [
    'Plinth\nKettle\n',
    'The file was read as text with one song a line, but no song was found in it. Line 1: no artist. | line 1',
  ],
  'a web page': ['<!DOCTYPE html>\n<p>Ovo - Plinth', 'The file is a web page, not a list. | line 1'],
  'other XML': [
    '<?xml version="1.0"?><rss/>',
    'The XML is neither a playlist nor an iTunes library. | line 1',
  ],
});

test('every line is a song if the format is given', () => {
  const file = 'Dear Ovo,\nthank you - it works.\na\nb\n\nc\nd\n';
  assert.equal(readList(bytesOf(file), { format: 'txt' }).entries.length, 6);
});
