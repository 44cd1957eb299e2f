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

const RECORDS = 'The table is a collection of records: its titles are those of albums';
const ALBUMS = 'The file is a list of albums';
const PROGRAM = 'The file is a program';
const TWO = 'Ovo / Plinth, Tam / Kettle';
const THREE = `${TWO}, Ula / Rope`;

const KINDS: Readonly<Record<string, readonly (readonly [file: string, songs: string])[]>> = {
  'takeout of YouTube Music': [
    [
      '動画 ID,曲のタイトル,アルバム,アーティスト名 1\nabcDEF12345,"Plinth, a",First,Ovo\n',
      'Ovo / Plinth, a',
    ],
    ['Artist,Title,Album,Year\nHillsidexyz,Plinth,First,1999\n', 'Hillsidexyz / Plinth'],
  ],
  'CUE sheets': [
    [
      'REM GENRE Any\nTITLE First\nPERFORMER Ovo\nFILE x WAVE\nTRACK 1 AUDIO\nTITLE Plinth\nINDEX 1 00:00:00\n',
      'Ovo / Plinth',
    ],
    ['Track 01 - Plinth\nTitle - Kettle\n', 'Track 01 / Plinth, Title / Kettle'],
  ],
  'players and shops': [
    ['Display Artist\tTitle\tYear (yyyy)\nOvo\tPlinth\t1999\n', 'Ovo / Plinth'],
    ['date,item type,item name,artist\n1,package,First LP,Ovo\n1,track,Plinth,Ovo\n', 'Ovo / Plinth'],
    [
      '{"media":[{"tracks":[{"title":"Plinth","recording":{"title":"Plinth","artist-credit":[{"name":"Tam"}]}}]}]}',
      'Tam / Plinth',
    ],
    ['title,artist,preference\nDislike,Ovo,\n', 'Ovo / Dislike'],
    ['type,title,artist\n,Album,Ovo\n', 'Ovo / Album'],
  ],
  'answers of Last.fm, Subsonic, YouTube and SoundCloud': [
    ['{"items":[{"snippet":{"title":"Ovo - Plinth","channelTitle":"me"}}]}', 'Ovo / Plinth'],
    ['{"collection":[{"track":{"title":"Ovo - Plinth","user":{"username":"Label"}}}]}', 'Ovo / Plinth'],
    ['Ovo\tFirst\tPlinth\t31 Dec 2019 10:00\nTam\t\tKettle\t31 Dec 2019 10:00\n', TWO],
    ['#AUDIOSCROBBLER/1.1\n#TZ/UTC\nOvo\tFirst\tPlinth\t1\t182\tL\t1262304000\t\n', 'Ovo / Plinth'],
    [
      '{"album":{"name":"First","artist":"Ovo","song":[{"isDir":false,"title":"Plinth","artist":"Ovo"}]}}',
      'Ovo / Plinth',
    ],
    ['{"topartists":{"artist":[{"name":"Ovo","playcount":"3"}]}}', 'The file was read as JSON'],
  ],
  'XML of players': [
    ['<MediaContainer><Track title="Plinth" grandparentTitle="Ovo"/></MediaContainer>', 'Ovo / Plinth'],
    ['<asx version="3.0"><entry><title>Ovo - Plinth</title></entry></asx>', 'Ovo / Plinth'],
    ['<opml><body/></opml>', 'The XML is neither a playlist nor an iTunes library'],
    ['<b>Ovo - Plinth</b>\n<b>Tam - Kettle</b>\n', TWO],
  ],
  mails: [
    ['De : Anna\nÀ : Ben\nObjet : chansons\n\nOvo - Plinth\n', 'The file is a mail'],
    ['Ovo - From: Me\nTam - Subject: You\n', 'Ovo / From: Me, Tam / Subject: You'],
  ],
  chats: [
    ['[10:00] <anna> Ovo - Plinth\n[10:01] <ben> nice\n', '? Ovo / Plinth'],
    ['Anna, [01.01.2024 10:00]\nOvo - Plinth\n\nBen, [01.01.2024 10:01]\nSo Good\n', '? Ovo / Plinth'],
    ['anna  10:00 AM\nOvo - Plinth\nben  10:01 AM\nTam - Kettle\n', `? ${TWO}`],
    ['{"name":"Anna","messages":[{"text":"Ovo - Plinth"}]}', 'The file is the export of a chat'],
    ['[10:00 PM]anna: Ovo - Plinth\n[10:01 PM]ben: Tam - Kettle\n', `? ${TWO}`],
    ['Ovo - Plinth\nTam - <Kettle>\n[3:02] Ula - Rope\n', 'Ovo / Plinth, Tam / <Kettle>, Ula / Rope'],
  ],
  'programs, logs and texts with one name a line': [
    ['const a = 1 - 2;\nexport default a;\n', PROGRAM],
    ["insert into songs values ('Plinth', 'Ovo');\n", PROGRAM],
    ['2024-01-01 10:00:00 INFO server - started\n2024-01-01 10:00:01 WARN db - slow\n', PROGRAM],
    ['- artist: Ovo\n  title: Plinth\n- artist: Tam\n  title: Kettle\n', PROGRAM],
    ['For Ovo - Plinth\nTitle: Rope\n', 'For Ovo / Plinth, Title / Rope'],
  ],
  'bullets and numbers': [
    ['1. `[4:55]` Ovo - Plinth | requested by @anna\n2. `[4:20]` Tam - Kettle | Requested by: b\n', TWO],
    ['🎵 Ovo - Plinth\n🔥Tam - Kettle\n🔟 Ula - Rope\n', THREE],
    ['├── Ovo - Plinth.mp3\n└── Tam - Kettle.mp3\n', TWO],
    ['[2024-01-01 10:00] Ovo - Plinth\n[2024-01-01 10:04] Tam - Kettle\n', TWO],
    ['2 Ovo - Plinth\n4 Non Ula - Rope\n❤ - Weir\n', '2 Ovo / Plinth, 4 Non Ula / Rope, ❤ / Weir'],
  ],
  'paths and names of files': [
    ['C:\\Music\\Ovo\\First\\01 Plinth.mp3\nC:\\Music\\Tam\\Second\\02 Kettle.mp3\n', TWO],
    ['./Music/Ovo - Plinth.mp3\n./Music/Tam - Kettle.mp3\n', TWO],
    ['Ovo_-_Plinth.mp3\nTam_-_Kettle.mp3\n', TWO],
    ['#EXTM3U\n/Music/Ovo - First (1999)/01 Plinth.mp3\n/Music/Tam/1999 - Second/02 Kettle.mp3\n', TWO],
    ['AC/DC - Plinth.mp3\nOvo_1 - Rope_2\n', 'AC/DC / Plinth, Ovo_1 / Rope_2'],
  ],
  'records and albums': [
    ['RYM Album, First Name,Last Name,Title,Ownership\n1,,Ovo,First,o\n', RECORDS],
    ['listing_id;artist;title;catno;format\n1;Ovo;First;A1;CD\n', RECORDS],
    ['| Artist | Album |\n|---|---|\n| Ovo | First |\n', ALBUMS],
    ['"Interpret";"Album"\n"Ovo";"First"\n', ALBUMS],
    ['#-----CONTENT-----#\nC:\\1.mp3|Plinth|Ovo|First\n', 'The file is a playlist of AIMP'],
    ['Artist,Title,Format,Album\nOvo,Plinth,CD,First\n', 'Ovo / Plinth'],
    ['Ovo - Album\nArtist - Plinth\n', 'Ovo / Album, Artist / Plinth'],
  ],
  'headers in other languages': [
    ['Kunstner;Titel\nOvo;Plinth\n', 'Ovo / Plinth'],
    ['Καλλιτέχνης;Τίτλος\nOvo;Plinth\n', 'Ovo / Plinth'],
    ['歌曲名稱\t歌手\nPlinth\tOvo\n', 'Ovo / Plinth'],
    ['Songtitel;Künstlername\nOvo;Plinth\n', 'Plinth / Ovo'],
    ['Tên bài hát,Ca sĩ\nPlinth,Ovo\n', 'Ovo / Plinth'],
    ['Sang, Lat\nKettle, Lat\nRope, Lat\n', 'Lat / Sang, Lat / Kettle, Lat / Rope'],
  ],
  'titles with what downloads add': [
    ['Ovo - Plinth (320 kbps).mp3\nTam - Kettle (128kbit_AAC).m4a\nUla - Rope_256k.mp3\n', THREE],
    ['Ovo - Plinth [a-b_cdEFgh1].webm\nyt1s.com - Tam - Kettle (1).mp3\n', TWO],
    ['[EXAMPLE.COM] Ovo - Plinth.mp3\nwww.example.net - Tam - Kettle (2).flac\n', TWO],
    ['will.i.am - Rope (2)\nUla - 24k\n', 'will.i.am / Rope (2), Ula / 24k'],
  ],
  'shared songs': [
    ['Listening to Plinth by Ovo on @Spotify\n#NowPlaying Kettle by Tam\n', TWO],
    ['Plinth · Ovo\nKettle · Tam\n', 'Plinth / Ovo, Kettle / Tam'],
    ['Listening to the Weir by Ovo\nKettle by Tam\n', 'Ovo / Listening to the Weir, Tam / Kettle'],
  ],
  'albums in lines': [
    ['Ovo - 25 - 01 - Plinth.mp3\nTam - Second - 02 - Kettle.mp3\n', TWO],
    ['Title - Artist - Album\nPlinth - Ovo - First\nKettle - Tam - Second\n', TWO],
    [
      'Ovo - A - 01. Plinth\nTam - B - 02 Kettle\nUla - C - 03 Rope\nUla - C - 04. Weir\n',
      `${THREE}, Ula / Weir`,
    ],
    ['Ovo - [First CD1 #02] Plinth\nTam - [Second 03] Kettle\n', TWO],
    ['Ovo - Plinth - Live\nUla - [Rope]\n', 'Ovo / Plinth - Live, Ula / [Rope]'],
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
