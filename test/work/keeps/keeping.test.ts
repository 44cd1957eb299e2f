/** A kept playlist follows its query: the first run, later runs, what is refused and what waits for a person. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../support/cli.ts';
import { owner } from '../../support/entries.ts';
import { jumpingClock } from '../../support/jumpingClock.ts';
import { named, savedUris } from '../../support/playlists.ts';
import type { Relay } from '../../support/world.ts';
import { edit, LIST_0, rowsOf, save, spare, unsave, writes } from './account.ts';
import { act, keep, kept, SAVED, withAccount } from './keptPlaylists.ts';

test('a new playlist gets the rows of its query at once, and a run writes only what differs', async () => {
  await withAccount({ saved: 40 }, async (relay) => {
    const dry = await keep(relay, { name: 'Mine', dry_run: true });
    assert.deepEqual([dry.keep.id, dry.preview.added_count, dry.preview.total], [null, 40, 40]);
    assert.equal(dry.preview.added.length, 10);
    assert.deepEqual(await kept(relay), []);
    assert.deepEqual(writes(relay), []);

    const made = await keep(relay, { name: 'Mine' });
    assert.equal(made.error, undefined);
    const { id, playlist_id } = made.keep;
    assert.deepEqual([made.keep.status, made.keep.every, made.keep.name], ['active', 'day', 'Mine']);
    assert.deepEqual([made.preview.added_count, made.preview.removed_count], [40, 0]);
    assert.deepEqual(rowsOf(relay, playlist_id), savedUris(relay));
    const ahead = Date.parse(made.keep.next_run_at ?? '') - Date.parse(made.keep.last_run_at ?? '');
    assert.ok(Math.abs(ahead - 86_400_000) < 60_000);
    const playlist = owner(relay.provider).playlists.find((one) => one.id === playlist_id);
    const dates = new Map(playlist?.rows.map((row) => [row.uri, row.addedAt]));

    relay.provider.clearRequests();
    const same = await act(relay, id, 'run');
    assert.deepEqual(
      [same.keep.status, same.keep.last_result, same.change_id],
      ['active', 'nothing to change', undefined],
    );
    assert.deepEqual(writes(relay), []);

    save(relay, spare(relay, 0, 2));
    unsave(relay, 0);
    owner(relay.provider).saved.splice(10, 1);
    relay.provider.clearRequests();
    const again = await act(relay, id, 'run');
    assert.deepEqual([again.keep.status, again.keep.last_result], ['active', '2 added, 1 removed']);
    assert.deepEqual(rowsOf(relay, playlist_id), savedUris(relay));
    assert.ok(writes(relay).length <= 2, 'an insertion and a removal');
    for (const { uri, addedAt } of playlist?.rows ?? [])
      if (dates.has(uri)) assert.equal(addedAt, dates.get(uri), 'rows that stay keep their dates');
    const { items } = (await relay.call('list_changes')) as {
      items: Array<{ change_id: string; kind: string }>;
    };
    assert.deepEqual([items[0]?.change_id, items[0]?.kind], [again.change_id, 'keep']);
  });
});

test('a run that would empty a playlist, or shrink it by more than five rows and 30 %, waits for a person', async () => {
  await withAccount({ saved: 20 }, async (relay) => {
    const { keep: made } = await keep(relay, { name: 'Guarded' });
    unsave(relay, 5);
    assert.equal(
      (await act(relay, made.id, 'run')).keep.status,
      'active',
      'the loss of five rows needs no review',
    );
    unsave(relay, 6);
    relay.provider.clearRequests();
    const held = await act(relay, made.id, 'run');
    assert.deepEqual([held.keep.status, held.preview.removed_count, held.preview.total], ['review', 6, 9]);
    assert.match(held.keep.reason ?? '', /shrink from 15 rows to 9/);
    assert.deepEqual([(await kept(relay))[0]?.preview?.removed_count, writes(relay)], [6, []]);
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'review', 'nobody has agreed');

    const accepted = await act(relay, made.id, 'accept');
    assert.equal(accepted.keep.status, 'active');
    assert.deepEqual(rowsOf(relay, made.playlist_id), savedUris(relay));
    const wrong = await act(relay, made.id, 'accept');
    assert.equal(wrong.error?.code, 'CONFLICT');

    const all = owner(relay.provider).saved;
    owner(relay.provider).saved = [];
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'review');
    owner(relay.provider).saved = all;
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'active', 'the cause has passed');
    owner(relay.provider).saved = [];
    await act(relay, made.id, 'run');
    await act(relay, made.id, 'accept');
    assert.deepEqual(rowsOf(relay, made.playlist_id), []);
  });
});

test('accepting that a few rows go does not accept that all of them go', async () => {
  await withAccount({ saved: 4, clock: jumpingClock() }, async (relay) => {
    const { keep: made } = await keep(relay, { name: 'Small' });
    edit(relay, made.playlist_id, (uris) => [...uris, ...spare(relay, 0, 1)]);
    const before = rowsOf(relay, made.playlist_id);
    const held = await act(relay, made.id, 'run');
    assert.deepEqual([held.keep.status, held.preview.removed_count], ['review', 1]);
    owner(relay.provider).saved = [];
    const now = await act(relay, made.id, 'accept');
    assert.deepEqual([now.keep.status, now.preview.removed_count], ['review', 5]);
    assert.deepEqual(rowsOf(relay, made.playlist_id), before);
    await act(relay, made.id, 'accept');
    assert.deepEqual(rowsOf(relay, made.playlist_id), []);
  });
});

test('a first run that would take out rows waits for a person; on a terminal, the command asks', async () => {
  await withAccount({ saved: 4 }, async (relay) => {
    const [extra = ''] = spare(relay, 0, 1);
    edit(relay, LIST_0, () => [...savedUris(relay).slice(1), extra]);
    const before = rowsOf(relay, LIST_0);
    const dry = await keep(relay, { playlist_id: LIST_0, dry_run: true });
    const { keep: made, preview } = await keep(relay, { playlist_id: LIST_0 });
    const reason = '1 row of those that the playlist has now would go.';
    assert.deepEqual([made.status, made.reason, preview.removed_count], ['review', reason, 1]);
    assert.deepEqual([dry.keep.status, dry.keep.reason, dry.preview], ['review', reason, preview]);
    assert.deepEqual([rowsOf(relay, LIST_0), writes(relay)], [before, []]);
    await act(relay, made.id, 'stop');
    const terminal = { stdin: true, stdout: true, stderr: true };
    const asked = (stdin: string) => run(relay, ['keep', 'add', 'List 0', SAVED], { terminal, stdin });
    const no = await asked('n\n');
    assert.ok(no.code === 1 && no.err.includes('Approve it now? [y/N] '), no.err);
    assert.deepEqual(rowsOf(relay, LIST_0), before);
    await run(relay, ['keep', 'stop', 'List 0']);
    const yes = await asked('y\n');
    assert.deepEqual([yes.code, rowsOf(relay, LIST_0)], [0, savedUris(relay)], yes.err);
  });
});

test('after a change by hand, by a tool or by undo a run waits; a person lets the query win once, or stops the kept playlist', async () => {
  await withAccount({ saved: 12, clock: jumpingClock() }, async (relay) => {
    const { keep: made } = await keep(relay, { name: 'Edited' });
    const id = made.playlist_id;
    const extra = spare(relay, 5, 1);
    edit(relay, id, (uris) => [...uris, ...extra]);
    const held = await act(relay, made.id, 'run');
    assert.deepEqual([held.keep.status, held.preview.removed_count], ['review', 1]);
    assert.match(held.keep.reason ?? '', /Somebody changed/);
    assert.equal(rowsOf(relay, id).length, 13);
    edit(relay, id, (uris) => uris.slice(0, 12));
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'active', 'the change was taken back');

    await relay.call('remove_tracks_from_playlist', { playlist_id: id, track_ids: [rowsOf(relay, id)[3]] });
    const byTool = await act(relay, made.id, 'run');
    assert.deepEqual([byTool.keep.status, byTool.preview.added_count], ['review', 1]);
    const wins = await act(relay, made.id, 'accept');
    assert.equal(wins.keep.status, 'active');
    assert.deepEqual(rowsOf(relay, id), savedUris(relay));

    await relay.call('undo_change', { change_id: wins.change_id });
    assert.equal(rowsOf(relay, id).length, 11);
    const [undone] = await kept(relay);
    assert.deepEqual([undone?.status, undone?.preview?.added_count], ['review', 1], 'before the next run');
    assert.match(undone?.reason ?? '', /^Its last run was undone\./);
    assert.equal((await act(relay, made.id, 'accept')).keep.status, 'active');
    assert.deepEqual(rowsOf(relay, id), savedUris(relay));
    edit(relay, id, (uris) => uris.slice(1));
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'review');
    const stopped = await act(relay, made.id, 'stop');
    const { status, next_run_at, reason, preview } = stopped.keep;
    assert.deepEqual([status, next_run_at, reason, preview], ['stopped', null, undefined, undefined]);
    assert.equal(stopped.note, 'It is no longer kept: no run follows, and its songs stay.');
    assert.deepEqual(await kept(relay), []);
    assert.equal(rowsOf(relay, id).length, 11);
  });
});

test('a URI that appears twice is written twice; what cannot be written is left out and counted', async () => {
  await withAccount({ saved: 2 }, async (relay) => {
    const [one = '', two = ''] = spare(relay, 20, 2);
    const episode = relay.provider.catalogue.episodes[0]?.uri ?? '';
    const values = [
      one,
      two,
      one,
      episode,
      'spotify:local:a:b:c:1',
      'spotify:album:0123456789abcdefABCDEF',
      'x',
      null,
    ];
    const sql = `VALUES ${values.map((uri) => (uri === null ? '(null)' : `('${uri}')`)).join(', ')}`;
    const made = await keep(relay, { name: 'Odd', sql });
    assert.deepEqual([made.preview.total, made.preview.left_out], [4, 4]);
    assert.deepEqual(rowsOf(relay, made.keep.playlist_id), [one, two, one, episode]);
  });
});

test('a track that Spotify no longer has is noticed, left out and not tried again', async () => {
  await withAccount({ saved: 2 }, async (relay) => {
    const [one = '', two = ''] = spare(relay, 30, 2);
    const gone = 'spotify:track:0000000000000000000000';
    const made = await keep(relay, { name: 'Gone', sql: `VALUES ('${one}'), ('${gone}'), ('${two}')` });
    assert.deepEqual([made.keep.status, made.preview.left_out], ['active', 1], made.keep.reason);
    assert.deepEqual(rowsOf(relay, made.keep.playlist_id), [one, two]);
  });
});

test('a track is not left out because a proxy answers in place of Spotify', async () => {
  await withAccount({ saved: 2 }, async (relay) => {
    const [one = '', two = ''] = spare(relay, 30, 2);
    relay.provider.faults.add(
      { method: 'PUT', path: /\/items$/, kind: 'status', status: 400 },
      { method: 'POST', path: /\/items$/, kind: 'status', status: 400 },
      { path: /^\/tracks\//, times: 2, kind: 'status', status: 451 },
    );
    const made = await keep(relay, { name: 'Kept', sql: `VALUES ('${one}'), ('${two}')` });
    assert.equal(made.preview?.left_out ?? 0, 0);
    relay.provider.faults.clear();
    const [now] = await kept(relay);
    const ran = await act(relay, now?.id ?? '', 'run');
    assert.deepEqual([ran.keep.status, ran.preview?.left_out ?? 0], ['active', 0]);
    assert.deepEqual(rowsOf(relay, ran.keep.playlist_id), [one, two]);
  });
});

/** From now on, the account's list does not show a playlist, as for half a minute after it was made. */
function hide(relay: Relay, id: string): void {
  relay.provider.faults.add({
    path: '/me/playlists',
    method: 'GET',
    times: Number.POSITIVE_INFINITY,
    kind: 'transform',
    fn: (body) => {
      const { items, total, ...page } = body as { items: Array<{ id: string }>; total: number };
      return { ...page, total: total - 1, items: items.filter((one) => one.id !== id) };
    },
  });
}

