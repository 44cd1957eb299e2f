/** When a server that an AI client started ends by itself. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ServerFile } from '../../src/domain/localApi.ts';
import { openMcp } from '../../src/door/client.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { until, withClock } from '../support/waiting.ts';
import { API_KEY, mcpClient, type Relay, withRelay } from '../support/world.ts';

const MINUTE = 60_000;
const STDIO = { client: false, purpose: 'relay stdio' } as const;

/** Watches a server; `ended` is true once it wants to end. */
function watched({ server }: Relay) {
  const state = { ended: false };
  void server.over.then(() => {
    state.ended = true;
  });
  return state;
}

test('ten minutes after the last client and the last request, such a server ends, and no sooner', () =>
  withClock(STDIO, async (relay, clock) => {
    const state = watched(relay);
    const pass = async (ms: number) => {
      for (let left = ms; left > 0 && !state.ended; left -= 10_000) {
        await until(() => state.ended || clock.waiting(10_000) > 0);
        clock.advance(10_000);
      }
    };
    const file = JSON.parse(readFileSync(join(relay.home, 'server.json'), 'utf8')) as ServerFile;
    const { stream } = await openMcp(file, {});
    await pass(30 * MINUTE);
    assert.equal(state.ended, false);
    stream.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await pass(9 * MINUTE);
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
    await fetch(relay.server.mcpUrl, { method: 'POST', headers, body: '{}' });
    await pass(9 * MINUTE);
    assert.equal(state.ended, false);
    await pass(2 * MINUTE);
    await until(() => state.ended);
  }));

test('a job that is parked for hours keeps the server until it has found its songs, and no longer', async () => {
  const clock = jumpingClock();
  await withRelay({ ...STDIO, clock }, async (relay) => {
    const [song] = uniqueTracks(relay, 1);
    relay.provider.faults.add({ path: '/search', kind: 'quota', retryAfterSeconds: 7_200 });
    const client = await mcpClient(relay.server.mcpUrl);
    const asked = { type: 'save_tracks', payload: {}, items: [asQuery(song as never)] };
    const { structuredContent } = await client.callTool({ name: 'create_bulk_job', arguments: asked });
    await client.close();
    const begin = clock.monotonic();
    await relay.server.over;
    const { job_id: id } = structuredContent as { job_id: string };
    assert.equal((await relay.door.getJob({ id })).status, 'ready');
    const hours = (clock.monotonic() - begin) / (60 * MINUTE);
    assert.ok(hours > 2.1 && hours < 3, `${hours} hours`);
  });
});

test('adding a kept playlist says that such a server does not stay for it, and how to have one that does', () =>
  withRelay(STDIO, async ({ door, provider }) => {
    const sql = `select uri from tracks where uri = '${provider.catalogue.tracks[0]?.uri}'`;
    const asked = { playlistId: null, name: 'Kept', sql, every: 'day' as const };
    assert.equal((await door.addKeep({ ...asked, dryRun: true })).warning, undefined);
    const { warning = '' } = await door.addKeep({ ...asked, dryRun: false });
    assert.match(warning, /made once, at the next start\. To have them on time: relay service install\.$/);
  }));
