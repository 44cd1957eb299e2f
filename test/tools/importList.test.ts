import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from '../support/answers.ts';
import { at, owner, pluck } from '../support/entries.ts';
import { named, savedUris, urisOf } from '../support/playlists.ts';
import { searches } from '../support/requests.ts';
import { asQuery, lineOf, uniqueTracks } from '../support/songs.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { itemsOf, jobOf, reach, runToEnd } from '../work/jobCalls.ts';

const ALL = { env: { RELAY_ACCESS: 'everything' } };

/** The new playlist of this name. */
function rowsOf(relay: Relay, name: string): string[] {
  return urisOf(named(relay, name));
}

test('a list as text becomes a playlist: preview, job, commit', () =>
  withRelay(ALL, async (relay) => {
    const songs = uniqueTracks(relay, 6);
    const [one, two, three, four, five, six] = songs.map((_song, index) => at(songs, index));
    if (!one || !two || !three || !four || !five || !six) return assert.fail();
    const text = [
      '# Songs for Sunday',
      ...[one, two, three].map(lineOf),
      '',
      'nothing that is a song',
      `${lineOf(four)}  https://open.spotify.com/track/${four.id}`,
      five.isrc,
      lineOf(one),
    ].join('\n');
    const preview = await relay.call('import_list', { text, dry_run: true });
    const expected = {
      format: 'txt',
      songs: 6,
      artist_side: preview.artist_side,
      examples: [one, two, three].map(asQuery),
      not_songs: 3,
      not_song_lines: [
        { line: 1, text: '# Songs for Sunday', why: 'comment' },
        { line: 6, text: 'nothing that is a song', why: 'no artist' },
      ],
      with_link: 1,
      with_isrc: 1,
      repeated: 1,
      searches: 4,
    };
    assert.deepEqual(preview, expected);
    assert.equal((preview.artist_side as { side: string }).side, 'left');
    assert.deepEqual((await relay.call('list_jobs', {})).total, 0);
    assert.deepEqual(relay.provider.requests, []);

    const begun = await relay.call('import_list', { text, name: 'Sunday' });
    assert.deepEqual(begun, { job_id: begun.job_id, ...expected });
    const done = await runToEnd(relay, String(begun.job_id));
    assert.deepEqual([done.status, done.written], ['completed', 6]);
    assert.equal(searches(relay), 4);
    assert.deepEqual(rowsOf(relay, 'Sunday'), pluck([one, two, three, four, five, one], 'uri'));

    // The same list once more: every song is remembered.
    relay.provider.clearRequests();
    const again = await relay.call('import_list', { text, dry_run: true });
    assert.deepEqual(again, { ...expected, remembered: 5, searches: 0 });
    assert.deepEqual(relay.provider.requests, []);
  }));

test('songs given only by a link are no examples of how titles were understood', () =>
  withRelay(ALL, async (relay) => {
    const songs = uniqueTracks(relay, 2);
    const [one, two] = [at(songs, 0), at(songs, 1)];
    const text = [one.uri, two.isrc, lineOf(two)].join('\n');
    const mixed = await relay.call('import_list', { text, dry_run: true });
    assert.deepEqual(mixed.examples, [asQuery(two)]);
    const links = await relay.call('import_list', { text: one.uri, dry_run: true });
    assert.deepEqual(links, { format: 'txt', songs: 1, examples: [], with_link: 1, searches: 0 });
  }));

test('of a title without an artist, a person chooses the song, and another list asks again', () =>
  withRelay(ALL, async (relay) => {
    const [one, two] = uniqueTracks(relay, 2);
    assert.ok(one && two);
    const text = `title\tartist\n${asQuery(one).title}\t\n${asQuery(two).title}\t${asQuery(two).artist}\n`;
    const { job_id: id } = await relay.call('import_list', { text, name: 'Bare' });
    await reach(relay, String(id), 'ready');
    const [item, other] = await itemsOf(relay, String(id));
    assert.deepEqual(
      [item?.status, item?.candidates?.[0]?.track.uri, other?.uri],
      ['unmatched', one.uri, two.uri],
    );
    await relay.call('resume_job', { job_id: id, fixes: [{ position: 0, track_id: one.id }] });
    await runToEnd(relay, String(id));
    assert.deepEqual(rowsOf(relay, 'Bare'), [one.uri, two.uri]);
    assert.equal((await relay.call('import_list', { text, dry_run: true })).remembered, 1);
  }));

