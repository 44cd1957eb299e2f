import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snapshotOf } from '../../src/demo/state.ts';
import { codeOf, failureOf, withoutChange } from '../support/answers.ts';
import { assertNone, at, pluck } from '../support/entries.ts';
import { postMcp } from '../support/mcpPost.ts';
import { named, savedUris, tracks, urisOf } from '../support/playlists.ts';
import { sent } from '../support/requests.ts';
import { playlistShape, unwrittenShape, writtenShape } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { sceneOf, withPlaylist } from '../support/withPlaylist.ts';
import { type Relay, withRelay } from '../support/world.ts';

/** What was sent, without the queries of readings. */
const told = (relay: Relay) => sent(relay).map((line) => line.replace(/\?\S*/, ''));

test('create_playlist creates the requested playlist, private by default', () =>
  withRelay(async (relay) => {
    const answer = await relay.call('create_playlist', { name: ' Rainy Day ', description: 'slow & "soft"' });
    const made = named(relay, 'Rainy Day');
    assert.deepEqual(withoutChange(answer), playlistShape(made));
    assert.deepEqual([made.public, made.collaborative, made.description], [false, false, 'slow & "soft"']);
    assert.deepEqual(told(relay), [
      // relay first reads which playlists of that name exist. If the answer to POST is lost, relay can tell the new playlist
      // from these.
      'GET /me/playlists',
      String.raw`POST /me/playlists {"name":"Rainy Day","description":"slow & \"soft\"","public":false,"collaborative":false}`,
    ]);
  }));

test('a collaborative playlist cannot be public, and nothing is sent', () =>
  withRelay(async (relay) => {
    const { id } = named(relay, 'Running, Badly');
    const both = { public: true, collaborative: true };
    assert.equal(codeOf(await relay.call('create_playlist', { name: 'x', ...both })), 'INVALID_ARGUMENT');
    const update = await relay.call('update_playlist_details', { playlist_id: id, ...both });
    assert.equal(codeOf(update), 'INVALID_ARGUMENT');
    assert.deepEqual(relay.provider.requests, []);
  }));

test('update_playlist_details by the details that are there changes nothing, and leaves no record', () =>
  withPlaylist('Running, Badly', async ({ relay, playlist, playlist_id }) => {
    const { name, description } = playlist;
    assert.deepEqual(await relay.call('update_playlist_details', { playlist_id, name, description }), {
      playlist_id,
      updated: [],
    });
    assert.deepEqual(pluck(relay.provider.requests, 'method'), ['GET']);
  }));

test('update_playlist_details reads the playlist, and changes only the given fields', () =>
  withPlaylist('Running, Badly', async ({ relay, playlist, playlist_id }) => {
    const before = { ...playlist };
    const answer = await relay.call('update_playlist_details', {
      playlist_id,
      name: 'Map Room',
    });
    assert.deepEqual(withoutChange(answer), { playlist_id, updated: ['name'] });
    assert.deepEqual({ ...playlist, version: 0 }, { ...before, name: 'Map Room', version: 0 });
    const path = `/playlists/${playlist_id}`;
    assert.deepEqual(told(relay), [`GET ${path}`, `PUT ${path} {"name":"Map Room"}`]);
    assert.equal(codeOf(await relay.call('update_playlist_details', { playlist_id })), 'INVALID_ARGUMENT');
  }));

test('turning collaborative on reads the playlist first when public is not given', () =>
  withPlaylist('Running, Badly', async ({ relay, playlist, playlist_id }) => {
    playlist.public = true;
    const args = { playlist_id, collaborative: true };
    assert.equal(codeOf(await relay.call('update_playlist_details', args)), 'INVALID_ARGUMENT');
    assert.deepEqual(pluck(relay.provider.requests, 'method'), ['GET']);
    const answer = await relay.call('update_playlist_details', { ...args, public: false });
    assert.deepEqual(withoutChange(answer), {
      playlist_id,
      updated: ['public', 'collaborative'],
    });
    assert.deepEqual([playlist.public, playlist.collaborative], [false, true]);
  }));

test('a collaborative playlist is not made public unless collaborative is turned off with it', () =>
  withPlaylist('Kitchen Committee', async ({ relay, playlist, playlist_id }) => {
    const { message, remedy } = failureOf(
      await relay.call('update_playlist_details', { playlist_id, name: 'Parlour', public: true }),
    );
    assert.equal(message, 'A collaborative playlist cannot be public.');
    assert.equal(
      remedy,
      'Pass public: false with collaborative: true, or collaborative: false with public: true.',
    );
    assert.deepEqual(pluck(relay.provider.requests, 'method'), ['GET']);
    const args = { playlist_id, public: true, collaborative: false };
    assert.deepEqual(withoutChange(await relay.call('update_playlist_details', args)), {
      playlist_id,
      updated: ['public', 'collaborative'],
    });
    assert.deepEqual([playlist.public, playlist.collaborative], [true, false]);
  }));

