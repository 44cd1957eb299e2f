import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DemoPlaylist, snapshotOf } from '../../src/demo/state.ts';
import { codeOf, failureOf, withoutChange } from '../support/answers.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { unwrittenShape, writtenShape } from '../support/shapes.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { withPlaylist } from '../support/withPlaylist.ts';
import { type Relay, withRelay } from '../support/world.ts';

const fill = (playlist: DemoPlaylist, uris: readonly string[]) => {
  playlist.rows = uris.map((uri, index) => ({
    uri,
    addedAt: new Date(index * 1e9).toISOString(),
    addedBy: null,
  }));
};
const count = ({ provider }: Relay) => {
  const counts: Record<string, number> = {};
  for (const { method } of provider.requests) counts[method] = (counts[method] ?? 0) + 1;
  return counts;
};

test('replace_playlist_tracks with an empty list empties the playlist', () =>
  withPlaylist('Café Noctelle', async ({ relay, playlist, playlist_id }) => {
    const answer = await relay.call('replace_playlist_tracks', { playlist_id, track_ids: [] });
    assert.deepEqual(withoutChange(answer), writtenShape(playlist, 0, 1));
    assert.deepEqual(playlist.rows, []);
    assert.deepEqual(relay.provider.requests.at(-1)?.body, { uris: [] });
  }));

test('replace_playlist_tracks by the rows that are there writes nothing, so their dates stay', () =>
  withPlaylist('Café Noctelle', async ({ relay, playlist, playlist_id, former }) => {
    const before = structuredClone(playlist.rows);
    const args = { playlist_id, track_ids: former };
    assert.deepEqual(await relay.call('replace_playlist_tracks', args), {
      ...unwrittenShape(playlist_id, former.length),
      note: 'Nothing changed: the playlist has exactly these rows.',
    });
    assert.deepEqual(playlist.rows, before);
    assert.equal(count(relay).PUT, undefined);
  }));

for (const tool of ['replace_playlist_tracks', 'deduplicate_playlist'] as const) {
  test(`${tool} refuses a playlist whose rows could not be restored`, () =>
    withPlaylist('Odds and Ends', async ({ relay, playlist, playlist_id }) => {
      const before = structuredClone(playlist.rows);
      const args = tool === 'replace_playlist_tracks' ? { track_ids: tracks(relay, 1) } : {};
      const { code, details } = failureOf(await relay.call(tool, { playlist_id, ...args }));
      const lost = before.flatMap((row, position) =>
        row.unavailable || row.uri.startsWith('spotify:local:') ? [position] : [],
      );
      assert.deepEqual([code, details], ['UNSUPPORTED_ITEMS', { positions: lost, count: lost.length }]);
      assert.deepEqual(playlist.rows, before);
      assert.deepEqual(count(relay), { GET: 1 });
    }));
}

const failing: Array<[where: string, rule: FaultRule, completed: number]> = [
  ['the second request', { method: 'POST', path: /\/items$/, kind: 'status', status: 403 }, 1],
  ['a middle request', { method: 'POST', path: /\/items$/, skip: 1, kind: 'status', status: 403 }, 2],
  ['the last request', { method: 'POST', path: /\/items$/, skip: 2, kind: 'drop', when: 'before' }, 3],
];

const landing: Array<[where: string, rule: FaultRule]> = [
  ['a middle request', { method: 'POST', path: /\/items$/, skip: 1, kind: 'status_after', status: 502 }],
  ['the first request', { method: 'PUT', path: /\/items$/, kind: 'drop', when: 'after' }],
];

for (const [where, rule] of landing) {
  test(`when the answer to ${where} is lost after its effect, the replacement continues`, () =>
    withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
      const uris = tracks(relay, 350, 3_000);
      relay.provider.faults.add(rule);
      const args = { playlist_id, track_ids: uris };
      assert.deepEqual(
        withoutChange(await relay.call('replace_playlist_tracks', args)),
        writtenShape(playlist, 350, 4),
      );
      assert.deepEqual(urisOf(playlist), uris);
      const { PUT, POST } = count(relay);
      assert.deepEqual([PUT, POST], [1, 3]);
    }));
}

