/** The six ready rules and `relay keep` do what the manual says. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { playlistOf, resize, rowsFrom } from '../../library/accounts.ts';
import { extended, short, zipped } from '../../library/plays/exports.ts';
import { ask } from '../../library/queries.ts';
import { run } from '../../support/cli.ts';
import { at, owner } from '../../support/entries.ts';
import { named, savedUris } from '../../support/playlists.ts';
import { type Relay, withRelay } from '../../support/world.ts';
import { edit, LIST_0, rowsOf, save, spare, unsave, writes } from './account.ts';
import { act, importPlays, keepLike, kept, WITH_ALL, withAccount } from './keptPlaylists.ts';

/** How `relay keep show` describes each value of `--like`. */
const WORDS: Record<string, string> = {
  fresh: 'Saved in the last 90 days',
  'fresh=7': 'Saved in the last 7 days',
  unsorted: 'Saved, and in no other playlist of yours',
  'best-of': 'Saved, at most 2 by each artist',
  'union=List 0, List 1': 'List 0, List 1, without repeats',
  'not-heard': 'Saved, and not heard for 365 days',
};

/** Keeps a playlist by one rule, and returns its rows. */
async function keptLike(relay: Relay, rule: string): Promise<string[]> {
  const { code, out, err } = await run(relay, ['keep', 'add', `By ${rule}`, '--like', rule, '--json']);
  assert.equal(code, 0, err);
  const { keep } = JSON.parse(out);
  const again = await run(relay, ['keep', 'run', keep.id.slice(0, 8), '--json']);
  assert.equal(JSON.parse(again.out).keep.last_result, 'nothing to change', `${rule} settles`);
  const { out: shown } = await run(relay, ['keep', 'show', keep.id.slice(0, 8)]);
  assert.equal(
    shown.split('\n').find((line) => line.startsWith('Rule: ')),
    `Rule: ${WORDS[rule] ?? rule.replace(/^decade=(\d+)$/, 'Saved songs of the $1s')}.`,
  );
  return rowsOf(relay, keep.playlist_id);
}

test('each ready rule keeps what the manual says', async () => {
  await withRelay(WITH_ALL, async (relay) => {
    resize(relay, 60, 3);
    const account = owner(relay.provider);
    const { trackByUri } = relay.provider.catalogue;
    const day = (ago: number) => `${new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 19)}Z`;
    account.saved.forEach((row, index) => {
      row.addedAt = day(index * 3 + 0.5);
    });
    const saved = savedUris(relay);
    const manual = await readFile(new URL('../../../src/cli/README.md', import.meta.url), 'utf8');
    const rules = [...manual.matchAll(/^relay keep add "[^"]+" --like "?([\w-]+)/gm)].map(([, rule]) => rule);
    assert.deepEqual(rules, ['fresh', 'unsorted', 'best-of', 'decade', 'union', 'not-heard']);

    assert.deepEqual(await keptLike(relay, 'fresh'), saved.slice(0, 30));
    assert.deepEqual(await keptLike(relay, 'fresh=7'), saved.slice(0, 3));

    const firstArtist = (uri: string) => at(trackByUri.get(uri)?.artists ?? [], 0).name;
    const counts = new Map<string, number>();
    const best = saved.filter((uri) => {
      const count = (counts.get(firstArtist(uri)) ?? 0) + 1;
      counts.set(firstArtist(uri), count);
      return count <= 2;
    });
    assert.deepEqual(await keptLike(relay, 'best-of'), best);

    const yearOf = (uri: string) => Number(trackByUri.get(uri)?.album.releaseDate?.slice(0, 4));
    const decade = Math.floor(yearOf(at(saved, 0)) / 10) * 10;
    const ofDecade = saved.filter((uri) => Math.floor(yearOf(uri) / 10) * 10 === decade);
    assert.deepEqual(new Set(await keptLike(relay, `decade=${decade}`)), new Set(ofDecade));

    const union = await keptLike(relay, 'union=List 0, List 1');
    const listed = ['List 0', 'List 1'].flatMap(
      (name) => account.playlists.find((one) => one.name === name)?.rows ?? [],
    );
    const { rows: songs } = await ask(
      relay,
      `SELECT count(DISTINCT song) FROM playlist_rows JOIN tracks USING (uri) WHERE playlist_id IN (SELECT id FROM playlists WHERE name IN ('List 0', 'List 1'))`,
    );
    assert.deepEqual([union.length, new Set(union).size], [songs[0]?.[0], union.length], 'each song once');
    const isListed = new Set(listed.map(({ uri }) => uri));
    assert.ok(union.every((uri) => isListed.has(uri)));
  });
});

