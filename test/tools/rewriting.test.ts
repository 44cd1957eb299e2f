import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DemoPlaylist, snapshotOf } from '../../src/demo/state.ts';
import { failureOf, withoutChange } from '../support/answers.ts';
import { at } from '../support/entries.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { writtenShape } from '../support/shapes.ts';
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

longTest('replace_playlist_tracks writes ten thousand tracks in the fewest requests', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const uris = [...tracks(relay, 9_000), ...tracks(relay, 1_000)];
    const heard: number[] = [];
    const result = await relay.client.callTool(
      { name: 'replace_playlist_tracks', arguments: { playlist_id, track_ids: uris } },
      { onprogress: ({ progress }) => heard.push(progress) },
    );
    assert.deepEqual(withoutChange(result.structuredContent), writtenShape(playlist, 10_000, 100));
    assert.deepEqual(urisOf(playlist), uris);
    // relay reads the former rows for a rollback in four pages, and again in five. Then it sends one PUT and the appends.
    assert.deepEqual(count(relay), { GET: 9, PUT: 1, POST: 99 });
    assert.equal(heard.at(-1), 109, 'both readings and the writing count on from one another');
    assert.deepEqual(
      heard,
      [...heard].sort((a, b) => a - b),
    );
  }),
);

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
      ok: true,
      playlist_id,
      requested: former.length,
      written: 0,
      chunks: { total: 0, completed: 0 },
      snapshot_id: null,
      partial: false,
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

longTest('if Spotify does not know a track of a later request, the rollback does not hide which one', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    const unknown = 'spotify:track:0000000000000000000000';
    const track_ids = [...tracks(relay, 230), unknown];
    const failure = failureOf(await relay.call('replace_playlist_tracks', { playlist_id, track_ids }));
    assert.deepEqual(
      [failure.code, failure.message, failure.remedy, failure.details?.not_found],
      [
        'PARTIAL_WRITE',
        `The write stopped after 2 of 3 requests: Spotify refused the request (400): Payload contains a non-existing ID. Spotify does not know this track: ${unknown}. The previous content is restored.`,
        'Try again without the tracks in details.not_found.',
        [unknown],
      ],
    );
    assert.deepEqual(urisOf(playlist), former);
  }),
);

test('when the first request is refused, nothing has changed and the refusal is returned', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    relay.provider.faults.add({ method: 'PUT', path: /\/items$/, kind: 'quota', retryAfterSeconds: 50_000 });
    const args = { playlist_id, track_ids: tracks(relay, 150) };
    assert.equal(failureOf(await relay.call('replace_playlist_tracks', args)).code, 'QUOTA_EXCEEDED');
    assert.deepEqual(urisOf(playlist), former);
    assert.deepEqual(count(relay), { GET: 8, PUT: 1 });
  }));

longTest(
  'when the answer to the first request is lost and reading shows no effect, nothing is written back',
  () =>
    withRelay({ clock: jumpingClock() }, async (relay) => {
      const playlist = named(relay, 'Exactly Two Hundred');
      const before = urisOf(playlist);
      relay.provider.faults.add({ method: 'PUT', path: /\/items$/, kind: 'drop', when: 'before' });
      const args = { playlist_id: playlist.id, track_ids: tracks(relay, 150) };
      const { code, message } = failureOf(await relay.call('replace_playlist_tracks', args));
      assert.equal(code, 'PROVIDER_UNAVAILABLE');
      assert.match(message, /The playlist is unchanged/);
      assert.deepEqual(urisOf(playlist), before);
      // Reading continues for as long as a write may take.
      assert.equal(count(relay).PUT, 1);
      assert.equal(count(relay).POST, undefined);
    }),
);

longTest('a rollback that loses an answer finds out what landed and duplicates nothing', () =>
  withRelay({ clock: jumpingClock() }, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const before = urisOf(playlist);
    relay.provider.faults.add(
      { method: 'POST', path: /\/items$/, kind: 'status', status: 403 },
      { method: 'POST', path: /\/items$/, kind: 'drop', when: 'after' },
    );
    const args = { playlist_id: playlist.id, track_ids: tracks(relay, 150, 3_000) };
    const { details } = failureOf(await relay.call('replace_playlist_tracks', args));
    assert.deepEqual(details.rollback, { attempted: true, succeeded: true });
    assert.deepEqual(urisOf(playlist), before);
  }),
);

