/** What a model reads unless it asks for more: lean shapes, and never more than hosts show. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, owner } from '../support/entries.ts';
import { named } from '../support/playlists.ts';
import { type Relay, withRelay } from '../support/world.ts';

type Answer = Record<string, unknown>;

const LINKS = 'https://open.spotify.com/track/{id}';
const EXTRAS = { env: { RELAY_ACCESS: 'everything' } };

/** The structured answer. The text beside it has to say the same. */
async function ask({ client }: Relay, name: string, args: Answer = {}): Promise<Answer> {
  const { structuredContent, content } = await client.callTool({ name, arguments: args });
  const [block] = content as Array<{ text: string }>;
  assert.equal(block?.text, JSON.stringify(structuredContent), name);
  return structuredContent as Answer;
}

const clockText = (ms: number) => {
  const iso = new Date(Math.round(ms / 1000) * 1000).toISOString().slice(11, 19);
  return iso.replace(/^00:0?|^0/, '');
};

type Catalogue = Relay['provider']['catalogue'];

/** A lean track. It has no field that is null, false by default, or derivable from other fields. */
const lean = ({ id, name, artists, album, durationMs, explicit }: Catalogue['tracks'][number]) => ({
  id,
  name,
  artists: artists.map((artist) => artist.name).join(', '),
  album: album.name,
  duration: clockText(durationMs),
  ...(explicit ? { explicit: true } : {}),
});

test('every kind of playlist row is listed with what the next call needs', () =>
  withRelay(async (relay) => {
    const { catalogue } = relay.provider;
    const [plain, explicit] = [false, true].map(
      (wanted) => catalogue.tracks.find((track) => track.explicit === wanted) ?? assert.fail(),
    );
    const episode = at(catalogue.episodes, 0);
    assert.ok(plain && explicit);
    const playlist = named(relay, 'Empty Shelf');
    const row = { addedAt: '2025-03-04T05:06:07Z', addedBy: null };
    playlist.rows = [
      { ...row, uri: plain.uri },
      { ...row, uri: explicit.uri },
      { ...row, uri: episode.uri },
      { ...row, uri: 'spotify:local:Someone:Somewhere:Something:61' },
      { ...row, uri: at(catalogue.tracks, 9).uri, unavailable: true, addedAt: null },
    ];
    const added = '2025-03-04';
    assert.deepEqual(await ask(relay, 'get_playlist_tracks', { playlist_id: playlist.id }), {
      items: [
        { position: 0, ...lean(plain), added },
        { position: 1, ...lean(explicit), added },
        {
          position: 2,
          id: episode.id,
          type: 'episode',
          name: episode.name,
          show: episode.show.name,
          duration: clockText(episode.durationMs),
          added,
        },
        {
          position: 3,
          name: 'Something',
          artists: 'Someone',
          album: 'Somewhere',
          duration: '1:01',
          local: true,
          added,
        },
        { position: 4, unavailable: true },
      ],
      total: 5,
      links: LINKS,
    });
    // The link of an episode is another one.
    const episodes = await ask(relay, 'get_playlist_tracks', {
      playlist_id: playlist.id,
      offset: 2,
      limit: 1,
    });
    assert.deepEqual(Object.keys(episodes).sort(), ['items', 'next_offset', 'total']);
  }));