test('not-heard counts a play as Spotify does: from 30 seconds on', async () => {
  await withAccount({ saved: 8 }, async (relay) => {
    const [begun = '', almost = '', heard = '', named = '', ...rest] = savedUris(relay);
    const facts = relay.provider.catalogue.tracks.find(({ uri }) => uri === named);
    const when = `${new Date(Date.now() - 86_400_000).toISOString().slice(0, 19)}Z`;
    const play = (uri: string, ms: number) =>
      extended({ at: when, ms }, { spotify_track_uri: uri, skipped: ms < 30_000 });
    const files = {
      'Streaming_History_Audio_0.json': [play(begun, 0), play(almost, 29_999), play(heard, 30_000)],
      'StreamingHistory_music_0.json': [
        short({ at: when, ms: 29_999, name: facts?.name ?? '', artist: facts?.artists[0]?.name ?? '' }),
      ],
    };
    const folder = await mkdtemp(join(tmpdir(), 'relay-history-'));
    try {
      const path = join(folder, 'my_spotify_data.zip');
      await writeFile(path, zipped(files));
      assert.equal((await run(relay, ['import', path])).code, 0);
    } finally {
      await rm(folder, { recursive: true });
    }
    const told = await run(relay, ['keep', 'add', 'Forgotten', '--like', 'not-heard']);
    assert.doesNotMatch(told.err, /plays is empty/);
    const { playlist_id } = at(await kept(relay), 0);
    assert.deepEqual(rowsOf(relay, playlist_id), [begun, almost, named, ...rest].toReversed());
  });
});

test('unsorted keeps what is in no other playlist, and does not count its own playlist', async () => {
  await withRelay(WITH_ALL, async (relay) => {
    resize(relay, 40, 1);
    const listed = new Set(rowsOf(relay, LIST_0));
    const wanted = savedUris(relay).filter((uri) => !listed.has(uri));
    assert.deepEqual(await keptLike(relay, 'unsorted'), wanted);
    // A song that gets into another playlist leaves this one.
    edit(relay, LIST_0, (uris) => [...uris, wanted[0] ?? '']);
    const { out } = await run(relay, ['keep', 'run', 'By unsorted', '--json']);
    const { keep } = JSON.parse(out);
    assert.deepEqual(rowsOf(relay, keep.playlist_id), wanted.slice(1));
    // A kept playlist sorts nothing.
    await keepLike(relay, 'Newest', 'fresh=3650');
    assert.equal((await act(relay, keep.id, 'run')).keep.last_result, 'nothing to change');
  });
});

test('a rule that leaves out its own playlist still does so after the playlist was renamed', async () => {
  for (const rule of ['unsorted', 'union']) {
    await withAccount({ saved: 45, playlists: 2 }, async (relay) => {
      await run(relay, ['keep', 'add', "Sam's", '--like', rule]);
      const made = at(await kept(relay), 0);
      const before = rowsOf(relay, made.playlist_id);
      assert.ok(before.length > 0);
      for (const name of ["Sam's rest", 'Rest']) {
        await relay.call('update_playlist_details', { playlist_id: made.playlist_id, name });
        const { keep } = await act(relay, made.id, 'run');
        assert.deepEqual([keep.status, keep.last_result, keep.name], ['active', 'nothing to change', name]);
        const { out } = await run(relay, ['keep', 'show', name]);
        assert.match(out, /^Rule: .*(?:no other playlist of yours|Your other playlists)/m);
      }
      assert.deepEqual(rowsOf(relay, made.playlist_id), before);
    });
  }
});

