import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { named, tracks } from '../support/playlists.ts';
import { USUAL_SCOPES } from './login.ts';
import { errorBody } from './web.ts';
import { type Call, START, withProvider } from './withProvider.ts';

const uris = (playlist: DemoPlaylist) => playlist.rows.map((row) => row.uri);
const FORBIDDEN = errorBody(403, 'Forbidden');

async function snapshot(call: Call, id: string): Promise<string> {
  return (await call('GET', `/playlists/${id}?fields=snapshot_id`)).json.snapshot_id;
}

test('the default account has playlists of every kind', () =>
  withProvider(async ({ call }) => {
    const { json } = await call('GET', '/me/playlists?limit=50');
    const listed = json.items.map((one: Record<string, Record<string, unknown>>) => [
      one.name,
      one.owner?.id,
      one.items?.total,
      one.collaborative,
    ]);
    assert.deepEqual(listed, [
      ['Morning Ferry', 'demo.listener', 120, false],
      ['Odds and Ends', 'demo.listener', 31, false],
      ['Empty Shelf', 'demo.listener', 0, false],
      ['The Whole Granary', 'demo.listener', 2_500, false],
      ['Kitchen Committee', 'demo.listener', 40, true],
      ['Café Noctelle', 'demo.listener', 18, false],
      ['cafe NOCTELLE', 'demo.listener', 9, false],
      ['Tea & Biscuits', 'demo.listener', 22, false],
      ['Exactly Two Hundred', 'demo.listener', 200, false],
      ['灯台 Ночь Φάρος', 'demo.listener', 34, false],
      ['Running, Badly', 'demo.listener', 55, false],
      ['Road Atlas', 'demo-guest', 25, true],
      ['Mareas y Mapas', 'náutica.42', 64, false],
      ['Guest Favourites', 'demo-guest', 30, false],
      ['Daily Weather Mix', 'spotify', 0, false],
    ]);
  }));

test('collaborative playlists of others are listed only with their scope', () =>
  withProvider(async ({ callerWith }) => {
    const call = await callerWith('playlist-read-private');
    const names = (await call('GET', '/me/playlists?limit=50')).json.items.map(
      (one: { name: string }) => one.name,
    );
    assert.ok(names.includes('Kitchen Committee'));
    assert.ok(!names.includes('Road Atlas'));
  }));

test('descriptions come HTML-escaped', () =>
  withProvider(async ({ provider, call }) => {
    const { json } = await call('GET', `/playlists/${named({ provider }, 'Tea & Biscuits').id}`);
    assert.equal(json.name, 'Tea & Biscuits');
    assert.equal(json.description, 'Quiet &lt;b&gt;evenings&lt;&#x2F;b&gt; &amp; &quot;slow&quot; mornings');
  }));

test('own and shared playlists come with rows, others without; the provider’s own are not found', () =>
  withProvider(async ({ provider, call }) => {
    const get = async (name: string, rest = '') =>
      (await call('GET', `/playlists/${named({ provider }, name).id}${rest}`)).json;
    assert.equal((await get('Morning Ferry')).items.items.length, 50);
    assert.equal((await get('Road Atlas', '/items')).total, 25);
    const foreign = await get('Mareas y Mapas');
    assert.deepEqual([foreign.name, foreign.items, foreign.tracks], ['Mareas y Mapas', undefined, undefined]);
    assert.deepEqual(await get('Mareas y Mapas', '/items'), FORBIDDEN);
    assert.deepEqual(await get('Daily Weather Mix'), errorBody(404, 'Resource not found'));
  }));

test('rows are tracks, episodes, local files, and null where an item is no longer available', () =>
  withProvider(async ({ provider, call }) => {
    const { id } = named({ provider }, 'Odds and Ends');
    const path = `/playlists/${id}/items?limit=50`;
    const kindsOf = async (query: string) => {
      const { json } = await call('GET', path + query);
      const kinds: Record<string, number> = {};
      for (const { item, is_local } of json.items) {
        const kind = is_local ? 'local' : (item?.type ?? 'none');
        kinds[kind] = (kinds[kind] ?? 0) + 1;
      }
      return kinds;
    };
    assert.deepEqual(await kindsOf('&additional_types=track,episode'), {
      track: 26,
      episode: 3,
      local: 1,
      none: 1,
    });
    assert.deepEqual(await kindsOf(''), { track: 26, local: 1, none: 4 });
    const { json } = await call('GET', path);
    assert.deepEqual(
      [json.items[0].added_at, json.items[0].added_by, json.items[0].track],
      [null, null, undefined],
    );
    const local = json.items.find((row: { is_local: boolean }) => row.is_local).item;
    assert.deepEqual(
      [local.id, local.name, local.artists[0].name, local.album.id, local.duration_ms],
      [null, 'Kettle Song (take 3)', 'Kettle Household', null, 187_000],
    );
    const tracks = json.items.map((row: { item: { uri: string } | null }) => row.item?.uri);
    assert.equal(tracks.filter((uri: string) => uri === tracks[2]).length, 3);
  }));

