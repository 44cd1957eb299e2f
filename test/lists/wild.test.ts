/** Lists as chats, tracklists, downloaders and services write them: what is read right, and what must not change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../src/music/lists/readList.ts';
import { bytesOf, testLists } from './told.ts';

testLists({
  '"by" in small letters and with a title that has it': [
    'Ovo - Plinth\nOvo - Kettle\nOvo - Rope\nTam - Quill\nkept by paper kites\nStand by Lantern by Tam\nUla - Weir',
    '1 Ovo / Plinth\n2 Ovo / Kettle\n3 Ovo / Rope\n4 Tam / Quill\n5 paper kites / kept\n6 Tam / Stand by Lantern\n7 Ula / Weir',
  ],
  '"by" of titles and of those who made the list': [
    'Ovo - Plinth\nStand by Me\nSide by Side\nDown by the Weir\nPlaylist by Tam\nOvo - Kettle\nOvo - Rope\nOvo - Quill',
    '1 Ovo / Plinth\n2  / Stand by Me\n3  / Side by Side\n4  / Down by the Weir\n5  / Playlist by Tam\n6 Ovo / Kettle\n7 Ovo / Rope\n8 Ovo / Quill',
  ],
  'a number in one line': [
    'Ovo - Plinth\n7. Paper Kites - Kept\nOvo - Kettle\n[03] Ula - Rope\nOvo - Quill\n#9: Tam - Weir\n21 Kettles - Rope',
    '1 Ovo / Plinth\n2 Paper Kites / Kept\n3 Ovo / Kettle\n4 Ula / Rope\n5 Ovo / Quill\n6 Tam / Weir\n7 21 Kettles / Rope',
  ],
  'a number and a dash in one line': [
    'Ovo - Plinth\n01 - Tam - Kettle\n21 - Ula - Rope - Live\n311 - Weir - Amber\n21 - Quill - Live',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope - Live\n4 311 / Weir - Amber\n5 21 / Quill - Live',
  ],
  'a tracklist': [
    'Someone @ Some Place\n[00:00] Ovo - Plinth [FIELD]\n[03:00] w/ Paper Kites - Kept (Acappella) [B REC]\n[05:00] ID - ID\n[06:00] Ovo - ID\n[07:00] Tam - Rope [LIVE]',
    '1: no artist\n2 Ovo / Plinth\n3 Paper Kites / Kept (Acappella)\n4: no artist\n5: no artist\n6 Tam / Rope [LIVE]',
  ],
  'capitals in brackets and an "ID" that only one line has are names': [
    'Ovo - Plinth [KAPOW]\nTam - Kettle\nUla - ID',
    '1 Ovo / Plinth [KAPOW]\n2 Tam / Kettle\n3 Ula / ID',
  ],
  'links of Markdown with brackets in them, and times in code': [
    '1. [Ovo - Plinth](https://example.com/a) - `3:02`\n2. [Tam - Kettle [Lyrics]](https://example.com/b) - `3:12`\n3. [Ula - Rope](https://example.com/c) - `1:02:00`',
    '1 Ovo / Plinth\n2 Tam / Kettle [Lyrics]\n3 Ula / Rope',
  ],
  'IDs of videos and bit rates in names of files': [
    'Ovo - Plinth [-0S3qV972A0].m4a\nTam - Kettle (128k).mp3\nUla - Rope [dQw4w9WgXcQ]\nOvo - Quill (MP3_70K)\nTam - Weir [Performance]\nUla - Kept-dQw4w9WgXcQ.mp3\nUla - Half-Forgottens',
    '1 Ovo / Plinth\n2 Tam / Kettle\n3 Ula / Rope\n4 Ovo / Quill\n5 Tam / Weir [Performance]\n6 Ula / Kept\n7 Ula / Half-Forgottens',
  ],
  'files with album and number': [
    'Ovo - First - 01 - Plinth.mp3\nPaper Kites - B - 03 - Kept.flac\nTam - [Second #12] Kettle',
    '1 Ovo / Plinth (First)\n2 Paper Kites / Kept (B)\n3 Tam / Kettle (Second)',
  ],
  'artist, album and title': [
    'Ovo - First - Plinth\nOvo - First - Kettle\nPaper Kites - Other - Kept\nTam - Rope - Live',
    '1 Ovo / Plinth (First)\n2 Ovo / Kettle (First)\n3 Paper Kites / Kept (Other)\n4 Tam / Rope - Live',
  ],
  'texts of services': [
    'Listen to Kept by Paper Kites on Apple Music.\nI used Shazam to discover Hillside Carousel by Needle & Coffee. https://example.com/1\nCheck out this track on TIDAL: "Stand by Rope" by Ovo\nCheck out Kettle by Tam on Amazon Music\n🎵 Now playing: Weir by Ula on Spotify\nQuill by Tam on Apple Music https://example.com/2',
    '1 Paper Kites / Kept\n2 Needle & Coffee / Hillside Carousel\n3 Ovo / Stand by Rope\n4 Tam / Kettle\n5 Ula / Weir\n6 Tam / Quill',
  ],
  'headings of several playlists, as relay writes them': [
    '# Playlist: One\nOvo - Plinth\n# quiet ones\nTam - Kettle\n\n# Playlist: One\nUla - Rope',
    '1: comment\n2 Ovo / Plinth in One\n3: comment\n4 Tam / Kettle in One\n5: empty\n6: comment\n7 Ula / Rope in One (2)',
  ],
  'cells that Excel keeps as text': [
    '="artist";="title"\n="Paper Kites";="Kept"\n"=""Ovo; Tam""";"=""Plinth"""\nUla;=Rope',
    '2 Paper Kites / Kept\n3 Ovo; Tam / Plinth\n4 Ula / =Rope',
  ],
  'directories tell the side, line by line': [
    '#EXTM3U\n#EXTINF:1,Plinth - Ovo\nC:\\Music\\Ovo\\First\\1.mp3\n#EXTINF:1,Tam - Kettle\n/music/Tam/Second/2.mp3\n#EXTINF:1,Rope - Ula\n/music/Ula/Third/3.mp3',
    '2 Ovo / Plinth\n4 Tam / Kettle\n6 Ula / Rope',
  ],
});

const CHATS: Readonly<Record<string, string>> = {
  'of a telephone': '[12/05/24, 10:00:00] Anna: Ovo - Plinth\n[12/05/24, 10:01:00] Ben: Kept by Paper Kites',
  'of another one':
    '12/05/24, 10:00 - Messages are private.\n12/05/24, 10:03 - Ben: Ovo - Plinth\n12/05/24, 10:04 - Anna: Kept by Paper Kites',
  'with senders on lines of their own':
    'Ben — 12/05/2024 10:00\nOvo - Plinth\nAnna — Today at 10:02\nKept by Paper Kites\nnice',
};

for (const [what, file] of Object.entries(CHATS)) {
  test(`a chat ${what} is read without the senders, with a doubt`, () => {
    const { entries, doubt } = readList(bytesOf(file));
    assert.deepEqual(
      entries.map(({ artist, title }) => `${artist} / ${title}`),
      ['Ovo / Plinth', 'Paper Kites / Kept'],
    );
    assert.match(doubt ?? '', /^The file is a chat\./);
  });
}

test('a list with dates in front of songs is no chat', () => {
  assert.equal(readList(bytesOf('2024-05-12 10:03 Ovo - Plinth: Live\nTam - Kettle')).doubt, undefined);
});