test('add_tracks_to_playlist keeps the order across chunks, repeats included', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const uris = [...tracks(relay, 230), ...tracks(relay, 3), at(relay.provider.catalogue.episodes, 0).uri];
    const heard: unknown[] = [];
    const result = await relay.client.callTool(
      { name: 'add_tracks_to_playlist', arguments: { playlist_id, track_ids: uris } },
      { onprogress: ({ progress, total }) => heard.push([progress, total]) },
    );
    assert.deepEqual(withoutChange(result.structuredContent), writtenShape(playlist, 234, 3));
    assert.deepEqual(urisOf(playlist), uris);
    assert.deepEqual(heard, [
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    const path = `/playlists/${playlist_id}/items`;
    const chunks = [uris.slice(0, 100), uris.slice(100, 200), uris.slice(200)];
    const posts = chunks.map((part) => `POST ${path} ${JSON.stringify({ uris: part })}`);
    assert.deepEqual(told(relay), [`GET ${path}`, ...posts]);
  }));

test('a write that stops part-way says how far it got and what to do', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 250);
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, kind: 'status', status: 403 });
    const result = await relay.client.callTool({
      name: 'add_tracks_to_playlist',
      arguments: { playlist_id, track_ids: uris },
    });
    assert.equal(result.isError, true);
    const { error } = result.structuredContent as { error: { details: { change_id: string } } };
    const { change_id } = error.details;
    assert.deepEqual(
      { ...error, details: withoutChange(error.details) },
      {
        code: 'PARTIAL_WRITE',
        message:
          '100 of 250 written, then: Spotify shows the content of a playlist only to its owner and collaborators.',
        remedy: `undo_change with change_id ${change_id}, or \`relay undo ${change_id.slice(0, 8)}\`, takes out what was written. Then send the same call again when the cause is fixed.`,
        details: {
          ok: false,
          playlist_id,
          requested: 250,
          written: 100,
          chunks: { total: 3, completed: 1 },
          snapshot_id: snapshotOf(playlist),
          partial: true,
          error: {
            code: 'FORBIDDEN',
            message: 'Spotify shows the content of a playlist only to its owner and collaborators.',
            outcome_unknown: false,
          },
        },
      },
    );
    assert.deepEqual(urisOf(playlist), uris.slice(0, 100));
    assert.equal(relay.provider.requests.filter(({ method }) => method === 'POST').length, 2);
  }));

test('a write whose first request is refused returns that refusal, and is not sent again', () =>
  withRelay(async (relay) => {
    const args = { playlist_id: named(relay, 'Empty Shelf').id, track_ids: tracks(relay, 150) };
    relay.provider.faults.add({ method: 'POST', kind: 'rate_limit', retryAfterSeconds: 30 });
    const limited = await relay.call('add_tracks_to_playlist', args);
    assert.equal(codeOf(limited), 'RATE_LIMITED');
    assert.equal((limited.error as { retryAfterSeconds: number }).retryAfterSeconds, 30);
    assert.equal(relay.provider.requests.filter(({ method }) => method === 'POST').length, 1);
  }));

test('remove_tracks_from_playlist reads the playlist, removes every occurrence and says what was not there', () =>
  withPlaylist('Odds and Ends', async ({ relay, playlist, playlist_id }) => {
    const repeated = urisOf(playlist).find(
      (uri, index, all) => all.indexOf(uri) !== index && uri.includes(':track:'),
    );
    assert.ok(repeated);
    const absent = at(relay.provider.catalogue.tracks, 9_000).uri;
    const rest = urisOf(playlist).filter((uri) => uri !== repeated);
    const rows = urisOf(playlist).length - rest.length;
    const answer = await relay.call('remove_tracks_from_playlist', {
      playlist_id,
      track_ids: [repeated, absent, repeated],
    });
    const report = { requested: 3, written: 2, removed: rows, not_found: [absent] };
    assert.deepEqual(withoutChange(answer), { ...writtenShape(playlist, 3, 1), ...report });
    assert.deepEqual(urisOf(playlist), rest);
    // A track that is not in the list is looked up, since Spotify may show it there under another ID.
    assert.deepEqual(told(relay), [
      `GET /playlists/${playlist_id}/items`,
      `GET /tracks/${absent.split(':').at(-1)}`,
      `DELETE /playlists/${playlist_id}/items {"items":[{"uri":"${repeated}"}]}`,
    ]);
  }));