test('fields selects parts, and unknown names are ignored', () =>
  withProvider(async ({ provider, call }) => {
    const { id } = named({ provider }, 'Morning Ferry');
    const pick = async (fields: string) => (await call('GET', `/playlists/${id}?fields=${fields}`)).json;
    const nested = await pick('name,items(total,items(item(name)))');
    assert.deepEqual(Object.keys(nested).sort(), ['items', 'name']);
    assert.deepEqual(Object.keys(nested.items).sort(), ['items', 'total']);
    assert.deepEqual(Object.keys(nested.items.items[0].item), ['name']);
    assert.deepEqual(await pick('items.total,tracks.total'), { items: { total: 120 } });
    assert.equal((await pick('!items')).items, undefined);
  }));

test('legacyShapes adds the field names tracks and track from before February 2026', () =>
  withProvider(
    async ({ provider, call }) => {
      const { id } = named({ provider }, 'Morning Ferry');
      const { json } = await call('GET', `/playlists/${id}`);
      assert.deepEqual(json.tracks, json.items);
      assert.deepEqual(json.items.items[0].track, json.items.items[0].item);
    },
    { legacyShapes: true },
  ));

test('a new playlist is empty, first in the list, and owned by its creator', () =>
  withProvider(async ({ provider, call }) => {
    const made = await call('POST', '/me/playlists', { name: 'Fresh', description: '', public: false });
    assert.equal(made.status, 201);
    const { name, description, items, owner, collaborative } = made.json;
    assert.deepEqual(
      [name, description, items.total, owner.id, made.json.public, collaborative],
      ['Fresh', '', 0, 'demo.listener', false, false],
    );
    assert.equal(provider.accounts[0]?.playlists[0]?.id, made.json.id);
    assert.equal((await call('POST', '/me/playlists', { name: 'Open' })).json.public, true);
  }));

test('a collaborative playlist must be private', () =>
  withProvider(async ({ provider, call }) => {
    assert.equal((await call('POST', '/me/playlists', { name: 'x', collaborative: true })).status, 400);
    const both = { name: 'x', collaborative: true, public: false };
    assert.equal((await call('POST', '/me/playlists', both)).json.collaborative, true);
    const { id } = named({ provider }, 'Morning Ferry');
    assert.equal((await call('PUT', `/playlists/${id}`, { collaborative: true })).status, 400);
    assert.equal((await call('PUT', `/playlists/${id}`, { collaborative: true, public: false })).status, 200);
  }));

test('details change with an empty answer and a new snapshot', () =>
  withProvider(async ({ provider, call }) => {
    const playlist = named({ provider }, 'Morning Ferry');
    const before = await snapshot(call, playlist.id);
    const { status, text } = await call('PUT', `/playlists/${playlist.id}`, {
      name: 'Evening Ferry',
      description: 'Late',
    });
    assert.deepEqual({ status, text }, { status: 200, text: '' });
    assert.deepEqual([playlist.name, playlist.description], ['Evening Ferry', 'Late']);
    assert.notEqual(await snapshot(call, playlist.id), before);
  }));

const BAD_DETAILS: [string, unknown][] = [
  ['nothing', {}],
  ['an empty description', { description: '' }],
  ['a description with a line break', { description: 'a\nb' }],
  ['a description of 301 characters', { description: 'x'.repeat(301) }],
  ['an empty name', { name: '' }],
  ['a flag that is not a boolean', { public: 'yes' }],
];

for (const [what, body] of BAD_DETAILS) {
  test(`details are refused with ${what}, and nothing changes`, () =>
    withProvider(async ({ provider, call }) => {
      const playlist = named({ provider }, 'Morning Ferry');
      const before = structuredClone(playlist);
      assert.equal((await call('PUT', `/playlists/${playlist.id}`, body)).status, 400);
      assert.deepEqual(playlist, before);
    }));
}

