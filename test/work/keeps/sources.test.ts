/** What a rule reads: sources that cannot be read whole, rows under another ID, and rows without an item. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playlistOf, rowsFrom } from '../../library/accounts.ts';
import { run } from '../../support/cli.ts';
import { at, owner } from '../../support/entries.ts';
import { jumpingClock } from '../../support/jumpingClock.ts';
import { savedUris } from '../../support/playlists.ts';
import { longTest } from '../../support/scale.ts';
import type { Relay } from '../../support/world.ts';
import { asked, edit, LIST_0, rowsOf, save, spare, writes } from './account.ts';
import { act, keep, SAVED, withAccount } from './keptPlaylists.ts';

const OF_LIST_0 = `SELECT uri FROM playlist_rows WHERE playlist_id = '${LIST_0}' ORDER BY position`;

function refuseList(relay: Relay, status: number): void {
  relay.provider.faults.add({
    path: new RegExp(`^/playlists/${LIST_0}`),
    method: 'GET',
    times: Number.POSITIVE_INFINITY,
    kind: 'status',
    status,
  });
}

for (const status of [403, 404]) {
  test(`a source that answers ${status} costs no row: it waits for a person, and continues once the source can be read`, async () => {
    await withAccount({ saved: 12 }, async (relay) => {
      const { keep: made } = await keep(relay, { name: 'Copy', sql: OF_LIST_0 });
      const before = rowsOf(relay, made.playlist_id);
      edit(relay, LIST_0, (uris) => [...uris.slice(2), ...spare(relay, 1, 1)]);
      refuseList(relay, status);
      relay.provider.clearRequests();
      const { keep: waiting } = await act(relay, made.id, 'run');
      assert.equal(waiting.status, 'review');
      assert.match(waiting.reason ?? '', /does not give the rows of "List 0/);
      assert.deepEqual(rowsOf(relay, made.playlist_id), before);
      assert.deepEqual(writes(relay), []);
      relay.provider.faults.clear();
      assert.equal((await act(relay, made.id, 'run')).keep.status, 'active');
      assert.deepEqual(rowsOf(relay, made.playlist_id), rowsOf(relay, LIST_0));
    });
  });
}

for (const [what, sql] of [
  [
    'finds songs by an OR of two columns',
    'SELECT s.uri FROM saved s JOIN tracks x USING (uri) WHERE NOT EXISTS (SELECT 1 FROM tracks t WHERE (t.isrc = x.isrc OR t.song = x.song) AND t.uri <> x.uri) ORDER BY s.position',
  ],
  ['counts rows', 'SELECT uri FROM saved WHERE (SELECT count(*) FROM track_artists) > 0 ORDER BY position'],
] as const) {
  longTest(`a rule that ${what} reads the playlists too, so it waits if Spotify refuses one`, async () => {
    await withAccount({ saved: 12 }, async (relay) => {
      const { keep: made } = await keep(relay, { name: 'Single', sql });
      edit(relay, LIST_0, (uris) => uris.slice(2));
      refuseList(relay, 403);
      const { keep: waiting } = await act(relay, made.id, 'run');
      assert.equal(waiting.status, 'review');
      assert.match(waiting.reason ?? '', /does not give the rows of "List 0/);
    });
  });
}

longTest(
  'a rule is refused if it names a playlist that Spotify does not let relay read; others do without it',
  async () => {
    await withAccount({ saved: 3, playlists: 2 }, async (relay) => {
      const account = owner(relay.provider);
      const [own, other] = account.playlists;
      assert.ok(own && other);
      Object.assign(own, { name: 'Tea & Biscuits' });
      Object.assign(other, { name: "Guest's Favourites", ownerId: 'somebody', ownerName: 'Somebody' });
      const message = `Spotify does not let relay read the songs of "Guest's Favourites".`;
      for (const rule of ["Guest's Favourites,Tea & Biscuits", "Guest's Favourites"]) {
        const { code, err } = await run(relay, ['keep', 'add', 'U7', '--like', `union=${rule}`]);
        assert.equal(code, 1);
        assert.equal(
          err,
          `relay: ${message}\n  Leave it out of the rule, or copy it in Spotify and name the copy.\n`,
        );
      }
      const rowsWhere = (where: string) =>
        `SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE ${where} ORDER BY name`;
      for (const where of [`id = '${other.id}'`, `name IN ('${own.name}', 'Guest''s Favourites')`]) {
        for (const dry_run of [true, false]) {
          const { error } = await keep(relay, { name: 'U7', sql: rowsWhere(where), dry_run });
          assert.deepEqual([error?.code, error?.message], ['FORBIDDEN', message]);
        }
      }
      assert.deepEqual(writes(relay), []);
      const lacksNothing = [
        "name <> 'X'",
        'mine',
        "name = 'Tea & Biscuits'",
        "name NOT IN ('X', 'Guest''s Favourites')",
        `id <> '${other.id}'`,
        // A pattern that tries every way to read these texts would never end.
        `name NOT IN (${Array.from({ length: 40 }, (_, at) => `'It''s ${at}'`).join(', ')}, lower('X'))`,
      ];
      for (const [index, where] of lacksNothing.entries()) {
        const { keep: made } = await keep(relay, { name: `All ${index}`, sql: rowsWhere(where) });
        assert.equal(made.status, 'active');
      }
      // Two playlists have the name now, and relay can read the one that is meant.
      Object.assign(other, { name: own.name });
      const { code, out } = await run(relay, [
        'keep',
        'add',
        'Both',
        '--like',
        `union=${own.name}`,
        '--json',
      ]);
      assert.deepEqual([code, JSON.parse(out).keep.status], [0, 'active']);
      // A name that only an unreadable playlist has left needs a person.
      Object.assign(own, { name: 'Biscuits', version: own.version + 1 });
      const { keep: waiting } = await act(relay, JSON.parse(out).keep.id, 'run');
      assert.equal(waiting.status, 'review');
      assert.match(waiting.reason ?? '', /does not give the rows of "Tea & Biscuits" now/);
    });
  },
);

longTest('a union whose source has another name waits for a person, who may let it run without', async () => {
  await withAccount({ saved: 3, playlists: 3 }, async (relay) => {
    const [road, gym] = owner(relay.provider).playlists;
    assert.ok(road && gym);
    Object.assign(road, { name: 'Road' });
    Object.assign(gym, { name: 'Gym' });
    edit(relay, road.id, () => spare(relay, 0, 3));
    edit(relay, gym.id, () => spare(relay, 10, 20));
    const added = await run(relay, ['keep', 'add', 'Both', '--like', 'union=Road,Gym', '--json']);
    const { keep: made } = JSON.parse(added.out);
    const before = rowsOf(relay, made.playlist_id);
    const ofGym = before.filter((uri) => rowsOf(relay, gym.id).includes(uri));
    const ofRoad = before.length - ofGym.length;
    assert.ok(ofRoad > 0 && ofGym.length > 15);
    const rename = (name: string) => Object.assign(road, { name, version: road.version + 1 });
    rename('Road trip');
    const { keep: waiting } = await act(relay, made.id, 'run');
    assert.deepEqual(
      [waiting.status, waiting.reason],
      [
        'review',
        'The query reads "Road", which you no longer have. If it only has another name now, stop keeping this playlist, and add it again. If you accept, it runs without it.',
      ],
    );
    assert.deepEqual(rowsOf(relay, made.playlist_id), before);
    // Its old name is enough for it to be read again.
    rename('Road');
    assert.equal((await act(relay, made.id, 'run')).keep.last_result, 'nothing to change');
    rename('Road trip');
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'review');
    assert.equal((await act(relay, made.id, 'accept')).keep.last_result, `${ofRoad} removed`);
    assert.deepEqual(rowsOf(relay, made.playlist_id), ofGym);
    // Further runs do without it too, until a playlist has its old name again.
    const { keep: without } = await act(relay, made.id, 'run');
    assert.deepEqual([without.status, without.last_result], ['active', 'nothing to change']);
    rename('Road');
    assert.equal((await act(relay, made.id, 'run')).keep.last_result, `${ofRoad} added`);
    rename('Road trip');
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'review');
  });
});

for (const [what, where] of [
  ['ID', `playlist_id = '${LIST_0}'`],
  ['name', "playlist_id IN (SELECT id FROM playlists WHERE name = 'Road')"],
] as const)
  longTest(
    `a query that names a playlist by its ${what} waits for a person once that playlist has left the library`,
    () =>
      withAccount({ saved: 12, playlists: 2 }, async (relay) => {
        const sql = `SELECT uri FROM saved UNION ALL SELECT uri FROM playlist_rows WHERE ${where} AND position < 2`;
        const account = owner(relay.provider);
        const [list] = account.playlists.filter(({ id }) => id === LIST_0);
        const name = 'Road';
        Object.assign(list ?? {}, { name });
        const { keep: made } = await keep(relay, { name: 'Both', sql });
        const { keep: lacksNothing } = await keep(relay, {
          name: 'Others',
          sql: "SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE name NOT IN ('Road', 'Both', 'Others')",
        });
        account.playlists = account.playlists.filter(({ id }) => id !== LIST_0);
        assert.equal((await act(relay, lacksNothing.id, 'run')).keep.status, 'active');
        for (const dry of [false, true]) {
          const { keep: waiting } = dry
            ? await keep(relay, { name: 'Other', sql, dry_run: true })
            : await act(relay, made.id, 'run');
          assert.equal(waiting.status, 'review');
          assert.ok(
            waiting.reason?.startsWith(`The query reads "${name}", which you no longer have`),
            waiting.reason,
          );
        }
        assert.equal(rowsOf(relay, made.playlist_id).length, 14);
        assert.equal((await act(relay, made.id, 'accept')).keep.last_result, '2 removed');
      }),
  );

test('a run that would add the rows of its own playlist again waits for a person', async () => {
  await withAccount({ saved: 3, playlists: 2 }, async (relay) => {
    const sql =
      "SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE name <> 'All' ORDER BY name, position";
    const { keep: made } = await keep(relay, { name: 'All', sql });
    const before = rowsOf(relay, made.playlist_id);
    edit(relay, LIST_0, (uris) => [...uris, ...spare(relay, 0, 2)]);
    const own = owner(relay.provider).playlists.find(({ id }) => id === made.playlist_id);
    Object.assign(own ?? {}, { name: 'Everything', version: (own?.version ?? 0) + 1 });
    const { keep: held, preview } = await act(relay, made.id, 'run');
    assert.deepEqual(
      [held.status, held.reason, preview.added_count],
      [
        'review',
        'The query may read this playlist itself: 60 of its songs would be added again. If so, stop keeping it, and add it again with a query that leaves its rows out.',
        62,
      ],
    );
    assert.deepEqual(rowsOf(relay, made.playlist_id), before);
    assert.equal((await act(relay, made.id, 'accept')).keep.last_result, '62 added');
  });
});

longTest('a run finds what a person saved, also while another playlist is not read yet', () =>
  withAccount({ saved: 12 }, async (relay) => {
    const { keep: made } = await keep(relay, { name: 'Saved', sql: SAVED });
    const account = owner(relay.provider);
    save(relay, spare(relay, 1, 1));
    account.playlists.push(playlistOf(account, 900, rowsFrom(relay, 40, 10)));
    await relay.call('get_my_playlists', { query: 'list' });
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'active');
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
  }),
);

longTest(
  'a person may let a rule run without an unreadable playlist; a rule that does not read it is not affected',
  async () => {
    await withAccount({ saved: 12 }, async (relay) => {
      const all = `SELECT uri FROM saved UNION ALL ${OF_LIST_0.replace(' ORDER BY position', '')}`;
      const { keep: made } = await keep(relay, { name: 'Both', sql: all });
      const { keep: other } = await keep(relay, { name: 'Saved', sql: SAVED });
      edit(relay, LIST_0, (uris) => uris.slice(1));
      refuseList(relay, 403);
      assert.equal((await act(relay, other.id, 'run')).keep.status, 'active');
      assert.equal((await act(relay, made.id, 'run')).keep.status, 'review');
      assert.equal((await act(relay, made.id, 'accept')).keep.status, 'active');
      assert.deepEqual(rowsOf(relay, made.playlist_id).toSorted(), savedUris(relay).toSorted());
    });
  },
);

/**
 * From now on, reads of playlists show a track under another ID, as Spotify does in another country.
 * @param number of the other ID
 */