longTest('a rollback that fails for good empties nothing and names every track that is missing', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    relay.provider.faults.add({
      method: 'POST',
      path: /\/items$/,
      times: Infinity,
      kind: 'status',
      status: 403,
    });
    const args = { playlist_id, track_ids: tracks(relay, 150, 3_000) };
    const { code, message, details } = failureOf(await relay.call('replace_playlist_tracks', args));
    assert.equal(code, 'PARTIAL_WRITE');
    assert.match(message, /could not be restored completely/);
    assert.deepEqual(details.rollback, { attempted: true, succeeded: false });
    assert.deepEqual(urisOf(playlist), former.slice(0, 100));
    assert.deepEqual(details.missing_uris, former.slice(100));
  }),
);

longTest('a failed rollback that leaves many rows missing says how all of them come back', () =>
  withRelay({ env: { RELAY_TOOLSETS: 'all' } }, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    fill(playlist, tracks(relay, 700));
    const before = urisOf(playlist);
    const refused = {
      method: 'POST',
      path: /\/items$/,
      times: Infinity,
      kind: 'status',
      status: 403,
    } as const;
    relay.provider.faults.add(refused);
    const args = { playlist_id: playlist.id, track_ids: tracks(relay, 150, 3_000) };
    const { remedy, details } = failureOf(await relay.call('replace_playlist_tracks', args));
    assert.deepEqual(urisOf(playlist), before.slice(0, 100));
    assert.equal(details.missing_count, 600);
    assert.deepEqual(details.missing_uris, before.slice(100, 300));
    const change_id = String(details.change_id);
    assert.equal(
      remedy,
      `undo_change with change_id ${change_id}, or \`relay undo ${change_id.slice(0, 8)}\`, brings back all 600 missing rows when the cause is fixed. details.missing_uris lists only the first 200.`,
    );
    relay.provider.faults.clear();
    await relay.call('undo_change', { change_id });
    assert.deepEqual(urisOf(playlist), before);
  }),
);

longTest('a rollback brings everything back although the playlist cannot be read', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    // The first reading of the former rows takes four pages. The second takes five, which end at other rows.
    relay.provider.faults.add(
      { method: 'GET', path: /\/items$/, skip: 9, times: 1, kind: 'status', status: 400 },
      { method: 'POST', path: /\/items$/, kind: 'status', status: 403 },
    );
    const args = { playlist_id, track_ids: tracks(relay, 150, 3_000) };
    const { details } = failureOf(await relay.call('replace_playlist_tracks', args));
    assert.deepEqual(details.rollback, { attempted: true, succeeded: true });
    assert.deepEqual(urisOf(playlist), former);
  }),
);

longTest('deduplicate_playlist keeps first occurrences, the order, and when the others were added', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 400);
    const [first = '', second = ''] = uris;
    fill(playlist, [...uris.slice(0, 150), first, second, ...uris.slice(150), first]);
    const added = new Map(playlist.rows.map((row) => [row.uri, row.addedAt]));
    const dry = await relay.call('deduplicate_playlist', { playlist_id, dry_run: true });
    assert.equal(playlist.rows.length, 403);
    const answer = await relay.call('deduplicate_playlist', { playlist_id });
    const name = (uri: string) => relay.provider.catalogue.trackByUri.get(uri)?.name ?? '';
    const removed = [
      { position: 150, uri: first, name: name(first) },
      { position: 151, uri: second, name: name(second) },
      { position: 402, uri: first, name: name(first) },
    ];
    const counts = { original_count: 403, resulting_count: 400, removed, requested: 3 };
    const { chunks: planned, ...dryRest } = dry;
    assert.deepEqual(dryRest, {
      ok: true,
      playlist_id,
      written: 0,
      snapshot_id: null,
      partial: false,
      ...counts,
      dry_run: true,
    });
    const { chunks, ...rest } = answer;
    assert.deepEqual(withoutChange(rest), {
      ok: true,
      playlist_id,
      written: 3,
      snapshot_id: snapshotOf(playlist),
      partial: false,
      ...counts,
      dry_run: false,
    });
    const { total } = chunks as { total: number };
    assert.deepEqual(
      [planned, chunks],
      [
        { total, completed: 0 },
        { total, completed: total },
      ],
    );
    assert.ok(total < 5, 'no more requests than rewriting everything');
    assert.deepEqual(urisOf(playlist), uris);
    const moved = playlist.rows.filter((row) => row.addedAt !== added.get(row.uri)).map(({ uri }) => uri);
    assert.deepEqual(
      moved,
      [first, second].filter((uri) => moved.includes(uri)),
    );
  }),
);

/** A list of 400 tracks that holds ten of them twice. */
function withDuplicates(relay: Relay): { playlist: DemoPlaylist; unique: string[] } {
  const playlist = named(relay, 'Empty Shelf');
  const unique = tracks(relay, 400);
  fill(playlist, [...unique, ...unique.slice(200, 210)]);
  return { playlist, unique };
}

