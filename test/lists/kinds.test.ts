/** Files of services, players and programs that are known by their kind, whatever their header: songs, or a refusal by name. */
import { ISRC, OTHER_TRACK, TRACK, testLists, testRefusals } from './told.ts';

const ID = 'b'.repeat(22);
const songs = (more = '') => `"artist_name":"Needle & Coffee","track_name":"Kept"${more}`;
const lastFm =
  '{"artist":{"#text":"Needle & Coffee"},"album":{"#text":"Field"},"name":"Kept","url":"https://example.com/1"}';
const jspf = (title: string, more = '') =>
  `{"playlist":{"title":"${title}","creator":"someone","track":[{"title":"Kept","creator":"Paper Kites"${more}}]}}`;
const subsonic = (inner: string) => `{"subsonic-response":{"status":"ok",${inner}}}`;
const child = `{"id":"${ID}","isDir":false,"title":"Kept","artist":"Paper Kites","isrc":["${ISRC}"]}`;
const apple = (type: string, name: string, more = '') =>
  `{"id":"1","type":"${type}","attributes":{"name":"${name}","artistName":"Paper Kites"${more}}}`;
const response = (inner: string) => `<subsonic-response status="ok">${inner}</subsonic-response>`;

testLists({
  'ListenBrainz, one listen a line': [
    `{"listened_at":1,"track_metadata":{${songs(`,"release_name":"Field","additional_info":{"isrc":"${ISRC}","spotify_id":"https://open.spotify.com/track/${ID}"}`)}}}\n{"listened_at":2,"track_metadata":{"artist_name":"Paper Kites","track_name":"Hillside"}}`,
    `1 Needle & Coffee / Kept (Field) ${ISRC} ${OTHER_TRACK}\n2 Paper Kites / Hillside`,
  ],
  "ListenBrainz's API, with a song heard twice": [
    `{"payload":{"count":2,"listens":[{"track_metadata":{${songs()}}},\n{"track_metadata":{${songs()}}}]}}`,
    '1 Needle & Coffee / Kept\n2: heard before',
  ],
  'Last.fm: recent tracks as an array of pages': [
    `[{"recenttracks":{"track":[${lastFm}],"@attr":{"page":"1"}}}]`,
    '1 Needle & Coffee / Kept (Field)',
  ],
  'JSPF, with addresses of several services': [
    jspf('Road', `,"location":["https://example.com/1","https://open.spotify.com/track/${ID}"]`),
    `1 Paper Kites / Kept ${OTHER_TRACK}`,
  ],
  'maloja: scrobbles, and a chart': [
    '[{"scrobbles":[{"time":1,"track":{"artists":["Paper Kites","Parkshaw"],"title":"Kept","album":{"albumtitle":"Field"}}}]},\n{"list":[{"scrobbles":4,"track":{"artists":["Ovo"],"title":"Plinth"},"rank":1}]}]',
    '1 Paper Kites, Parkshaw / Kept (Field)\n2 Ovo / Plinth',
  ],
  "Subsonic: a playlist, whose IDs look like Spotify's": [
    subsonic(`"playlist":{"name":"Road","entry":[${child}]}`),
    `1 Paper Kites / Kept ${ISRC}`,
  ],
  'Subsonic in XML': [
    response(
      '<playlist name="Road">\n<entry id="1" title="Kept" artist="Paper Kites" album="Field"/></playlist>',
    ),
    '2 Paper Kites / Kept (Field) in Road',
  ],
  "Apple Music's API": [
    `{"data":[${apple('songs', 'Kept', `,"isrc":"${ISRC}"`)},\n${apple('albums', 'Field')},\n${apple('library-music-videos', 'Kept')}]}`,
    `1 Paper Kites / Kept ${ISRC}\n2: of type "albums"\n3: of type "library-music-videos"`,
  ],
  "Apple Music's API: a search, and a playlist": [
    `[{"results":{"albums":{"data":[${apple('albums', 'Field')}]},"songs":{"data":[${apple('songs', 'Kept')}]}}},\n{"type":"playlists","attributes":{"name":"Road"},"relationships":{"tracks":{"data":[${apple('songs', 'Kept')}]}}}]`,
    '1 Paper Kites / Kept\n2 Paper Kites / Kept in Road',
  ],
  "Tidal's API, the one in use and the older": [
    `[{"data":[{"id":"1","type":"tracks"}],"included":[{"type":"tracks","attributes":{"title":"Kept","isrc":"${ISRC}"}}]},\n{"items":[{"item":{"title":"Kept","version":"Live","artists":[{"name":"Ovo"}]},"type":"track"}]}]`,
    `1  / Kept ${ISRC}\n2 Ovo / Kept (Live)`,
  ],
  'a song with lists of its own': [
    '[{"title":"Kept","artist":"Ovo","similar":[{"title":"No","artist":"No"}],"others":[{"title":"No","artist":"No"}]}]',
    '1 Ovo / Kept',
  ],
  "Apple's favorites: songs that are liked": [
    'Favorite Type,Item Reference,Item Description,Preference\nSONG,1,Needle & Coffee - Kept,LIKE\nSONG,2,Ovo - Plinth,DISLIKE\nALBUM,3,Ovo - First,LIKE\nPLAYLIST,4,Jazz - Best,LIKE\n',
    '2 Needle & Coffee / Kept\n3: disliked\n4: of type "album"\n5: of type "playlist"',
  ],
  Plex: [
    'Title,OriginalTitle,ParentTitle,GrandparentTitle\nKept,Ovo,First,Various Artists\nRope,,First,Tam\n',
    '2 Ovo / Kept (First)\n3 Tam / Rope (First)',
  ],
  'XSPF with dashes in titles whose artists are named': [
    '<playlist><trackList>\n<track><title>Kept - Live</title><creator>Ovo</creator></track>\n<track><title>Tam - Rope</title></track></trackList></playlist>',
    '2 Ovo / Kept - Live\n3 Tam / Rope',
  ],
  "Last.fm's API in XML": [
    '<?xml version="1.0"?>\n<lfm><lovedtracks><track><name>Kept</name><artist><name>Ovo</name></artist></track></lovedtracks></lfm>',
    '2 Ovo / Kept',
  ],
  'a CUE sheet': [
    'PERFORMER "Ovo"\nTITLE "First"\nREM DATE 1999\nFILE "a.flac" WAVE\n  TRACK 01 AUDIO\n    TITLE "Plinth"\n    PERFORMER "Tam"\n    INDEX 01 00:00:00\n  TRACK 02 AUDIO\n    TITLE Kettle\n    ISRC ZZABC1200001\n    INDEX 01 03:00:00\n',
    `5 Tam / Plinth (First) 1999\n9 Ovo / Kettle (First) 1999 ${ISRC}`,
  ],
  'a CUE sheet of a mix, whose titles name the artists': [
    'TITLE "Mix"\nFILE "a.mp3" MP3\n  TRACK 01 AUDIO\n    TITLE "Ovo - Plinth"\n    INDEX 01 00:00:00\n',
    '3 Ovo / Plinth (Mix)',
  ],
  'WPL, with names or with paths only': [
    '<?wpl version="1.0"?>\n<smil><head><title>Road</title></head><body><seq>\n<media src="..\\Ovo\\First\\03 Plinth.mp3"/>\n<media src="a.mp3" trackTitle="Kettle" trackArtist="Tam"/></seq></body></smil>',
    '3 Ovo / Plinth (First)\n4 Tam / Kettle',
  ],
  'playlists of Rhythmbox': [
    '<?xml version="1.0"?>\n<rhythmdb-playlists><playlist name="Road">\n<location>file:///home/u/Music/Ovo/First/01%20-%20Plinth.flac</location></playlist></rhythmdb-playlists>',
    '3 Ovo / Plinth (First) in Road',
  ],
  'marks in an iTunes library that say no': [
    '<plist version="1.0"><dict><key>Tracks</key><dict>\n<key>1</key><dict><key>Name</key><string>Plinth</string><key>Artist</key><string>Ovo</string><key>Podcast</key><false/><key>Movie</key><integer>0</integer></dict>\n<key>2</key><dict><key>Name</key><string>Talk</string><key>Artist</key><string>Tam</string><key>Genre</key><string>Audiobook</string></dict>\n<key>3</key><dict><key>Name</key><string>Radio</string><key>Track Type</key><string>URL</string></dict></dict><key>Playlists</key><array><dict><key>Name</key><string>Road</string><key>Folder</key><false/><key>Master</key><integer>0</integer><key>Playlist Items</key><array><dict><key>Track ID</key><integer>1</integer></dict></array></dict></array></dict></plist>',
    '2 Ovo / Plinth in Road\n3: of type "audiobook"\n4: of type "stream"',
  ],
  "Tidal's second API: tracks, artists and albums apart, in the order of the playlist": [
    '{"data":[{"id":"2","type":"tracks"},\n{"id":"1","type":"tracks"}],"included":[{"id":"9","type":"artists","attributes":{"name":"Ovo"}},{"id":"5","type":"albums","attributes":{"title":"First"}},{"id":"1","type":"tracks","attributes":{"title":"Plinth"},"relationships":{"artists":{"data":[{"id":"9","type":"artists"}]},"albums":{"data":[{"id":"5","type":"albums"}]}}},{"id":"2","type":"tracks","attributes":{"title":"Kettle"},"relationships":{"artists":{"data":[{"id":"9","type":"artists"}]}}}]}',
    '2 Ovo / Kettle\n2 Ovo / Plinth (First)',
  ],
  'songs by their IDs': [
    '{"songs":{"a1":{"title":"Plinth","artist":"Ovo"},\n"b2":{"title":"Kettle","artist":"Tam","album":{"title":"First","artist":"Ula"}}}}',
    '1 Ovo / Plinth\n2 Tam / Kettle (First)',
  ],
  'directories of telephones, copies and the site of a download': [
    '#EXTM3U\n/storage/emulated/0/Music/Plinth.mp3\n/storage/1A2B-3C4D/Music/Ovo/First/01 Kettle (1).mp3\n/sdcard/Download/y2mate.com - Tam - Rope (2).mp3\n/storage/Music/Intro (2).mp3',
    '2  / Plinth\n3 Ovo / Kettle (First)\n4 Tam / Rope\n5  / Intro',
  ],
});

