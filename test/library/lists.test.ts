/** Lists of songs and whole playlists: what the copy knows is not requested again, and no answer differs because of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import { MINUTE, manualClock } from '../support/clock.ts';
import { at, owner } from '../support/entries.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { resize, rowsFrom } from './accounts.ts';
import { ask, WITH_SQL } from './queries.ts';

interface Entry {
  index: number;
  status: string;
  uri?: string;
  track?: { uri: string; isrc: string | null };
  candidates?: Array<{ track: { uri: string; isrc: string | null } }>;
}

const LIST = `list${'0'.repeat(18)}`;

const song = ({ name, artists }: DemoTrack) => ({
  title: name,
  artist: artists.map((artist) => artist.name).join(', '),
});

/** Number of songs in a call: the report of a longer list leaves some out. */
const AT_ONCE = 20;

/** Looks songs up as a list, and counts the requests by path. */
async function resolved(relay: Relay, tracks: readonly object[]) {
  relay.provider.clearRequests();
  const entries: Entry[] = [];
  for (let from = 0; from < tracks.length; from += AT_ONCE) {
    const some = tracks.slice(from, from + AT_ONCE);
    const args = { playlist_id: LIST, tracks: some, strict: false, dry_run: true };
    const { report, error } = await relay.call('add_tracks_by_search', args);
    assert.equal(error, undefined, JSON.stringify(error));
    const rows = (report as Entry[]).toSorted((one, other) => one.index - other.index);
    assert.equal(rows.length, some.length);
    entries.push(...rows);
  }
  const paths = relay.provider.requests.map(({ path }) => path);
  const searches = paths.filter((path) => path === '/search').length;
  return { entries, searches, others: paths.filter((path) => path !== '/search') };
}

const tracksOf = (relay: Relay) =>
  owner(relay.provider).saved.flatMap(({ uri }) => relay.provider.catalogue.trackByUri.get(uri) ?? []);

test('saved songs of a list are found without a search, and as the same recordings that a search finds', async (t) => {
  const size = 40;
  let searched: Entry[] = [];
  let before = 0;
  await withRelay(WITH_SQL, async (relay) => {
    resize(relay, size, 1);
    const { entries, searches } = await resolved(relay, tracksOf(relay).map(song));
    [searched, before] = [entries, searches];
  });
  await withRelay(WITH_SQL, async (relay) => {
    resize(relay, size, 1);
    await ask(relay, 'select 1');
    const tracks = tracksOf(relay);
    const { entries, searches, others } = await resolved(relay, tracks.map(song));
    assert.ok(searches * 4 < before, `${searches} searches, ${before} without the copy`);
    t.diagnostic(`${before} searches before, ${searches} now`);
    assert.deepEqual(others, []);
    const saved = new Set(tracks.map(({ uri }) => uri));
    let found = 0;
    for (const [index, { status, uri = '', track }] of entries.entries()) {
      const other = at(searched, index);
      if (uri === other.uri || !saved.has(uri)) {
        assert.deepEqual([status, uri], [other.status, other.uri ?? ''], 'a search decided');
        continue;
      }
      found += 1;
      const same = [other.track, ...(other.candidates ?? []).map((one) => one.track)];
      assert.ok(
        same.some((one) => one?.uri === uri || one?.isrc === track?.isrc),
        `${JSON.stringify(song(at(tracks, index)))}: ${uri}, by search ${other.uri}`,
      );
    }
    t.diagnostic(`${found} of ${size} in another release than by search`);
  });
});

test('a song that differs from the saved song in anything is searched for', () =>
  withRelay(WITH_SQL, async (relay) => {
    resize(relay, 30, 1);
    await ask(relay, 'select 1');
    const [track] = tracksOf(relay).filter(({ name }) => /^[A-Za-z ]+$/.test(name));
    assert.ok(track);
    const { title, artist } = song(track);
    const year = Number(track.album.releaseDate.slice(0, 4));
    const exact = { title: title.toUpperCase(), artist, album: track.album.name, year };
    for (const [given, searches] of [
      [exact, 0],
      [{ ...exact, year: year + 7 }, 1],
      [{ ...exact, album: 'Quite Another Album' }, 1],
      [{ ...exact, title: `${title} (Live)` }, 1],
      [{ ...exact, artist: `${artist} feat. Nobody of That Name` }, 1],
    ] as const) {
      const answer = await resolved(relay, [given]);
      assert.equal(answer.searches > 0, searches > 0, JSON.stringify(given));
      if (searches === 0) assert.equal(at(answer.entries, 0).uri, track.uri);
    }
  }));

test('a song that was un-saved since the copy was read is still the right recording, and costs no request', () => {
  const clock = manualClock();
  return withRelay({ ...WITH_SQL, clock }, async (relay) => {
    resize(relay, 60, 1);
    await ask(relay, 'select 1');
    const [first, ...others] = tracksOf(relay);
    assert.ok(first);
    clock.advance(11 * MINUTE);
    owner(relay.provider).saved.shift();
    const {
      entries,
      searches,
      others: requests,
    } = await resolved(relay, [first, ...others.slice(0, 19)].map(song));
    assert.deepEqual([searches, requests], [0, []]);
    assert.equal(at(entries, 0).uri, first.uri);
  });
});

test('if the copy has the rows of a playlist, counting them takes one request and gives the same answer', () =>
  withRelay(WITH_SQL, async (relay) => {
    const account = resize(relay, 0, 2);
    const playlist = at(account.playlists, 0);
    const episode = at(relay.provider.catalogue.episodes, 0).uri;
    const other = (uri: string, more = {}) => ({
      uri,
      addedAt: '2026-10-01T00:00:00Z',
      addedBy: null,
      ...more,
    });
    playlist.rows = [
      ...rowsFrom(relay, 0, 230),
      ...rowsFrom(relay, 40, 5),
      other(episode),
      other('spotify:local:Ovo:Brask:Plinth:201'),
      other(at(relay.provider.catalogue.tracks, 900).uri, { unavailable: true }),
    ];
    const counted = async (tool: string, args = {}) => {
      relay.provider.clearRequests();
      const answer = await relay.call(tool, { playlist_id: playlist.id, ...args });
      return { answer, requests: relay.provider.requests.length };
    };
    const stats = () => counted('get_playlist_stats');
    const repeats = () => counted('deduplicate_playlist', { dry_run: true });
    const [first, second] = [await repeats(), await stats()];
    assert.equal(first.requests, 5);
    await ask(relay, 'select 1');
    assert.deepEqual(await stats(), { answer: second.answer, requests: 1 });
    assert.deepEqual(await repeats(), { answer: first.answer, requests: 1 });

    // A change by others is seen by the snapshot ID of the playlist, and what relay writes is known at once.
    relay.provider.editPlaylist(
      playlist.id,
      playlist.rows.slice(100).map(({ uri }) => uri),
    );
    assert.equal((await stats()).answer.total_items, 138);
    await relay.call('add_tracks_to_playlist', { playlist_id: playlist.id, track_ids: [episode] });
    assert.equal((await stats()).answer.total_items, 139);
    playlist.rows = [];
    playlist.version += 1;
    const other1 = at(account.playlists, 1);
    other1.rows = [];
    other1.version += 1;
    const empty = await relay.call('get_playlist_stats', { playlist_id: other1.id });
    assert.deepEqual([empty.total_items, empty.name], [0, other1.name]);
  }));
