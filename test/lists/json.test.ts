/** JSON of any program, and the files of Spotify's data export. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../src/music/lists/readList.ts';
import { bytesOf, EPISODE, ISRC, OTHER_TRACK, TRACK, testLists, testRefusals, told } from './told.ts';

/** The values of an array, each on a line of its own: the first on line 1. */
const inLines = (values: readonly unknown[]) =>
  `[${values.map((value) => JSON.stringify(value)).join(',\n')}]`;
const webTrack = {
  name: 'Plinth',
  type: 'track',
  artists: [{ name: 'Ovo', type: 'artist' }, { name: 'Tam' }],
  album: { name: 'First', release_date: '1999-01-02', uri: `spotify:album:${'c'.repeat(22)}` },
  external_ids: { isrc: ISRC },
  external_urls: { spotify: `https://open.spotify.com/track/${'a'.repeat(22)}` },
  uri: TRACK,
};
const song = { track: { trackName: 'Plinth', artistName: 'Ovo', albumName: 'First', trackUri: TRACK } };
const talk = { episode: { episodeName: 'Talk', showName: 'The Kettle Hour', episodeUri: EPISODE } };
const local = { track: null, episode: null, localTrack: { uri: 'spotify:local:Ovo::Rope:200' } };
const rope = { track: { trackName: 'Rope', artistName: 'Tam', albumName: '', trackUri: OTHER_TRACK } };
const playlists = (second = 'Home') =>
  `{"playlists":[{"name":"Road","lastModifiedDate":"2026-01-02","items":${inLines([song, talk, local])}},
${JSON.stringify({ name: second, items: [rope] })}]}`;

