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
  'ListenBrainz, with the address of the play': [
    `[{"track_metadata":{${songs(`,"additional_info":{"origin_url":"https://open.spotify.com/track/${ID}"}`)}}}]`,
    `1 Needle & Coffee / Kept ${OTHER_TRACK}`,
  ],
  'ListenBrainz: most played': [
    `{"payload":{"recordings":[{${songs()}}],"range":"year"}}`,
    '1 Needle & Coffee / Kept',
  ],
  'ListenBrainz: loved and hated': [
    `{"feedback":[{"score":1,"track_metadata":{${songs()}}},\n{"score":-1,"track_metadata":{${songs()}}}]}`,
    '1 Needle & Coffee / Kept\n2: disliked',
  ],
  'Last.fm: recent tracks as an array of pages': [
    `[{"recenttracks":{"track":[${lastFm}],"@attr":{"page":"1"}}}]`,
    '1 Needle & Coffee / Kept (Field)',
  ],
  'Last.fm: arrays of pages with nothing around': [
    `[[${lastFm}],\n[${lastFm.replace('Kept', 'Hillside')}]]`,
    '1 Needle & Coffee / Kept (Field)\n2 Needle & Coffee / Hillside (Field)',
  ],
  'Last.fm: loved tracks': [
    '{"lovedtracks":{"track":[{"artist":{"name":"Paper Kites","url":"x"},"date":{"uts":"1"},"name":"Kept","image":[{"#text":"x"}]}]}}',
    '1 Paper Kites / Kept',
  ],
  'JSPF, with addresses of several services': [
    jspf('Road', `,"location":["https://example.com/1","https://open.spotify.com/track/${ID}"]`),
    `1 Paper Kites / Kept ${OTHER_TRACK}`,
  ],
  'JSPF in an array': [`[${jspf('Road')}]`, '1 Paper Kites / Kept in Road'],
  'several playlists as JSPF': [
    `{"playlists":[${jspf('Road')},\n${jspf('Gym')}]}`,
    '1 Paper Kites / Kept in Road\n2 Paper Kites / Kept in Gym',
  ],
  'maloja: scrobbles, and a chart': [
    '[{"scrobbles":[{"time":1,"track":{"artists":["Paper Kites","Parkshaw"],"title":"Kept","album":{"albumtitle":"Field"}}}]},\n{"list":[{"scrobbles":4,"track":{"artists":["Ovo"],"title":"Plinth"},"rank":1}]}]',
    '1 Paper Kites, Parkshaw / Kept (Field)\n2 Ovo / Plinth',
  ],
  "Subsonic: a playlist, whose IDs look like Spotify's": [
    subsonic(`"playlist":{"name":"Road","entry":[${child}]}`),
    `1 Paper Kites / Kept ${ISRC}`,
  ],
  'Subsonic: a search that also found albums': [
    subsonic(`"searchResult3":{"album":[{"name":"Field","artist":"Paper Kites"}],"song":[${child}]}`),
    `1 Paper Kites / Kept ${ISRC}`,
  ],
  'Subsonic in XML': [
    response(
      '<playlist name="Road">\n<entry id="1" title="Kept" artist="Paper Kites" album="Field"/></playlist>',
    ),
    '2 Paper Kites / Kept (Field) in Road',
  ],
  'Subsonic in XML: a search that also found albums': [
    response(
      '<searchResult3><album name="Field" artist="Paper Kites"/>\n<song title="Kept" artist="Paper Kites"/></searchResult3>',
    ),
    '2 Paper Kites / Kept',
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
  "Apple's plays: artist and title in one column among many": [
    'Country,Media type,Date Played,Hours,Track Description\nUS,AUDIO,20240101,"10, 11",Needle - You & Me - Live\nUS,AUDIO,20240101,12,Paper Kites - Kept & Co\n',
    '2 Needle / You & Me - Live\n3 Paper Kites / Kept & Co',
  ],
  "Apple's plays by the name of the song": [
    'Country,Song Name,Play Duration Milliseconds\nUS,Needle - You & Me,1000\nUS,Needle - You & Me,1000\n',
    '2 Needle / You & Me\n3: heard before',
  ],
  "Apple's favorites: songs that are liked": [
    'Favorite Type,Item Reference,Item Description,Preference\nSONG,1,Needle & Coffee - Kept,LIKE\nSONG,2,Ovo - Plinth,DISLIKE\nALBUM,3,Ovo - First,LIKE\nPLAYLIST,4,Jazz - Best,LIKE\n',
    '2 Needle & Coffee / Kept\n3: disliked\n4: of type "album"\n5: of type "playlist"',
  ],
  Roon: [
    'Album Artist,Album,Disc#,Track#,Title,Track Artist(s),Composer(s),External Id\nVarious Artists,Field,1,3,Kept,Paper Kites,Ovo,abc\n',
    '2 Paper Kites / Kept (Field)',
  ],
  MusicBee: [
    '"Display Artist","Title","Path"\n"Needle & Coffee","Kept","C:\\a.mp3"\n',
    '2 Needle & Coffee / Kept',
  ],
  Qobuz: ['Track Title,Main Artist,Album Title\nKept,Ovo,First\n', '2 Ovo / Kept (First)'],
  MusicBrainz: ['Recording,Artist Credit,Release Title\nKept,Ovo,First\n', '2 Ovo / Kept (First)'],
  Plex: [
    'Title,OriginalTitle,ParentTitle,GrandparentTitle\nKept,Ovo,First,Various Artists\nRope,,First,Tam\n',
    '2 Ovo / Kept (First)\n3 Tam / Rope (First)',
  ],
  "Plex's API": [
    '{"MediaContainer":{"Metadata":[{"title":"Kept","grandparentTitle":"Ovo","type":"track","Media":[{"id":1}]}]}}',
    '1 Ovo / Kept',
  ],
  'XSPF with dashes in titles whose artists are named': [
    '<playlist><trackList>\n<track><title>Kept - Live</title><creator>Ovo</creator></track>\n<track><title>Tam - Rope</title></track></trackList></playlist>',
    '2 Ovo / Kept - Live\n3 Tam / Rope',
  ],
  "Last.fm's API in XML": [
    '<?xml version="1.0"?>\n<lfm><lovedtracks><track><name>Kept</name><artist><name>Ovo</name></artist></track></lovedtracks></lfm>',
    '2 Ovo / Kept',
  ],
  Bandcamp: [
    'item_title,band_name,item_type\nKept,Ovo,track\nFirst,Ovo,album\n',
    '2 Ovo / Kept\n3: of type "album"',
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
    '<plist version="1.0"><dict><key>Tracks</key><dict>\n<key>1</key><dict><key>Name</key><string>Plinth</string><key>Artist</key><string>Ovo</string><key>Podcast</key><false/><key>Movie</key><integer>0</integer></dict>\n<key>2</key><dict><key>Name</key><string>Talk</string><key>Artist</key><string>Tam</string><key>Genre</key><string>Audiobook</string></dict></dict><key>Playlists</key><array><dict><key>Name</key><string>Road</string><key>Folder</key><false/><key>Master</key><integer>0</integer><key>Playlist Items</key><array><dict><key>Track ID</key><integer>1</integer></dict></array></dict></array></dict></plist>',
    '2 Ovo / Plinth in Road\n3: of type "audiobook"',
  ],
  "Tidal's second API: tracks, artists and albums apart, in the order of the playlist": [
    '{"data":[{"id":"2","type":"tracks"},\n{"id":"1","type":"tracks"}],"included":[{"id":"9","type":"artists","attributes":{"name":"Ovo"}},{"id":"5","type":"albums","attributes":{"title":"First"}},{"id":"1","type":"tracks","attributes":{"title":"Plinth"},"relationships":{"artists":{"data":[{"id":"9","type":"artists"}]},"albums":{"data":[{"id":"5","type":"albums"}]}}},{"id":"2","type":"tracks","attributes":{"title":"Kettle"},"relationships":{"artists":{"data":[{"id":"9","type":"artists"}]}}}]}',
    '2 Ovo / Kettle\n2 Ovo / Plinth (First)',
  ],
  "Last.fm's API with one track, which is no array": [
    '{"recenttracks":{"track":{"artist":{"#text":"Ovo"},"name":"Plinth"},"@attr":{"user":"me"}}}',
    '1 Ovo / Plinth',
  ],
  'songs by their IDs': [
    '{"songs":{"a1":{"title":"Plinth","artist":"Ovo"},\n"b2":{"title":"Kettle","artist":"Tam","album":{"title":"First","artist":"Ula"}}}}',
    '1 Ovo / Plinth\n2 Tam / Kettle (First)',
  ],
  'directories of telephones, copies and the site of a download': [
    '#EXTM3U\n/storage/emulated/0/Music/Plinth.mp3\n/storage/1A2B-3C4D/Music/Ovo/First/01 Kettle (1).mp3\n/sdcard/Download/y2mate.com - Tam - Rope (2).mp3\n/storage/Music/Intro (2).mp3',
    '2  / Plinth\n3 Ovo / Kettle (First)\n4 Tam / Rope\n5  / Intro',
  ],
  'artists and titles of eleven letters, a year as a title': [
    'Hillsidexyz,Carouselxyz\nNeedleabcde,1999\n',
    '1 Hillsidexyz / Carouselxyz\n2 Needleabcde / 1999',
  ],
  'a title beside the ID of a video': [
    'Video ID,Time,Title\netGP2rjsqIw,2023-03-07T05:54:43+00:00,Ovo - Plinth\n',
    '2 Ovo / Plinth',
  ],
  'songs below comments like the headers of a mail': [
    '# From: me\n# Subject: songs\nOvo - Plinth\nTam - Kettle\n',
    '1: comment\n2: comment\n3 Ovo / Plinth\n4 Tam / Kettle',
  ],
  'songs with the label and the format of each': [
    `Artist,Title,Label,Format,Length\nOvo,Plinth,Any,FLAC,3:02\n`,
    '2 Ovo / Plinth',
  ],
});