test('a recording code that Spotify does not know falls back to the names beside it', () =>
  withRelay(ALL, async (relay) => {
    const song = at(uniqueTracks(relay, 1), 0);
    const { title, artist } = asQuery(song);
    const text = `title,artist,isrc\n"${title}","${artist}",ZZZZZ9900001\n,,ZZZZZ9900002\n`;
    const begun = await relay.call('import_list', { text, name: 'Codes' });
    const id = String(begun.job_id);
    await reach(relay, id, 'ready');
    assert.deepEqual(
      (await itemsOf(relay, id)).map(({ status, uri }) => ({ status, uri })),
      [
        { status: 'matched', uri: song.uri },
        { status: 'unmatched', uri: null },
      ],
    );
  }));

test('a list can replace or extend a playlist, or go to Liked Songs without its episodes', () =>
  withRelay(ALL, async (relay) => {
    const [one, two] = uniqueTracks(relay, 2);
    if (!one || !two) return assert.fail();
    const episode = at(relay.provider.catalogue.episodes, 0);
    const text = [one.uri, two.uri, episode.uri, one.uri].join('\n');
    const playlist = named(relay, 'Morning Ferry');
    const into = await relay.call('import_list', { text, playlist_id: playlist.id, replace: true });
    await runToEnd(relay, String(into.job_id));
    assert.deepEqual(urisOf(playlist), [one.uri, two.uri, episode.uri, one.uri]);
    const adds = await relay.call('import_list', { text, playlist_id: playlist.id });
    const added = await runToEnd(relay, String(adds.job_id));
    assert.deepEqual([added.written, urisOf(playlist).length], [4, 8]);

    owner(relay.provider).saved.length = 0;
    const saved = await relay.call('import_list', { text, saved: true });
    assert.deepEqual(saved.not_song_lines, [{ line: 3, text: episode.uri, why: 'an episode, not a song' }]);
    await runToEnd(relay, String(saved.job_id));
    assert.deepEqual(savedUris(relay).sort(), [one.uri, two.uri].sort());
  }));

test('more than 10,000 songs become several jobs, and several playlists', () =>
  withRelay(ALL, async (relay) => {
    const uris = relay.provider.catalogue.tracks.map(({ uri }) => uri);
    const text = Array.from({ length: 10_001 }, (_, index) => uris[index % uris.length]).join('\n');
    const begun = await relay.call('import_list', { text, name: 'Everything' });
    const ids = [String(begun.job_id), ...(begun.more_job_ids as string[])];
    const jobs = await Promise.all(ids.map((id) => jobOf(relay, id)));
    assert.deepEqual(
      jobs.map(({ total_items, payload }) => [total_items, payload.name]),
      [
        [10_000, 'Everything'],
        [1, 'Everything (2)'],
      ],
    );
    const { id } = named(relay, 'Morning Ferry');
    const refused = failureOf(await relay.call('import_list', { text, playlist_id: id, replace: true }));
    assert.deepEqual(
      [refused.code, refused.message],
      ['INVALID_ARGUMENT', 'The list has 10001 songs; a playlist holds at most 10000.'],
    );
  }));

test('what cannot be done is refused with what to do, before a job is made', () =>
  withRelay(ALL, async (relay) => {
    const text = 'Ula - Plinth\nOvo - Kettle';
    const id = named(relay, 'Morning Ferry').id;
    const cases: Array<[args: Record<string, unknown>, message: RegExp]> = [
      [{ text }, /^Give exactly one of name, playlist_id and saved\.$/],
      [{ text, name: 'A', saved: true }, /^Give exactly one of/],
      [{ text, name: 'A', playlist_id: id }, /^Give exactly one of/],
      [{ text, name: 'A', replace: true }, /^replace needs playlist_id/],
      [{ text: 'x', name: 'A' }, /but no song was found in it/],
      [{ text: '{"a":', name: 'A' }, /line 1|Line 1/],
      [{ text: '', name: 'A' }, /text/],
      [{ text, name: 'A', list: 'Other' }, /^The file has no playlist "Other"\.$/],
    ];
    for (const [args, message] of cases) {
      const { code, message: said } = failureOf(await relay.call('import_list', args));
      assert.equal(code, 'INVALID_ARGUMENT', JSON.stringify(args));
      assert.match(said, message);
    }
    assert.equal((await relay.call('list_jobs', {})).total, 0);
    assert.deepEqual(relay.provider.requests, []);
  }));