longTest('duplicates that were shown are removed without reading the list again', () =>
  withRelay(async (relay) => {
    const { playlist, unique } = withDuplicates(relay);
    await relay.call('deduplicate_playlist', { playlist_id: playlist.id, dry_run: true });
    assert.deepEqual(count(relay), { GET: 9 });
    relay.provider.clearRequests();
    await relay.call('deduplicate_playlist', { playlist_id: playlist.id });
    // One read for the version, one for a page of the list, and one after the removal.
    assert.deepEqual(count(relay), { GET: 3, DELETE: 1, POST: 1 });
    assert.deepEqual(urisOf(playlist), unique);
  }),
);

const EDITS: Array<[string, (rows: string[], other: string) => string[]]> = [
  ['adds a song', (rows, other) => [...rows, other]],
  ['removes a song', (rows) => rows.toSpliced(300, 1)],
  ['moves the first song', ([first = '', ...rows]) => rows.toSpliced(20, 0, first)],
];

for (const [what, edit] of EDITS) {
  longTest(
    `duplicates that were shown are read again when someone ${what} meanwhile, even under the old version`,
    () =>
      withRelay(async (relay) => {
        const { playlist } = withDuplicates(relay);
        await relay.call('deduplicate_playlist', { playlist_id: playlist.id, dry_run: true });
        relay.provider.lag.set({ snapshots: 30_000 });
        const rows = edit(urisOf(playlist), at(tracks(relay, 401), 400));
        relay.provider.editPlaylist(playlist.id, rows);
        const answer = await relay.call('deduplicate_playlist', { playlist_id: playlist.id });
        assert.equal(answer.original_count, rows.length);
        assert.deepEqual(urisOf(playlist), [...new Set(rows)]);
      }),
  );
}

longTest('deduplicate_playlist says before and after if every row loses its date', () =>
  withPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 3_000);
    fill(playlist, [...uris, ...uris]);
    const note =
      'There are so many repeats that the whole list is written again: Spotify then shows today as the date of every row.';
    for (const dry_run of [true, false]) {
      const answer = await relay.call('deduplicate_playlist', { playlist_id, dry_run });
      // The answer goes on to say that it does not list every repeat.
      assert.equal(String(answer.note).slice(0, note.length), note);
    }
    assert.deepEqual(urisOf(playlist), uris);
  }),
);

test('deduplicate_playlist without duplicates writes nothing', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    fill(playlist, tracks(relay, 60));
    assert.deepEqual(await relay.call('deduplicate_playlist', { playlist_id }), {
      ...writtenShape(playlist, 0, 0),
      snapshot_id: null,
      original_count: 60,
      resulting_count: 60,
      removed: [],
      dry_run: false,
      note: 'Nothing changed: no row repeats an earlier one.',
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
      '1 row of this playlist is a local file or is no longer offered by Spotify, so relay does not remove the duplicates. Remove the duplicates in Spotify.',
    );
    const refused = failureOf(await relay.call('deduplicate_playlist', { playlist_id }));
    assert.equal(refused.code, 'UNSUPPORTED_ITEMS');
  }));

longTest('deduplicate_playlist that fails after a removal restores everything', () =>
  withPlaylist('Empty Shelf', { clock: jumpingClock() }, async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 300);
    fill(playlist, [...uris, at(uris, 0), at(uris, 10)]);
    const before = urisOf(playlist);
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'status', status: 500 });
    const { code, details } = failureOf(await relay.call('deduplicate_playlist', { playlist_id }));
    assert.equal(code, 'PARTIAL_WRITE');
    assert.deepEqual(details.rollback, { attempted: true, succeeded: true });
    assert.deepEqual(urisOf(playlist), before);
  }),
);

longTest('a caller that leaves does not stop a rollback', () =>
  withRelay({ clock: jumpingClock() }, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const before = urisOf(playlist);
    const leave = new AbortController();
    relay.provider.faults.add(
      { method: 'POST', path: /\/items$/, kind: 'hook', fn: () => leave.abort() },
      { method: 'POST', path: /\/items$/, kind: 'status', status: 500 },
    );
    const args = { playlist_id: playlist.id, track_ids: tracks(relay, 150, 3_000) };
    const call = relay.client.callTool(
      { name: 'replace_playlist_tracks', arguments: args },
      { signal: leave.signal },
    );
    await assert.rejects(call);
    // The next write waits for the rollback.
    await relay.call('add_tracks_to_playlist', { playlist_id: playlist.id, track_ids: tracks(relay, 1) });
    assert.deepEqual(urisOf(playlist), [...before, ...tracks(relay, 1)]);
  }),
);