test('a value that a ready rule cannot use is refused, and no playlist is made', async () => {
  await withAccount({ saved: 3 }, async (relay) => {
    for (const [rule, message] of [
      ['decade=90s', '"90" must be a number from 1800 to 2100.'],
      ['fresh=0', '"0" must be a number from 1 to 3650.'],
      ['unsorted=5', 'The rule "unsorted" takes no value: "5".'],
    ] as const) {
      const { code, err } = await run(relay, ['keep', 'add', 'Mine', '--like', rule, '--json']);
      assert.deepEqual([code, JSON.parse(err).error.message], [2, message]);
    }
    assert.deepEqual(writes(relay), []);
  });
});

/** Gives the account playlists of these names, each with 5 rows of its own. */
function called(relay: Relay, ...names: string[]): void {
  const account = owner(relay.provider);
  account.playlists = names.map((name, index) => ({
    ...playlistOf(account, index, rowsFrom(relay, 100 + index * 10, 5)),
    name,
  }));
}

test('union refuses playlists that do not exist, by name, and keeps nothing', async () => {
  await withAccount({ saved: 3 }, async (relay) => {
    called(relay, 'Morning Ferry', 'BB');
    const one = await run(relay, ['keep', 'add', 'Mine', '--like', 'union=Morning Ferr']);
    assert.deepEqual(one, {
      code: 1,
      out: '',
      err: 'relay: Your library has no playlist "Morning Ferr".\n  Did you mean "Morning Ferry"? `relay playlists` lists them.\n',
    });
    const two = await run(relay, ['keep', 'add', 'Mine', '--like', 'union=Xyzzy,BB,Quux', '--json']);
    const { code, message } = JSON.parse(two.err).error;
    assert.deepEqual([code, message], ['NOT_FOUND', 'Your library has no playlist "Xyzzy".']);
    assert.deepEqual([await kept(relay), writes(relay)], [[], []]);
  });
});

test('union takes names with commas and quotation marks, written as in CSV', async () => {
  await withAccount({ saved: 3 }, async (relay) => {
    called(relay, 'Rock, Pop', "It', 'is", '7" singles', 'Left');
    const rule = `union="Rock, Pop", "It', 'is" ,7" singles`;
    const added = await run(relay, ['keep', 'add', 'Mine', '--like', rule, '--json']);
    assert.equal(added.code, 0, added.err);
    const { keep: made } = JSON.parse(added.out);
    const wanted = new Set(rowsOf(relay, made.playlist_id));
    const read = owner(relay.provider).playlists.filter(({ rows }) =>
      rows.some(({ uri }) => wanted.has(uri)),
    );
    const names = read.map(({ name }) => name).filter((name) => name !== 'Mine');
    assert.deepEqual(names, ['Rock, Pop', "It', 'is", '7" singles']);
    const shown = await run(relay, ['keep', 'show', 'Mine']);
    assert.match(shown.out, /^Rule: "Rock, Pop", "It', 'is", "7"" singles", without repeats\.$/m);
    // The rule finds them by their IDs, so other names need nothing.
    Object.assign(named(relay, 'Rock, Pop'), { name: 'Rock', version: 9 });
    await relay.call('update_playlist_details', { playlist_id: made.playlist_id, name: 'Ours' });
    const { keep: after } = await act(relay, made.id, 'run');
    assert.deepEqual([after.name, after.last_result], ['Ours', 'nothing to change']);
    assert.match(at(await kept(relay), 0).rule ?? '', /^Rock, "It', 'is"/);
  });
});

test('a union with a playlist that Spotify does not let relay read is refused; other rules do without it', async () => {
  await withAccount({ saved: 3 }, async (relay) => {
    called(relay, 'Mine', 'Theirs');
    const theirs = at(owner(relay.provider).playlists, 1);
    Object.assign(theirs, { ownerId: 'somebody', ownerName: 'Somebody' });
    const { error } = await keepLike(relay, 'Both', 'union=Mine,Theirs');
    assert.deepEqual(
      [error?.code, error?.message],
      ['FORBIDDEN', 'Spotify does not let relay read the songs of "Theirs".'],
    );
    assert.deepEqual(writes(relay), []);
    const { keep: made } = await keepLike(relay, 'All', 'union');
    assert.equal(made.status, 'active');
    assert.deepEqual(
      rowsOf(relay, made.playlist_id),
      at(owner(relay.provider).playlists, 0).rows.map(({ uri }) => uri),
    );
  });
});

