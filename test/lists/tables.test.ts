/** Reads tables: exports of music services, known by their headers, and tables that people made themselves. */
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
  'Exportify, with several artists and a local file': [
    [
      '\ufeff"Track URI","Track Name","Album Name","Artist Name(s)","Release Date","Duration (ms)","ISRC"',
      `"${TRACK}","Plinth, ""two""","First","Ovo Brenk,Tam","1999-01-02","200000","${ISRC}"`,
      `"${EPISODE}","Talk","","","","",""`,
      '"spotify:local:Ovo::Kettle:200","Kettle","","Ovo","","",""',
      '"","Rope","First","Ovo Brenk","","",""',
    ].join('\r\n'),
    [
      `2 Ovo Brenk,Tam / Plinth, "two" (First) 1999 ${ISRC} ${TRACK}`,
      `3  / Talk ${EPISODE}`,
      '4: a local file, which Spotify keeps on one device only',
      '5 Ovo Brenk / Rope (First)',
    ],
  ],
  'TuneMyMusic, with several playlists and rows of other kinds': [
    [
      'Track name,Artist name,Album,Playlist name,Type,ISRC,Spotify - id',
      `Plinth,Ovo,First,Road,Playlist,${ISRC},${SPOTIFY_ID}`,
      'Kettle,Tam,,Road,Playlist,,',
      'Rope,Ula,,,Favorite,,',
      'First,Ovo,First,,Album,,',
      ',Ovo,,,Artist,,',
      'Quill - Weir,,,Home,Playlist,,',
    ].join('\n'),
    [
      `2 Ovo / Plinth (First) ${ISRC} ${OTHER_TRACK} in Road`,
      '3 Tam / Kettle in Road',
      '4 Ula / Rope in Songs in no playlist',
      '5: of type "album"',
      '6: of type "artist"',
      '7 Quill / Weir in Home',
    ],
  ],
  'Soundiiz, separated by semicolons': [
    `title;artist;album;isrc\nPlinth;Ovo;"First; or last";${ISRC}\nKettle;"Tam";;\n`,
    `2 Ovo / Plinth (First; or last) ${ISRC}\n3 Tam / Kettle`,
  ],
  'a column with the version of each song': [
    'Title,Mix Name,Artist\nPlinth,Extended Mix,Ovo\nKettle (Live),live,Tam\nRope,N/A,Ula\nWeir,2,Quill\nAlive,(Live),Ovo\n',
    '2 Ovo / Plinth (Extended Mix)\n3 Tam / Kettle (Live)\n4 Ula / Rope\n5 Quill / Weir\n6 Ovo / Alive (Live)',
  ],
  'a column of numbers that is called Track': ['Track,Song,Artist\n1,Plinth,Ovo\n', '2 Ovo / Plinth'],
  'several columns of artists, with numbers': [
    'Title,Artist #1,Artist #2,Album Artist\nPlinth,Ovo,Tam,Various\n',
    '2 Ovo, Tam / Plinth',
  ],
  'a column of numbers that is called Track #': ['Track #,Name,Artist\n1,Plinth,Ovo\n', '2 Ovo / Plinth'],
  'Last.fm with a header': [
    'uts,utc_time,artist,artist_mbid,album,album_mbid,track,track_mbid\n1700000000,"14 Nov 2023, 22:13",Ovo,,First,,Plinth,\n',
    '2 Ovo / Plinth (First)',
  ],
  'Last.fm without a header': [
    'Ovo,First,Plinth,14 Nov 2023 22:13\n"Tam, the",,Kettle,"14 Nov 2023, 22:13"\n',
    '1 Ovo / Plinth (First)\n2 Tam, the / Kettle',
  ],
  'the play history of Apple Music, with artist and title in one column': [
    'Track Name,Last Played Date,Is User Initiated\nOvo - Plinth,1700000000000,true\nTam - Kettle,1700000000001,false\n',
    '2 Ovo / Plinth\n3 Tam / Kettle',
  ],
  'YouTube Music': [
    'ID vidéo,Song Title,Album Title,Artist Name 1,Artist Name 2\nabcdefghijk,Plinth,First,Ovo,Tam\nabcdefghijl,Kettle,,Ula,\n',
    '2 Ovo, Tam / Plinth (First)\n3 Ula / Kettle',
  ],
  'an older takeout of YouTube Music': [
    'Song URL,Song Title,Album Title,Artist Names\nhttps://music.youtube.com/watch?v=a,Plinth,First,Ovo\n',
    '2 Ovo / Plinth (First)',
  ],
  'Apple Music in German, with a quotation mark in a name': [
    'Name\tInterpret\tKomponist\tAlbum\tJahr\r12" Plinth\tOvo\t\tFirst\t1999\r"Kettle\tTam\t\tSecond\t2001\r',
    '2 Ovo / 12" Plinth (First) 1999\n3 Tam / "Kettle (Second) 2001',
  ],
  Shazam: [
    'Shazam Library\nIndex,TagTime,Title,Artist,URL,TrackKey\n1,2026-01-02,"Plinth","Ovo",https://example.com/1,1\n',
    '1: before the header\n3 Ovo / Plinth',
  ],
  'a table from DJ software': [
    '#\tArtwork\tTrack Title\tArtist\tAlbum\tBPM\n1\t\tPlinth\tOvo\tFirst\t120.00\n',
    '2 Ovo / Plinth (First)',
  ],
  'a Markdown table': [
    '# Road\n\n| Artist | Title |\n|:---|---|\n| Ovo | Plinth |\n| Tam | - |\n',
    '1: before the header\n2: empty\n4: separator\n5 Ovo / Plinth\n6 Tam / -',
  ],
  'a Markdown table with links, emphasis, and a bar in a name': [
    [
      '| # | **Song** | Artist |',
      '|:-:|:---|---|',
      `| 1 | [Plinth](https://open.spotify.com/track/${SPOTIFY_ID}?si=1) | [Ovo](https://open.spotify.com/artist/${SPOTIFY_ID}) |`,
      '| 2 | **Rope** \\| Tar | *Tam* |',
      '| 3 | [Kettle](https://example.com/1) | Ula |',
    ].join('\n'),
    `2: separator\n3 Ovo / Plinth ${OTHER_TRACK}\n4 Tam / Rope | Tar\n5 Ula / Kettle`,
  ],
  'a Markdown table with a column of links, and notes that link to another song': [
    [
      '| Title | Artist | Link | Notes |',
      '|---|---|---|---|',
      `| Plinth | Ovo | [listen](https://open.spotify.com/track/${SPOTIFY_ID}) | loud |`,
      `| Rope | Tam | | as [Tar](https://open.spotify.com/track/${SPOTIFY_ID}) |`,
    ].join('\n'),
    `2: separator\n3 Ovo / Plinth ${OTHER_TRACK}\n4 Tam / Rope`,
  ],
  'a table with a singer': ['Song,Singer,Year of release\nPlinth,Ovo,1999', '2 Ovo / Plinth 1999'],
  'a table with a band': ['No.;Song/Track;Artist/Band\n1;Plinth;Ovo', '2 Ovo / Plinth'],
  'a table with "by"': ['Song name,By\nPlinth,Ovo', '2 Ovo / Plinth'],
  'a table in Spanish': [
    'Título;Artista;Álbum;Año\nPlinth;Ovo;Primero;1999',
    '2 Ovo / Plinth (Primero) 1999',
  ],
  'line breaks in names, spaces before quotation marks, empty rows': [
    'artist, title\n"Ovo\r\nBrenk", "Plinth\r\n(Live)"\n\n,\nTam, Kettle',
    '2 Ovo Brenk / Plinth (Live)\n5: empty\n6: empty\n7 Tam / Kettle',
  ],
  'lines above the header, the header again, columns that nobody named': [
    'My songs\nsep=,\n\nTitle,Artist,,Rating\nPlinth,Ovo,x,5\nTitle,Artist,,Rating\nKettle,Tam,,',
    '1: before the header\n2: separator\n3: empty\n5 Ovo / Plinth\n6: the header again\n7 Tam / Kettle',
  ],
  'a comma that is not quoted': [
    'title,artist\nRope, Plinth,Ovo\nKettle,Tam,\nQuill',
    [
      '2: 3 columns instead of 2; a comma in a name needs quotation marks around the name',
      '3 Tam / Kettle',
      '4  / Quill',
    ],
  ],
  'titles of videos with the artist in them': [
    'title,album\nOvo - Plinth,\nOvo - Kettle,First\nRope,\n',
    '2 Ovo / Plinth\n3 Ovo / Kettle (First)\n4  / Rope',
  ],
  'names that a spreadsheet would take for formulas': [
    "title,artist\n'=Plinth,'+Ovo\n'-,''@\n'n' roll,Tam\n",
    "2 +Ovo / =Plinth\n3 '@ / -\n4 Tam / 'n' roll",
  ],
  'two columns of links, one of them to Spotify': [
    `title,artist,url,spotify url\nPlinth,Ovo,https://example.com/1,https://open.spotify.com/track/${SPOTIFY_ID}\n`,
    `2 Ovo / Plinth ${OTHER_TRACK}`,
  ],
});

