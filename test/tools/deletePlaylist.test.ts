import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, withoutChange } from '../support/answers.ts';
import { owner } from '../support/entries.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { named } from '../support/playlists.ts';
import { sent } from '../support/requests.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

const EXTRAS: RelayOptions = { env: { RELAY_ACCESS: 'everything' } };

const listed = ({ provider }: Relay) => owner(provider).playlists.map(({ id }) => id);

for (const [what, name] of [
  ["the account's own", 'Running, Badly'],
  ["another person's", 'Guest Favourites'],
] as const) {
  test(`delete_playlist takes ${what} playlist off the list, and the second time changes nothing`, () =>
    withRelay(EXTRAS, async (relay) => {
      const before = listed(relay);
      const { id } = named(relay, name);
      const done = { ok: true, playlist_id: id };
      for (const playlist_id of [id, `spotify:playlist:${id}`]) {
        assert.deepEqual(withoutChange(await relay.call('delete_playlist', { playlist_id })), done);
      }
      const rest = before.filter((one) => one !== id);
      assert.deepEqual(listed(relay), rest);
      const request = `DELETE /me/library?uris=spotify:playlist:${id}`;
      assert.deepEqual(sent(relay), [request, request]);
      const found = await relay.call('find_playlist_by_name', { name });
      assert.deepEqual(found.matches, []);
    }));
}

for (const fault of ['status', 'status_after'] as const) {
  test(`delete_playlist whose answer is lost (${fault}) is sent again, which does no harm`, () =>
    withRelay({ ...EXTRAS, clock: jumpingClock() }, async (relay) => {
      const before = listed(relay);
      const { id } = named(relay, 'Running, Badly');
      relay.provider.faults.add({ path: '/me/library', kind: fault, status: 502 });
      const answer = await relay.call('delete_playlist', { playlist_id: id });
      assert.deepEqual(withoutChange(answer), { ok: true, playlist_id: id });
      assert.deepEqual(
        listed(relay),
        before.filter((one) => one !== id),
      );
      assert.equal(relay.provider.requests.length, 2);
    }));
}

test('delete_playlist refuses wrong arguments before anything is sent', () =>
  withRelay(EXTRAS, async (relay) => {
    const { id } = named(relay, 'Running, Badly');
    for (const args of [
      {},
      { playlist_id: null },
      { playlist_id: id, confirm: true },
      { playlist_id: 'https://example.com/x' },
    ]) {
      assert.equal(codeOf(await relay.call('delete_playlist', args)), 'INVALID_ARGUMENT');
    }
    assert.deepEqual(relay.provider.requests, []);
  }));

test('undoing delete_playlist brings the playlist back, since its ID keeps working', () =>
  withRelay(EXTRAS, async (relay) => {
    const before = listed(relay);
    const { id } = named(relay, 'Running, Badly');
    const { change_id } = await relay.call('delete_playlist', { playlist_id: id });
    const undone = await relay.call('undo_change', { change_id });
    assert.equal(codeOf(undone), undefined, JSON.stringify(undone.error));
    assert.deepEqual([...listed(relay)].sort(), [...before].sort());
    assert.deepEqual(
      await relay.call('undo_change', { change_id: undone.change_id }).then(codeOf),
      undefined,
    );
    assert.deepEqual(
      listed(relay),
      before.filter((one) => one !== id),
    );
  }));