/** A playlist whose second row was added as `added`. Spotify shows that row as `shown`. */
async function withRelinked(
  tells: 'list' | 'track',
  work: (scene: { added: string; shown: string; remove: (uri: string) => Promise<void> }) => Promise<void>,
): Promise<void> {
  await withPlaylist('Exactly Two Hundred', async ({ relay, provider, playlist, playlist_id }) => {
    const [before = '', added = '', after = '', shown = ''] = tracks(relay, 4, 3_000);
    const trackId = (uri: string) => uri.split(':').at(-1) ?? '';
    provider.lag.relink(added, shown, tells === 'list' ? 'named' : undefined);
    if (tells === 'track') {
      const fn = (body: unknown) => ({ ...(body as object), uri: shown, id: trackId(shown) });
      provider.faults.add({ path: `/tracks/${trackId(added)}`, kind: 'transform', fn, times: Infinity });
    }
    const remove = async (uri: string) => {
      playlist.rows = [before, added, after].map((one) => ({ uri: one, addedAt: null, addedBy: null }));
      const args = { playlist_id, track_ids: [uri] };
      const { removed, not_found } = await relay.call('remove_tracks_from_playlist', args);
      assert.deepEqual([removed, not_found], [1, []]);
      assert.deepEqual(urisOf(playlist), [before, after]);
    };
    await work({ added, shown, remove });
  });
}

test('a row that Spotify shows under another ID is removed by either ID', async () => {
  await withRelinked('list', ({ added, remove }) => remove(added));
  await withRelinked('list', ({ shown, remove }) => remove(shown));
  await withRelinked('track', ({ added, remove }) => remove(added));
});

test('a removal that stops part-way reports in the terms of one that succeeds', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const rows = tracks(relay, 150, 3_000);
    const absent = tracks(relay, 30, 4_000);
    playlist.rows = [...rows, ...rows.slice(0, 20)].map((uri) => ({ uri, addedAt: null, addedBy: null }));
    const track_ids = [...absent, ...rows, ...rows.slice(0, 5)];
    const fault = { method: 'DELETE', path: /\/items$/, skip: 1, kind: 'status', status: 403 } as const;
    relay.provider.faults.add(fault);
    const { message, details } = failureOf(
      await relay.call('remove_tracks_from_playlist', { playlist_id, track_ids }),
    );
    assert.match(message, /^105 of 185 written, then: /);
    assert.deepEqual(withoutChange(details), {
      ok: false,
      playlist_id,
      requested: 185,
      written: 105,
      removed: 120,
      not_found: absent,
      chunks: { total: 2, completed: 1 },
      snapshot_id: snapshotOf(playlist),
      partial: true,
      error: {
        code: 'FORBIDDEN',
        message: 'Spotify shows the content of a playlist only to its owner and collaborators.',
        outcome_unknown: false,
      },
    });
    assert.deepEqual(urisOf(playlist), rows.slice(100));
  }));

test('removing what is not there writes nothing, says so and records no change', () =>
  withRelay({ env: { RELAY_ACCESS: 'everything' } }, async (relay) => {
    const playlist = named(relay, 'Odds and Ends');
    const before = urisOf(playlist);
    const absent = relay.provider.catalogue.tracks.slice(9_000, 9_002).map(({ uri }) => uri);
    const saved = new Set(savedUris(relay));
    const unsaved = absent.filter((uri) => !saved.has(uri));
    assert.equal(unsaved.length, 2);
    const rows = await relay.call('remove_tracks_from_playlist', {
      playlist_id: playlist.id,
      track_ids: absent,
    });
    const nothing = { ...unwrittenShape(playlist.id, 2), removed: 0, not_found: absent };
    const note = 'Nothing changed: none of these is in the';
    assert.deepEqual(rows, { ...nothing, note: `${note} playlist.` });
    const { playlist_id: _, snapshot_id: __, partial: ___, ...ofLibrary } = nothing;
    assert.deepEqual(await relay.call('remove_saved_tracks', { track_ids: absent }), {
      ...ofLibrary,
      note: `${note} library.`,
    });
    assert.deepEqual(urisOf(playlist), before);
    assertNone(relay.provider.requests, ({ method }) => method !== 'GET');
    assert.deepEqual(await relay.call('list_changes'), { items: [], total: 0, next_offset: null });
  }));

