import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, owner } from '../support/entries.ts';
import { sent } from '../support/requests.ts';
import { artistShape, trackShape } from '../support/shapes.ts';
import { type Relay, withRelay } from '../support/world.ts';

function trackOf({ provider }: Relay, uri: string) {
  const track = provider.catalogue.trackByUri.get(uri);
  if (!track) throw new Error(`no track ${uri}`);
  return trackShape(track);
}

test('get_saved_tracks returns rows, newest first', () =>
  withRelay(async (relay) => {
    const { saved } = owner(relay.provider);
    assert.deepEqual(await relay.call('get_saved_tracks', { limit: 3, offset: 2 }), {
      items: saved.slice(2, 5).map((row) => ({ added_at: row.addedAt, track: trackOf(relay, row.uri) })),
      total: saved.length,
      limit: 3,
      offset: 2,
      next_offset: 5,
    });
    assert.deepEqual(sent(relay), ['GET /me/tracks?limit=3&offset=2']);
  }));

for (const time_range of ['short_term', 'medium_term', 'long_term'] as const) {
  test(`get_top_tracks and get_top_artists over ${time_range}`, () =>
    withRelay(async (relay) => {
      const { top } = owner(relay.provider);
      const tracks = top.tracks[time_range];
      const args = { limit: 5, ...(time_range === 'medium_term' ? {} : { time_range }) };
      assert.deepEqual(await relay.call('get_top_tracks', args), {
        items: tracks.slice(0, 5).map((uri) => trackOf(relay, uri)),
        total: tracks.length,
        limit: 5,
        offset: 0,
        next_offset: tracks.length > 5 ? 5 : null,
      });
      const artists = top.artists[time_range];
      const page = (await relay.call('get_top_artists', args)) as { items: unknown[] };
      const expected = artists.slice(0, 5).map((uri) => {
        const artist = relay.provider.catalogue.artistByUri.get(uri);
        if (!artist) throw new Error(uri);
        return artistShape(artist);
      });
      assert.deepEqual(page.items, expected);
      assert.deepEqual(
        sent(relay),
        ['tracks', 'artists'].map((kind) => `GET /me/top/${kind}?time_range=${time_range}&limit=5&offset=0`),
      );
    }));
}

test('get_recently_played pages back by cursor', () =>
  withRelay(async (relay) => {
    const { history } = owner(relay.provider);
    type History = {
      items: Array<{ played_at: string; track: unknown }>;
      cursors: { before: string } | null;
    };
    const first = (await relay.call('get_recently_played', { limit: 2 })) as unknown as History;
    assert.deepEqual(
      first.items.map(({ played_at, track }) => ({ at: Date.parse(played_at), track })),
      history.slice(0, 2).map((play) => ({ at: play.playedAt, track: trackOf(relay, play.uri) })),
    );
    const before = Number(first.cursors?.before);
    const second = (await relay.call('get_recently_played', { limit: 2, before })) as unknown as History;
    assert.equal(Date.parse(at(second.items, 0).played_at), at(history, 2).playedAt);
  }));

test('get_recently_played gives cursors that came as numbers', () =>
  withRelay(async (relay) => {
    const cursors = { after: 1_795_676_099_712, before: 1_795_676_000_000 };
    const fn = (body: unknown) => ({ ...(body as object), cursors });
    relay.provider.faults.add({ path: '/me/player/recently-played', kind: 'transform', fn });
    assert.deepEqual((await relay.call('get_recently_played', { limit: 2 })).cursors, {
      after: '1795676099712',
      before: '1795676000000',
    });
  }));

type Plays = {
  items: Array<{ id?: string; played_at: string }>;
  cursors: { before: string; after: string };
  note?: string;
};

test('get_recently_played accepts the cursors and times that it returns', () =>
  withRelay(async (relay) => {
    const { history } = owner(relay.provider);
    const third = at(history, 2).playedAt;
    const firstOf = async (args: Record<string, unknown>) => {
      const { items } = (await relay.call('get_recently_played', { limit: 1, ...args })) as Plays;
      return Date.parse(at(items, 0).played_at);
    };
    const seconds = Math.floor(third / 1000);
    for (const before of [third, String(third), new Date(third).toISOString(), seconds, String(seconds)]) {
      assert.equal(await firstOf({ before }), at(history, 3).playedAt);
    }
    assert.equal(await firstOf({ after: String(third) }), at(history, 0).playedAt);
    for (const before of ['yesterday', '2026-02-30', '2026-02-30T10:00:00Z']) {
      const { error } = (await relay.call('get_recently_played', { before })) as {
        error: { code: string; message: string };
      };
      assert.deepEqual(
        [error.code, error.message],
        [
          'INVALID_ARGUMENT',
          'before: must be Unix milliseconds or an ISO 8601 time such as 2026-03-01T18:00:00Z.',
        ],
      );
    }
  }));

test('get_recently_played with nothing played', () =>
  withRelay(async ({ call, provider }) => {
    owner(provider).history.length = 0;
    assert.deepEqual(await call('get_recently_played'), { items: [], cursors: null });
  }));

test('get_recently_played says where the list ends: nothing before it does not mean that nothing was played', () =>
  withRelay(async ({ call, provider }) => {
    const { history } = owner(provider);
    const end =
      "Spotify lists only about the last 50 plays. What was played before is only in Spotify's own export of the listening history, which relay import reads.";
    const first = at(history, history.length - 1).playedAt;
    for (const before of [String(first), '2024-03-31', 0])
      assert.deepEqual(await call('get_recently_played', { before }), {
        items: [],
        cursors: null,
        note: end,
      });
    const lean = await call('get_recently_played', { before: '2024-03-31', detail: 'lean' });
    assert.deepEqual(lean, { items: [], note: end });
    const rest = await call('get_recently_played', { before: String(first + 1) });
    assert.deepEqual([(rest.items as unknown[]).length, rest.note], [1, undefined]);
    assert.deepEqual(await call('get_recently_played', { after: '2099-01-01' }), {
      items: [],
      cursors: null,
    });
  }));