test('not-heard asks a person if no plays tell what was heard, or if they end before its days', async () => {
  await withAccount({ saved: 8 }, async (relay) => {
    const none = await run(relay, ['keep', 'add', 'Forgotten', '--like', 'not-heard']);
    assert.equal(none.code, 1);
    assert.match(none.out, /in review: The rule needs the plays of the last 365 days, and there are none\./);
    assert.match(none.out, /^It would have 8 songs: 8 added/m);
    assert.match(none.err, /^plays is empty: /m);
    assert.deepEqual(writes(relay), []);
    const end = new Date(Date.now() - 50 * 86_400_000).toISOString();
    await importPlays(relay, [extended({ at: end }, { spotify_track_uri: at(savedUris(relay), 0) })]);
    const late = await keepLike(relay, 'Late', 'not-heard=30');
    assert.equal(late.keep.status, 'review');
    assert.match(
      late.keep.reason ?? '',
      new RegExp(`of the last 30 days, and the plays end on ${end.slice(0, 10)}`),
    );
    const { keep: made } = await act(relay, at(await kept(relay), 0).id, 'run');
    assert.deepEqual([made.status, made.last_result], ['active', '7 added'], 'the plays are of its days now');
    const accepted = await act(relay, late.keep.id, 'accept');
    assert.deepEqual([accepted.keep.status, accepted.keep.last_result], ['active', '8 added']);
    assert.equal((await act(relay, late.keep.id, 'run')).keep.last_result, 'nothing to change');
  });
});

test('union prefers the copy of a song that can be written to a local file', async () => {
  await withAccount({ saved: 3 }, async (relay) => {
    called(relay, 'A', 'B');
    const [first, second] = owner(relay.provider).playlists.map(({ id }) => id);
    const uri = at(rowsOf(relay, second ?? ''), 2);
    const track = relay.provider.catalogue.tracks.find((one) => one.uri === uri);
    const parts = [track?.artists[0]?.name, track?.album.name, track?.name].map((text) =>
      encodeURIComponent(text ?? '').replaceAll('%20', '+'),
    );
    const local = `spotify:local:${parts.join(':')}:${Math.round((track?.durationMs ?? 0) / 1_000)}`;
    edit(relay, first ?? '', (uris) => [local, ...uris]);
    const { rows } = await ask(
      relay,
      `SELECT count(DISTINCT song) FROM tracks WHERE uri IN ('${local}', '${uri}')`,
    );
    assert.deepEqual(rows, [[1]], 'both are one song');
    const { out } = await run(relay, ['keep', 'add', 'Both', '--like', 'union=A,B', '--json']);
    const { keep: made, preview } = JSON.parse(out);
    assert.ok(rowsOf(relay, made.playlist_id).includes(uri));
    assert.deepEqual([preview.total, preview.left_out], [10, 0]);
  });
});