test('playlists, artists, albums and saved tracks are lean', () =>
  withRelay(EXTRAS, async (relay) => {
    const account = owner(relay.provider);
    const { catalogue } = relay.provider;
    const shared = at(account.playlists, 0);
    Object.assign(shared, { public: true, collaborative: false, description: 'For the evening' });
    const { id, name, ownerName, rows } = shared;
    const playlist = { id, name, items: rows.length, owner: ownerName, public: true };
    assert.deepEqual(await ask(relay, 'get_my_playlists', { limit: 1 }), {
      items: [{ ...playlist, description: 'For the evening' }],
      total: account.playlists.length,
      next_offset: 1,
    });
    const one = await ask(relay, 'get_playlist', { playlist_id: id, detail: 'lean' });
    assert.deepEqual(Object.keys(one).sort(), [
      ...['description', 'id', 'items', 'name', 'owner', 'public', 'snapshot_id'],
    ]);
    const saved = at(account.saved, 0);
    const track = catalogue.tracks.find(({ uri }) => uri === saved.uri) ?? assert.fail();
    const { items, total, links } = await ask(relay, 'get_saved_tracks', { limit: 1 });
    assert.deepEqual(
      { items, total, links },
      {
        items: [{ ...lean(track), added: saved.addedAt.slice(0, 10) }],
        total: account.saved.length,
        links: LINKS,
      },
    );
    const artist = at(track.artists, 0);
    assert.deepEqual(await ask(relay, 'get_artist', { artist_id: artist.id, detail: 'lean' }), {
      id: artist.id,
      name: artist.name,
    });
    const { album } = track;
    assert.deepEqual(await ask(relay, 'get_album', { album_id: album.id, detail: 'lean' }), {
      id: album.id,
      name: album.name,
      artists: album.artists.map((one) => one.name).join(', '),
      year: album.releaseDate.slice(0, 4),
      tracks: album.tracks.length,
    });
  }));

test('a player without an active device answers with a single field', () =>
  withRelay(async (relay) => {
    owner(relay.provider).player.deviceId = null;
    assert.deepEqual(await ask(relay, 'get_currently_playing'), { playing: false });
    assert.deepEqual(await ask(relay, 'get_playback_state'), { active: false });
  }));

/** Spotify's answers with names as long as it lets them be. */
const withLong = (work: (relay: Relay) => Promise<void>) =>
  withRelay(EXTRAS, async (relay) => {
    const times = Number.POSITIVE_INFINITY;
    relay.provider.faults.add({ path: /^\//, times, kind: 'transform', fn: lengthened });
    await work(relay);
  });

function lengthened(value: unknown, key?: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => lengthened(entry));
  if (typeof value === 'string' && (key === 'name' || key === 'description'))
    return value.padEnd(key === 'name' ? 200 : 300, ' and then some more of it');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, lengthened(inner, name)]));
}

for (const detail of ['lean', 'full'] as const) {
  const limit = detail === 'lean' ? 10_000 : 60_000;
  test(`the longest lists end early in ${detail} form, and next_offset leads through all rows`, () =>
    withLong(async (relay) => {
      const account = owner(relay.provider);
      account.saved.splice(200);
      const playlist = account.playlists.find(({ rows }) => rows.length === 200) ?? assert.fail();
      const lists: Array<[tool: string, args: Answer, rows: number]> = [
        ['get_playlist_tracks', { playlist_id: playlist.id, limit: 50 }, playlist.rows.length],
        ['get_saved_tracks', { limit: 50 }, account.saved.length],
        ['get_my_playlists', { limit: 50 }, account.playlists.length],
      ];
      for (const [tool, args, rows] of lists) {
        let offset: number | undefined = 0;
        let seen = 0;
        while (offset !== undefined && offset !== null) {
          const page: Answer = await ask(relay, tool, { ...args, detail, offset });
          assert.ok(JSON.stringify(page).length <= limit, tool);
          seen += (page.items as unknown[]).length;
          offset = page.next_offset as number | undefined;
        }
        assert.equal(seen, rows, tool);
      }
    }));
}

test('where Spotify lists null, an answer that ends early continues with the first row that was not shown', () =>
  withLong(async (relay) => {
    const { playlists } = owner(relay.provider);
    assert.ok(playlists.length > 10);
    const fn = (body: unknown) => {
      const page = body as { offset: number; items: unknown[] };
      return {
        ...page,
        items: page.items.map((one, at) => ([1, 4].includes(page.offset + at) ? null : one)),
      };
    };
    relay.provider.faults.add({ path: '/me/playlists', times: 99, kind: 'transform', fn });
    const left = playlists.filter((_, at) => at !== 1 && at !== 4).map(({ id }) => id);
    for (const all of [false, true]) {
      const seen: unknown[] = [];
      let offset: unknown = 0;
      while (typeof offset === 'number') {
        const page: Answer = await ask(relay, 'get_my_playlists', { limit: 50, offset, all });
        seen.push(...(page.items as Array<{ id: string }>).map(({ id }) => id));
        offset = page.next_offset;
      }
      assert.deepEqual(seen, left);
    }
  }));

