/** XSPF, the XML of iTunes, and malicious XML. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../src/music/lists/readList.ts';
import { bytesOf, ISRC, TRACK, testLists, testRefusals, told } from './told.ts';

const XSPF = `<?xml version="1.0" encoding="UTF-8"?>
<playlist version="1" xmlns="http://xspf.org/ns/0/">
  <title>Road &amp; rope 🎺</title>
  <trackList>
    <track>
      <location>file:///m/1.mp3</location>
      <title>Plinth &lt;two&gt;</title><creator>Ovo</creator><album><![CDATA[First & last]]></album>
    </track>
    <track><identifier>${TRACK}</identifier><identifier>urn:isrc:${ISRC}</identifier></track>
    <track><title>Tam - Kettle</title></track>
    <track><title>Rope</title></track>
    <extension/>
  </trackList>
</playlist>
`;

const song = (id: number, name: string, artist: string, more = '') =>
  `<key>${id}</key><dict><key>Track ID</key><integer>${id}</integer><key>Name</key><string>${name}</string>` +
  `<key>Artist</key><string>${artist}</string>${more}</dict>\n`;
const item = (id: number) => `<dict><key>Track ID</key><integer>${id}</integer></dict>\n`;
const playlist = (name: string, ids: readonly number[], more = '') =>
  `<dict><key>Name</key><string>${name}</string>${more}<key>Playlist Items</key><array>${ids.map(item).join('')}</array></dict>\n`;
const library = (tracks: string, playlists: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n` +
  `<!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n` +
  `<plist version="1.0"><dict><key>Major Version</key><integer>1</integer><key>Tracks</key><dict>\n${tracks}</dict>` +
  `<key>Playlists</key><array>\n${playlists}</array></dict></plist>\n`;
const SONGS =
  song(11, 'Plinth', 'Ovo', '<key>Album</key><string>First</string><key>Year</key><integer>1999</integer>') +
  song(12, 'Kettle &#38; rope', 'Tam', '<key>Loved</key><true/>');
const VIEW = '<key>Master</key><true/>';

testLists({
  XSPF: [
    XSPF,
    `5 Ovo / Plinth <two> (First & last)\n9  /  ${ISRC} ${TRACK}\n10 Tam / Kettle\n11  / Rope\n12: not a track`,
  ],
  'an iTunes playlist with a song twice and a missing one': [
    library(SONGS, playlist('Road', [12, 11, 12, 99])),
    '4 Ovo / Plinth (First) 1999 in Road\n5 Tam / Kettle & rope in Road\n5 Tam / Kettle & rope in Road\n10: a track that the file does not describe',
  ],
  'an iTunes library': [
    library(
      SONGS + song(13, 'Rope', 'Ula') + song(14, 'Talk', 'Radio', '<key>Podcast</key><true/>'),
      playlist('Library', [11, 12, 13, 14], VIEW) + playlist('Road', [12]),
    ),
    '4 Ovo / Plinth (First) 1999 in Library\n5 Tam / Kettle & rope in Road\n6 Ula / Rope in Library\n7: of type "podcast"',
  ],
});

test('an iTunes playlist keeps its order', () => {
  const { entries } = readList(bytesOf(library(SONGS, playlist('Road', [12, 11, 12]))));
  assert.deepEqual(
    entries.map(({ line, title }) => `${line} ${title}`),
    ['5 Kettle & rope', '4 Plinth', '5 Kettle & rope'],
  );
});

test('names of playlists are reported', () => {
  assert.equal(readList(bytesOf(XSPF)).name, 'Road & rope 🎺');
  assert.equal(readList(bytesOf(library(SONGS, playlist('Road', [11, 12])))).name, 'Road');
});

test('a file in UTF-16 is read even if it declares another encoding', () => {
  assert.deepEqual(told(Buffer.from(`\ufeff${XSPF}`, 'utf16le')), told(XSPF));
});

const bomb =
  '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">' +
  '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>\n<playlist><title>&c;</title></playlist>';

testRefusals((what) => `${what}: refused`, {
  'entities that grow': [bomb, "Line 2 is not valid XML: Named entity isn't defined: &c;. | line 2"],
  'elements without end': [`<playlist>${'<a>'.repeat(100_000)}`, 'The XML is nested too deeply.'],
  'a property list of something else': [
    '<plist version="1.0"><dict><key>a</key><true/></dict></plist>',
    'The property list has no tracks. | line 1',
  ],
});
