import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNone } from '../support/entries.ts';
import { errorBody } from './web.ts';
import { type Call, withProvider } from './withProvider.ts';

interface FoundTrack {
  name: string;
  artists: { name: string }[];
  album: { name: string; release_date: string };
  external_ids: { isrc: string };
}

async function tracks(call: Call, q: string, limit = 10): Promise<FoundTrack[]> {
  const { json } = await call(
    'GET',
    `/search?${new URLSearchParams({ q, type: 'track', limit: String(limit) })}`,
  );
  return json.tracks.items;
}

const lead = (track: FoundTrack) => track.artists[0]?.name;

test('the answer has only the requested types, five of each by default', () =>
  withProvider(async ({ call }) => {
    const { json } = await call('GET', '/search?q=kettle&type=track,album,artist,audiobook');
    assert.deepEqual(Object.keys(json), ['tracks', 'albums', 'artists', 'audiobooks']);
    assert.equal(json.tracks.items.length, 5);
    assert.equal(json.tracks.items[0].type, 'track');
    assert.equal(json.albums.items[0].type, 'album');
    assert.deepEqual(json.audiobooks.items, []);
  }));

const REFUSED: [string, string][] = [
  ['type=track', 'No search query'],
  ['q=&type=track', 'No search query'],
  ['q=x', 'Missing parameter type'],
  ['q=x&type=track,song', 'Bad search type field song'],
  ['q=x&type=track&limit=11', 'Invalid limit'],
  ['q=x&type=track&offset=-1', 'Invalid offset'],
  ['q=x&type=track&offset=996', 'Invalid offset'],
  ['q=x&type=track&limit=10&offset=991', 'Invalid offset'],
];

for (const [query, message] of REFUSED) {
  test(`?${query} is refused with "${message}"`, () =>
    withProvider(async ({ call }) => {
      assert.deepEqual((await call('GET', `/search?${query}`)).json, errorBody(400, message));
    }));
}

test('the thousandth result can be reached, and pages continue without a gap', () =>
  withProvider(async ({ call }) => {
    assert.equal((await call('GET', '/search?q=the&type=track&limit=10&offset=990')).status, 200);
    const ten = await tracks(call, 'paper viaduct', 10);
    const { json } = await call('GET', '/search?q=paper+viaduct&type=track&limit=5&offset=5');
    assert.deepEqual(json.tracks.items, ten.slice(5));
  }));

