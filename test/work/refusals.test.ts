/** Writes that Spotify refuses for good, and what is left of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobRecord } from '../../src/work/jobRecord.ts';
import { owner } from '../support/entries.ts';
import { assertRows, fill, tracks, urisOf } from '../support/playlists.ts';
import { undoLast } from './extras.ts';
import { reach } from './jobCalls.ts';
import { assertDone, change, committed, ended } from './settled.ts';
import { withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;

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

test('a removal of which a request is refused keeps what it removed, and the undo brings that back', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    relay.provider.faults.add({ method: 'DELETE', path: /\/items$/, skip: 1, kind: 'status', status: 403 });
    const args = { playlist_id, track_ids: former.slice(0, 150) };
    const { error } = await change(relay, 'remove_tracks_from_playlist', args);
    assert.deepEqual([error?.code, error?.details.written], ['PARTIAL_WRITE', 100]);
    assertRows(playlist, former.slice(100));
    assertDone(await undoLast(relay));
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
