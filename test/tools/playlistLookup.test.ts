import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lengthWords } from '../../src/base/clock.ts';
import { type DemoPlaylist, snapshotOf } from '../../src/demo/state.ts';
import { codeOf } from '../support/answers.ts';
import { at, pluck } from '../support/entries.ts';
import { named } from '../support/playlists.ts';
import { sent } from '../support/requests.ts';
import { playlistShape } from '../support/shapes.ts';
import { withClockedPlaylist, withPlaylist } from '../support/withPlaylist.ts';
import { type Relay, withRelay } from '../support/world.ts';

const matchesOf = async ({ call }: Relay, name: string) =>
  ((await call('find_playlist_by_name', { name })).matches as Array<{ id: string }>).map(({ id }) => id);
const statsOf = ({ call }: Relay, playlist: DemoPlaylist) =>
  call('get_playlist_stats', { playlist_id: playlist.id });
/** Number of requests that `work` costs. */
async function cost({ provider }: Relay, work: () => Promise<unknown>): Promise<number> {
  const before = provider.requests.length;
  await work();
  return provider.requests.length - before;
}

test('find_playlist_by_name finds every playlist of that name in any spelling', () =>
  withRelay(async (relay) => {
    const both = [named(relay, 'Café Noctelle'), named(relay, 'cafe NOCTELLE')];
    assert.deepEqual(await relay.call('find_playlist_by_name', { name: ' CAFÉ  noctelle! ' }), {
      name: 'CAFÉ  noctelle!',
      matches: both.map(playlistShape),
    });
    assert.deepEqual(sent(relay), ['GET /me/playlists?limit=50&offset=0']);
    assert.deepEqual(await matchesOf(relay, 'tea and biscuits'), [named(relay, 'Tea & Biscuits').id]);
    assert.deepEqual(await matchesOf(relay, '灯台 ночь φαρος'), [named(relay, '灯台 Ночь Φάρος').id]);
    assert.deepEqual(await matchesOf(relay, 'Cafe'), []);
  }));

test('find_playlist_by_name needs a name', () =>
  withRelay(async ({ call, provider }) => {
    for (const name of ['', '   ', 'x'.repeat(201)]) {
      assert.equal(codeOf(await call('find_playlist_by_name', { name })), 'INVALID_ARGUMENT');
    }
    assert.deepEqual(provider.requests, []);
  }));

/** What the rows add up to, counted from the provider's state and not from its answers. */
function expectedStats({ provider: { catalogue } }: Relay, playlist: DemoPlaylist) {
  const rows = playlist.rows.map((row) => ({
    ...row,
    isLocal: row.uri.startsWith('spotify:local:'),
    track: row.unavailable ? undefined : catalogue.trackByUri.get(row.uri),
    episode: row.unavailable ? undefined : catalogue.episodeByUri.get(row.uri),
  }));
  const tracks = rows.flatMap(({ track }) => track ?? []);
  const episodes = rows.flatMap(({ episode }) => episode ?? []);
  const locals = rows.filter(({ isLocal }) => isLocal).map(({ uri }) => uri.split(':').slice(2));
  const counted = <T>(values: T[]) =>
    [...new Set(values)].map((value) => ({ value, count: values.filter((other) => other === value).length }));
  const most = (a: { count: number }, b: { count: number }) => b.count - a.count;
  const duplicates = counted(tracks)
    .filter(({ count }) => count > 1)
    .sort(most);
  const localArtists = locals.map(([artist = '']) => artist.replaceAll('+', ' '));
  // In the order of the rows, which decides between artists with as many rows.
  const artists = counted(
    rows.flatMap(({ track, isLocal, uri }) => {
      const local = { id: null, name: uri.split(':')[2]?.replaceAll('+', ' ') };
      const all = isLocal ? [local] : (track?.artists ?? []);
      return all.map(({ id, name }) => JSON.stringify({ id, name }));
    }),
  ).sort(most);
  const durations = [...tracks, ...episodes].map(({ durationMs }) => durationMs);
  const total = [...durations, ...locals.map((parts) => Number(parts[3]) * 1000)].reduce((a, b) => a + b, 0);
  const years = tracks.map(({ album }) => `${album.releaseDate.slice(0, 3)}0s`).sort();
  const added = rows.flatMap(({ addedAt }) => addedAt ?? []).sort();
  return {
    playlist_id: playlist.id,
    name: playlist.name,
    snapshot_id: snapshotOf(playlist),
    total_items: rows.length,
    track_count: tracks.length,
    episode_count: episodes.length,
    local_count: locals.length,
    unavailable_count: rows.filter(({ unavailable }) => unavailable).length,
    unique_track_count: new Set(tracks).size,
    duplicate_count: tracks.length - new Set(tracks).size,
    duplicates: duplicates.map(({ value, count }) => ({ uri: value.uri, name: value.name, count })),
    explicit_count: [...tracks, ...episodes].filter(({ explicit }) => explicit).length,
    total_duration_ms: total,
    total_duration: lengthWords(total),
    average_duration_ms: Math.round(total / (durations.length + locals.length)),
    unique_artist_count: new Set(tracks.flatMap((track) => track.artists)).size + new Set(localArtists).size,
    top_artists: artists.slice(0, 10).map(({ value, count }) => ({ ...JSON.parse(value), count })),
    release_years: Object.fromEntries(counted(years).map(({ value, count }) => [value, count])),
    oldest_added_at: at(added, 0),
    newest_added_at: added.at(-1),
  };
}

