import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, owner, pluck } from '../support/entries.ts';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { searches, writes } from '../support/requests.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, NOTHING, uniqueTracks } from '../support/songs.ts';
import { gate, until, withClock } from '../support/waiting.ts';
import { withClockedPlaylist, withPlaylist } from '../support/withPlaylist.ts';
import type { Relay } from '../support/world.ts';
import { commit, itemsOf, jobOf, reach } from './jobCalls.ts';

interface Bulk {
  status: string;
  playlist_id: string | null;
  matched: number;
  ambiguous: number;
  unmatched: number;
  added: number;
  report: Array<{ index: number; status: string }>;
  job_id: string;
  note?: string;
  write?: { ok: boolean; written: number; partial: boolean };
  playlist?: { id: string };
}

const RESOLVE_MS = 35_000;

async function call(relay: Relay, tool: string, args: Record<string, unknown>): Promise<Bulk> {
  const answer = await relay.call(tool, args);
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answer as unknown as Bulk;
}

longTest('a report that is cut says how to see the rest without writing a song twice', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, playlist_id }) => {
    const [song] = uniqueTracks(relay, 1).map(asQuery);
    const missing = Array.from({ length: 90 }, (_, at) => ({
      ...NOTHING,
      title: `${at} ${'Nowhere '.repeat(20)}`,
    }));
    const args = { playlist_id, tracks: [song, ...missing], detail: 'lean' };
    const noted = async (more: object) => call(relay, 'bulk_add_tracks', { ...args, ...more });
    const blocked = await noted({});
    assert.equal(blocked.status, 'blocked');
    assert.match(String(blocked.note), /call create_bulk_job with these entries, then/);
    const done = await noted({ strict: false });
    assert.deepEqual([done.status, done.added], ['done', 1]);
    assert.match(
      String(done.note),
      /call create_bulk_job with these entries and payload\.dry_run true, then/,
    );
    relay.provider.faults.add({ path: '/search', skip: 170, kind: 'quota', retryAfterSeconds: 40_000 });
    const deferred = await noted({});
    assert.equal(deferred.status, 'deferred');
    assert.match(
      String(deferred.note),
      new RegExp(`call get_job_status with only="unresolved" and job_id "${deferred.job_id}"\\.$`),
    );
    assert.doesNotMatch(String(deferred.note), /create_bulk_job/);
  }),
);

longTest(
  'if a quota ends resolving, the call hands the list over to a job, with what is already resolved',
  () =>
    withClockedPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
      const wanted = uniqueTracks(relay, 20);
      relay.provider.faults.add({ path: '/search', skip: 8, kind: 'quota', retryAfterSeconds: 40_000 });
      const result = await call(relay, 'add_tracks_by_search', {
        playlist_id,
        tracks: wanted.map(asQuery),
      });
      assert.deepEqual(
        [result.status, result.playlist_id, result.added, result.write],
        ['deferred', playlist_id, 0, undefined],
      );
      assert.ok(result.matched >= 8, `${result.matched}`);
      assert.equal(result.report.length, result.matched);
      const job = await jobOf(relay, result.job_id);
      assert.deepEqual(
        [job.status, job.reason, job.resolved, job.attempts, job.payload.skip_duplicates],
        ['waiting', 'QUOTA_EXCEEDED', result.matched, 0, false],
      );
      assert.equal(job.run_after, new Date(clock.now() + 40_000_000).toISOString());
      const made = searches(relay);
      clock.advance(40_000_000);
      await reach(relay, result.job_id, 'ready');
      assert.equal(searches(relay) - made, 20 - result.matched, 'nothing is searched for twice');
      assert.equal(writes(relay), 1, 'only the token was renewed');
      await commit(relay, result.job_id);
      await reach(relay, result.job_id, 'completed');
      assert.deepEqual(urisOf(playlist), pluck(wanted, 'uri'));
    }),
);

longTest('resolving that takes too long for one call is handed over before the call ends', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    // Eight searches are under way at a time. Six are answered, and the eight after them are held.
    const wanted = uniqueTracks(relay, 14);
    const held = gate();
    relay.provider.faults.add({ path: '/search', skip: 6, times: 8, kind: 'hook', fn: held.wait });
    const payload = { playlist_id, tracks: wanted.map(asQuery), strict: false };
    const answer = call(relay, 'bulk_add_tracks', payload);
    await until(() => held.waiting === 8);
    assert.equal(clock.waiting(RESOLVE_MS), 1);
    // Only the call's own time passes here. Otherwise the searches under way would time out first and be tried again.
    clock.advance(RESOLVE_MS);
    const result = await answer;
    held.open();
    assert.deepEqual([result.status, result.matched, result.report.length], ['deferred', 6, 6]);
    assert.match(result.note ?? '', /writes nothing\. When get_job_status says ready, call commit_job\./);
    const job = await reach(relay, result.job_id, 'ready');
    assert.deepEqual([job.resolved, job.payload.strict], [14, false]);
    await commit(relay, result.job_id);
    await reach(relay, result.job_id, 'completed');
    assert.deepEqual(urisOf(playlist), pluck(wanted, 'uri'));
  }),
);