/** The first columns of Exportify's files, which have the language of the browser. */
const EXPORTIFY = {
  German:
    'Track-URI,Track-Name,Künstler-URI(s),Künstlername(n),Album-URI,Album-Name,Album-Künstler-URI(s),Album-Künstlername(n),Veröffentlichungsdatum des Albums',
  Spanish:
    'URI de la canción,Nombre de la canción,URI(s) del artista,Nombre(s) del artista,URI del álbum,Nombre del álbum,URI(s) del artista del álbum,Nombre(s) del artista del álbum,Fecha de lanzamiento del álbum',
  French:
    "URI du titre,Nom du titre,URI(s) de l'artiste,Nom(s) de l'artiste,URI de l'album,Nom de l'album,URI(s) de l'artiste de l'album,Nom(s) de l'artiste de l'album,Date de sortie de l'album",
  Italian:
    "URI della traccia,Nome della traccia,URI dell'artista,Nome dell'artista,URI dell'album,Nome dell'album,URI dell'artista dell'album,Nome dell'artista dell'album,Data di rilascio dell'album",
  Portuguese:
    'URI da faixa,Nome da faixa,URI(s) do artista,Nome(s) do artista,URI do álbum,Nome do álbum,URI(s) do artista do álbum,Nome(s) do artista do álbum,Data de lançamento do álbum',
  Dutch:
    'Nummer URI,Nummernaam,Artiest-URI,Naam van artiest,Album-URI,Naam van album,Artiest-URI van het album,Naam van artiest op het album,Releasedatum van het album',
  Swedish:
    'Låtens URI,Låtens namn,Artistens URI,Artistens namn,Albumets URI,Albumets namn,Albumartistens URI,Albumartistens namn,Albumets releasedatum',
  Turkish:
    'Parça URI,Parça Adı,Sanatçı URI,Sanatçı Adı,Albüm URI,Albüm Adı,Albümdeki Sanatçı URI,Albümdeki Sanatçı Adı,Albüm Çıkış Tarihi',
  Japanese:
    'トラックURI,トラック名,アーティストURI,アーティスト名,アルバムURI,アルバム名,アルバムアーティストURI,アルバムアーティスト名,アルバム発売日',
  Chinese: '曲目 URI,曲目名称,艺人 URI,艺人名称,专辑 URI,专辑名称,专辑艺人 URI,专辑艺人名称,专辑发行日期',
  'traditional Chinese':
    '曲目 URI,曲目名稱,藝人 URI,藝人名稱,專輯 URI,專輯名稱,專輯藝人 URI,專輯藝人名稱,專輯發行日期',
  Cantonese: '歌 Link,歌名,Artist Link,Artist 名,專輯 Link,專輯名,專輯 Artist Link,專輯 Artist 名,專輯發行日',
  Arabic:
    'رابط الأغنية (URI),اسم الأغنية,روابط الفنانين (URI),أسماء الفنانين,رابط الألبوم (URI),اسم الألبوم,روابط فناني الألبوم (URI),أسماء فناني الألبوم,تاريخ إصدار الألبوم',
  Greek:
    'URI κομματιού,Όνομα κομματιού,URI καλλιτέχνη/ων,Όνομα/τα καλλιτέχνη,URI άλμπουμ,Όνομα άλμπουμ,URI καλλιτέχνη/ων άλμπουμ,Όνομα/τα καλλιτέχνη άλμπουμ,Ημερομηνία κυκλοφορίας άλμπουμ',
};

