/** The playlist files of players: M3U, PLS, XSPF and iTunes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../src/music/lists/readList.ts';
import { bytesOf, EPISODE, OTHER_TRACK, TRACK, testLists } from './told.ts';

const m3u = (...songs: readonly [title: string, path: string][]) =>
  ['#EXTM3U', ...songs.map(([title, path]) => `#EXTINF:1,${title}\n${path}`)].join('\n');

testLists({
  'M3U that names the artist once': [
    '#EXTM3U\n#EXTALB:First\n#EXTART:Ovo\n#EXTINF:61,Plinth\n01.mp3\n#EXTINF:62,Tam - Kettle\n02.mp3',
    ['2: comment', '4 Ovo / Plinth', '6 Tam / Kettle'],
  ],
  'extended M3U': [
    [
      '#EXTM3U',
      '#PLAYLIST:Road',
      '#EXTINF:200,Ovo - Plinth',
      'C:\\Music\\Ovo\\First\\01 Plinth.mp3',
      '',
      '# later',
      '#EXTINF:-1 tvg-id="1",Tam - Kettle, again',
      '#EXTALB:Second',
      'https://example.com/kettle.mp3',
      '#EXTINF:100,Talk',
      EPISODE,
      '#EXTINF:100,',
      'Ula - Rope.ogg',
    ].join('\r\n'),
    `3 Ovo / Plinth\n5: empty\n6: comment\n7 Tam / Kettle, again (Second)\n10  / Talk ${EPISODE}\n12 Ula / Rope`,
  ],
  'M3U with paths alone': [
    [
      '#EXTM3U',
      '/music/Ovo Brenk/First/01 - Plinth.flac',
      'file:///music/Ula/Third%20One/1-03_The%20Rope.mp3',
      '02 - Tam - Kettle.mp3',
      'Ovo - First - 04 - Quill.mp3',
      `https://open.spotify.com/track/${'b'.repeat(22)}`,
      'track05.mp3',
    ].join('\n'),
    `2 Ovo Brenk / Plinth (First)\n3 Ula / The Rope (Third One)\n4 Tam / Kettle\n5 Ovo / Quill (First)\n6  /  ${OTHER_TRACK}\n7  / track05`,
  ],
  'M3U whose titles name no artist, but whose directories do': [
    m3u(
      ['Plinth (Live)', '/home/me/Music/Ovo/First/01 Plinth.flac'],
      ['Tam - Kettle', '/home/me/Music/Various/Hits/02 Kettle.flac'],
      ['Rope', 'Rope.mp3'],
      ['Rope', '/home/me/Music/Rope.mp3'],
      ['Kettle Radio', 'http://radio.example/live/128.mp3'],
      ['Quill', 'https://files.example/Ula/Third%20One/Quill.mp3'],
      ['Quill', '/home/me/Music/Compilations/Hits/04 Quill.m4a'],
      ['Quill', '/home/me/Music/Various Artists/Hits/04 Quill.m4a'],
    ),
    '2 Ovo / Plinth (Live) (First)\n4 Tam / Kettle\n6  / Rope\n8  / Rope\n10: no artist\n12: no artist\n14  / Quill\n16  / Quill',
  ],
  'XSPF whose tracks have only a title or a place': [
    [
      '<playlist xmlns="http://xspf.org/ns/0/"><trackList>',
      '<track><location>file:///home/me/Music/Ovo/First/01%20Plinth.ogg</location></track>',
      '<track><title>Rope</title><location>file:///home/me/Music/Ula/Third/7.ogg</location><album>Three</album></track>',
      '<track><title>Tam - Kettle</title></track>',
      '<track><location>file:///home/me/Tam%20-%20Quill.ogg</location></track>',
      '<track><title>Lone</title></track>',
      '</trackList></playlist>',
    ].join('\n'),
    ['2 Ovo / Plinth (First)', '3 Ula / Rope (Three)', '4 Tam / Kettle', '5 Tam / Quill', '6  / Lone'],
  ],
  'M3U whose titles name the artist without a plain dash, in directories': [
    m3u(
      ['Ovo -- Plinth', '/home/me/Music/Mixed/Tape/01.mp3'],
      ['Kettle by Tam', '/home/me/Music/Mixed/Tape/02.mp3'],
      ['Ula "Rope"', '/home/me/Music/Mixed/Tape/03.mp3'],
    ),
    '2 Ovo / Plinth\n4 Tam / Kettle\n6 Ula / Rope',
  ],
  'M3U with a directory for each disc of an album': [
    '#EXTM3U\n#EXTINF:1,Plinth\n/m/Ovo/First/CD1/01 Plinth.mp3\nTam\\Second\\Disc 2\\02 Kettle.mp3',
    '2 Ovo / Plinth (First)\n4 Tam / Kettle (Second)',
  ],
  'M3U with directories that are named after a person or a disk': [
    [
      '#EXTM3U',
      '#EXTINF:1,Plinth',
      '/home/anna/Songs/Plinth.mp3',
      '#EXTINF:1,Plinth',
      'C:\\Users\\Anna\\Songs\\Plinth.mp3',
      '#EXTINF:1,Plinth',
      'file:///Volumes/Disk/Songs/Plinth.mp3',
    ].join('\n'),
    '2  / Plinth\n4  / Plinth\n6  / Plinth',
  ],
  'M3U whose titles are the names of the files': [
    m3u(
      ['01 Plinth.mp3', '/m/Ovo/First/01 Plinth.mp3'],
      ['02. Kettle', '/m/Ovo/First/02 Kettle.mp3'],
      ['03 - Quill', 'file:///m/Ovo/First/03%20-%20Quill.mp3'],
      ['Tam - Rope.mp3', '/m/Tam - Rope.mp3'],
      ['99 Lanterns', '/m/Ovo/First/99 Lanterns.mp3'],
      ['007 (Rope)', '/m/Ovo/First/007 (Rope).mp3'],
    ),
    '2 Ovo / Plinth (First)\n4 Ovo / Kettle (First)\n6 Ovo / Quill (First)\n8 Tam / Rope\n10 Ovo / 99 Lanterns (First)\n12 Ovo / 007 (Rope) (First)',
  ],
  'M3U with commas between quotation marks': [
    '#EXTM3U\n#EXTINF:225 group-title="a,b",Ovo - Plinth, "two"\nx.mp3',
    '2 Ovo / Plinth, "two"',
  ],
  PLS: [
    [
      '[playlist]',
      'X-GNOME-Title=Road',
      'File1=/m/1.mp3',
      'Title1=Ovo - Plinth',
      'Length1=200',
      '; no title',
      'File2=/music/Tam/Second/02 Kettle.mp3',
      `File3=${TRACK}`,
      'what',
      'NumberOfEntries=3',
      'Version=2',
    ].join('\r\n'),
    `3 Ovo / Plinth\n6: comment\n7 Tam / Kettle (Second)\n8  /  ${TRACK}\n9: not a line of a PLS playlist`,
  ],
});

test('the names of playlists are reported', () => {
  const files = [
    '#EXTM3U\n#PLAYLIST: Road \n#EXTINF:1,Ovo - Plinth\na',
    '[playlist]\nTitle1=Ovo - Plinth\nX-GNOME-Title=Road\n',
  ];
  assert.deepEqual(
    files.map((file) => readList(bytesOf(file))).map(({ format, name }) => ({ format, name })),
    [
      { format: 'm3u8', name: 'Road' },
      { format: 'pls', name: 'Road' },
    ],
  );
});
