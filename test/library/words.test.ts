import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, owner } from '../support/entries.ts';
import { named } from '../support/playlists.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { resize, rowsFrom } from './accounts.ts';

type Row = Record<string, unknown>;
interface Page {
  items: Row[];
  total: number;
  next_offset: number | null;
  note?: string;
}

/** Text as a person compares it, without case and accents. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replaceAll('ß', 'ss');

function textOf(relay: Relay, uri: string): string {
  const track = relay.provider.catalogue.trackByUri.get(uri);
  return plain(`${track?.name} ${track?.artists.map(({ name }) => name).join(', ')} ${track?.album.name}`);
}

async function pageOf(relay: Relay, tool: string, args: Row): Promise<Page> {
  return (await relay.call(tool, args)) as unknown as Page;
}

test('get_saved_tracks finds words in title, artists and album, page by page', () =>
  withRelay(async (relay) => {
    const account = resize(relay, 400, 1);
    const sample = textOf(relay, at(account.saved, 123).uri)
      .split(/[^a-z]+/)
      .filter((word) => word.length > 3);
    const query = sample.slice(0, 1).join(' ').toUpperCase();
    const wanted = account.saved
      .map(({ uri }) => uri)
      .filter((uri) =>
        plain(query)
          .split(' ')
          .every((word) => textOf(relay, uri).includes(word)),
      );
    assert.ok(wanted.length > 0);
    const found: unknown[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const page: Page = await pageOf(relay, 'get_saved_tracks', { query, limit: 3, offset });
      assert.equal(page.total, wanted.length);
      found.push(...page.items.map(({ track }) => (track as Row).uri));
      offset = page.next_offset;
    }
    assert.deepEqual(found, wanted);

    const whole = await pageOf(relay, 'get_saved_tracks', { limit: 1, offset: 123 });
    const { name } = at(whole.items, 0).track as { name: string };
    const same = await pageOf(relay, 'get_saved_tracks', { query: name, limit: 50 });
    assert.deepEqual(
      same.items.find(({ track }) => (track as Row).uri === (at(whole.items, 0).track as Row).uri),
      at(whole.items, 0),
      'a row reads as it does without a query',
    );

    relay.provider.clearRequests();
    account.saved.splice(0, 1);
    const next = await pageOf(relay, 'get_saved_tracks', { query });
    assert.equal(next.total, wanted.filter((uri) => account.saved.some((one) => one.uri === uri)).length);
    assert.ok(relay.provider.requests.length <= 5, 'only what changed is read');
    assert.deepEqual((await pageOf(relay, 'get_saved_tracks', { query: 'no\'such"song' })).items, []);
  }));

test('get_playlist_tracks returns the rows with their positions, and takes one request if nothing has changed', () =>
  withRelay(async (relay) => {
    const account = resize(relay, 0, 2);
    const playlist = at(account.playlists, 1);
    playlist.rows = [...rowsFrom(relay, 0, 130), ...rowsFrom(relay, 5, 3)];
    const { name } = relay.provider.catalogue.trackByUri.get(at(playlist.rows, 6).uri) ?? { name: '' };
    const args = { playlist_id: playlist.id, query: name };
    const positions = playlist.rows.flatMap(({ uri }, index) =>
      textOf(relay, uri).includes(plain(name)) ? [index] : [],
    );
    const { items, total } = await pageOf(relay, 'get_playlist_tracks', args);
    assert.deepEqual([items.map(({ position }) => position), total], [positions, positions.length]);
    const plainRow = await pageOf(relay, 'get_playlist_tracks', {
      playlist_id: playlist.id,
      offset: at(positions, 0),
      limit: 1,
    });
    assert.deepEqual(items[0], plainRow.items[0]);

    relay.provider.clearRequests();
    await pageOf(relay, 'get_playlist_tracks', args);
    assert.equal(relay.provider.requests.length, 1);
    relay.provider.editPlaylist(
      playlist.id,
      playlist.rows.slice(10).map(({ uri }) => uri),
    );
    const later = await pageOf(relay, 'get_playlist_tracks', args);
    assert.deepEqual(
      later.items.map(({ position }) => position),
      positions.filter((position) => position >= 10).map((position) => position - 10),
    );
  }));

test('get_my_playlists finds words in name and description', () =>
  withRelay(async (relay) => {
    const account = resize(relay, 0, 60);
    at(account.playlists, 7).description = 'Für den Sommer & more';
    const { items, total } = await pageOf(relay, 'get_my_playlists', { query: 'FUR sommer' });
    assert.deepEqual([items.map(({ name }) => name), total], [['List 7'], 1]);
    const page = await pageOf(relay, 'get_my_playlists', { query: 'list 5', limit: 5 });
    assert.deepEqual([page.items.length, page.total, page.next_offset], [5, 15, 5]);
  }));

test('the first reading of a list for a question reports progress to its end', () =>
  withRelay({ env: { RELAY_ACCESS: 'everything' } }, async (relay) => {
    owner(relay.provider).saved.splice(400);
    const playlist_id = named(relay, 'Exactly Two Hundred').id;
    for (const [name, args, pages] of [
      ['get_saved_tracks', { query: 'love' }, 8],
      ['get_playlist_tracks', { query: 'love', playlist_id }, 4],
    ] as const) {
      const heard: Array<{ progress: number; total?: number }> = [];
      await relay.client.callTool(
        { name, arguments: args },
        { onprogress: ({ progress, total }) => heard.push({ progress, total }) },
      );
      assert.deepEqual(heard.at(-1), { progress: pages, total: pages });
      assert.deepEqual(
        heard,
        heard.toSorted((one, other) => one.progress - other.progress),
      );
    }
  }));

test('query_library reports the progress of the first reading', () =>
  withRelay({ env: { RELAY_ACCESS: 'everything' } }, async (relay) => {
    resize(relay, 400, 3);
    const heard: Array<{ progress: number; total?: number }> = [];
    await relay.client.callTool(
      { name: 'query_library', arguments: { sql: 'select count(*) from saved' } },
      { onprogress: ({ progress, total }) => heard.push({ progress, total }) },
    );
    assert.ok(heard.length >= 8, JSON.stringify(heard));
    const last = at(heard, heard.length - 1);
    assert.equal(last.progress, last.total);
  }));
