import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { endsong, userdata, zipped } from '../library/plays/exports.ts';
import { linesOf } from '../support/entries.ts';
import { withDesk } from '../support/program.ts';
import { until } from '../support/until.ts';
import { mcpClient } from '../support/world.ts';

test('the demo is ready with an account, and a second terminal and a client use it', () =>
  withDesk({}, async (desk) => {
    const { server, ready } = await desk.serve(['--demo']);
    const { version, baseUrl, ...rest } = ready;
    assert.deepEqual(rest, {
      event: 'ready',
      pid: server.pid,
      mcpUrl: `${baseUrl}/mcp`,
      providerConnected: true,
      demo: true,
    });
    assert.match(version, /^\d/);

    const called = await desk.relay(['call', 'search_tracks', 'query=carousel', 'limit=3', '--json']);
    assert.equal(called.code, 0);
    assert.equal(JSON.parse(called.out).items.length, 3);
    assert.match(called.err, /demo/i);

    // Log lines are written together, a moment after the call.
    let log = '';
    await until(async () => {
      log = (await desk.relay(['logs', '--json'])).out;
      return log.includes('tool call done');
    });
    assert.equal(JSON.parse(linesOf(log).at(-1) ?? '').tool, 'search_tracks');

    const { key } = JSON.parse((await desk.relay(['key', '--json'])).out);
    const client = await mcpClient(ready.mcpUrl, key);
    const { structuredContent } = await client.callTool({
      name: 'get_my_playlists',
      arguments: { all: true },
    });
    assert.ok((structuredContent as { items: unknown[] }).items.length >= 12);
    await client.close();

    const { code, out } = await server.stop('SIGTERM');
    assert.equal(code, 0);
    assert.match(out, /\{"event":"stopped"\}/);
  }));

test("the demo takes anybody's listening history, since its account is invented", () =>
  withDesk({}, async (desk) => {
    await desk.host(['--demo']);
    const path = join(desk.home, 'my_spotify_data.zip');
    const at = '2019-05-01T10:00:00Z';
    const files = { 'Userdata.json': userdata('vera'), 'endsong_0.json': [endsong({ at }, 'vera')] };
    await writeFile(path, zipped(files));
    const { code, out, err } = await desk.relay(['import', path, '--json']);
    const { plays } = JSON.parse(out || err);
    assert.deepEqual([code, plays.read, plays.added, plays.total, plays.from], [0, 1, 1, 1, at]);
  }));

test('the demo also runs on the IPv6 loopback address', () =>
  withDesk({ RELAY_HOST: '::1' }, async (desk) => {
    const { ready } = await desk.host(['--demo']);
    assert.deepEqual([ready.providerConnected, new URL(ready.baseUrl).hostname], [true, '[::1]']);
    assert.equal((await desk.relay(['call', 'get_devices'])).code, 0);
  }));
