/** Variants of what products export: other languages, orders, separators. The last row of a kind is one that must not change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import { readList } from '../../src/music/lists/readList.ts';
import { bytesOf } from './told.ts';

/** The songs as `Artist / Title`, with the doubt as `?` in front, or what the file is refused as. */
function outcome(file: string): string {
  try {
    const { entries, doubt } = readList(bytesOf(file));
    return (doubt ? '? ' : '') + entries.map(({ artist, title }) => `${artist} / ${title}`).join(', ');
  } catch (error) {
    return error instanceof RelayError ? error.message.replace(/[,.].*/u, '') : String(error);
  }
}

const VIDEOS = 'The file is a list of the IDs of videos';
const HISTORY = 'The file is a watch history of YouTube';
const RECORDS = 'The table is a collection of records: its titles are those of albums';
const ALBUMS = 'The file is a list of albums';
const [MAIL, CHAT] = ['The file is a mail', 'The file is the export of a chat'];

const PROGRAM = 'The file is a program';

/** An iTunes library: the songs `Name / Artist` with more keys each, and a playlist of all of them with more keys. */
function plist(
  songs: readonly (readonly [name: string, artist: string, more?: string])[],
  more = '',
): string {
  const tracks = songs.map(
    ([name, artist, keys = ''], at) =>
      `<key>${at}</key><dict><key>Name</key><string>${name}</string><key>Artist</key><string>${artist}</string>${keys}</dict>`,
  );
  const items = songs.map((_, at) => `<dict><key>Track ID</key><integer>${at}</integer></dict>`);
  return `<?xml version="1.0"?><plist version="1.0"><dict><key>Tracks</key><dict>${tracks.join('')}</dict><key>Playlists</key><array><dict><key>Name</key><string>Road</string>${more}<key>Playlist Items</key><array>${items.join('')}</array></dict></array></dict></plist>`;
}