testLists(
  Object.fromEntries(
    Object.entries(EXPORTIFY).map(([language, header]) => [
      `Exportify in ${language}`,
      [
        [
          header,
          `${TRACK},"Plinth, two",spotify:artist:${SPOTIFY_ID},Ovo,spotify:album:${SPOTIFY_ID},First,spotify:artist:${SPOTIFY_ID},Ula,1999-01-02`,
          ',Kettle,,Tam,,Last,,Ula,2001',
          ',Spindle,,,,Last,,Ula,2001',
        ].join('\n'),
        [
          `2 Ovo / Plinth, two (First) 1999 ${TRACK}`,
          '3 Tam / Kettle (Last) 2001',
          '4 Ula / Spindle (Last) 2001',
        ],
      ],
    ]),
  ),
);

testLists({
  'a header in Polish': ['Wykonawca;Tytuł\nOvo;Plinth\n', '2 Ovo / Plinth'],
  'a header in Russian': ['Название,Исполнитель,Альбом\nPlinth,Ovo,First\n', '2 Ovo / Plinth (First)'],
  'a header in Korean': ['제목\t가수\nPlinth\tOvo\n', '2 Ovo / Plinth'],
  'a number beside the name, in Portuguese': ['Faixa;Nome;Artista\n1;Plinth;Ovo\n', '2 Ovo / Plinth'],
  'a number beside the name, in German': ['Nummer;Name;Interpret\n1;Plinth;Ovo\n', '2 Ovo / Plinth'],
  'a number beside the name, in Dutch': ['Nummer;Naam;Artiest\n1;Plinth;Ovo\n', '2 Ovo / Plinth'],
  'a number that is the song, in Dutch': ['Nummer;Artiest\nPlinth;Ovo\n', '2 Ovo / Plinth'],
  "Apple's names in Italian": [
    'Nome\tArtista\tCompositore\tAlbum\nPlinth\tOvo\tTam\tFirst\n',
    '2 Ovo / Plinth (First)',
  ],
  "Apple's names in Spanish": ['Nombre\tArtista\tÁlbum\nPlinth\tOvo\tFirst\n', '2 Ovo / Plinth (First)'],
  "Apple's names in French": ['Nom\tArtiste\tAlbum\nPlinth\tOvo\tFirst\n', '2 Ovo / Plinth (First)'],
  'a short header in Japanese': ['曲名,アーティスト,アルバム\nPlinth,Ovo,First\n', '2 Ovo / Plinth (First)'],
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
        { name: 'Songs in no playlist', entries: 1 },
      ],
    },
  );
  assert.equal(readList(bytesOf(file), { list: 'Home' }).name, 'Home');
  assert.deepEqual(told(file, { list: 'Home' }), ['3 Tam / Kettle in Home']);
  assert.deepEqual(
    told(file, { list: 'songs in no playlist' }).at(-1),
    '4 Ula / Rope in Songs in no playlist',
  );
  assert.equal(refusal(file, { list: 'Garden' }), 'The file has no playlist "Garden".');
});

testRefusals((what) => `${what}: refused, and the error names the line`, {
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
    'The file is a list of the IDs of videos. Video IDs have no titles. | line 1',
  ],
});

test('a wide table without a header is refused', () => {
  assert.equal(
    refusal('Plinth,Ovo,First\n', { format: 'csv' }),
    'The table has no header that names a title and an artist. | line 1',
  );
});