test('a playlist that relay has just made can be kept before the list shows it; one that has left the list waits', async () => {
  await withAccount({ saved: 12, clock: jumpingClock() }, async (relay) => {
    await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
    const { id } = (await relay.call('create_playlist', { name: 'Mine' })) as { id: string };
    hide(relay, id);
    assert.equal((await keep(relay, { playlist_id: id, dry_run: true })).keep.status, 'active');
    assert.equal((await keep(relay, { playlist_id: id })).keep.last_result, '12 added');
    assert.deepEqual(rowsOf(relay, id), savedUris(relay));
    relay.provider.faults.clear();
    hide(relay, LIST_0);
    for (const dry_run of [true, false]) {
      const { status, reason } = (await keep(relay, { playlist_id: LIST_0, dry_run })).keep;
      assert.deepEqual(
        [status, reason],
        [
          'review',
          'The playlist is not in your library any more. Put it back in Spotify, or stop keeping it and keep a new one.',
        ],
      );
    }
  });
});

test('nothing is written to a playlist that was deleted right after it was made', async () => {
  await withAccount({ saved: 12, clock: jumpingClock() }, async (relay) => {
    await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
    const { id } = (await relay.call('create_playlist', { name: 'Mine' })) as { id: string };
    const made = await keep(relay, { playlist_id: id });
    const { change_id } = await relay.call('delete_playlist', { playlist_id: id });
    save(relay, spare(relay, 0, 2));
    relay.provider.clearRequests();
    const { status, reason } = (await act(relay, made.keep.id, 'run')).keep;
    assert.equal(status, 'review');
    assert.match(String(reason), /^The playlist is not in your library any more/);
    assert.deepEqual(writes(relay), []);
    // Nobody can approve a run that has no playlist to write to.
    const short = made.keep.id.slice(0, 8);
    assert.deepEqual(
      (await run(relay, ['keep', 'run', short])).err,
      `To try again: relay keep run ${short}\nTo stop keeping it: relay keep stop ${short}\n`,
    );
    await relay.call('undo_change', { change_id });
    assert.equal((await act(relay, made.keep.id, 'run')).keep.last_result, '2 added');
    assert.deepEqual(rowsOf(relay, id), savedUris(relay));
  });
});

