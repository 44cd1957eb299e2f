/** Tables: the exports of services, by the headers that they write, and tables that people make. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../src/music/lists/readList.ts';
import {
  bytesOf,
  EPISODE,
  ISRC,
  OTHER_TRACK,
  refusal,
  TRACK,
  testLists,
  testRefusals,
  told,
} from './told.ts';

const SPOTIFY_ID = 'b'.repeat(22);

testLists({
  'Exportify, with several artists and a local file': {
    file: [
      '\ufeff"Track URI","Track Name","Album Name","Artist Name(s)","Release Date","Duration (ms)","ISRC"',
      `"${TRACK}","Plinth, ""two""","First","Ovo Brenk,Tam","1999-01-02","200000","${ISRC}"`,
      `"${EPISODE}","Talk","","","","",""`,
      '"spotify:local:Ovo::Kettle:200","Kettle","","Ovo","","",""',
      '"","Rope","First","Ovo Brenk","","",""',
    ].join('\r\n'),
    told: [
      `2 Ovo Brenk,Tam / Plinth, "two" (First) 1999 ${ISRC} ${TRACK}`,
      `3  / Talk ${EPISODE}`,
      '4: a local file, which Spotify keeps on one device only',
      '5 Ovo Brenk / Rope (First)',
    ],
  },
  'TuneMyMusic, with several playlists and rows of other kinds': {
    file: [
      'Track name,Artist name,Album,Playlist name,Type,ISRC,Spotify - id',
      `Plinth,Ovo,First,Road,Playlist,${ISRC},${SPOTIFY_ID}`,
      'Kettle,Tam,,Road,Playlist,,',
      'Rope,Ula,,,Favorite,,',
      'First,Ovo,First,,Album,,',
      ',Ovo,,,Artist,,',
      'Quill - Weir,,,Home,Playlist,,',
    ].join('\n'),
    told: [
      `2 Ovo / Plinth (First) ${ISRC} ${OTHER_TRACK} in Road`,
      '3 Tam / Kettle in Road',
      '4 Ula / Rope',
      '5: of type "album"',
      '6: of type "artist"',
      '7 Quill / Weir in Home',
    ],
  },
  'Soundiiz, separated by semicolons': {
    file: `title;artist;album;isrc\nPlinth;Ovo;"First; or last";${ISRC}\nKettle;"Tam";;\n`,
    told: [`2 Ovo / Plinth (First; or last) ${ISRC}`, '3 Tam / Kettle'],
  },
  'Last.fm with a header': {
    file: 'uts,utc_time,artist,artist_mbid,album,album_mbid,track,track_mbid\n1700000000,"14 Nov 2023, 22:13",Ovo,,First,,Plinth,\n',
    told: ['2 Ovo / Plinth (First)'],
  },
  'Last.fm without a header': {
    file: 'Ovo,First,Plinth,14 Nov 2023 22:13\n"Tam, the",,Kettle,"14 Nov 2023, 22:13"\n',
    told: ['1 Ovo / Plinth (First)', '2 Tam, the / Kettle'],
  },
  'YouTube Music': {
    file: 'ID vidéo,Song Title,Album Title,Artist Name 1,Artist Name 2\nabcdefghijk,Plinth,First,Ovo,Tam\nabcdefghijl,Kettle,,Ula,\n',
    told: ['2 Ovo, Tam / Plinth (First)', '3 Ula / Kettle'],
  },
  'an older takeout of YouTube Music': {
    file: 'Song URL,Song Title,Album Title,Artist Names\nhttps://music.youtube.com/watch?v=a,Plinth,First,Ovo\n',
    told: ['2 Ovo / Plinth (First)'],
  },
  'Apple Music in German, with a quotation mark in a name': {
    file: 'Name\tInterpret\tKomponist\tAlbum\tJahr\r12" Plinth\tOvo\t\tFirst\t1999\r"Kettle\tTam\t\tSecond\t2001\r',
    told: ['2 Ovo / 12" Plinth (First) 1999', '3 Tam / "Kettle (Second) 2001'],
  },
  Shazam: {
    file: 'Shazam Library\nIndex,TagTime,Title,Artist,URL,TrackKey\n1,2026-01-02,"Plinth","Ovo",https://example.com/1,1\n',
    told: ['1: before the header', '3 Ovo / Plinth'],
  },
  'the tables of programs for DJs': {
    file: '#\tArtwork\tTrack Title\tArtist\tAlbum\tBPM\n1\t\tPlinth\tOvo\tFirst\t120.00\n',
    told: ['2 Ovo / Plinth (First)'],
  },
  'a Markdown table': {
    file: '# Road\n\n| Artist | Title |\n|:---|---|\n| Ovo | Plinth |\n| Tam | - |\n',
    told: ['1: before the header', '2: empty', '4: separator', '5 Ovo / Plinth', '6 Tam / -'],
  },
  'a table in Spanish': {
    file: 'Título;Artista;Álbum;Año\nPlinth;Ovo;Primero;1999',
    told: ['2 Ovo / Plinth (Primero) 1999'],
  },
  'line breaks in names, spaces before quotation marks, empty rows': {
    file: 'artist, title\n"Ovo\r\nBrenk", "Plinth\r\n(Live)"\n\n,\nTam, Kettle',
    told: ['2 Ovo Brenk / Plinth (Live)', '5: empty', '6: empty', '7 Tam / Kettle'],
  },
  'lines above the header, the header again, columns that nobody named': {
    file: 'My songs\nsep=,\n\nTitle,Artist,,Rating\nPlinth,Ovo,x,5\nTitle,Artist,,Rating\nKettle,Tam,,',
    told: [
      '1: before the header',
      '2: separator',
      '3: empty',
      '5 Ovo / Plinth',
      '6: the header again',
      '7 Tam / Kettle',
    ],
  },
  'a comma that is not quoted': {
    file: 'title,artist\nRope, Plinth,Ovo\nKettle,Tam,\nQuill',
    told: [
      '2: 3 columns instead of 2; a comma in a name needs quotation marks around the name',
      '3 Tam / Kettle',
      '4: no artist',
    ],
  },
  'titles of videos with the artist in them': {
    file: 'title,album\nOvo - Plinth,\nOvo - Kettle,First\nRope,\n',
    told: ['2 Ovo / Plinth', '3 Ovo / Kettle (First)', '4: no artist'],
  },
  'names that a spreadsheet would take for formulas': {
    file: "title,artist\n'=Plinth,'+Ovo\n'-,''@\n'n' roll,Tam\n",
    told: ['2 +Ovo / =Plinth', "3 '@ / -", "4 Tam / 'n' roll"],
  },
  'a link in one of several columns': {
    file: `title,artist,url,spotify url\nPlinth,Ovo,https://example.com/1,https://open.spotify.com/track/${SPOTIFY_ID}\n`,
    told: [`2 Ovo / Plinth ${OTHER_TRACK}`],
  },
  'two columns without a header, by order': {
    file: 'Plinth;Ovo\nKettle;Ovo\nRope;Ovo',
    format: 'csv',
    told: ['1 Ovo / Plinth', '2 Ovo / Kettle', '3 Ovo / Rope'],
  },
});

test('the columns that are used are reported', () => {
  const { format, decided } = readList(bytesOf('Song Name;Band;Release Year\nPlinth;Ovo;1999'));
  assert.deepEqual(
    { format, decided },
    {
      format: 'csv',
      decided: { columns: { title: 'Song Name', artist: 'Band', year: 'Release Year' }, delimiter: ';' },
    },
  );
});

test('one playlist of a table with several can be read alone', () => {
  const file = 'title,artist,playlist\nPlinth,Ovo,Road\nKettle,Tam,Home\nRope,Ula,\n';
  const all = readList(bytesOf(file));
  assert.deepEqual(
    { name: all.name, lists: all.lists },
    {
      name: undefined,
      lists: [
        { name: 'Road', entries: 1 },
        { name: 'Home', entries: 1 },
      ],
    },
  );
  assert.equal(readList(bytesOf(file), { list: 'Home' }).name, 'Home');
  assert.deepEqual(told(file, { list: 'Home' }), [
    '2: in the playlist "Road"',
    '3 Tam / Kettle in Home',
    '4: in no playlist',
  ]);
  assert.equal(refusal(file, { list: 'Garden' }), 'The file has no playlist "Garden".');
});

testRefusals((what) => `${what}: refused with the line`, {
  'a quotation mark that is not closed': [
    'title,artist\nPlinth,Ovo\n"Kettle,Tam\nRope,Ula\n',
    'Line 3 opens a quotation mark that is not closed. | line 3',
  ],
  'a quotation mark that swallows many rows': [
    `title,artist\n"Kettle,Tam\n${'Rope,Ula\n'.repeat(30)}Quill,"Ovo"\n`,
    'Line 2 opens a quotation mark that is not closed. | line 2',
  ],
  'video IDs without titles': [
    'Video ID,Playlist Video Creation Timestamp\nabcdefghijk,2023-11-14T22:13:00+00:00\n',
    'Line 1 names video IDs and no titles. | line 1',
  ],
  'a table without artists': [
    'title,album\nPlinth,First\n',
    'No song was found in the file, read as CSV. Line 2: no artist. | line 2',
  ],
});

test('a wide table without a header is refused', () => {
  assert.equal(
    refusal('Plinth,Ovo,First\n', { format: 'csv' }),
    'The table has no header that names a title and an artist. | line 1',
  );
});
