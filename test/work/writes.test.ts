/** Writes whose answer is lost or refused, jobs that are resumed late, and what a long list costs; besides `promises.test.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobRecord } from '../../src/work/jobRecord.ts';
import { HOUR } from '../support/clock.ts';
import { owner } from '../support/entries.ts';
import { assertRows, fill, named, tracks, urisOf } from '../support/playlists.ts';
import { writes } from '../support/requests.ts';
import { undoLast, withExtras } from './extras.ts';
import { reach } from './jobCalls.ts';
import { assertDone, change, committed, ended } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;
const UNKNOWN = 'spotify:track:0000000000000000000000';

test('a write that took effect before a proxy answered in place of Spotify is found, and not sent again', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const track_ids = tracks(relay, 3);
    relay.provider.faults.add({ ...APPEND, kind: 'html', effect: true, status: 400 });
    const { error, written } = await relay.call('add_tracks_to_playlist', { playlist_id, track_ids });
    assert.deepEqual([error, written], [undefined, 3]);
    assertRows(playlist, track_ids);
    assert.equal(writes(relay), 1);
  }));

test('a job ends at once and leaves the playlist as it was if Spotify refuses all of its songs', () =>
  withUnkind({}, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const former = urisOf(playlist);
    const uris = [UNKNOWN, `${UNKNOWN.slice(0, -1)}1`];
    const payload = { playlist_id: playlist.id };
    const id = await committed(relay, 'replace_playlist', uris, payload);
    relay.provider.clearRequests();
    const { status, error } = await ended(relay, id);
    assert.deepEqual(
      [status, relay.provider.requests.filter(({ method }) => method === 'PUT').length, error?.message],
      [
        'failed',
        3,
        'Spotify knows none of the songs that were to be written, so the playlist stays as it was.',
      ],
    );
    assertRows(playlist, former);
  }));

for (const type of ['replace_playlist', 'add_to_playlist'])
  test(`a job of type ${type} ends once its playlist is gone`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
      const id = await committed(relay, type, tracks(relay, 150, 3_000), { playlist_id }, () => {
        const account = owner(relay.provider);
        account.playlists = account.playlists.filter((one) => one !== playlist);
      });
      const { status, review_required } = await ended(relay, id);
      assert.deepEqual([status, review_required], ['failed', false]);
    }));

test('a job that adds to a full playlist fails and says that it is full', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    fill(playlist, [...tracks(relay, 9_500), ...tracks(relay, 490)]);
    const former = urisOf(playlist);
    const full = { ...APPEND, kind: 'status', status: 500, times: Number.POSITIVE_INFINITY } as const;
    const id = await committed(relay, 'add_to_playlist', tracks(relay, 40, 100), { playlist_id }, () =>
      relay.provider.faults.add(full),
    );
    const { status, written, error } = await ended(relay, id);
    assert.deepEqual([status, written], ['failed', 0]);
    assert.match(error?.message ?? '', /is full/);
    assertRows(playlist, former);
  }));

test('a job that is cancelled after it has made a playlist leaves a change that an undo can take back', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay }) => {
    const made = () => owner(relay.provider).playlists.filter(({ name }) => name === 'Half Made');
    const id = await committed(relay, 'create_playlist', tracks(relay, 150), { name: 'Half Made' }, () =>
      relay.provider.faults.add({ ...APPEND, kind: 'quota', retryAfterSeconds: 3_600 }),
    );
    await reach(relay, id, 'waiting');
    const { job } = (await relay.call('cancel_job', { job_id: id })) as { job: JobRecord };
    assert.deepEqual([job.status, made().length], ['cancelled', 1]);
    relay.provider.faults.clear();
    assertDone(await undoLast(relay));
    assert.equal(made().length, 0);
  }));

for (const type of ['add_to_playlist', 'replace_playlist'])
  test(`a failed job of type ${type} that was undone writes everything when it is resumed a month later`, () =>
    withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id, former }) => {
      const items = tracks(relay, 150, 3_000);
      const refused = { method: 'POST', path: /\/items$/, times: Number.POSITIVE_INFINITY } as const;
      const id = await committed(relay, type, items, { playlist_id }, () =>
        relay.provider.faults.add({
          ...refused,
          skip: type === 'add_to_playlist' ? 1 : 0,
          kind: 'status',
          status: 403,
        }),
      );
      assert.equal((await ended(relay, id)).status, 'failed');
      relay.provider.faults.clear();
      assertDone(await undoLast(relay));
      assertRows(playlist, former);
      clock.shift(31 * 24 * HOUR);
      // Storing a change drops those that are too old, once an answer has told Spotify's time.
      for (const from of [7_000, 7_001])
        assertDone(await change(relay, 'save_tracks', { track_ids: tracks(relay, 1, from) }));
      await relay.call('resume_job', { job_id: id });
      const { status, written } = await ended(relay, id);
      assert.deepEqual([status, written], ['completed', 150]);
      assertRows(playlist, type === 'add_to_playlist' ? [...former, ...items] : items);
    }));

test('an undo that was cancelled part-way puts back only the rest when it is asked for again', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const rows = tracks(relay, 200);
    fill(playlist, rows);
    await withExtras(relay, async ({ call }) => {
      const args = { playlist_id, track_ids: rows.slice(50) };
      const { change_id } = await call('remove_tracks_from_playlist', args);
      const limit = { kind: 'rate_limit', retryAfterSeconds: 30 } as const;
      relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, ...limit });
      const { error, job_id } = await call('undo_change', { change_id });
      assert.equal(error, undefined);
      await reach(relay, String(job_id), 'waiting');
      await call('cancel_job', { job_id });
      await clock.sleep(31_000);
      assertRows(playlist, rows.slice(0, 150));
      const plan = await call('undo_change', { change_id, dry_run: true });
      const { count } = plan.added as { count: number };
      assert.deepEqual([plan.requests, plan.rows, plan.removed, count], [1, 200, 0, 50]);
      await call('undo_change', { change_id });
      assertRows(playlist, rows);
    });
  }));

test('an append to a long playlist reads only its first and its last rows', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
    fill(playlist, tracks(relay, 9_900));
    const [former, uris] = [urisOf(playlist), tracks(relay, 500, 100)];
    relay.provider.clearRequests();
    const id = await committed(relay, 'add_to_playlist', uris, { playlist_id });
    assert.equal((await ended(relay, id)).status, 'completed');
    assertRows(playlist, [...former, ...uris]);
    const reads = relay.provider.requests.filter(({ method }) => method === 'GET').length;
    assert.ok(reads <= 3, `${reads} reads`);
  }));