const VIDEOS = 'The file is a list of the IDs of videos. Video IDs have no titles. | line 1';
const HISTORY = 'The file is a watch history of YouTube, not a list of songs. | line 1';
const RECORDS =
  'The table is a collection of records: its titles are those of albums, not of songs. | line 1';
const MAIL = 'The file is a mail, not a list. | line 1';

testRefusals((what) => `${what}: refused by what it is`, {
  'a takeout in German': ['Video-ID,Zeitstempel\netGP2rjsqIw,2023-03-07T05:54:43+00:00\n\n\n', VIDEOS],
  'an older takeout': [
    'Playlist ID,Title\nPL1,Road - Home\n\nVideo ID,Time Added\nabcdefghijk,2023-03-07 05:54:43 UTC\n',
    VIDEOS,
  ],
  'a watch history as JSON': [
    '[{"header":"YouTube","title":"Watched Ovo - Plinth","titleUrl":"https://www.youtube.com/watch?v=a"}]',
    HISTORY,
  ],
  'a watch history as a web page': [
    '<html><body><div class="outer-cell"><a href="https://www.youtube.com/watch?v=a">Ovo - Plinth</a></div>',
    HISTORY,
  ],
  'a collection of Discogs': [
    'Catalog#,Artist,Title,Label,Format,Rating,Released,release_id\nA1,Ovo,First,Any,LP,5,1999,1\n',
    RECORDS,
  ],
  'Rich Text': [
    `{\\rtf1\\ansi\nOvo - Plinth\\par ${TRACK}\n}`,
    'The file is a document in Rich Text Format (RTF), not plain text. | line 1',
  ],
  'a mail': [
    'Return-Path: <a@example.com>\nFrom: A <a@example.com>\nSubject: Songs - 1\n\nOvo - Plinth\n',
    MAIL,
  ],
  'IDs of videos alone': ['Video ID\netGP2rjsqIw\n', VIDEOS],
});