test('relay keep adds, lists, shows, runs and stops', async () => {
  await withRelay(WITH_ALL, async (relay) => {
    resize(relay, 20, 1);
    const sql = 'SELECT uri FROM saved ORDER BY position';
    const none = await run(relay, ['keep']);
    assert.deepEqual([none.code, none.out], [0, '']);
    for (const args of [
      ['keep', 'add', 'A'],
      ['keep', 'add', 'A', sql, '--like', 'fresh'],
      ['keep', 'add', 'A', '--like', 'nothing'],
      ['keep', 'add', 'A', sql, '--every', 'year'],
    ]) {
      assert.equal((await run(relay, args)).code, 2, args.join(' '));
    }
    const dry = await run(relay, ['keep', 'add', 'Mine', sql, '--dry-run']);
    assert.match(
      dry.out,
      /^It would have 20 songs: 20 added, 0 removed\.\n(\+ .* by .*\n){10}\+ and 10 more\n$/,
    );
    const loss = await run(relay, ['keep', 'add', LIST_0, `${sql} LIMIT 1`, '--dry-run']);
    assert.match(
      loss.out,
      /^The first run would wait for your review: The playlist would shrink from 30 rows to 1\.\n/,
    );
    const added = await run(relay, ['keep', 'add', 'Mine', sql, '--every', 'week']);
    assert.equal(added.code, 0, added.err);
    assert.match(added.out, /^"Mine" is kept weekly: 20 added\.\nNext run: in 7 days\.\n$/);
    const table = await run(relay, ['keep', 'list']);
    assert.match(
      table.out,
      /^ID +NAME +EVERY +STATUS +NEXT +LAST RUN\n[0-9a-f]{8} +Mine +week +active +in 7 days +.*: 20 added\n$/,
    );
    unsave(relay, 12);
    const held = await run(relay, ['keep', 'run', 'mine']);
    assert.equal(held.code, 1);
    assert.match(
      held.out,
      /^"Mine" is in review: The playlist would shrink from 20 rows to 8\.\nIt would have 8 songs: 0 added, 12 removed\./,
    );
    const status = await run(relay, ['status', '--json']);
    const report = JSON.parse(status.out);
    assert.deepEqual(report.kept, { total: 1, review: 1, waiting: 0, paused: 0 });
    assert.match((await run(relay, ['status'])).out, /kept +1 kept playlist, 1 to review/);
    const shown = await run(relay, ['keep', 'show', 'Mine', '--json']);
    assert.deepEqual([JSON.parse(shown.out).keep.preview.removed_count, shown.code], [12, 0]);
    assert.match((await run(relay, ['keep', 'show', 'Mine'])).out, /Query: SELECT uri FROM saved/);
    assert.equal((await run(relay, ['keep', 'run', 'Mine', '--accept'])).code, 0);
    const [one] = await kept(relay);
    assert.deepEqual(rowsOf(relay, one?.playlist_id ?? ''), savedUris(relay));
    const link = `https://open.spotify.com/playlist/${one?.playlist_id}?si=1`;
    for (const given of [one?.playlist_id ?? '', link, one?.id.slice(0, 8) ?? ''])
      assert.equal(JSON.parse((await run(relay, ['keep', 'show', given, '--json'])).out).keep.id, one?.id);
    save(relay, spare(relay, 0, 1));
    assert.match((await run(relay, ['keep', 'run', 'Mine'])).out, /^"Mine" is kept weekly: 1 added\./);
    assert.equal(
      (await run(relay, ['keep', 'stop', 'Mine'])).out,
      '"Mine" is no longer kept. Its songs stay as they are.\n',
    );
    assert.equal((await run(relay, ['keep', 'run', 'Mine'])).code, 1);
    await relay.server.close();
    assert.equal((await run(relay, ['keep', 'list'])).code, 4);
  });
});

test('not-heard leaves out the songs that a history names without a URI, or with another one', async () => {
  await withRelay(WITH_ALL, async (relay) => {
    resize(relay, 20, 1);
    const saved = savedUris(relay);
    const facts = new Map(relay.provider.catalogue.tracks.map((track) => [track.uri, track]));
    const play = (uri: string, days: number, artist?: string) => {
      const track = facts.get(uri);
      const at = new Date(Date.now() - days * 86_400_000).toISOString();
      return short({ at, name: track?.name ?? '', artist: artist ?? track?.artists[0]?.name ?? '' });
    };
    const [heard = '', long = '', other = '', released = ''] = saved.slice(4, 8);
    const rows = [play(heard, 30), play(long, 500), play(other, 30, 'Somebody Else')];
    const folder = await mkdtemp(join(tmpdir(), 'relay-history-'));
    try {
      const path = join(folder, 'my_spotify_data.zip');
      const again = facts.get(released);
      const elsewhere = extended(
        { at: new Date(Date.now() - 30 * 86_400_000).toISOString() },
        {
          spotify_track_uri: at(spare(relay, 0, 1), 0),
          master_metadata_track_name: again?.name,
          master_metadata_album_artist_name: again?.artists[0]?.name,
        },
      );
      const files = {
        'StreamingHistory_music_0.json': rows,
        'Streaming_History_Audio_2026_0.json': [elsewhere],
      };
      await writeFile(path, zipped(files));
      const { code, err } = await run(relay, ['import', path, '--json']);
      assert.equal(code, 0, err);
    } finally {
      await rm(folder, { recursive: true });
    }
    const named = (uri: string) => `${facts.get(uri)?.name} ${facts.get(uri)?.artists[0]?.name}`;
    const rest = saved.filter((uri) => ![heard, released].map(named).includes(named(uri)));
    assert.deepEqual(await keptLike(relay, 'not-heard'), rest.toReversed());
    assert.equal(rest.length, 17);
  });
});
