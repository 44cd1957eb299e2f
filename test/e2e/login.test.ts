import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrowser } from '../support/browser.ts';
import { owner } from '../support/entries.ts';
import type { Desk } from '../support/program.ts';
import { withSpotifyDesk } from '../support/spotifyDesk.ts';

const ROTATING = { rotateRefreshTokens: true, env: { LOG_LEVEL: 'trace' } };

test('relay login --no-browser connects through the printed address; no secret is in clear anywhere', () =>
  withSpotifyDesk(ROTATING, async (desk, provider, tokens) => {
    const { server, ready } = await desk.host();
    assert.equal(ready.providerConnected, false);
    assert.equal((await desk.relay(['status'])).code, 3);

    const login = desk.begin(['login', '--no-browser']);
    const [url] = await login.until(/^\s*(http\S+)\s*$/m);
    assert.equal((await createBrowser().open(url.trim())).status, 200);
    const ended = await login.ended;
    assert.equal(ended.code, 0, ended.err);
    assert.ok(ended.out.includes(owner(provider).displayName));

    const called = await desk.relay(['call', 'get_my_playlists', 'limit=1']);
    assert.equal(called.code, 0, called.err);
    provider.expireAccessTokens();
    assert.equal((await desk.relay(['call', 'get_devices'])).code, 0);

    const key = (await desk.relay(['key'])).out.trim();
    assert.equal(tokens.size, 4);
    const code = new URL(url.trim()).searchParams.get('state') ?? '';
    for (const secret of [...tokens, key, code]) {
      assert.deepEqual(desk.filesWith(secret), [], 'in a file');
      assert.ok(!server.err.includes(secret) && !server.out.includes(secret), 'in the log of the server');
      assert.ok(!ended.err.includes(secret), 'in the log of the login');
    }
  }));

test('a restart, also after kill -9, keeps the connection', () =>
  withSpotifyDesk(ROTATING, async (desk) => {
    const first = await desk.serve();
    await connect(desk);
    await first.server.stop('SIGKILL');
    const second = await desk.host();
    assert.equal(second.ready.providerConnected, true);
    assert.equal((await desk.relay(['call', 'get_devices'])).code, 0);
    await second.server.stop();
    const third = await desk.host();
    assert.equal(third.ready.providerConnected, true);
  }));

test('logout disconnects the account, and key rotate makes a new key', () =>
  withSpotifyDesk(ROTATING, async (desk) => {
    await desk.host();
    await connect(desk);
    const out = await desk.relay(['logout']);
    assert.equal(out.code, 0, out.err);
    assert.match(out.out + out.err, /spotify\.com\/account\/apps/);
    assert.equal((await desk.relay(['call', 'get_devices'])).code, 3);
    const before = (await desk.relay(['key'])).out.trim();
    const after = (await desk.relay(['key', 'rotate', '--yes'])).out.trim();
    assert.notEqual(after, before);
    assert.equal((await desk.relay(['key'])).out.trim(), after);
  }));

async function connect(desk: Desk): Promise<void> {
  const login = desk.begin(['login', '--no-browser']);
  const [url] = await login.until(/^\s*(http\S+)\s*$/m);
  await createBrowser().open(url.trim());
  assert.equal((await login.ended).code, 0);
}
