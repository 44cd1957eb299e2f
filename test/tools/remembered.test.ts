/** Remembered matches: the mark of those that were confirmed although names differ. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../support/entries.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { mcpClient, type Relay, withRelay } from '../support/world.ts';
import { reach } from '../work/jobCalls.ts';

const NAMES = { title: 'A name of my own', artist: 'Nobody at all' };

test('the access to read takes remember_track away', async () => {
  const names = async (client: Relay['client']) => (await client.listTools()).tools.map(({ name }) => name);
  await withRelay({ env: { RELAY_ACCESS: 'read' } }, async ({ client }) => {
    assert.equal((await names(client)).includes('remember_track'), false);
    await assert.rejects(
      client.callTool({ name: 'remember_track', arguments: { track_id: 'x' } }),
      /Unknown tool/,
    );
  });
  await withRelay(async ({ client, server }) => {
    assert.equal((await names(client)).includes('remember_track'), true);
    const narrow = await mcpClient(server.mcpUrl, undefined, { 'x-mcp-access': 'read' });
    assert.equal((await names(narrow)).includes('remember_track'), false);
    await narrow.close();
  });
});

test('a match confirmed although names differ is marked wherever it is used', () =>
  withRelay(async (relay) => {
    const track = at(uniqueTracks(relay, 1), 0);
    await relay.call('remember_track', { track_id: track.uri, ...NAMES, confirm: true });
    await relay.call('remember_track', { track_id: track.uri });
    for (const detail of ['lean', 'full']) {
      const found = await relay.call('find_track_exact', { ...NAMES, detail });
      assert.deepEqual([found.status, found.source, found.confirmed], ['matched', 'alias', true], detail);
      const own = await relay.call('find_track_exact', { ...asQuery(track), detail });
      assert.deepEqual([own.status, 'confirmed' in own], ['matched', false]);
    }
    const bulk = {
      name: 'Mine',
      tracks: [NAMES, asQuery(track)],
      dry_run: true,
    };
    const { job_id } = await relay.call('create_bulk_job', {
      type: 'save_tracks',
      payload: { dry_run: true },
      items: bulk.tracks,
    });
    const job = await settled(relay, String(job_id));
    assert.equal(job.job.confirmed, 1);
    assert.deepEqual(
      job.items.map(({ confirmed }) => confirmed),
      [true, undefined],
    );
    const made = await relay.call('create_playlist_from_tracks', {
      name: 'Mine',
      tracks: bulk.tracks,
      detail: 'lean',
    });
    const { report } = made as { report: Array<{ index: number; status: string; confirmed?: true }> };
    assert.deepEqual(
      report.map(({ index, status, confirmed }) => [index, status, confirmed]),
      [[0, 'matched', true]],
    );
  }));

async function settled(relay: Relay, job_id: string) {
  await reach(relay, job_id, 'completed');
  return (await relay.call('get_job_status', { job_id })) as {
    job: { status: string; confirmed?: number };
    items: Array<{ confirmed?: true }>;
  };
}
