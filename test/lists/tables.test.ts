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
    `2 Ovo Brenk,Tam / Plinth, "two" (First) 1999 ${ISRC} ${TRACK}\n3  / Talk ${EPISODE}\n4: a local file, which Spotify keeps on one device only\n5 Ovo Brenk / Rope (First)`,
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
  'a column with the version of each song': [
    'Title,Mix Name,Artist\nPlinth,Extended Mix,Ovo\nKettle (Live),live,Tam\nRope,N/A,Ula\nWeir,2,Quill\nAlive,(Live),Ovo\n',
    '2 Ovo / Plinth (Extended Mix)\n3 Tam / Kettle (Live)\n4 Ula / Rope\n5 Quill / Weir\n6 Ovo / Alive (Live)',
  ],
  'several columns of artists, with numbers': [
    'Title,Artist #1,Artist #2,Album Artist\nPlinth,Ovo,Tam,Various\n',
    '2 Ovo, Tam / Plinth',
  ],
  'a column of numbers that is called Track #': ['Track #,Name,Artist\n1,Plinth,Ovo\n', '2 Ovo / Plinth'],
  'Last.fm without a header': [
    'Ovo,First,Plinth,14 Nov 2023 22:13\n"Tam, the",,Kettle,"14 Nov 2023, 22:13"\n',
    '1 Ovo / Plinth (First)\n2 Tam, the / Kettle',
  ],
  'Apple Music in German, with a quotation mark in a name': [
    'Name\tInterpret\tKomponist\tAlbum\tJahr\r12" Plinth\tOvo\t\tFirst\t1999\r"Kettle\tTam\t\tSecond\t2001\r',
    '2 Ovo / 12" Plinth (First) 1999\n3 Tam / "Kettle (Second) 2001',
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
  'a table with a singer': ['Song,Singer,Year of release\nPlinth,Ovo,1999', '2 Ovo / Plinth 1999'],
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
    '2: 3 columns instead of 2; a comma in a name needs quotation marks around the name\n3 Tam / Kettle\n4  / Quill',
  ],
  'titles of videos with the artist in them': [
    'title,album\nOvo - Plinth,\nOvo - Kettle,First\nRope,\n',
    '2 Ovo / Plinth\n3 Ovo / Kettle (First)\n4  / Rope',
  ],
  'two columns of links, one of them to Spotify': [
    `title,artist,url,spotify url\nPlinth,Ovo,https://example.com/1,https://open.spotify.com/track/${SPOTIFY_ID}\n`,
    `2 Ovo / Plinth ${OTHER_TRACK}`,
  ],
});

/** Columns of Exportify's files, which have the language of the browser. */
const EXPORTIFY = {
  German:
    'Track-URI,Track-Name,Künstlername(n),Album-Name,Album-Künstlername(n),Veröffentlichungsdatum des Albums',
  Spanish:
    'URI de la canción,Nombre de la canción,Nombre(s) del artista,Nombre del álbum,Nombre(s) del artista del álbum,Fecha de lanzamiento del álbum',
  French:
    "URI du titre,Nom du titre,Nom(s) de l'artiste,Nom de l'album,Nom(s) de l'artiste de l'album,Date de sortie de l'album",
  Italian:
    "URI della traccia,Nome della traccia,Nome dell'artista,Nome dell'album,Nome dell'artista dell'album,Data di rilascio dell'album",
  Portuguese:
    'URI da faixa,Nome da faixa,Nome(s) do artista,Nome do álbum,Nome(s) do artista do álbum,Data de lançamento do álbum',
  Dutch:
    'Nummer URI,Nummernaam,Naam van artiest,Naam van album,Naam van artiest op het album,Releasedatum van het album',
  Swedish: 'Låtens URI,Låtens namn,Artistens namn,Albumets namn,Albumartistens namn,Albumets releasedatum',
  Turkish: 'Parça URI,Parça Adı,Sanatçı Adı,Albüm Adı,Albümdeki Sanatçı Adı,Albüm Çıkış Tarihi',
  Japanese: 'トラックURI,トラック名,アーティスト名,アルバム名,アルバムアーティスト名,アルバム発売日',
  Chinese: '曲目 URI,曲目名称,艺人名称,专辑名称,专辑艺人名称,专辑发行日期',
  'traditional Chinese': '曲目 URI,曲目名稱,藝人名稱,專輯名稱,專輯藝人名稱,專輯發行日期',
  Cantonese: '歌 Link,歌名,Artist 名,專輯名,專輯 Artist 名,專輯發行日',
  Arabic: 'رابط الأغنية (URI),اسم الأغنية,أسماء الفنانين,اسم الألبوم,أسماء فناني الألبوم,تاريخ إصدار الألبوم',
  Greek:
    'URI κομματιού,Όνομα κομματιού,Όνομα/τα καλλιτέχνη,Όνομα άλμπουμ,Όνομα/τα καλλιτέχνη άλμπουμ,Ημερομηνία κυκλοφορίας άλμπουμ',
};

testLists(
  Object.fromEntries(
    Object.entries(EXPORTIFY).map(([language, header]) => [
      `Exportify in ${language}`,
      [
        [
          header,
          `${TRACK},"Plinth, two",Ovo,First,Ula,1999-01-02`,
          ',Kettle,Tam,Last,Ula,2001',
          ',Spindle,,Last,Ula,2001',
        ].join('\n'),
        `2 Ovo / Plinth, two (First) 1999 ${TRACK}\n3 Tam / Kettle (Last) 2001\n4 Ula / Spindle (Last) 2001`,
      ],
    ]),
  ),
);

testLists({
  'a header in Polish': ['Wykonawca;Tytuł\nOvo;Plinth\n', '2 Ovo / Plinth'],
  'a header in Russian': ['Название,Исполнитель,Альбом\nPlinth,Ovo,First\n', '2 Ovo / Plinth (First)'],
  'a header in Korean': ['제목\t가수\nPlinth\tOvo\n', '2 Ovo / Plinth'],
  'a number beside the name, in Portuguese': ['Faixa;Nome;Artista\n1;Plinth;Ovo\n', '2 Ovo / Plinth'],
  'a number that is the song, in Dutch': ['Nummer;Artiest\nPlinth;Ovo\n', '2 Ovo / Plinth'],
  "Apple's names in Italian": [
    'Nome\tArtista\tCompositore\tAlbum\nPlinth\tOvo\tTam\tFirst\n',
    '2 Ovo / Plinth (First)',
  ],
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
});

test('a wide table without a header is refused', () => {
  assert.equal(
    refusal('Plinth,Ovo,First\n', { format: 'csv' }),
    'The table has no header that names a title and an artist. | line 1',
  );
});