longTest('a limit during writing hands the rest to a job that writes it by itself', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    const uris = tracks(relay, 450);
    relay.provider.faults.add({
      method: 'POST',
      path: /\/items$/,
      skip: 2,
      kind: 'quota',
      retryAfterSeconds: 7_200,
    });
    const result = await call(relay, 'bulk_add_tracks', { playlist_id, tracks: uris });
    assert.deepEqual(
      [result.status, result.matched, result.added, result.write?.partial],
      ['deferred', 450, 200, true],
    );
    const parked = await jobOf(relay, result.job_id);
    assert.deepEqual(
      [parked.status, parked.reason, parked.written, parked.resolved],
      ['waiting', 'QUOTA_EXCEEDED', 200, 450],
    );
    await relay.restart();
    clock.advance(7_200_000);
    assert.equal((await reach(relay, result.job_id, 'completed')).written, 450);
    assert.deepEqual(urisOf(playlist), uris);
  }),
);

test('writing that takes too long for one call is handed over, and the job begins at once', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    const uris = tracks(relay, 650);
    const slow = [gate(), gate(), gate(), gate()];
    slow.forEach(({ wait }, skip) => {
      relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip, kind: 'hook', fn: wait });
    });
    const answer = call(relay, 'bulk_add_tracks', { playlist_id, tracks: uris });
    for (const held of slow) {
      await until(() => held.waiting === 1);
      clock.advance(11_000);
      held.open();
    }
    const result = await answer;
    // The fourth request was still on its way when the call had to answer.
    assert.deepEqual([result.status, result.added, result.write?.ok], ['deferred', 300, false]);
    assert.match(result.note ?? '', /writes the rest by itself, .* Do not send these entries again\./);
    const job = await reach(relay, result.job_id, 'completed');
    assert.deepEqual([job.written, job.attempts], [650, 0]);
    assert.deepEqual(urisOf(playlist), uris);
  }));

longTest(
  'create_playlist_from_tracks is continued by a job if a limit comes before or after the playlist is created',
  () =>
    withClock(async (relay, clock) => {
      const made = (name: string) => owner(relay.provider).playlists.filter((one) => one.name === name);
      const uris = tracks(relay, 250);
      const create = (name: string) => call(relay, 'create_playlist_from_tracks', { name, tracks: uris });

      relay.provider.faults.add({
        method: 'POST',
        path: '/me/playlists',
        kind: 'quota',
        retryAfterSeconds: 100,
      });
      const unmade = await create('Not Yet Made');
      assert.deepEqual([unmade.status, unmade.playlist_id, unmade.playlist], ['deferred', null, undefined]);
      assert.equal(made('Not Yet Made').length, 0);
      clock.advance(100_000);
      await reach(relay, unmade.job_id, 'completed');
      assert.deepEqual(made('Not Yet Made').map(urisOf), [uris]);

      const limit = {
        method: 'POST',
        path: /\/items$/,
        skip: 1,
        kind: 'quota',
        retryAfterSeconds: 100,
      } as const;
      relay.provider.faults.add(limit);
      const half = await create('Half Filled');
      const playlist = at(made('Half Filled'), 0);
      assert.deepEqual(
        [half.status, half.playlist_id, half.playlist?.id, half.added],
        ['deferred', playlist.id, playlist.id, 100],
      );
      clock.advance(100_000);
      assert.equal((await reach(relay, half.job_id, 'completed')).playlist_id, playlist.id);
      assert.deepEqual(made('Half Filled').map(urisOf), [uris]);
    }),
);

longTest(
  'a deferred dry run writes nothing, and a deferred strict list is not committed if a song is not found',
  () =>
    withClock(async (relay, clock) => {
      const [a, b] = uniqueTracks(relay, 2);
      assert.ok(a && b);
      const list = { playlist_id: named(relay, 'Empty Shelf').id, tracks: [asQuery(a), asQuery(b), NOTHING] };
      const quota = { path: '/search', kind: 'quota', retryAfterSeconds: 3_000 } as const;
      relay.provider.faults.add(quota);
      const dry = await call(relay, 'add_tracks_by_search', { ...list, dry_run: true });
      const strict = await call(relay, 'add_tracks_by_search', list);
      assert.deepEqual([dry.status, strict.status], ['deferred', 'deferred']);
      const begin =
        'Spotify asks relay to wait 50 minutes. Then the job looks up the rest and writes nothing.';
      const end = 'Do not send these entries again.';
      assert.equal(dry.note, `${begin} ${end}`);
      assert.equal(strict.note, `${begin} When get_job_status says ready, call commit_job. ${end}`);
      clock.advance(3_000_000);
      assert.deepEqual((await reach(relay, dry.job_id, 'completed')).result?.resolved, 2);
      await reach(relay, strict.job_id, 'ready');
      const { error } = (await relay.call('commit_job', { job_id: strict.job_id })) as {
        error: { code: string };
      };
      assert.equal(error.code, 'JOB_STATE');
      assert.deepEqual(pluck(await itemsOf(relay, strict.job_id), 'status'), [
        'matched',
        'matched',
        'unmatched',
      ]);
      assert.equal(writes(relay), 0);
    }),
);

