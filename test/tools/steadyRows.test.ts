/** The rows of a whole playlist are of one state, even if the playlist changes while it is read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill, tracks, urisOf } from '../support/playlists.ts';
import { gate, until } from '../support/waiting.ts';
import type { Relay } from '../support/world.ts';
import { withUnkindPlaylist } from '../work/unkind.ts';

async function counts(relay: Relay, playlist_id: string): Promise<unknown[]> {
  const { total_items, track_count, duplicate_count } = await relay.call('get_playlist_stats', {
    playlist_id,
  });
  return [total_items, track_count, duplicate_count];
}

test('pages from before and after another program removed rows are not combined', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, provider, playlist }) => {
    const left = urisOf(playlist).slice(0, 120);
    const hold = gate();
    provider.faults.add({ method: 'GET', path: /\/items$/, kind: 'hook', times: 3, fn: hold.wait });
    const reading = counts(relay, playlist.id);
    await until(() => hold.waiting === 3);
    provider.editPlaylist(playlist.id, left);
    hold.open();
    assert.deepEqual(await reading, [120, 120, 0]);
    // relay reads the playlist object with its first rows, then the rest. It reads all again, since the pages were of two
    // states.
    assert.deepEqual(
      provider.requests.map(({ query }) => query.offset ?? '-'),
      ['-', '50', '100', '150', '0', '50', '100'],
    );
  }));

test('a total that stays wrong costs one more reading and is then ignored', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, provider, playlist }) => {
    fill(playlist, tracks(relay, 60, 3_000));
    const fn = (body: unknown) => ({ ...(body as object), total: 63 });
    const times = Number.POSITIVE_INFINITY;
    provider.faults.add({ method: 'GET', path: /\/items$/, kind: 'transform', times, fn });
    const begin = (body: unknown) => ({ ...(body as object), items: { total: 63 } });
    provider.faults.add({
      method: 'GET',
      path: `/playlists/${playlist.id}`,
      kind: 'transform',
      times,
      fn: begin,
    });
    assert.deepEqual(await counts(relay, playlist.id), [60, 60, 0]);
    assert.deepEqual(
      provider.requests.map(({ query }) => query.offset ?? '-'),
      ['-', '0', '50', '0', '50'],
    );
  }));