const KINDS: Readonly<Record<string, readonly (readonly [file: string, songs: string])[]>> = {
  'takeout of YouTube, IDs': [
    ["ID de la vidéo,Date d'ajout\netGP2rjsqIw,07/03/2023 05:54:43\n", VIDEOS],
    ['Video ID\tTime\r\nabcDEF12345\t7 mars 2023, 05:54:43\r\n', VIDEOS],
    ['Video-ID,Zeit\nabcDEF12345,07.03.2023 05:54:43 MEZ\n', VIDEOS],
    ['Video ID,Time\nabcdefghijk,"Mar 7, 2023, 5:54:43 AM PST"\n', VIDEOS],
    ['Artist,Title\nabcdefghijk,Mar 7\n', 'abcdefghijk / Mar 7'],
  ],
  'takeout of YouTube Music': [
    [
      'Video-ID,Songtitel,Albumtitel,Künstlername 1,Künstlername 2\nabcDEF12345,Plinth,First,Ovo,Tam\n',
      'Ovo, Tam / Plinth',
    ],
    [
      '動画 ID,曲のタイトル,アルバムのタイトル,アーティスト名 1\nabcDEF12345,"Plinth, a",First,Ovo\n',
      'Ovo / Plinth, a',
    ],
    [
      '\ufeffVideo ID,Song Title,Album Title,Artist Name 1,Artist Name 2\r\nabcDEF12345,Plinth,First,Ovo,\r\n',
      'Ovo / Plinth',
    ],
    [
      'URL del brano,Titolo del brano,Titolo album,Nomi degli artisti\nhttps://music.youtube.com/watch?v=abcDEF12345,Plinth,First,Ovo\n',
      'Ovo / Plinth',
    ],
    ['Artist,Title,Album,Year\nHillsidexyz,Plinth,First,1999\n', 'Hillsidexyz / Plinth'],
  ],
  'CUE sheets': [
    [
      'PERFORMER "Ovo"\nTITLE "First"\nFILE "x.flac" WAVE\n\tTRACK 01 AUDIO\n\t\tTITLE "Plinth - Live"\n\t\tINDEX 01 00:00:00\n',
      'Ovo / Plinth - Live',
    ],
    [
      'PERFORMER "DJ"\nFILE "x.mp3" MP3\r\n  TRACK 01 AUDIO\r\n    TITLE "Plinth"\r\n    PERFORMER "Ovo"\r\n    INDEX 01 00:00:00\r\n  TRACK 02 AUDIO\r\n    TITLE "Kettle"\r\n    PERFORMER "Tam"\r\n    INDEX 00 03:00:00\r\n',
      'Ovo / Plinth, Tam / Kettle',
    ],
    [
      'REM GENRE Any\nSONGWRITER "Z"\nTITLE First\nPERFORMER Ovo\nFILE x WAVE\nTRACK 1 AUDIO\nTITLE Plinth\nSONGWRITER "Q"\nFLAGS DCP\nINDEX 1 00:00:00\nTRACK 2 MODE1/2352\nINDEX 1 03:00:00\n',
      'Ovo / Plinth',
    ],
    [
      'Track 01 - Plinth\nTitle - Kettle\nIndex 01 - Rope\n',
      'Track 01 / Plinth, Title / Kettle, Index 01 / Rope',
    ],
  ],
  'XML of iTunes': [
    [
      plist(
        [
          ['Plinth', 'Ovo', '<key>Podcast</key><false/><key>Movie</key><false/><key>Explicit</key><true/>'],
          ['Talk', 'Tam', '<key>Podcast</key><true/>'],
        ],
        '<key>Folder</key><false/><key>Distinguished Kind</key><integer>0</integer>',
      ),
      'Ovo / Plinth',
    ],
    [
      plist([
        ['Plinth', 'Ovo'],
        ['Radio Rope', '', '<key>Track Type</key><string>URL</string>'],
        ['Kettle', 'Tam', '<key>Music Video</key><true/>'],
      ]),
      'Ovo / Plinth',
    ],
    [plist([['Plinth', 'Ovo &#38; Tam']], '<key>Smart Info</key><data>AQ==</data>'), 'Ovo & Tam / Plinth'],
    [
      plist([
        ['Podcast', 'Movie', '<key>Genre</key><string>Pop</string>'],
        ['99 - Live', '1975', '<key>Track Type</key><string>Remote</string>'],
      ]),
      'Movie / Podcast, 1975 / 99 - Live',
    ],
  ],
  "Apple's files": [
    ['Track Name,Last Played Date\n"Ovo - Kettle - Live",1678168483000\n', 'Ovo / Kettle - Live'],
    [
      'Preference,Created,Item Description\nDISLIKE,2020,Tam - Kettle\nLIKE,2020,Ovo - Plinth\n',
      'Ovo / Plinth',
    ],
    [
      '[{"Content Type":"Song","Title":"Plinth","Artist":"Ovo"},{"Content Type":"Music Video","Title":"V","Artist":"Ovo"}]',
      'Ovo / Plinth',
    ],
    ['Nom\tArtiste\tAlbum\tAnnée\r\nPlinth\tOvo\tFirst\t1999\r\n', 'Ovo / Plinth'],
    ['title,artist,preference\nDislike,Ovo,\n', 'Ovo / Dislike'],
  ],
  'players and shops': [
    [
      'Album Artist,Album,Disc#,Track#,Title,Track Artist(s),Is Dup?\nVarious,First,1,1,Plinth,Ovo,no\n',
      'Ovo / Plinth',
    ],
    ['Display Artist\tTitle\tYear (yyyy)\nOvo\tPlinth\t1999\n', 'Ovo / Plinth'],
    ['recording_mbid,recording_name,artist_credit_name\nx,Plinth,Ovo\n', 'Ovo / Plinth'],
    [
      '{"MediaContainer":{"Metadata":[{"type":"track","title":"Plinth","grandparentTitle":"Various Artists","originalTitle":"Ovo"}]}}',
      'Ovo / Plinth',
    ],
    ['date,item type,item name,artist\n2020,package,First LP,Ovo\n2020,track,Plinth,Ovo\n', 'Ovo / Plinth'],
    [
      '{"tracks":{"items":[{"title":"Plinth","performer":{"name":"Ovo"},"album":{"title":"First","artist":{"name":"Tam"}}}]}}',
      'Ovo / Plinth',
    ],
    [
      '{"title":"First","artist-credit":[{"name":"Ovo"}],"media":[{"tracks":[{"title":"Plinth","recording":{"title":"Plinth","artist-credit":[{"name":"Tam"}]}}]}]}',
      'Tam / Plinth',
    ],
    ['type,title,artist\n,Album,Ovo\n', 'Ovo / Album'],
  ],
  'answers of ListenBrainz, Last.fm, maloja, YouTube and SoundCloud': [
    [
      '{"listened_at":1,"track_metadata":{"artist_name":"Ovo","track_name":"Plinth"}}\n{"listened_at":2,"track_metadata":{"artist_name":"Ovo","track_name":"Plinth"}}\n',
      'Ovo / Plinth',
    ],
    ['Ovo,First,Plinth,31 Dec 2019 10:00\nTam,,Kettle,31 Dec 2019 10:00\n', 'Ovo / Plinth, Tam / Kettle'],
    [
      '{"lovedtracks":{"track":{"artist":{"name":"Ovo"},"name":"Plinth"},"@attr":{"user":"me"}}}',
      'Ovo / Plinth',
    ],
    [
      '{"scrobbles":[{"time":1,"track":{"artists":["Ovo","Tam"],"title":"Plinth","album":{"albumtitle":"First"}}}]}',
      'Ovo, Tam / Plinth',
    ],
    [
      '{"items":[{"snippet":{"title":"Ovo - Plinth (Official Video)","channelTitle":"me"}}]}',
      'Ovo / Plinth (Official Video)',
    ],
    ['{"collection":[{"track":{"title":"Ovo - Plinth","user":{"username":"Label"}}}]}', 'Ovo / Plinth'],
    [
      'Ovo\tFirst\tPlinth\t31 Dec 2019 10:00\nTam\t\tKettle\t31 Dec 2019 10:00\n',
      'Ovo / Plinth, Tam / Kettle',
    ],
    ['#AUDIOSCROBBLER/1.1\n#TZ/UTC\nOvo\tFirst\tPlinth\t1\t182\tL\t1262304000\t\n', 'Ovo / Plinth'],
    [
      '{"subsonic-response":{"album":{"name":"First","artist":"Ovo","song":[{"isDir":false,"title":"Plinth","artist":"Ovo"}]}}}',
      'Ovo / Plinth',
    ],
    ['{"topartists":{"artist":[{"name":"Ovo","playcount":"3"}]}}', 'The file was read as JSON'],
  ],
  'XML of players': [
    [
      '<subsonic-response><starred2><album name="First" artist="Ovo"/><song title="Plinth" artist="Ovo"/></starred2></subsonic-response>',
      'Ovo / Plinth',
    ],
    [
      '<?xml version="1.0"?><MediaContainer><Track title="Plinth" grandparentTitle="Ovo"/></MediaContainer>',
      'Ovo / Plinth',
    ],
    [
      '<?zpl version="2.0"?>\n<smil><body><seq><media src="C:\\x.mp3" trackTitle="Plinth" trackArtist="Ovo"/></seq></body></smil>',
      'Ovo / Plinth',
    ],
    [
      '<?xml version="1.0"?><rhythmdb><entry type="iradio"><title>Any</title><location>http://x</location></entry><entry type="song"><title>Plinth</title><artist>Ovo</artist></entry></rhythmdb>',
      'Ovo / Plinth',
    ],
    [
      '<asx version="3.0"><title>Road</title><entry><title>Ovo - Plinth</title></entry></asx>',
      'Ovo / Plinth',
    ],
    ['<b>Ovo - Plinth</b>\n<b>Tam - Kettle</b>\n', 'Ovo / Plinth, Tam / Kettle'],
    [
      '<?xml version="1.0"?><opml><body><outline text="Ovo - Plinth"/></body></opml>',
      'The XML is neither a playlist nor an iTunes library',
    ],
  ],
  mails: [
    [
      '---------- Forwarded message ---------\nFrom: A <a@example.com>\nSubject: songs\n\nOvo - Plinth\n',
      MAIL,
    ],
    ['De : Anna\nÀ : Ben\nObjet : chansons\n\nOvo - Plinth\n', MAIL],
    ['Received: by 10.0.0.1\nDate: Mon\nFrom: A\n\nOvo - Plinth\n', MAIL],
    ['Ovo - From: Me\nTam - Subject: You\n', 'Ovo / From: Me, Tam / Subject: You'],
  ],
  chats: [
    ['[10:00] <anna> Ovo - Plinth\n[10:01] <ben> nice\n', '? Ovo / Plinth'],
    ['Anna, [01.01.2024 10:00]\nOvo - Plinth\n\nBen, [01.01.2024 10:01]\nSo Good\n', '? Ovo / Plinth'],
    ['anna  10:00 AM\nOvo - Plinth\nben  10:01 AM\nTam - Kettle\n', '? Ovo / Plinth, Tam / Kettle'],
    ['{"name":"Anna","messages":[{"from":"Anna","text":"Ovo - Plinth"}]}', CHAT],
    ['[10:00 PM]anna: Ovo - Plinth\n[10:01 PM]ben: Tam - Kettle\n', '? Ovo / Plinth, Tam / Kettle'],
    [
      '[31-Dec-23 10:00 PM] anna\nOvo - Plinth\n\n[31-Dec-23 10:01 PM] ben\nTam - Kettle\n',
      '? Ovo / Plinth, Tam / Kettle',
    ],
    [
      'Ovo - Plinth 10:00\nTam - <Kettle>\n[3:02] Ula - Rope\n',
      'Ovo / Plinth 10:00, Tam / <Kettle>, Ula / Rope',
    ],
  ],
  'histories of YouTube': [
    [
      '[{"header":"YouTube","title":"Ovo - Plinth angesehen","titleUrl":"https://www.youtube.com/watch?v=x"}]',
      HISTORY,
    ],
    ['[{"title":"Searched for ovo","titleUrl":"https://www.youtube.com/results?search_query=x"}]', HISTORY],
    ['<div class="outer-cell"><a href="https://www.youtube.com/watch?v=x">Ovo - Plinth</a></div>', HISTORY],
    ['[{"title":"Watched","artist":"Ovo","url":"https://www.youtube.com/watch?v=x"}]', 'Ovo / Watched'],
  ],
  'programs, logs and texts with one name a line': [
    ['const a = 1 - 2;\nexport default a;\n', PROGRAM],
    ["insert into songs values ('Plinth', 'Ovo');\n", PROGRAM],
    ['2024-01-01 10:00:00 INFO server - started\n2024-01-01 10:00:01 WARN db - slow\n', PROGRAM],
    ['- artist: Ovo\n  title: Plinth\n- artist: Tam\n  title: Kettle\n', PROGRAM],
    [
      'For Ovo - Plinth\nReturn - Kettle (Live)\nTitle: Rope\n',
      'For Ovo / Plinth, Return / Kettle (Live), Title / Rope',
    ],
  ],
  'bullets and numbers': [
    [
      '1. `[4:55]` Ovo - Plinth | requested by @anna\n2. `[4:20]` Tam - Kettle | Requested by: b\n',
      'Ovo / Plinth, Tam / Kettle',
    ],
    ['2019-12-31T10:00:00Z\tOvo\tPlinth\n2019-12-30T10:00:00Z\tTam\tKettle\n', 'Ovo / Plinth, Tam / Kettle'],
    ['🎵 Ovo - Plinth\n🔥Tam - Kettle\n🔟 Ula - Rope\n', 'Ovo / Plinth, Tam / Kettle, Ula / Rope'],
    ['├── Ovo - Plinth.mp3\n└── Tam - Kettle.mp3\n', 'Ovo / Plinth, Tam / Kettle'],
    ['1 Ovo - Plinth\n2 Tam - Kettle\n', 'Ovo / Plinth, Tam / Kettle'],
    ['[2024-01-01 10:00] Ovo - Plinth\n[2024-01-01 10:04] Tam - Kettle\n', 'Ovo / Plinth, Tam / Kettle'],
    [
      '2 Ovo - Plinth\n3 Tam Up - Kettle\n4 Non Ula - Rope\n❤ - Weir\n',
      '2 Ovo / Plinth, 3 Tam Up / Kettle, 4 Non Ula / Rope, ❤ / Weir',
    ],
  ],
  'paths and names of files': [
    [
      'C:\\Music\\Ovo\\First\\01 Plinth.mp3\nC:\\Music\\Tam\\Second\\02 Kettle.mp3\n',
      'Ovo / Plinth, Tam / Kettle',
    ],
    ['./Music/Ovo - Plinth.mp3\n./Music/Tam - Kettle.mp3\n', 'Ovo / Plinth, Tam / Kettle'],
    ['Ovo_-_Plinth.mp3\nTam_-_Kettle.mp3\n', 'Ovo / Plinth, Tam / Kettle'],
    ['#EXTM3U\n/Music/Ovo - First (1999)/01 Plinth.mp3\n', 'Ovo / Plinth'],
    [
      '#EXTM3U\n/Music/Ovo/First - Deluxe/01 Plinth.mp3\n/Music/Tam/1999 - Second/02 Kettle.mp3\n',
      'Ovo / Plinth, Tam / Kettle',
    ],
    ['AC/DC - Plinth.mp3\nOvo_1 - Rope_2\n', 'AC/DC / Plinth, Ovo_1 / Rope_2'],
  ],
  records: [
    ['Catalog#,Artist,Title,Format,release_id\nA1,Ovo,First,"LP, Album",1\n', RECORDS],
    ['RYM Album, First Name,Last Name,Title,Ownership\n1,,Ovo,First,o\n', RECORDS],
    ['listing_id;artist;title;catno;format\n1;Ovo;First;A1;CD\n', RECORDS],
    ['Artist,Title,Format,Album\nOvo,Plinth,CD,First\n', 'Ovo / Plinth'],
  ],
  'lists of albums, and a playlist that is no text': [
    ['Artist,Album,Year\nOvo,First,1999\n', ALBUMS],
    ['| Artist | Album |\n|---|---|\n| Ovo | First |\n', ALBUMS],
    ['"Interpret";"Album"\n"Ovo";"First"\n', ALBUMS],
    [
      '#-----SUMMARY-----#\nName=Road\n#-----CONTENT-----#\nC:\\1.mp3|Plinth|Ovo|First\n',
      'The file is a playlist of AIMP',
    ],
    ['Ovo - Album\nArtist - Plinth\n', 'Ovo / Album, Artist / Plinth'],
  ],
  'headers in other languages': [
    ['Kunstner;Titel\nOvo;Plinth\n', 'Ovo / Plinth'],
    ['아티스트,제목\nOvo,Plinth\n', 'Ovo / Plinth'],
    ['Καλλιτέχνης;Τίτλος\nOvo;Plinth\n', 'Ovo / Plinth'],
    ['歌曲名稱\t歌手\nPlinth\tOvo\n', 'Ovo / Plinth'],
    ['Songtitel;Künstlername\nOvo;Plinth\n', 'Plinth / Ovo'],
    ['Название трека;Исполнитель\nPlinth;Ovo\n', 'Ovo / Plinth'],
    ['Tên bài hát,Ca sĩ\nPlinth,Ovo\n', 'Ovo / Plinth'],
    ['名前\tアーティスト\tアルバム\nPlinth\tOvo\tFirst\n', 'Ovo / Plinth'],
    ['Sang, Lat\nKettle, Lat\nRope, Lat\n', 'Lat / Sang, Lat / Kettle, Lat / Rope'],
  ],
  'titles with what downloads add': [
    [
      'Ovo - Plinth (320 kbps).mp3\nTam - Kettle (128kbit_AAC).m4a\nUla - Rope_256k.mp3\n',
      'Ovo / Plinth, Tam / Kettle, Ula / Rope',
    ],
    ['Ovo - Plinth [a-b_cdEFgh1].webm\nyt1s.com - Tam - Kettle (1).mp3\n', 'Ovo / Plinth, Tam / Kettle'],
    [
      '[EXAMPLE.COM] Ovo - Plinth.mp3\nwww.example.net - Tam - Kettle (2).flac\n',
      'Ovo / Plinth, Tam / Kettle',
    ],
    [
      'Ovo - Half-Forgottens [Instrumental]\nwill.i.am - Rope (2)\nUla - 24k\n',
      'Ovo / Half-Forgottens [Instrumental], will.i.am / Rope (2), Ula / 24k',
    ],
  ],
  'shared songs': [
    ['Listening to Plinth by Ovo on @Spotify\n#NowPlaying Kettle by Tam\n', 'Ovo / Plinth, Tam / Kettle'],
    ['I used Shazam to discover Plinth by Ovo. https://example.com/1\n', 'Ovo / Plinth'],
    ['Plinth · Ovo\nKettle · Tam\n', 'Plinth / Ovo, Kettle / Tam'],
    ['Listening to the Weir by Ovo\nKettle by Tam\n', 'Ovo / Listening to the Weir, Tam / Kettle'],
  ],
  'cells of Excel': [
    ['="Title",="Artist"\n="Plinth",="Ovo"\n', 'Ovo / Plinth'],
    ['"=""Title""","=""Artist"""\n"=""007""","=""Ovo"""\n', 'Ovo / 007'],
    ['="title"\t="artist"\n="Plinth"\t="Ovo"\n', 'Ovo / Plinth'],
    ['title,artist\n=Rope,Ovo\n', 'Ovo / =Rope'],
  ],
  'albums in lines': [
    ['Ovo - 25 - 01 - Plinth.mp3\nTam - Second - 02 - Kettle.mp3\n', 'Ovo / Plinth, Tam / Kettle'],
    ['Title - Artist - Album\nPlinth - Ovo - First\nKettle - Tam - Second\n', 'Ovo / Plinth, Tam / Kettle'],
    [
      'Ovo - First - 01. Plinth\nTam - Second - 02 Kettle\nUla - Third - 03 Rope\nUla - Third - 04. Weir\n',
      'Ovo / Plinth, Tam / Kettle, Ula / Rope, Ula / Weir',
    ],
    [
      'Ovo - First - Plinth\nTam - Second - Kettle\nUla - Third - Rope\nOvo - First - Weir\n',
      'Ovo / Plinth, Tam / Kettle, Ula / Rope, Ovo / Weir',
    ],
    ['Ovo - [First CD1 #02] Plinth\nTam - [Second 03] Kettle\n', 'Ovo / Plinth, Tam / Kettle'],
    [
      '01 - Ovo - First - Plinth\n02 - Tam - Second - Kettle\n03 - Ula - Third - Rope\n04 - Ula - Third - Weir\n',
      'Ovo / Plinth, Tam / Kettle, Ula / Rope, Ula / Weir',
    ],
    [
      'Ovo - Plinth - Live\nTam - Kettle - Remastered 2011\nUla - [Rope]\n',
      'Ovo / Plinth - Live, Tam / Kettle - Remastered 2011, Ula / [Rope]',
    ],
  ],
};

for (const [kind, rows] of Object.entries(KINDS)) {
  test(kind, () => {
    assert.deepEqual(
      rows.map(([file]) => outcome(file)),
      rows.map(([, songs]) => songs),
    );
  });
}
