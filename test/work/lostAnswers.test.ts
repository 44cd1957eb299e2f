/** Writes whose answer is lost, besides those of `promises.test.ts`, and songs that Spotify refuses. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRows, fill, named, tracks, urisOf } from '../support/playlists.ts';
import { writes } from '../support/requests.ts';
import { assertDone, change, committed, ended } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;
const UNKNOWN = 'spotify:track:0000000000000000000000';

/** Milliseconds after which none of a test's requests can take effect any more. */
const ALL_OVER_MS = 20_000;

test('a move whose answer is lost is made once, and the look finds it', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id, former }) => {
    relay.provider.lag.set({ lists: 600, totals: 600 });
    relay.provider.faults.add({ method: 'PUT', path: /\/items$/, kind: 'drop', when: 'after' });
    const move = { range_start: 0, range_length: 3, insert_before: 10 };
    assertDone(await change(relay, 'reorder_playlist_tracks', { playlist_id, ...move }));
    assertRows(playlist, [...former.slice(3, 10), ...former.slice(0, 3), ...former.slice(10)]);
  }));

test('a move that shows nothing and takes effect late does not move the rows of the next move', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id }) => {
    const [a = '', b = ''] = tracks(relay, 2, 3_000);
    fill(playlist, [a, a, b]);
    relay.provider.faults.add({ method: 'PUT', path: /\/items$/, kind: 'late', ms: 14_000, answer: 502 });
    const move = (range_start: number, insert_before: number) =>
      change(relay, 'reorder_playlist_tracks', { playlist_id, range_start, insert_before });
    assertDone(await move(0, 2));
    assertDone(await move(2, 0));
    await clock.sleep(ALL_OVER_MS);
    assertRows(playlist, [b, a, a]);
  }));

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