test('items are appended or inserted in order, duplicates included', () =>
  withProvider(async ({ provider, call }) => {
    const playlist = named({ provider }, 'Empty Shelf');
    const [a = '', b = '', c = ''] = tracks({ provider }, 3);
    const episode = provider.catalogue.episodes[0]?.uri ?? '';
    const add = (body: unknown, query = '') => call('POST', `/playlists/${playlist.id}/items${query}`, body);
    const first = await add({ uris: [a, b, a] });
    assert.deepEqual([first.status, first.json], [201, { snapshot_id: await snapshot(call, playlist.id) }]);
    await add({ uris: [c, episode], position: 1 });
    assert.deepEqual(uris(playlist), [a, c, episode, b, a]);
    await add({ uris: [b] }, `?uris=${a}&position=0`);
    assert.deepEqual(uris(playlist), [a, a, c, episode, b, a]);
    assert.deepEqual(playlist.rows[1], { uri: a, addedAt: '2026-11-20T12:00:00Z', addedBy: 'demo.listener' });
    assert.equal(new Date(START).toISOString(), '2026-11-20T12:00:00.000Z');
  }));

const UNKNOWN = `spotify:track:${'0'.repeat(22)}`;

const BAD_ADDS: [string, (known: string[]) => unknown, string][] = [
  ['one unknown ID', (known) => ({ uris: [known[0], UNKNOWN] }), 'Payload contains a non-existing ID'],
  [
    'a malformed URI',
    (known) => ({ uris: [known[0], 'spotify:track:x'] }),
    'Invalid track uri: spotify:track:x',
  ],
  ['a local file', () => ({ uris: ['spotify:local:a:b:c:1'] }), 'Invalid track uri: spotify:local:a:b:c:1'],
  ['a bare list', (known) => known, 'Error parsing JSON.'],
  [
    '101 URIs',
    (known) => ({ uris: [...known, ...known].slice(0, 101) }),
    'You can add a maximum of 100 tracks per request.',
  ],
  ['no URIs', () => ({ uris: [] }), 'No uris provided'],
  ['a position beyond the end', (known) => ({ uris: [known[0]], position: 99_999 }), 'Invalid position'],
];

for (const [what, body, message] of BAD_ADDS) {
  test(`adding ${what} is refused as a whole`, () =>
    withProvider(async ({ provider, call }) => {
      const playlist = named({ provider }, 'Morning Ferry');
      const before = structuredClone(playlist);
      const { json } = await call('POST', `/playlists/${playlist.id}/items`, body(tracks({ provider }, 60)));
      assert.deepEqual(json, errorBody(400, message));
      assert.deepEqual(playlist, before);
    }));
}

test('nothing can be added to a full playlist', () =>
  withProvider(async ({ provider, call }) => {
    const playlist = named({ provider }, 'Empty Shelf');
    const [uri = ''] = tracks({ provider }, 1);
    playlist.rows = Array.from({ length: 10_999 }, () => ({ uri, addedAt: null, addedBy: null }));
    assert.equal((await call('POST', `/playlists/${playlist.id}/items`, { uris: [uri, uri] })).status, 403);
    assert.equal((await call('POST', `/playlists/${playlist.id}/items`, { uris: [uri] })).status, 201);
  }));

test('replacing sets the rows, and replacing with nothing clears them', () =>
  withProvider(async ({ provider, call }) => {
    const playlist = named({ provider }, 'Morning Ferry');
    const wanted = tracks({ provider }, 100, 500);
    const reply = await call('PUT', `/playlists/${playlist.id}/items`, { uris: wanted });
    assert.deepEqual([reply.status, reply.json.snapshot_id], [200, await snapshot(call, playlist.id)]);
    assert.deepEqual(uris(playlist), wanted);
    await call('PUT', `/playlists/${playlist.id}/items`, { uris: [] });
    assert.deepEqual(uris(playlist), []);
  }));

/** A move in the list a b c d e f, and the result. */
const MOVES: [Record<string, number>, string][] = [
  [{ range_start: 0, insert_before: 3 }, 'bcadef'],
  [{ range_start: 4, insert_before: 1 }, 'aebcdf'],
  [{ range_start: 0, insert_before: 6, range_length: 2 }, 'cdefab'],
  [{ range_start: 3, insert_before: 0, range_length: 3 }, 'defabc'],
  [{ range_start: 2, insert_before: 2 }, 'abcdef'],
  [{ range_start: 1, insert_before: 3, range_length: 3 }, 'abcdef'],
];