test('a rule or a playlist that cannot be kept is refused when it is added', async () => {
  await withAccount({ saved: 4 }, async (relay) => {
    const refused = async (args: Record<string, unknown>) => (await keep(relay, args)).error?.code;
    assert.equal(await refused({ name: 'A', sql: 'SELECT name FROM tracks' }), 'INVALID_ARGUMENT');
    assert.equal(await refused({ name: 'A', sql: 'DROP TABLE saved' }), 'INVALID_ARGUMENT');
    assert.equal(await refused({ name: 'A', sql: 'SELECT nothing FROM saved' }), 'INVALID_ARGUMENT');
    const many = `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 10001) SELECT 'spotify:track:' || substr('0000000000000000000000' || i, -22) AS uri FROM n`;
    assert.equal(await refused({ name: 'A', sql: many }), 'INVALID_ARGUMENT');
    const ids = await keep(relay, { name: 'A', sql: 'SELECT id FROM tracks ORDER BY uri' });
    assert.match(ids.error?.message ?? '', /must be a URI, such as spotify:track:…, not "\w{22}"\.$/);
    const neither = await keep(relay, {});
    assert.deepEqual(
      [neither.error?.code, neither.error?.message, neither.error?.remedy],
      [
        'INVALID_ARGUMENT',
        'Give exactly one of playlist_id and name.',
        'Pass name to make a new playlist, or playlist_id for one that the account owns.',
      ],
    );
    assert.equal(await refused({ name: 'A', playlist_id: LIST_0 }), 'INVALID_ARGUMENT');
    const theirs = owner(relay.provider).playlists[0];
    assert.ok(theirs);
    const own = theirs.ownerId;
    theirs.ownerId = 'somebody';
    assert.equal(await refused({ playlist_id: LIST_0 }), 'FORBIDDEN');
    theirs.ownerId = own;
    assert.deepEqual([await kept(relay), writes(relay)], [[], []]);
    await keep(relay, { playlist_id: LIST_0 });
    const twice = (await keep(relay, { playlist_id: LIST_0, every: 'week' })).error;
    assert.equal(twice?.code, 'CONFLICT');
    assert.equal((await act(relay, 'nothing', 'run')).error?.code, 'NOT_FOUND');
  });
});