test('reorder_playlist_tracks moves rows, also to the end', () =>
  withRelay(async (relay) => {
    const playlist = named(relay, 'Café Noctelle');
    const before = urisOf(playlist);
    const args = { playlist_id: playlist.id, range_start: 0, insert_before: before.length, range_length: 2 };
    const answer = await relay.call('reorder_playlist_tracks', args);
    assert.deepEqual(withoutChange(answer), {
      playlist_id: playlist.id,
      snapshot_id: snapshotOf(playlist),
    });
    assert.deepEqual(urisOf(playlist), [...before.slice(2), ...before.slice(0, 2)]);
    const back = { playlist_id: playlist.id, range_start: before.length - 2, insert_before: 0 };
    await relay.call('reorder_playlist_tracks', { ...back, snapshot_id: 'abc' });
    const [path, end] = [`/playlists/${playlist.id}/items`, before.length];
    assert.deepEqual(told(relay), [
      `GET ${path}`,
      `PUT ${path} {"range_start":0,"insert_before":${end},"range_length":2}`,
      `GET ${path}`,
      `PUT ${path} {"range_start":${end - 2},"insert_before":0,"range_length":1,"snapshot_id":"abc"}`,
    ]);
  }));

test('a move counts each row that it moves, and so does its undo', () =>
  withRelay({ env: { RELAY_ACCESS: 'everything' } }, async (relay) => {
    const { playlist_id } = sceneOf(relay, 'Café Noctelle');
    const counts = async () => {
      const { items } = (await relay.call('list_changes')) as { items: Array<Record<string, unknown>> };
      return items.map(({ kind, state, requested, written }) => [kind, state, requested, written]);
    };
    const move = { playlist_id, range_start: 0, insert_before: 9, range_length: 3 };
    await relay.call('reorder_playlist_tracks', move);
    assert.deepEqual(await counts(), [['reorder', 'done', 3, 3]]);
    await relay.call('undo_change');
    assert.deepEqual(await counts(), [
      ['undo', 'done', 3, 3],
      ['reorder', 'done', 3, 3],
    ]);
  }));

test('writes to one playlist wait for each other, writes to others do not', () =>
  withRelay(async (relay) => {
    const slow = named(relay, 'Empty Shelf');
    const other = named(relay, 'Running, Badly');
    const path = new RegExp(`${slow.id}/items$`);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    relay.provider.faults.add({ method: 'POST', path, kind: 'hook', fn: () => gate });
    const [a, b] = [tracks(relay, 100), tracks(relay, 100, 100)];
    const first = relay.call('add_tracks_to_playlist', { playlist_id: slow.id, track_ids: [...a, ...b] });
    await until(() => relay.provider.requests.length > 0);
    const second = relay.call('add_tracks_to_playlist', {
      playlist_id: slow.id,
      track_ids: tracks(relay, 1, 500),
    });
    await relay.call('add_tracks_to_playlist', { playlist_id: other.id, track_ids: tracks(relay, 1) });
    release();
    await Promise.all([first, second]);
    assert.deepEqual(urisOf(slow), [...a, ...b, ...tracks(relay, 1, 500)]);
  }));

test('a call that is cancelled stops before its next write and says how far it got', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const post = (message: object) => postMcp(relay, { jsonrpc: '2.0', ...message });
    relay.provider.faults.add({
      method: 'POST',
      path: /\/items$/,
      kind: 'hook',
      fn: async () => {
        await post({ method: 'notifications/cancelled', params: { requestId: 7 } });
      },
    });
    const args = { playlist_id, track_ids: tracks(relay, 300) };
    await post({ id: 7, method: 'tools/call', params: { name: 'add_tracks_to_playlist', arguments: args } });
    assert.deepEqual(urisOf(playlist), tracks(relay, 100));
    assert.equal(relay.provider.requests.filter(({ method }) => method === 'POST').length, 1);
  }));

for (const [what, name] of [
  ['that the account collaborates on', 'Road Atlas'],
  ['that it only follows', 'Mareas y Mapas'],
] as const) {
  test(`the details of a playlist ${what} are only for its owner to change, as the error says`, () =>
    withPlaylist(name, async ({ relay, playlist, playlist_id }) => {
      const answer = await relay.call('update_playlist_details', { playlist_id, name: 'Mine now' });
      assert.deepEqual(answer, {
        error: {
          code: 'FORBIDDEN',
          message: 'Spotify lets only the owner of a playlist change its details.',
          remedy: 'Ask the owner to change them. Collaborators can change only the songs.',
          details: { status: 403 },
        },
      });
      assert.equal(playlist.name, name);
    }));
}