test('get_playlist_stats counts every kind of row', () =>
  withPlaylist('Odds and Ends', async ({ relay, playlist }) => {
    const stats = await statsOf(relay, playlist);
    assert.deepEqual(stats, expectedStats(relay, playlist));
    // Numbers known beforehand, in case `expectedStats` counts wrongly in the same way.
    assert.deepEqual(
      [
        [stats.total_items, stats.track_count, stats.episode_count, stats.local_count],
        [stats.unavailable_count, stats.unique_track_count, stats.duplicate_count],
        (stats.duplicates as Array<{ count: number }>).map(({ count }) => count),
      ],
      [
        [31, 26, 3, 1],
        [1, 20, 6],
        [3, 2, 2, 2, 2],
      ],
    );
  }));

test('a release date that Spotify does not know is no year', () =>
  withPlaylist('Tea & Biscuits', async ({ relay, playlist }) => {
    type Row = { item: { album: object } };
    const unknown = (album: object) => ({ ...album, release_date: '0000', release_date_precision: 'year' });
    const rows = (body: unknown) => {
      const page = body as { items: { items?: Row[] } | Row[] };
      const list = Array.isArray(page.items) ? page.items : (page.items.items ?? []);
      for (const { item } of list) item.album = unknown(item.album);
      return body;
    };
    const always = { kind: 'transform', times: Number.POSITIVE_INFINITY } as const;
    relay.provider.faults.add({ ...always, path: /^\/playlists\//, fn: rows });
    const { release_years, track_count } = await statsOf(relay, playlist);
    assert.deepEqual(release_years, { unknown: track_count });
    const albums = (body: unknown) => {
      const found = body as { albums: { items: object[] } };
      found.albums.items = found.albums.items.map(unknown);
      return body;
    };
    relay.provider.faults.add({ ...always, path: '/search', fn: albums });
    const args = { query: 'love', limit: 1, detail: 'lean' };
    const { items } = await relay.call('search_albums', args);
    assert.deepEqual(Object.keys(at(items as object[], 0)), ['id', 'name', 'artists', 'tracks']);
  }));

test('an empty playlist has stats too', () =>
  withRelay(async (relay) => {
    const { average_duration_ms, top_artists, oldest_added_at, total_items } = await statsOf(
      relay,
      named(relay, 'Empty Shelf'),
    );
    assert.deepEqual([average_duration_ms, top_artists, oldest_added_at, total_items], [null, [], null, 0]);
    assert.equal(relay.provider.requests.length, 1);
  }));

test("the rows of another person's playlist cannot be read", () =>
  withRelay(async (relay) => {
    assert.equal(codeOf(await statsOf(relay, named(relay, 'Guest Favourites'))), 'FORBIDDEN');
  }));

interface Described {
  items: { items: unknown[]; total: number; limit: number; offset: number };
}

/** Rows with which the playlist object may come, and how many requests all 200 rows then take. */
const BEGINNINGS: Array<[string, (described: Described) => unknown, number]> = [
  ['fewer rows than a page', (it) => ({ ...it, items: begin(it, 20, 20) }), 5],
  ['no rows', ({ items: _, ...rest }) => rest, 5],
  ['rows with a gap', (it) => ({ ...it, items: begin(it, 49, 50) }), 5],
  ['rows from further on', (it) => ({ ...it, items: { ...it.items, offset: 50 } }), 5],
  ['rows of an older list', (it) => ({ ...it, items: { ...begin(it, 50, 50), total: 190 } }), 1 + 3 + 1 + 4],
];

function begin({ items }: Described, count: number, limit: number): Described['items'] {
  return { ...items, items: items.items.slice(0, count), limit };
}

for (const [what, change, requests] of BEGINNINGS) {
  test(`all rows are read if the playlist object comes with ${what}`, () =>
    withPlaylist('Exactly Two Hundred', async ({ relay, playlist }) => {
      const fn = (body: unknown) => change(body as Described);
      relay.provider.faults.add({ path: `/playlists/${playlist.id}`, kind: 'transform', fn });
      const stats = async () =>
        assert.deepEqual(await statsOf(relay, playlist), expectedStats(relay, playlist));
      assert.equal(await cost(relay, stats), requests);
    }));
}

test('rows are reused for a minute while the snapshot is the same', () =>
  withClockedPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist }) => {
    const read = () => statsOf(relay, playlist);
    const first = await read();
    relay.provider.clearRequests();
    clock.advance(59_999);
    assert.deepEqual(await read(), first);
    assert.deepEqual(pluck(relay.provider.requests, 'path'), [`/playlists/${playlist.id}`]);
    clock.advance(1);
    assert.equal(await cost(relay, read), 4);
    relay.provider.editPlaylist(
      playlist.id,
      playlist.rows.slice(0, 60).map(({ uri }) => uri),
    );
    assert.equal(await cost(relay, async () => assert.equal((await read()).total_items, 60)), 2);
  }));