test('a new playlist is kept once, also if the call is sent again before Spotify lists the playlist', async () => {
  await withAccount({ saved: 30 }, async (relay) => {
    const isOther = ({ name }: { name: string }) => name !== 'Mine';
    relay.provider.faults.add({
      path: '/me/playlists',
      method: 'GET',
      times: Infinity,
      kind: 'transform',
      fn(body) {
        const items = (body as { items: Array<{ name: string }> }).items.filter(isOther);
        return { ...(body as object), items, total: items.length };
      },
    });
    const both = await Promise.all([keep(relay, { name: 'Mine' }), keep(relay, { name: 'Mine' })]);
    assert.deepEqual(both.map(({ error }) => error?.code).sort(), ['CONFLICT', undefined]);
    const { err } = await run(relay, ['keep', 'add', 'Mine', SAVED]);
    const [made] = await kept(relay);
    assert.ok(made);
    const id = made.id.slice(0, 8);
    assert.equal(
      err,
      `relay: The playlist "Mine" is kept already.\n  \`relay keep show ${id}\` shows what it follows. For another rule, stop it first with \`relay keep stop ${id}\`.\n`,
    );
    // A name would make another playlist, which the advice must not lead to.
    const other = await keep(relay, { name: 'Mine', every: 'week' });
    assert.ok(other.error?.remedy?.includes(`, then keep it with playlist_id ${made.playlist_id}.`));
    assert.equal((await kept(relay)).length, 1);
    assert.deepEqual(owner(relay.provider).playlists.filter((one) => !isOther(one)).length, 1);
    // Under its new name it does not stand in the way of another playlist.
    relay.provider.faults.clear();
    named(relay, 'Mine').name = 'Yours';
    assert.equal((await keep(relay, { name: 'Mine' })).error, undefined);
  });
});

