/** The playlist files of players: M3U, PLS, XSPF and iTunes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../src/music/lists/readList.ts';
import { bytesOf, EPISODE, OTHER_TRACK, TRACK, testLists } from './told.ts';

testLists({
  'M3U that names the artist once': [
    '#EXTM3U\n#EXTALB:First\n#EXTART:Ovo\n#EXTINF:61,Plinth\n01.mp3\n#EXTINF:62,Tam - Kettle\n02.mp3',
    ['2: comment', '4 Ovo / Plinth', '6 Tam / Kettle'],
  ],
  'M3U with a title that no address follows': [
    '#EXTM3U\n#EXTINF:1,Ula - Rope\n#EXTALB:First\n#EXTINF:1,Ovo - Kettle\nhttp://x.example/a.mp3',
    ['2 Ula / Rope (First)', '4 Ovo / Kettle'],
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
    [
      '3 Ovo / Plinth',
      '5: empty',
      '6: comment',
      '7 Tam / Kettle, again (Second)',
      `10  / Talk ${EPISODE}`,
      '12 Ula / Rope',
    ],
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
    [
      '2 Ovo Brenk / Plinth (First)',
      '3 Ula / The Rope (Third One)',
      '4 Tam / Kettle',
      '5 Ovo / Quill (First)',
      `6  /  ${OTHER_TRACK}`,
      '7  / track05',
    ],
  ],
  'M3U with paths from another directory': [
    '#EXTM3U\n../Ula/Rope.mp3\n../../Music/Ovo/First/01 Plinth.mp3\n./Tam/./Second/02 Kettle.mp3',
    '2  / Rope\n3 Ovo / Plinth (First)\n4 Tam / Kettle (Second)',
  ],
  'M3U whose titles name no artist, but whose directories do': [
    [
      '#EXTM3U',
      '#EXTINF:1,Plinth (Live)',
      '/home/me/Music/Ovo/First/01 Plinth.flac',
      '#EXTINF:1,Tam - Kettle',
      '/home/me/Music/Various/Hits/02 Kettle.flac',
      '#EXTINF:1,Rope',
      'Rope.mp3',
      '#EXTINF:1,Rope',
      '/home/me/Music/Rope.mp3',
      '#EXTINF:1,Kettle Radio',
      'http://radio.example/live/128.mp3',
      '#EXTINF:1,Quill',
      'https://files.example/Ula/Third%20One/Quill.mp3',
      '#EXTINF:1,Quill',
      '/home/me/Music/Compilations/Hits/04 Quill.m4a',
      '#EXTINF:1,Quill',
      '/home/me/Music/Various Artists/Hits/04 Quill.m4a',
    ].join('\n'),
    [
      '2 Ovo / Plinth (Live) (First)',
      '4 Tam / Kettle',
      '6  / Rope',
      '8  / Rope',
      '10: no artist',
      '12: no artist',
      '14  / Quill',
      '16  / Quill',
    ],
  ],
  'PLS whose titles name no artist, but whose directories do': [
    '[playlist]\nFile1=file:///home/me/Music/Ovo/First/01%20Plinth.ogg\nTitle1=Plinth\nFile2=/m/2.mp3\nTitle2=Tam - Kettle',
    '2 Ovo / Plinth (First)\n4 Tam / Kettle',
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
    [
      '#EXTM3U',
      '#EXTINF:1,Ovo -- Plinth',
      '/home/me/Music/Mixed/Tape/01.mp3',
      '#EXTINF:1,Kettle by Tam',
      '/home/me/Music/Mixed/Tape/02.mp3',
      '#EXTINF:1,Ula "Rope"',
      '/home/me/Music/Mixed/Tape/03.mp3',
    ].join('\n'),
    '2 Ovo / Plinth\n4 Tam / Kettle\n6 Ula / Rope',
  ],
  'M3U with a title that only looks as if it named the artist': [
    [
      '#EXTM3U',
      '#EXTINF:1,Stand by Rope',
      '/home/me/Music/Ovo/First/01.mp3',
      '#EXTINF:1,Kettle',
      '/home/me/Music/Tam/Second/02.mp3',
    ].join('\n'),
    '2 Ovo / Stand by Rope (First)\n4 Tam / Kettle (Second)',
  ],
  'PLS whose titles name the artist': [
    '[playlist]\nFile1=/m/Mixed/Tape/1.mp3\nTitle1=Plinth by Ovo\nFile2=/m/Mixed/Tape/2.mp3\nTitle2=Kettle by Tam',
    '2 Ovo / Plinth\n4 Tam / Kettle',
  ],
  'XSPF without creators whose titles name the artist': [
    [
      '<playlist><trackList>',
      '<track><title>Plinth by Ovo</title><location>file:///m/Mixed/Tape/1.ogg</location></track>',
      '<track><title>Kettle by Tam</title><location>file:///m/Mixed/Tape/2.ogg</location></track>',
      '</trackList></playlist>',
    ].join('\n'),
    '2 Ovo / Plinth\n3 Tam / Kettle',
  ],
  'M3U with a title above a link to Spotify for one country': [
    `#EXTM3U\n#EXTINF:1,Plinth\nhttps://open.spotify.com/intl-de/track/${'a'.repeat(22)}`,
    `2  / Plinth ${TRACK}`,
  ],
  'M3U with an album that is called "Music"': [
    '#EXTM3U\n/home/me/Music/Ovo/Music/01 Plinth.mp3\nTam/Music/02 Kettle.mp3',
    '2 Ovo / Plinth (Music)\n3 Tam / Kettle (Music)',
  ],
  'M3U with a directory for each disc of an album': [
    '#EXTM3U\n#EXTINF:1,Plinth\n/m/Ovo/First/CD1/01 Plinth.mp3\nTam\\Second\\Disc 2\\02 Kettle.mp3',
    '2 Ovo / Plinth (First)\n4 Tam / Kettle (Second)',
  ],
  'M3U with directories that are named after a person or a disk': [
    [
      '#EXTM3U',
      'Ovo/First/01 Plinth.mp3',
      '#EXTINF:1,Plinth',
      '/home/anna/Songs/Plinth.mp3',
      '#EXTINF:1,Plinth',
      'C:\\Users\\Anna\\Songs\\Plinth.mp3',
      '#EXTINF:1,Plinth',
      'file:///Volumes/Disk/Songs/Plinth.mp3',
    ].join('\n'),
    '2 Ovo / Plinth (First)\n3  / Plinth\n5  / Plinth\n7  / Plinth',
  ],
  'M3U whose titles are the names of the files': [
    [
      '#EXTM3U',
      '#EXTINF:1,01 Plinth.mp3',
      '/m/Ovo/First/01 Plinth.mp3',
      '#EXTINF:1,02. Kettle',
      '/m/Ovo/First/02 Kettle.mp3',
      '#EXTINF:1,03 - Quill',
      'file:///m/Ovo/First/03%20-%20Quill.mp3',
      '#EXTINF:1,Tam - Rope.mp3',
      '/m/Tam - Rope.mp3',
      '#EXTINF:1,99 Lanterns',
      '/m/Ovo/First/99 Lanterns.mp3',
      '#EXTINF:1,007 (Rope)',
      '/m/Ovo/First/007 (Rope).mp3',
    ].join('\n'),
    [
      '2 Ovo / Plinth (First)',
      '4 Ovo / Kettle (First)',
      '6 Ovo / Quill (First)',
      '8 Tam / Rope',
      '10 Ovo / 99 Lanterns (First)',
      '12 Ovo / 007 (Rope) (First)',
    ],
  ],
  'M3U with stations whose address has directories': [
    [
      '#EXTM3U',
      '#EXTINF:1,Ovo - Plinth',
      'https://radio.example/live/radio/8000/stream.mp3',
      '#EXTINF:-1,Kettle Radio',
      'https://radio.example/live/radio/8000/stream.mp3',
      '#EXTINF:1,Quill (Live)',
      'https://files.example/Ula/Third/03%20Quill_Live.mp3',
    ].join('\n'),
    '2 Ovo / Plinth\n4: no artist\n6: no artist',
  ],
  'M3U with commas between quotation marks': [
    '#EXTM3U\n#EXTINF:225 group-title="a,b",Ovo - Plinth, "two"\nx.mp3',
    '2 Ovo / Plinth, "two"',
  ],
  'M3U with one quotation mark in front of the comma': [
    '#EXTM3U\n#EXTINF:225 12" mix,Ovo - Plinth\nx.mp3',
    '2 Ovo / Plinth',
  ],
  'M3U with titles and no paths': [
    '#EXTM3U\n#EXTINF:1,Plinth - Ovo\n#EXTINF:1,Kettle - Ovo\n#EXTINF:1,Rope - Ovo\n',
    '2 Ovo / Plinth\n3 Ovo / Kettle\n4 Ovo / Rope',
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