for (const [where, rule, completed] of failing) {
  test(`when ${where} fails, the previous content is written back and verified`, () =>
    withRelay({ clock: jumpingClock() }, async (relay) => {
      const playlist = named(relay, 'Exactly Two Hundred');
      const before = urisOf(playlist);
      relay.provider.faults.add(rule);
      const args = { playlist_id: playlist.id, track_ids: tracks(relay, 350, 3_000) };
      const { code, message, details } = failureOf(await relay.call('replace_playlist_tracks', args));
      assert.equal(code, 'PARTIAL_WRITE');
      assert.match(message, /The previous content is restored/);
      assert.deepEqual(withoutChange({ ...details, error: undefined }), {
        ok: false,
        playlist_id: playlist.id,
        requested: 350,
        written: completed * 100,
        chunks: { total: 4, completed },
        snapshot_id: snapshotOf(playlist),
        partial: true,
        error: undefined,
        rollback: { attempted: true, succeeded: true },
      });
      assert.deepEqual(urisOf(playlist), before);
    }));
}

test('when the first request is refused, nothing has changed and the refusal is returned', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    relay.provider.faults.add({ method: 'PUT', path: /\/items$/, kind: 'quota', retryAfterSeconds: 50_000 });
    const args = { playlist_id, track_ids: tracks(relay, 150) };
    assert.equal(failureOf(await relay.call('replace_playlist_tracks', args)).code, 'QUOTA_EXCEEDED');
    assert.deepEqual(urisOf(playlist), former);
    assert.deepEqual(count(relay), { GET: 8, PUT: 1 });
  }));

test('deduplicate_playlist without duplicates writes nothing', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    fill(playlist, tracks(relay, 60));
    assert.deepEqual(await relay.call('deduplicate_playlist', { playlist_id }), {
      ...unwrittenShape(playlist_id, 0),
      original_count: 60,
      resulting_count: 60,
      removed: [],
      dry_run: false,
      note: 'Nothing changed: no row repeats an earlier one. Rows that are the same song on another release: 22. same_song=true removes them too.',
    });
    assert.deepEqual(count(relay), { GET: 2 });
  }));

test('deduplicate_playlist with dry_run answers for a playlist with local rows too, and says that it would be refused', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [one = '', two = ''] = tracks(relay, 2);
    fill(playlist, [one, 'spotify:local:Someone:Somewhere:Something:61', two, one]);
    const answer = await relay.call('deduplicate_playlist', { playlist_id, dry_run: true });
    const { original_count, resulting_count, removed, chunks, note } = answer as Record<string, unknown>;
    assert.deepEqual(
      [
        original_count,
        resulting_count,
        (removed as Array<{ position: number; uri: string }>).map((row) => [row.position, row.uri]),
        chunks,
      ],
      [4, 3, [[3, one]], { total: 0, completed: 0 }],
    );
    assert.equal(
      note,
      'The playlist has 1 local or unavailable row, so relay does not remove the duplicates. around_unsupported=true leaves such rows where they are.',
    );
    const refused = failureOf(await relay.call('deduplicate_playlist', { playlist_id }));
    assert.equal(refused.code, 'UNSUPPORTED_ITEMS');
    const local = playlist.rows[1];
    const around = { playlist_id, around_unsupported: true };
    assert.equal(codeOf(await relay.call('deduplicate_playlist', around)), undefined);
    assert.deepEqual(urisOf(playlist), [one, local?.uri, two]);
  }));

test('deduplicate_playlist with same_song also removes other releases of a song, and says how many there are without it', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const all = relay.provider.catalogue.tracks;
    const one = all.find(({ isrc }, at) => all.some((other, later) => later > at && other.isrc === isrc));
    const other = all.findLast(({ isrc }) => isrc === one?.isrc);
    const others = all.filter(({ name }) => name !== one?.name).slice(0, 1);
    assert.ok(one && other && one !== other);
    fill(playlist, [one.uri, ...others.map(({ uri }) => uri), other.uri]);
    const before = urisOf(playlist);
    const { note } = await relay.call('deduplicate_playlist', { playlist_id });
    assert.match(String(note), /same song on another release: 1\. same_song=true removes them too/);
    const answer = await relay.call('deduplicate_playlist', { playlist_id, same_song: true });
    assert.deepEqual([answer.original_count, answer.resulting_count], [3, 2]);
    assert.deepEqual(urisOf(playlist), before.slice(0, 2));
  }));