function relink(relay: Relay, uri: string, number = 0): void {
  const id = uri.slice('spotify:track:'.length);
  const other = at(spare(relay, 90 + number, 1), 0).slice('spotify:track:'.length);
  relay.provider.faults.add({
    path: /^\/playlists\//,
    method: 'GET',
    times: Number.POSITIVE_INFINITY,
    kind: 'transform',
    fn: (body) => JSON.parse(JSON.stringify(body).replaceAll(id, other)) as unknown,
  });
}

longTest('a dry run says that the run would wait for the first reading', async () => {
  const env = { RELAY_TOOLSETS: 'all', RELAY_LIBRARY_REQUESTS_PER_DAY: '3' };
  await withAccount({ saved: 500, playlists: 2, env }, async (relay) => {
    for (const target of [{ name: 'New' }, { playlist_id: LIST_0 }]) {
      const { keep: dry, preview } = await keep(relay, { ...target, dry_run: true });
      assert.deepEqual([dry.status, dry.id, dry.next_run_at, preview.total], ['waiting', null, null, 100]);
      assert.match(dry.reason ?? '', /^The first reading is not over: 3 of about 13 requests\./);
    }
    const told = await run(relay, ['keep', 'add', 'New', SAVED, '--dry-run']);
    assert.match(told.out, /^The first run would wait: The first reading is not over/);
    assert.equal((await keep(relay, { name: 'New' })).keep.status, 'waiting');
  });
});