test('skip_existing of a handed-over call counts what the playlist held before', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    const uris = tracks(relay, 250);
    playlist.rows.push({ uri: at(uris, 5), addedAt: null, addedBy: null });
    // The first song is named twice and was not there before. It is added twice: here once by the call and once by the job.
    const list = [...uris, at(uris, 0)];
    const limit = {
      method: 'POST',
      path: /\/items$/,
      skip: 1,
      kind: 'quota',
      retryAfterSeconds: 100,
    } as const;
    relay.provider.faults.add(limit);
    const args = { playlist_id, tracks: list, skip_existing: true };
    const result = await call(relay, 'bulk_add_tracks', args);
    assert.deepEqual([result.status, result.added], ['deferred', 100]);
    clock.advance(100_000);
    const job = await reach(relay, result.job_id, 'completed');
    assert.deepEqual([job.written, job.skipped_existing], [250, 1]);
    assert.deepEqual(urisOf(playlist), [at(uris, 5), ...uris.filter((_, index) => index !== 5), at(uris, 0)]);
  }));

longTest('while a job writes to a playlist, a tool that writes to it waits its turn', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 350);
    const [extra = ''] = tracks(relay, 1, 4_000);
    const held = gate();
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, kind: 'hook', fn: held.wait });
    const made = await relay.call('create_bulk_job', {
      type: 'add_to_playlist',
      payload: { playlist_id },
      items: uris,
    });
    const id = String(made.job_id);
    await reach(relay, id, 'ready');
    await commit(relay, id);
    await until(() => held.waiting === 1);
    const added = relay.call('add_tracks_to_playlist', { playlist_id, track_ids: [extra] });
    held.open();
    await added;
    await reach(relay, id, 'completed');
    assert.deepEqual(urisOf(playlist), [...uris, extra]);
  }),
);

/** Restarts the server while a write of this call is held, and returns the ID of the job that it becomes. */
async function cutShort(
  relay: Relay,
  tool: string,
  args: Record<string, unknown>,
  writing: ReturnType<typeof gate>,
): Promise<string> {
  const jobs = () => relay.call('list_jobs');
  const cut = assert.rejects(relay.call(tool, args));
  await until(() => writing.waiting === 1);
  assert.equal((await jobs()).total, 0);
  const restarted = relay.restart();
  writing.open();
  await Promise.all([restarted, cut]);
  const [job] = (await jobs()).items as Array<{ job_id: string }>;
  return job?.job_id ?? '';
}

test('a list that a call looks up is not listed as a job until it has to continue without the call', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [first, second, third] = uniqueTracks(relay, 3);
    assert.ok(first && second && third);
    const list = [asQuery(first), { id: second.id }, asQuery(third)];
    const jobs = async () => (await relay.call('list_jobs')).total;
    const [searching, writing] = [gate(), gate()];
    relay.provider.faults.add({ path: '/search', times: 2, kind: 'hook', fn: searching.wait });
    const args = { playlist_id, tracks: list };
    const answer = call(relay, 'bulk_add_tracks', args);
    await until(() => searching.waiting === 2);
    assert.equal(await jobs(), 0);
    searching.open();
    assert.deepEqual([(await answer).status, await jobs()], ['done', 0]);

    relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'hook', fn: writing.wait });
    const job = await cutShort(relay, 'bulk_add_tracks', args, writing);
    const { written } = await reach(relay, job, 'completed');
    // The job has the list as the caller gave it.
    const inputs = (await itemsOf(relay, job)).map(({ input }) => input);
    assert.deepEqual([written, inputs, await jobs()], [3, list, 1]);
    assert.equal(urisOf(playlist).length, 6);
  }));

longTest('a single write is listed as a job only once a stop cuts it short, not while its caller waits', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const jobs = async () => (await relay.call('list_jobs')).total;
    const args = { playlist_id, track_ids: tracks(relay, 2) };
    const writing = gate();
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, times: 2, kind: 'hook', fn: writing.wait });
    const job = await cutShort(relay, 'add_tracks_to_playlist', args, writing);
    const { type, written } = await reach(relay, job, 'completed');
    assert.deepEqual([type, written], ['add_to_playlist', 2]);
    assert.deepEqual(
      (await itemsOf(relay, job)).map(({ uri, status }) => [uri, status]),
      tracks(relay, 2).map((uri) => [uri, 'written']),
    );
    await relay.call('add_tracks_to_playlist', args);
    assert.deepEqual([await jobs(), urisOf(playlist).length], [1, 4]);
  }),
);
