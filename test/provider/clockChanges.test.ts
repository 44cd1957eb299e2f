import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWindow } from '../../src/base/rateWindow.ts';
import { DAY, HOUR, manualClock } from '../support/clock.ts';
import { owner } from '../support/entries.ts';
import { withClock } from '../support/waiting.ts';

for (const [what, by] of [
  ['back by a day', -DAY],
  ['ahead by a day', DAY],
] as const) {
  test(`with the clock set ${what}, rows that were read are reused for a minute, no more and no less`, () =>
    withClock(async ({ provider, call }, clock) => {
      const playlist = owner(provider).playlists.find(({ rows }) => rows.length > 0);
      const path = `/playlists/${playlist?.id}/items`;
      const read = async () => {
        provider.clearRequests();
        await call('get_playlist_stats', { playlist_id: playlist?.id });
        return provider.requests.some((request) => request.path === path);
      };
      assert.equal(await read(), true);
      clock.setWall(clock.now() + by);
      clock.advance(59_000);
      assert.equal(await read(), false);
      clock.advance(1_000);
      assert.equal(await read(), true);
    }));
}

test('a window of a minute is a minute, whatever happens to the clock', () => {
  const clock = manualClock();
  const window = createWindow(1, clock);
  window.count('a');
  clock.setWall(clock.now() - HOUR);
  assert.equal(window.waitSeconds('a'), 60);
  clock.advance(59_000);
  assert.equal(window.waitSeconds('a'), 1);
  clock.advance(1_000);
  assert.equal(window.waitSeconds('a'), 0);
});