testLists({
  'strings and objects in one array': [
    inLines(['Ovo - Plinth', 'Ovo - Kettle', { title: 'Rope', artist: 'Tam' }, TRACK, 3, null, [], {}]),
    [
      '1 Ovo / Plinth',
      '2 Ovo / Kettle',
      '3 Tam / Rope',
      `4  /  ${TRACK}`,
      '5: neither an object nor a string',
      '6: neither an object nor a string',
      '7: neither an object nor a string',
      '8: empty',
    ],
  ],
  'arguments of a tool, with IDs or URIs': [
    `{"name":"Road","track_ids":${inLines(['4uLU6hMCjMI75M1A2tKUQC', TRACK])}}`,
    ['1  /  spotify:track:4uLU6hMCjMI75M1A2tKUQC', `2  /  ${TRACK}`],
  ],
  'songs that have IDs of other services': [
    '[{"title":"Rope","artist":"Tam","ids":["9"],"uris":["https://example.com/1"]}]',
    '1 Tam / Rope',
  ],
  'an answer with a block of JSON': [
    'Sure:\n```json\n{"name": "Mix", "tracks": ["Ovo - Plinth", {"title": "Rope", "artist": "Tam"}]}\n```\nMore?',
    ['1: outside the block of code', '3 Ovo / Plinth', '3 Tam / Rope', '5: outside the block of code'],
  ],
  'keys in other spellings': [
    inLines([
      { trackName: 'Plinth', artistName: 'Ovo', albumName: 'First', year: 1999 },
      { song_title: 'Kettle', 'Artist Name(s)': 'Tam', isrc: 'zz-abc-12-00001' },
      { name: 'Rope', artist: { name: 'Ula' }, album: { title: 'Second' } },
      { song: 'Quill', artists: ['Ovo', 'Tam'] },
    ]),
    `1 Ovo / Plinth (First) 1999\n2 Tam / Kettle ${ISRC}\n3 Ula / Rope (Second)\n4 Ovo, Tam / Quill`,
  ],
  "a playlist of Spotify's Web API": [
    `{"name":"Road","tracks":{"items":${inLines([{ added_at: '2026-01-02', track: webTrack }, { track: null }])}}}`,
    `1 Ovo, Tam / Plinth (First) 1999 ${ISRC} ${TRACK}\n2: no title and no artist`,
  ],
  "the answer of one of relay's tools": [
    `{"items":${inLines([
      { id: 'a'.repeat(22), name: 'Plinth', artists: 'Ovo, Tam', album: 'First', duration: '3:45' },
      { id: 'e'.repeat(22), type: 'episode', name: 'Talk', show: 'The Kettle Hour', position: 1 },
    ])},"total":2}`,
    `1 Ovo, Tam / Plinth (First) ${TRACK}\n2  / Talk ${EPISODE}`,
  ],
  'one object a line': [
    '{"title":"Plinth","artist":"Ovo"}\n\n{"title":"Kettle","artist":"Tam"}\n',
    '1 Ovo / Plinth\n3 Tam / Kettle',
  ],
  'an array of playlists': [
    inLines([
      { name: 'Road', tracks: ['Ovo - Plinth', { track: webTrack }] },
      { name: 'Home', tracks: { items: [{ title: 'Kettle', artist: 'Tam' }] } },
      { tracks: ['Tam - Rope'] },
    ]),
    `1 Ovo / Plinth in Road\n1 Ovo, Tam / Plinth (First) 1999 ${ISRC} ${TRACK} in Road\n2 Tam / Kettle in Home\n3 Tam / Rope in Songs in no playlist`,
  ],
  'keys that are names of built-in properties': [
    '[{"__proto__":{"title":"Rope"},"constructor":{"name":"x"},"toString":1,"title":"Plinth","artist":"Ovo"},\n{"__proto__":{"title":"Rope","artist":"Tam"}}]',
    '1 Ovo / Plinth\n2: no title and no artist',
  ],
  "Spotify's playlists": [
    playlists(),
    [
      `1 Ovo / Plinth (First) ${TRACK} in Road`,
      `2 The Kettle Hour / Talk ${EPISODE} in Road`,
      '3: a local file, which Spotify keeps on one device only',
      `4 Tam / Rope ${OTHER_TRACK} in Home`,
    ],
  ],
  "one of Spotify's playlists, and one with the same name": [
    playlists('Road'),
    ['3: a local file, which Spotify keeps on one device only', `4 Tam / Rope ${OTHER_TRACK} in Road (2)`],
    { list: 'Road (2)' },
  ],
  "Spotify's library": [
    `{"tracks":[{"artist":"Ovo","album":"First","track":"Plinth","uri":"${TRACK}"}],
"albums":[{"artist":"Ovo","album":"First","uri":"spotify:album:${'c'.repeat(22)}"}],"shows":[],
"episodes":[{"name":"Talk","show":"The Kettle Hour","uri":"${EPISODE}"}],
"bannedTracks":[{"artist":"Tam","track":"Kettle","uri":"${OTHER_TRACK}"}],
"artists":[{"name":"Ula","uri":""}]}`,
    `1 Ovo / Plinth (First) ${TRACK}\n2: an album\n3: an episode\n4: a song that you have hidden\n5: an artist`,
  ],
  "Spotify's streaming history": [
    '[{"endTime":"2026-01-02 10:00","artistName":"Ovo","trackName":"Plinth","msPlayed":200000}]',
    '1 Ovo / Plinth',
  ],
  "Spotify's extended streaming history": [
    inLines([
      {
        ts: '2026-01-02T10:00:00Z',
        master_metadata_track_name: 'Plinth',
        master_metadata_album_artist_name: 'Ovo',
        master_metadata_album_album_name: 'First',
        spotify_track_uri: TRACK,
        episode_name: null,
      },
      { episode_name: 'Talk', episode_show_name: 'The Kettle Hour', spotify_episode_uri: EPISODE },
      { master_metadata_track_name: null, episode_name: null, audiobook_title: 'Rope' },
    ]),
    `1 Ovo / Plinth (First) ${TRACK}\n2 The Kettle Hour / Talk ${EPISODE}\n3: no title and no artist`,
  ],
});

test('the name of the playlist and the format are reported', () => {
  const { format, name } = readList(bytesOf('{"name":"Road","tracks":[{"title":"Plinth","artist":"Ovo"}]}'));
  assert.deepEqual({ format, name }, { format: 'json', name: 'Road' });
  assert.equal(readList(bytesOf(playlists())).format, 'spotify');
});

test('a list whose lines begin with a time in square brackets is read as text, not as JSON', () => {
  assert.deepEqual(told('[0:00] Ovo - Plinth\n[3:45] Tam - Kettle'), ['1 Ovo / Plinth', '2 Tam / Kettle']);
});

testRefusals((what) => `${what}: refused`, {
  'two blocks of JSON': [
    '```json\n["Ovo - Plinth"]\n```\n```json\n["Tam - Kettle"]\n```',
    'Line 5 is not valid JSON: end of file expected. | line 5',
  ],
  'a file that was cut off': [
    '[\n{"title":"Plinth",\n"art',
    'Line 3 is not valid JSON: unexpected end of string. | line 3',
  ],
  'brackets without end': [
    '['.repeat(100_000),
    'Line 1 is not valid JSON: more than 64 levels of brackets. | line 1',
  ],
  'JSON without songs': [
    '{"tracks":[],"total":0}',
    'The file was read as JSON, but no song was found in it.',
  ],
});
