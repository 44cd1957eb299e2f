/** JSON of any program, and the files of Spotify's data export. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../src/music/lists/readList.ts';
import { bytesOf, EPISODE, ISRC, OTHER_TRACK, TRACK, testLists, testRefusals, told } from './told.ts';

const pretty = (value: unknown) => JSON.stringify(value, null, 1);
const webTrack = {
  name: 'Plinth',
  type: 'track',
  artists: [{ name: 'Ovo', type: 'artist' }, { name: 'Tam' }],
  album: { name: 'First', release_date: '1999-01-02', uri: `spotify:album:${'c'.repeat(22)}` },
  external_ids: { isrc: ISRC },
  external_urls: { spotify: `https://open.spotify.com/track/${'a'.repeat(22)}` },
  uri: TRACK,
};
const mixWith = (trackName: string) =>
  JSON.stringify({ name: 'Mix', items: [{ track: { trackName, artistName: 'Ovo' } }] });
const playlistExport = {
  playlists: [
    {
      name: 'Road',
      lastModifiedDate: '2026-01-02',
      items: [
        {
          track: { trackName: 'Plinth', artistName: 'Ovo', albumName: 'First', trackUri: TRACK },
          episode: null,
          localTrack: null,
        },
        {
          track: null,
          episode: { episodeName: 'Talk', showName: 'The Kettle Hour', episodeUri: EPISODE },
          localTrack: null,
        },
        { track: null, episode: null, localTrack: { uri: 'spotify:local:Ovo::Rope:200' } },
      ],
    },
    {
      name: 'Home',
      items: [{ track: { trackName: 'Rope', artistName: 'Tam', albumName: '', trackUri: OTHER_TRACK } }],
    },
  ],
};

testLists({
  'strings and objects in one array': [
    '[\n"Ovo - Plinth",\n"Ovo - Kettle",\n{"title": "Rope", "artist": "Tam"},\n"spotify:track:aaaaaaaaaaaaaaaaaaaaaa",\n3,\nnull,\n[],\n{},\n]',
    [
      '2 Ovo / Plinth',
      '3 Ovo / Kettle',
      '4 Tam / Rope',
      `5  /  ${TRACK}`,
      '6: neither an object nor a string',
      '7: neither an object nor a string',
      '8: neither an object nor a string',
      '9: empty',
    ],
  ],
  'arguments of a tool, with IDs or URIs': [
    pretty({ name: 'Road', track_ids: ['4uLU6hMCjMI75M1A2tKUQC', TRACK] }),
    ['4  /  spotify:track:4uLU6hMCjMI75M1A2tKUQC', `5  /  ${TRACK}`],
  ],
  'songs that have IDs of other services': [
    pretty([
      { title: 'Plinth', artist: 'Ovo', ids: ['9'] },
      { title: 'Rope', artist: 'Tam', uris: ['https://example.com/1'] },
    ]),
    ['2 Ovo / Plinth', '9 Tam / Rope'],
  ],
  'IDs of something else beside a list of songs': [
    pretty({ ids: ['1', '2'], playlist: { uris: [], tracks: ['Ovo - Plinth'] } }),
    ['9 Ovo / Plinth'],
  ],
  'an answer with a block of JSON': [
    'Sure:\n```json\n{"name": "Mix", "tracks": ["Ovo - Plinth", {"title": "Rope", "artist": "Tam"}]}\n```\nMore?\nJust ask.',
    [
      '1: outside the block of code',
      '3 Ovo / Plinth',
      '3 Tam / Rope',
      '5: outside the block of code',
      '6: outside the block of code',
    ],
  ],
  'keys in other spellings': [
    pretty([
      { trackName: 'Plinth', artistName: 'Ovo', albumName: 'First', year: 1999 },
      { song_title: 'Kettle', 'Artist Name(s)': 'Tam', isrc: 'zz-abc-12-00001' },
      { name: 'Rope', artist: { name: 'Ula' }, album: { title: 'Second' } },
      { song: 'Quill', artists: ['Ovo', 'Tam'] },
    ]),
    `2 Ovo / Plinth (First) 1999\n8 Tam / Kettle ${ISRC}\n13 Ula / Rope (Second)\n22 Ovo, Tam / Quill`,
  ],
  "a playlist of Spotify's Web API": [
    pretty({
      name: 'Road',
      tracks: { href: '', items: [{ added_at: '2026-01-02', track: webTrack }, { track: null }] },
    }),
    `6 Ovo, Tam / Plinth (First) 1999 ${ISRC} ${TRACK}\n34: no title and no artist`,
  ],
  "the answer of one of relay's tools": [
    pretty({
      items: [
        {
          id: 'a'.repeat(22),
          name: 'Plinth',
          artists: 'Ovo, Tam',
          album: 'First',
          duration: '3:45',
          position: 0,
        },
        { id: 'e'.repeat(22), type: 'episode', name: 'Talk', show: 'The Kettle Hour', position: 1 },
      ],
      total: 2,
    }),
    `3 Ovo, Tam / Plinth (First) ${TRACK}\n11  / Talk ${EPISODE}`,
  ],
  'one object a line': [
    '{"title":"Plinth","artist":"Ovo"}\n\n{"title":"Kettle","artist":"Tam"}\n',
    '1 Ovo / Plinth\n3 Tam / Kettle',
  ],
  'one object': ['{"title":"Plinth","artist":"Ovo"}', '1 Ovo / Plinth'],
  'several playlists': [
    '{"playlists":[{"name":"Road","tracks":["Ovo - Plinth"]},\n{"name":"Home","songs":[{"title":"Kettle","artist":"Tam"}]}]}',
    '1 Ovo / Plinth in Road\n2 Tam / Kettle in Home',
  ],
  'an array of playlists': [
    `[{"name":"Road","tracks":["Ovo - Plinth",{"track":${JSON.stringify(webTrack)}}]},\n{"name":"Home","tracks":{"items":[{"title":"Kettle","artist":"Tam"}]}},\n{"tracks":["Tam - Rope"]}]`,
    `1 Ovo / Plinth in Road\n1 Ovo, Tam / Plinth (First) 1999 ${ISRC} ${TRACK} in Road\n2 Tam / Kettle in Home\n3 Tam / Rope in Songs in no playlist`,
  ],
  'playlists with the same name': [
    '{"playlists":[{"name":"Mix","tracks":["Ovo - Plinth"]},\n{"name":"Mix (2)","tracks":["Tam - Rope"]},\n{"name":"Mix","tracks":["Tam - Kettle"]}]}',
    '1 Ovo / Plinth in Mix\n2 Tam / Rope in Mix (2)\n3 Tam / Kettle in Mix (3)',
  ],
  "Spotify's playlists with the same name": [
    `{"playlists":[{"name":"Mix","items":[]},\n${['Plinth', 'Rope'].map(mixWith).join(',\n')}]}`,
    '2 Ovo / Plinth in Mix\n3 Ovo / Rope in Mix (2)',
  ],
  'keys that are names of built-in properties': [
    '[{"__proto__":{"title":"Rope"},"constructor":{"name":"x"},"toString":1,"title":"Plinth","artist":"Ovo"},\n{"__proto__":{"title":"Rope","artist":"Tam"}}]',
    '1 Ovo / Plinth\n2: no title and no artist',
  ],
  "Spotify's playlists": [
    pretty(playlistExport),
    [
      `7 Ovo / Plinth (First) ${TRACK} in Road`,
      `17 The Kettle Hour / Talk ${EPISODE} in Road`,
      '26: a local file, which Spotify keeps on one device only',
      `38 Tam / Rope ${OTHER_TRACK} in Home`,
    ],
  ],
  "one of Spotify's playlists": [
    JSON.stringify(playlistExport),
    [`1 Tam / Rope ${OTHER_TRACK} in Home`, '1: a local file, which Spotify keeps on one device only'],
    { list: 'Home' },
  ],
  "Spotify's library": [
    pretty({
      tracks: [{ artist: 'Ovo', album: 'First', track: 'Plinth', uri: TRACK }],
      albums: [{ artist: 'Ovo', album: 'First', uri: `spotify:album:${'c'.repeat(22)}` }],
      shows: [],
      episodes: [{ name: 'Talk', show: 'The Kettle Hour', uri: EPISODE }],
      bannedTracks: [{ artist: 'Tam', track: 'Kettle', uri: OTHER_TRACK }],
      artists: [{ name: 'Ula', uri: '' }],
    }),
    [
      `3 Ovo / Plinth (First) ${TRACK}`,
      '11: an album',
      '19: an episode',
      '26: a song that you have hidden',
      '33: an artist',
    ],
  ],
  "Spotify's streaming history": [
    pretty([{ endTime: '2026-01-02 10:00', artistName: 'Ovo', trackName: 'Plinth', msPlayed: 200_000 }]),
    '2 Ovo / Plinth',
  ],
  "Spotify's extended streaming history": [
    pretty([
      {
        ts: '2026-01-02T10:00:00Z',
        master_metadata_track_name: 'Plinth',
        master_metadata_album_artist_name: 'Ovo',
        master_metadata_album_album_name: 'First',
        spotify_track_uri: TRACK,
        episode_name: null,
      },
      {
        master_metadata_track_name: null,
        episode_name: 'Talk',
        episode_show_name: 'The Kettle Hour',
        spotify_episode_uri: EPISODE,
      },
      { master_metadata_track_name: null, episode_name: null, audiobook_title: 'Rope' },
    ]),
    `2 Ovo / Plinth (First) ${TRACK}\n10 The Kettle Hour / Talk ${EPISODE}\n16: no title and no artist`,
  ],
});

test('the name of the playlist and the format are reported', () => {
  const { format, name } = readList(bytesOf('{"name":"Road","tracks":[{"title":"Plinth","artist":"Ovo"}]}'));
  assert.deepEqual({ format, name }, { format: 'json', name: 'Road' });
  assert.equal(readList(bytesOf(JSON.stringify(playlistExport))).format, 'spotify');
});

test('a list whose lines begin with a time in square brackets is read as text, not as JSON', () => {
  assert.deepEqual(told('[0:00] Ovo - Plinth\n[3:45] Tam - Kettle'), ['1 Ovo / Plinth', '2 Tam / Kettle']);
});

testRefusals((what) => `${what}: refused`, {
  'a missing comma': [
    '[\n"Ovo - Plinth"\n"Tam - Kettle"\n]',
    'Line 3 is not valid JSON: comma expected. | line 3',
  ],
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