test('what relay writes itself is read again, even under the old snapshot', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const snapshot_id = snapshotOf(playlist);
    await statsOf(relay, playlist);
    const track_ids = [at(relay.provider.catalogue.tracks, 1).id];
    await relay.call('add_tracks_to_playlist', { playlist_id, track_ids });
    // For about half a minute after a write Spotify may still name the former snapshot.
    const fn = (body: unknown) => ({ ...(body as object), snapshot_id });
    relay.provider.faults.add({ path: `/playlists/${playlist_id}`, kind: 'transform', fn, times: 2 });
    assert.equal((await statsOf(relay, playlist)).total_items, 201);
  }));

test('find_playlist_by_name offers near names, and says of mixes that they cannot be read', () =>
  withRelay(async (relay) => {
    const { id, name } = named(relay, 'Morning Ferry');
    assert.deepEqual(await relay.call('find_playlist_by_name', { name: 'morning fery' }), {
      name: 'morning fery',
      matches: [],
      near: [{ id, name }],
    });
    const mix = await relay.call('find_playlist_by_name', { name: 'Discover Weekly' });
    assert.deepEqual([mix.matches, mix.near], [[], []]);
    const spoken = (await relay.call('find_playlist_by_name', { name: 'my running list' })) as {
      near: Array<{ name: string }>;
    };
    assert.deepEqual(pluck(spoken.near, 'name'), ['Running, Badly']);
    assert.match(String(mix.note), /^Spotify does not let programs find or read the mixes that it makes /);
    assert.equal((await relay.call('find_playlist_by_name', { name: 'zzzz qqqq' })).note, undefined);
  }));
