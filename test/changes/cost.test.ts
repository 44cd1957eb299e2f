import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, tracks, urisOf } from '../jobs/support.ts';
import type { Relay } from '../support/world.ts';
import { assertRows, committed, ended, fill, withUnkind } from './support.ts';

const reads = ({ provider }: Relay) => provider.requests.filter(({ method }) => method === 'GET').length;

/** Appends 500 tracks to 9,900 rows and tells how many reads that took. */
async function append(relay: Relay, before: () => void): Promise<number> {
  const playlist = named(relay, 'Exactly Two Hundred');
  fill(playlist, tracks(relay, 9_900));
  const [former, uris] = [urisOf(playlist), tracks(relay, 500, 100)];
  relay.provider.clearRequests();
  const id = await committed(relay, 'add_to_playlist', uris, { playlist_id: playlist.id }, before);
  const job = await ended(relay, id);
  assert.equal(job.status, 'completed', JSON.stringify(job.error));
  assertRows(playlist, [...former, ...uris]);
  return reads(relay);
}

test('an append to a long playlist reads its total and its tail', () =>
  withUnkind({}, async (relay) => {
    const made = await append(relay, () => {});
    assert.ok(made <= 3, `${made} reads`);
  }));

test('a look of an append costs two reads and one for each hundred rows of the tail', () =>
  withUnkind({}, async (relay) => {
    const made = await append(relay, () =>
      relay.provider.faults.add({
        method: 'POST',
        path: /\/items$/,
        times: 5,
        kind: 'status_after',
        status: 502,
      }),
    );
    // Five lost answers; a tail of at most 500 rows; and what an append reads anyway.
    assert.ok(made <= 5 * (2 + 5) + 3, `${made} reads`);
  }));
