/** The search of the simulated Spotify: what it finds, in which order, and what it refuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNone } from '../support/entries.ts';
import { type Call, errorBody, withProvider } from './withProvider.ts';

interface FoundTrack {
  name: string;
  artists: Array<{ name: string }>;
  album: { name: string; release_date: string };
  external_ids: { isrc: string };
}

async function tracks(call: Call, q: string, page = 'limit=10'): Promise<FoundTrack[]> {
  return (await call('GET', `/search?${new URLSearchParams({ q, type: 'track' })}&${page}`)).json.tracks
    .items;
}

test('an answer has only the requested types, in pages that continue without a gap up to the thousandth result', () =>
  withProvider(async ({ call }) => {
    const { json } = await call('GET', '/search?q=kettle&type=track,album,artist');
    assert.deepEqual(Object.keys(json), ['tracks', 'albums', 'artists']);
    assert.deepEqual([json.tracks.items.length, json.albums.items[0].type], [5, 'album']);
    const ten = await tracks(call, 'paper viaduct');
    assert.deepEqual(await tracks(call, 'paper viaduct', 'limit=5&offset=5'), ten.slice(5));
    assert.equal((await tracks(call, 'the', 'limit=10&offset=990')).length, 10);
    for (const [query, message] of [
      ['type=track', 'No search query'],
      ['q=x', 'Missing parameter type'],
      ['q=x&type=track,song', 'Bad search type field song'],
      ['q=x&type=track&limit=11', 'Invalid limit'],
      ['q=x&type=track&limit=10&offset=991', 'Invalid offset'],
    ] as const) {
      assert.deepEqual((await call('GET', `/search?${query}`)).json, errorBody(400, message), query);
    }
  }));

/** Queries and the title of the first result. */
const FIRST: Array<[query: string, title: string | undefined]> = [
  ['ŻÓŁTA ŁÓDŹ bjornskar ODEGRYN', 'Żółta Łódź'],
  ['ete perdu a quillport', 'Été Perdu à Quillport'],
  ['zolta ldoz bjornskar', 'Żółta Łódź'],
  ['zotta lodz bjornskar', 'Żółta Łódź'],
  ['zolta lodz xyzzyx', 'Żółta Łódź'],
  ['track:"zotta lodz"', undefined],
  ['xyzzyx', undefined],
  ['?!¿?', '?!¿?'],
];

test('case, marks, a typo and an unknown word do not matter; a typo in a filter does', () =>
  withProvider(async ({ call }) => {
    for (const [query, title] of FIRST) assert.equal((await tracks(call, query))[0]?.name, title, query);
  }));

/** Queries with filters or names in several scripts, and what must be true for each result. */
const FILTERED: Array<[query: string, holds: (track: FoundTrack) => boolean]> = [
  ['track:"paper viaduct"', ({ name }) => /^Paper Viaduct/.test(name)],
  ['artist:"Zoë Ålmqvarn"', by('Zoë Ålmqvarn')],
  ['artist:zoe almqvarn track:ete', ({ name }) => name.includes('Été')],
  ['album:"Amber Rooms"', ({ album }) => album.name.includes('Amber Rooms')],
  ['coffee year:1990-1999', ({ album }) => /^199\d/.test(album.release_date)],
  ['year:1985 carousel', ({ album }) => album.release_date.startsWith('1985')],
  ['"copper kettle sky"', ({ name, album }) => `${name} ${album.name}`.includes('Copper Kettle Sky')],
  ['artist:第九灯塔', by('第九灯塔')],
  ['artist:"벨모란상회"', by('벨모란상회')],
  ['artist:"أوستران"', by('أوستران')],
  ['artist:"~~~~"', by('~~~~')],
  ['artist:40417', by('40417')],
];

function by(artist: string) {
  return ({ artists }: FoundTrack) => artists.some(({ name }) => name === artist);
}

test('every result of a query with filters matches them', () =>
  withProvider(async ({ provider, call }) => {
    for (const [query, holds] of FILTERED) {
      const found = await tracks(call, query);
      assert.ok(found.length > 0, query);
      assertNone(found, (track) => !holds(track), query);
    }
    const { isrc } = provider.catalogue.tracks.find(({ album }) => album.type === 'single') ?? assert.fail();
    const shared = await tracks(call, `isrc:${isrc}`);
    assert.ok(shared.length >= 2, 'the single and the album');
    assertNone(shared, ({ external_ids }) => external_ids.isrc !== isrc);
  }));
