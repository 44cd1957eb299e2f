import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createBrowser } from '../support/browser.ts';
import { type Desk, withDesk } from '../support/program.ts';
import { withSpotifyDesk } from '../support/spotifyDesk.ts';

const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

async function ok(desk: Desk, ...args: string[]): Promise<string> {
  const { code, out, err } = await desk.relay(args);
  assert.equal(code, 0, err);
  return out;
}

async function aliases(desk: Desk): Promise<number> {
  return JSON.parse(await ok(desk, 'call', 'get_state_diagnostics', '--json')).counts.aliases;
}

test('the state of a running server is backed up, and can be restored after later changes', () =>
  withSpotifyDesk({}, async (desk, provider, tokens) => {
    const { server, ready } = await desk.host();
    assert.equal((await createBrowser().open(`${ready.baseUrl}/auth/provider/login`)).status, 200);
    const [song, other] = provider.catalogue.tracks.filter(({ name }) => /^[A-Za-z ]{12,}$/.test(name));
    const remember = (track: typeof song) => ok(desk, 'call', 'remember_track', `track_id=${track?.id}`);
    await remember(song);
    const key = await ok(desk, 'key');
    const known = await aliases(desk);

    const copy = join(desk.home, 'copies of relay.backup');
    const made = await desk.relay(['backup', copy]);
    assert.deepEqual([made.code, made.out.includes(copy)], [0, true], made.err);
    assert.match(made.err, /master\.key too\.\n/);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    for (const secret of [...tokens, key.trim()]) assert.deepEqual(desk.filesWith(secret), []);
    assert.equal(tokens.size, 2);

    const refused = await desk.relay(['restore', copy]);
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.ok(refused.err.includes(`pid ${ready.pid}, ${ready.baseUrl}`), refused.err);

    await remember(other);
    const rotated = await ok(desk, 'key', 'rotate', '--yes');
    assert.notEqual(rotated, key);
    await ok(desk, 'logout');
    assert.equal(await aliases(desk), known + 1);
    await server.stop();
    const present = digest(join(desk.home, 'relay.db'));

    const restored = JSON.parse(await ok(desk, 'restore', copy, '--json'));
    assert.deepEqual([restored.aliases, digest(restored.keptPath)], [known, present]);
    const again = await desk.host();
    assert.equal(again.ready.providerConnected, true);
    assert.equal(await aliases(desk), known);
    assert.equal(await ok(desk, 'key'), rotated);
    await ok(desk, 'call', 'get_devices');
  }));

test('a copy of the demo is made while it runs, and restored to its own home', () =>
  withDesk({}, async (desk) => {
    const { server } = await desk.host(['--demo']);
    const copy = join(desk.home, 'demo.backup');
    const made = await desk.relay(['backup', copy, '--json']);
    assert.deepEqual([made.code, JSON.parse(made.out).demo], [0, true], made.err);
    assert.deepEqual(readdirSync(desk.home).sort(), ['demo', 'demo.backup']);
    const key = await ok(desk, 'key', 'rotate', '--yes');
    await server.stop();
    await ok(desk, '--home', join(desk.home, 'demo'), 'restore', copy);
    const again = await desk.host(['--demo']);
    assert.equal(again.ready.providerConnected, true);
    assert.equal(await ok(desk, 'key'), key);
  }));