test('every answer that could be long is short enough, and says that it ends early', () =>
  withLong(async (relay) => {
    const { catalogue } = relay.provider;
    const account = owner(relay.provider);
    const playlist = account.playlists.find(({ rows }) => rows.length === 200) ?? assert.fail();
    const uris = catalogue.tracks.slice(0, 150).map(({ uri }) => uri);
    playlist.rows = [...uris, ...uris].map((uri) => ({ uri, addedAt: null, addedBy: null }));
    const calls: Array<[tool: string, args: Answer]> = [
      ['search_tracks', { query: 'and then some more', limit: 50 }],
      ['get_my_playlists', { all: true }],
      ['get_playlist_stats', { playlist_id: playlist.id }],
      ['deduplicate_playlist', { playlist_id: playlist.id, dry_run: true }],
      ['get_top_tracks', { limit: 50 }],
      ['get_recently_played', { limit: 50 }],
      ['get_queue', {}],
      ['check_saved_tracks', { track_ids: catalogue.tracks.slice(0, 1_000).map(({ uri }) => uri) }],
    ];
    for (const [tool, args] of calls) {
      const answer = await ask(relay, tool, args);
      assert.equal(answer.error, undefined, `${tool} ${JSON.stringify(answer.error)}`);
      assert.ok(JSON.stringify(answer).length <= 10_000, `${tool}: ${JSON.stringify(answer).length}`);
    }
  }));

test('a list with misspelt songs shows every miss, and counts the others', () =>
  withRelay(async (relay) => {
    const { tracks } = relay.provider.catalogue;
    const songs = tracks.slice(0, 60).map(({ name, artists }, index) => {
      const artist = at(artists, 0).name;
      return { title: index % 4 === 3 ? `Qvx ${index} Zzyplor` : name, artist };
    });
    const misses = songs.flatMap(({ title }, index) => (title.startsWith('Qvx') ? [index] : []));
    const args = { playlist_id: named(relay, 'Empty Shelf').id, tracks: songs, dry_run: true };
    const answer = await ask(relay, 'add_tracks_by_search', args);
    assert.ok(JSON.stringify(answer).length <= 10_000);
    const report = answer.report as Array<{ index: number; status: string; input: Answer }>;
    const missed = report.filter(({ status }) => status === 'unmatched');
    assert.deepEqual(
      missed.map(({ index, input }) => ({ index, input })),
      misses.map((index) => ({ index, input: songs[index] })),
    );
    assert.equal(answer.matched, songs.length - report.length);
    // A host that cuts an answer shows its beginning.
    assert.ok(JSON.stringify(answer).indexOf('"report"') < 200);
  }));

test('a long report shows at least two candidates of an ambiguous entry, as long as there is room', () =>
  withRelay(async (relay) => {
    const song = { title: 'Ρόδι και Ύφασμα', artist: 'Χάλκινος Γερανός Ένα' };
    const candidates = async (entries: number) => {
      const answer = await ask(relay, 'create_playlist_from_tracks', {
        name: 'Road',
        tracks: Array(entries).fill(song),
      });
      const report = answer.report as Array<{ status: string; candidates: unknown[] }>;
      assert.deepEqual([answer.status, answer.ambiguous, report.length], ['blocked', entries, entries]);
      return [...new Set(report.map((row) => row.candidates.length))];
    };
    assert.deepEqual([await candidates(2), await candidates(14), await candidates(25)], [[3], [2], [1]]);
  }));

test('an error with long lists is short enough too', () =>
  withRelay(async (relay) => {
    const args = {
      query: 'x',
      ...Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`wrong_${n}`, n])),
    };
    const { structuredContent } = await relay.client.callTool({ name: 'search_tracks', arguments: args });
    assert.ok(JSON.stringify(structuredContent).length <= 10_000);
  }));