longTest(
  'a dry run and the first run agree about a source that cannot be read, and about a song under another ID',
  async () => {
    await withAccount({ saved: 12 }, async (relay) => {
      await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
      edit(relay, LIST_0, (uris) => uris.slice(1));
      refuseList(relay, 403);
      const asked = { name: 'Copy', sql: OF_LIST_0 };
      const { keep: dry, preview } = await keep(relay, { ...asked, dry_run: true });
      const real = await keep(relay, asked);
      assert.equal(real.keep.status, 'review');
      assert.deepEqual([dry.status, dry.reason, preview], ['review', real.keep.reason, real.preview]);
    });
    await withAccount({ saved: 12 }, async (relay) => {
      edit(relay, LIST_0, () => savedUris(relay));
      relink(relay, at(savedUris(relay), 0));
      const { preview } = await keep(relay, { playlist_id: LIST_0, dry_run: true });
      const real = await keep(relay, { playlist_id: LIST_0 });
      assert.equal(real.keep.last_result, 'nothing to change');
      assert.deepEqual(preview, real.preview);
    });
  },
);

longTest(
  'songs of the listening history that a list shows under other IDs are no edit, and are looked up once',
  () =>
    withAccount({ saved: 3, clock: jumpingClock() }, async (relay) => {
      const uris = spare(relay, 0, 20);
      for (const [index, uri] of uris.slice(0, 12).entries()) relink(relay, uri, index);
      const sql = `VALUES ${uris.map((uri) => `('${uri}')`).join(', ')}`;
      const { keep: made } = await keep(relay, { name: 'Most played', sql });
      assert.equal(made.last_result, '20 added');
      for (const lookups of [12, 0]) {
        relay.provider.clearRequests();
        const { keep: again } = await act(relay, made.id, 'run');
        assert.deepEqual([again.status, again.last_result], ['active', 'nothing to change']);
        assert.equal(asked(relay).filter(({ path }) => path.startsWith('/tracks/')).length, lookups);
      }
      assert.deepEqual(rowsOf(relay, made.playlist_id), uris);
    }),
);

