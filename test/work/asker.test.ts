import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ServerFile } from '../../src/domain/localApi.ts';
import { openMcp } from '../../src/door/client.ts';
import { connect } from '../oauth/tokens.ts';
import { pluck } from '../support/entries.ts';
import { tracks } from '../support/playlists.ts';
import { mcpClient, type Relay, withRelay } from '../support/world.ts';

/** Saves a track as a client of `relay stdio` that says its name. */
async function saveAtDoor({ home }: Relay, name: string, uri: string): Promise<void> {
  const file = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as ServerFile;
  const { stream, lines } = await openMcp(file, {});
  const ask = async (id: number, method: string, params: object) => {
    stream.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    await lines.next();
  };
  const clientInfo = { name, version: '1' };
  await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  await ask(2, 'tools/call', { name: 'save_tracks', arguments: { track_ids: [uri] } });
  stream.destroy();
}

test('the history names who asked: the key, an approved client, and one of relay stdio by the name it gives', () =>
  withRelay({ env: { RELAY_ACCESS: 'everything' } }, async (relay) => {
    const [one, two, three = ''] = tracks(relay, 3, 7_000);
    const { tokens } = await connect(relay, { client_name: 'Desk player' });
    const client = await mcpClient(`${relay.baseUrl}/mcp`, tokens.access_token);
    await client.callTool({ name: 'save_tracks', arguments: { track_ids: [one] } });
    await client.close();
    await relay.call('save_tracks', { track_ids: [two] });
    await saveAtDoor(relay, 'Some editor', three);
    const { items } = await relay.call('list_changes');
    assert.deepEqual(pluck(items as Array<{ asked_by: string }>, 'asked_by'), [
      'Some editor',
      'API key',
      'Desk player',
    ]);
  }));