test('case, accents, strokes and punctuation make no difference', () =>
  withProvider(async ({ call }) => {
    const first = async (q: string) => (await tracks(call, q, 1)).map((track) => [track.name, lead(track)]);
    assert.deepEqual(await first('zolta lodz'), [['Żółta Łódź', 'Bjørnskår Ødegryn']]);
    assert.deepEqual(await first('ŻÓŁTA ŁÓDŹ bjornskar ODEGRYN'), [['Żółta Łódź', 'Bjørnskår Ødegryn']]);
    assert.deepEqual(await first('ete perdu a quillport'), [['Été Perdu à Quillport', 'Zoë Ålmqvarn']]);
    assert.match((await first('dont unpick it'))[0]?.[0] ?? '', /^Don't Unpick It/);
  }));

test('every script, and names without letters, can be found', () =>
  withProvider(async ({ call }) => {
    for (const [q, artist] of [
      ['硯灯り楽団 灯台', '硯灯り楽団'],
      ['Вельморан', 'Вельморан'],
      ['Βελμορανη', 'Βελμοράνη'],
      ['벨모란상회', '벨모란상회'],
      ['أوستران', 'أوستران'],
      ['ולמורן', 'ולמורן'],
      ['artist:第九灯塔', '第九灯塔'],
      ['artist:"~~~~"', '~~~~'],
      ['artist:40417', '40417'],
    ] as const) {
      const found = await tracks(call, q);
      assert.ok(
        found.some(({ artists }) => artists.some(({ name }) => name === artist)),
        q,
      );
    }
    assert.equal((await tracks(call, '?!¿?'))[0]?.name, '?!¿?');
  }));

test('a title alone finds several artists, versions and tributes; with the artist the right one is first', () =>
  withProvider(async ({ call }) => {
    const all: FoundTrack[] = [];
    for (const offset of [0, 10, 20, 30]) {
      const { json } = await call('GET', `/search?q=ninth+semaphore&type=track&limit=10&offset=${offset}`);
      all.push(...json.tracks.items);
    }
    assert.ok(new Set(all.map(lead)).size >= 5, 'several artists');
    assert.ok(
      all.some(({ name }) => /karaoke|tribute|cover/i.test(name)),
      'tributes',
    );
    const [one] = all.filter(({ name }) => name === 'Ninth Semaphore').slice(-1);
    assert.ok(one);
    const [first] = await tracks(call, `ninth semaphore ${lead(one)}`);
    assert.deepEqual([first?.name, first && lead(first)], ['Ninth Semaphore', lead(one)]);
  }));

test('an unknown word in a query does not hide the results for its other words', () =>
  withProvider(async ({ call }) => {
    const [first] = await tracks(call, 'zolta lodz xyzzyx');
    assert.equal(first?.name, 'Żółta Łódź');
    assert.deepEqual(await tracks(call, 'xyzzyx'), []);
  }));

test('a free word with a typo is found, a filter with one is not', () =>
  withProvider(async ({ call }) => {
    for (const q of ['zolta ldoz', 'zolta lod', 'zollta lodz', 'zotta lodz'].map(
      (text) => `${text} bjornskar`,
    )) {
      assert.equal((await tracks(call, q))[0]?.name, 'Żółta Łódź', q);
    }
    assert.deepEqual(await tracks(call, 'track:"zotta lodz"'), []);
  }));

/** A query with filters, and what must be true for each result. */
const FILTERED: [string, (track: FoundTrack) => boolean][] = [
  ['track:"paper viaduct"', ({ name }) => /^Paper Viaduct/.test(name)],
  ['artist:"Zoë Ålmqvarn"', ({ artists }) => artists.some(({ name }) => name === 'Zoë Ålmqvarn')],
  ['artist:zoe almqvarn track:ete', ({ name }) => name.includes('Été')],
  ['album:"Amber Rooms"', ({ album }) => album.name.includes('Amber Rooms')],
  ['coffee year:1990-1999', ({ album }) => /^199\d/.test(album.release_date)],
  [
    'year:1985 carousel',
    ({ album, name }) => album.release_date.startsWith('1985') && /carousel/i.test(name + album.name),
  ],
  ['"copper kettle sky"', ({ name, album }) => `${name} ${album.name}`.includes('Copper Kettle Sky')],
];

for (const [q, holds] of FILTERED) {
  test(`every result of ${q} matches the filter`, () =>
    withProvider(async ({ call }) => {
      const found = await tracks(call, q);
      assert.ok(found.length > 0);
      assertNone(found, (track) => !holds(track));
    }));
}

test('genre and isrc filter exactly', () =>
  withProvider(async ({ provider, call }) => {
    const shared = provider.catalogue.tracks.find((track) => track.album.type === 'single');
    assert.ok(shared);
    const found = await tracks(call, `isrc:${shared.isrc}`);
    assert.ok(found.length >= 2);
    assert.deepEqual(new Set(found.map((track) => track.external_ids.isrc)), new Set([shared.isrc]));
    const jazz = new Set(
      provider.catalogue.artists.filter(({ genres }) => genres.includes('jazz')).map(({ name }) => name),
    );
    const ofGenre = await tracks(call, 'genre:jazz coffee');
    assert.ok(ofGenre.length > 0);
    assert.ok(ofGenre.every(({ artists }) => artists.some(({ name }) => jazz.has(name))));
  }));

test('lists of playlists contain nulls', () =>
  withProvider(async ({ call }) => {
    const { json } = await call('GET', '/search?q=ferry&type=playlist&limit=10');
    const kinds = json.playlists.items.map((one: { type: string } | null) => one?.type ?? null);
    assert.deepEqual(kinds.slice(0, 5), ['playlist', null, 'playlist', 'playlist', null]);
  }));

test('the same query always gets the same answer', () =>
  withProvider(async ({ call }) => {
    assert.deepEqual(await tracks(call, 'live at brask'), await tracks(call, 'live at brask'));
  }));