longTest(
  'a song that is shown under another ID does not count as an edit, and stays where it is',
  async () => {
    await withAccount({ saved: 12, clock: jumpingClock() }, async (relay) => {
      const { keep: made } = await keep(relay, { name: 'Linked' });
      const first = at(savedUris(relay), 0);
      relink(relay, first);
      save(relay, spare(relay, 60, 1));
      relay.provider.clearRequests();
      assert.equal((await act(relay, made.id, 'run')).keep.last_result, '1 added');
      assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
      assert.equal(writes(relay).length, 1);
      relay.provider.clearRequests();
      assert.equal((await act(relay, made.id, 'run')).keep.last_result, 'nothing to change');
      assert.deepEqual(writes(relay), []);
      // The song is removed by the ID with which it was added.
      owner(relay.provider).saved = owner(relay.provider).saved.filter(({ uri }) => uri !== first);
      const { keep: left } = await act(relay, made.id, 'run');
      assert.equal(left.last_result, '1 removed', left.reason);
      assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
      assert.equal((await act(relay, made.id, 'run')).keep.status, 'active');
    });
  },
);

longTest(
  'a song that a rule knows only under another ID is removed by the ID with which it was added',
  async () => {
    await withAccount({ saved: 12, clock: jumpingClock() }, async (relay) => {
      const sql = `SELECT uri FROM playlist_rows WHERE playlist_id = '${LIST_0}' ORDER BY position`;
      const { keep: made } = await keep(relay, { name: 'Copy', sql });
      const linked = at(rowsOf(relay, LIST_0), 4);
      relink(relay, linked);
      for (const gone of [10, 12]) {
        edit(relay, LIST_0, (uris) => uris.filter((_, index) => index !== gone));
        assert.equal((await act(relay, made.id, 'run')).keep.last_result, '1 removed');
        assert.equal((await act(relay, made.id, 'run')).keep.last_result, 'nothing to change');
      }
      edit(relay, LIST_0, (uris) => uris.filter((uri) => uri !== linked));
      assert.equal((await act(relay, made.id, 'run')).keep.last_result, '1 removed');
      assert.deepEqual(rowsOf(relay, made.playlist_id), rowsOf(relay, LIST_0));
      assert.equal((await act(relay, made.id, 'run')).keep.status, 'active');
    });
  },
);