test('a query that fails later waits for a person; one whose source cannot be read is tried again later', async () => {
  await withAccount({ saved: 4 }, async (relay) => {
    const [one = ''] = spare(relay, 40, 1);
    const sql = `SELECT CASE WHEN (SELECT count(*) FROM saved) = 4 THEN '${one}' ELSE abs(-9223372036854775807 - 1) END AS uri`;
    const { keep: made } = await keep(relay, { name: 'Fails', sql });
    assert.equal(made.status, 'active');
    save(relay, spare(relay, 41, 1));
    const failed = await act(relay, made.id, 'run');
    assert.equal(failed.keep.status, 'review');
    const reason =
      'The query fails now: integer overflow. If it still fails when you run it, stop keeping the playlist, and add it again with another query.';
    assert.equal(failed.keep.reason, reason);
    const shown = await run(relay, ['keep', 'show', 'Fails']);
    assert.ok(shown.out.startsWith(`"Fails" is in review: ${reason}\nNext run: `), shown.out);
    unsave(relay, 1);
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'active', 'it works again');
    relay.provider.faults.add({ path: '/me/tracks', times: 20, kind: 'status', status: 503 });
    relay.provider.clearRequests();
    const waiting = await act(relay, made.id, 'run');
    assert.equal(waiting.keep.status, 'waiting');
    assert.match(waiting.keep.reason ?? '', /Spotify could not be asked/);
    assert.ok(Date.parse(waiting.keep.next_run_at ?? '') - Date.now() < 10 * 60_000);
    assert.deepEqual(writes(relay), []);
    relay.provider.faults.clear();
    assert.equal((await act(relay, made.id, 'run')).keep.status, 'active');
  });
});