for (const [body, left] of MOVES) {
  test(`${JSON.stringify(body)} turns abcdef into ${left}`, () =>
    withProvider(async ({ provider, call }) => {
      const playlist = named({ provider }, 'Empty Shelf');
      const letters = tracks({ provider }, 6);
      provider.editPlaylist(playlist.id, letters);
      const reply = await call('PUT', `/playlists/${playlist.id}/items`, body);
      assert.deepEqual([reply.status, Object.keys(reply.json)], [200, ['snapshot_id']]);
      const found = uris(playlist).map((uri) => 'abcdef'[letters.indexOf(uri)]);
      assert.equal(found.join(''), left);
    }));
}

for (const body of [
  { range_start: 6, insert_before: 0 },
  { range_start: 0, insert_before: 7 },
  { range_start: 4, insert_before: 0, range_length: 3 },
  { range_start: 0 },
  { range_start: -1, insert_before: 0 },
]) {
  test(`${JSON.stringify(body)} is refused in a list of six`, () =>
    withProvider(async ({ provider, call }) => {
      const playlist = named({ provider }, 'Empty Shelf');
      provider.editPlaylist(playlist.id, tracks({ provider }, 6));
      assert.equal((await call('PUT', `/playlists/${playlist.id}/items`, body)).status, 400);
      assert.deepEqual(uris(playlist), tracks({ provider }, 6));
    }));
}

test('removing takes every occurrence, whatever positions are given', () =>
  withProvider(async ({ provider, call }) => {
    const playlist = named({ provider }, 'Empty Shelf');
    const [a = '', b = '', c = ''] = tracks({ provider }, 3);
    provider.editPlaylist(playlist.id, [a, b, a, c, a]);
    const remove = (items: unknown[]) => call('DELETE', `/playlists/${playlist.id}/items`, { items });
    const { status } = await remove([{ uri: a, positions: [0] }]);
    assert.deepEqual([status, uris(playlist)], [200, [b, c]]);
    const before = await snapshot(call, playlist.id);
    assert.deepEqual((await remove([{ uri: a }])).json, { snapshot_id: before });
    const old = await call('DELETE', `/playlists/${playlist.id}/items`, { tracks: [{ uri: b }] });
    assert.deepEqual([old.status, uris(playlist)], [400, [b, c]]);
  }));

test('playlists of others cannot be changed; of shared ones the rows can, but not the details', () =>
  withProvider(async ({ provider, call }) => {
    const items = { uris: tracks({ provider }, 1) };
    const foreign = named({ provider }, 'Guest Favourites').id;
    assert.deepEqual((await call('POST', `/playlists/${foreign}/items`, items)).json, FORBIDDEN);
    assert.deepEqual((await call('PUT', `/playlists/${foreign}`, { name: 'Mine' })).json, FORBIDDEN);
    const shared = named({ provider }, 'Road Atlas').id;
    assert.equal((await call('POST', `/playlists/${shared}/items`, items)).status, 201);
    assert.deepEqual((await call('PUT', `/playlists/${shared}`, { name: 'Mine' })).json, FORBIDDEN);
  }));

test('both accounts see the same shared playlist', () =>
  withProvider(async ({ provider, call, callerWith }) => {
    const shared = named({ provider }, 'Kitchen Committee');
    const guest = await callerWith(USUAL_SCOPES, 1);
    await guest('DELETE', `/playlists/${shared.id}/items`, { items: [{ uri: uris(shared)[0] }] });
    assert.equal((await call('GET', `/playlists/${shared.id}/items`)).json.total, 39);
  }));

test('an edit by another client keeps the times of the rows that stay', () =>
  withProvider(async ({ provider, call }) => {
    const playlist = named({ provider }, 'Morning Ferry');
    const [first, second] = playlist.rows;
    const before = await snapshot(call, playlist.id);
    const added = tracks({ provider }, 1, 4_000);
    const after = provider.editPlaylist(playlist.id, [second?.uri ?? '', ...added, first?.uri ?? '']);
    assert.notEqual(after, before);
    const fresh = { uri: added[0], addedAt: '2026-11-20T12:00:00Z', addedBy: 'demo.listener' };
    assert.deepEqual(playlist.rows, [second, fresh, first]);
  }));

test('a new start has the initial state again', async () => {
  const clear = async (call: Call, id: string) => call('PUT', `/playlists/${id}/items`, { uris: [] });
  await withProvider(async ({ provider, call }) => {
    await clear(call, named({ provider }, 'Morning Ferry').id);
    assert.equal(named({ provider }, 'Morning Ferry').rows.length, 0);
  });
  await withProvider(async ({ provider }) => {
    assert.equal(named({ provider }, 'Morning Ferry').rows.length, 120);
  });
});