longTest('a restored version leaves a song that is shown under another ID where it is', async () => {
  await withAccount({ saved: 12 }, async (relay) => {
    await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
    const before = rowsOf(relay, LIST_0);
    edit(relay, LIST_0, (uris) => uris.slice(0, -1));
    relink(relay, at(before, 3));
    const { items } = (await relay.call('list_playlist_versions', { playlist_id: LIST_0 })) as {
      items: Array<{ version: number }>;
    };
    const version = items.at(-1)?.version ?? 0;
    relay.provider.clearRequests();
    const restored = await relay.call('restore_playlist', { playlist_id: LIST_0, version, dry_run: false });
    assert.deepEqual([restored.added_count, restored.removed_count], [1, 0]);
    assert.deepEqual(rowsOf(relay, LIST_0), before);
    assert.equal(writes(relay).length, 1);
  });
});

longTest(
  'a row without an item is no song that the query wants, and goes only if a person accepts it',
  async () => {
    await withAccount({ saved: 12 }, async (relay) => {
      const list = owner(relay.provider).playlists.find(({ id }) => id === LIST_0);
      assert.ok(list);
      list.rows = savedUris(relay).map((uri, index) => ({
        uri: index === 0 ? at(spare(relay, 70, 1), 0) : uri,
        addedAt: '2026-10-01T00:00:00Z',
        addedBy: null,
        ...(index === 0 ? { unavailable: true } : {}),
      }));
      list.version += 1;
      const before = rowsOf(relay, LIST_0);
      const { keep: made } = await keep(relay, { playlist_id: LIST_0 });
      assert.deepEqual(
        [made.status, made.reason],
        ['review', '1 row that Spotify shows without a song would go, and the run could not be undone.'],
      );
      assert.deepEqual([rowsOf(relay, LIST_0), writes(relay)], [before, []]);
      assert.equal((await act(relay, made.id, 'accept')).keep.status, 'active');
      assert.deepEqual(rowsOf(relay, LIST_0), savedUris(relay));
    });
  },
);