const VIDEOS = 'The file is a list of the IDs of videos. Video IDs have no titles. | line 1';
const HISTORY = 'The file is a watch history of YouTube, not a list of songs. | line 1';
const RECORDS =
  'The table is a collection of records: its titles are those of albums, not of songs. | line 1';
const MAIL = 'The file is a mail, not a list. | line 1';

testRefusals((what) => `${what}: refused by what it is`, {
  'a takeout in German': ['Video-ID,Zeitstempel\netGP2rjsqIw,2023-03-07T05:54:43+00:00\n\n\n', VIDEOS],
  'a takeout in Japanese': [
    '動画 ID;作成\n"-Ew_0rzHGQ1";"2023/03/07 5:54:43"\nabcdefghijk;2023/03/07\n',
    VIDEOS,
  ],
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
  'an inventory of Discogs': ['listing_id,artist,title,label,catno,format\n1,Ovo,First,Any,A1,LP\n', RECORDS],
  'a collection by barcode': ['Artist;Title;Format;Barcode\nOvo;First;CD;123\n', RECORDS],
  'Rich Text': [
    `{\\rtf1\\ansi\nOvo - Plinth\\par ${TRACK}\n}`,
    'The file is a document in Rich Text Format (RTF), not plain text. | line 1',
  ],
  'a mail': [
    'Return-Path: <a@example.com>\nFrom: A <a@example.com>\nSubject: Songs - 1\n\nOvo - Plinth\n',
    MAIL,
  ],
  'records with a format that only records have': ['Artist,Title,Format\nOvo,First,"2xLP, Album"\n', RECORDS],
  'IDs of videos alone': ['Video ID\netGP2rjsqIw\n', VIDEOS],
  'a mail in German': ['Von: A <a@example.com>\nBetreff: Lieder - 1\n\nOvo - Plinth\n', MAIL],
});
