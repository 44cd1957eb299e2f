import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrowser } from '../support/browser.ts';
import { owner } from '../support/entries.ts';
import type { Desk } from '../support/program.ts';
import { longTest } from '../support/scale.ts';
import { withSpotifyDesk } from '../support/spotifyDesk.ts';

const ROTATING = { rotateRefreshTokens: true, env: { LOG_LEVEL: 'trace' } };

longTest(
  'relay login --no-browser connects through the printed address; no secret is in clear anywhere',
  () =>
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
    }),
);

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

longTest('without a running server, relay login starts one until the login has ended', () =>
  withSpotifyDesk(ROTATING, async (desk, provider) => {
    const login = desk.begin(['login', '--no-browser', '--json'], { RELAY_PORT: '0' });
    const [, url = ''] = await login.until(/"event":"login_url".*"url":"([^"]+)"/);
    await createBrowser().open(url);
    const ended = await login.ended;
    assert.equal(ended.code, 0, ended.err);
    assert.equal((await desk.relay(['status'])).code, 4);
    const { ready } = await desk.host();
    assert.equal(ready.providerConnected, true);
    const status = await desk.relay(['status', '--json']);
    assert.equal(status.code, 0);
    assert.equal(JSON.parse(status.out).account.name, owner(provider).displayName);
  }),
);

longTest('with the key lost, relay login --start-over starts over and the new login works', () =>
  withSpotifyDesk(ROTATING, async (desk) => {
    const lost = { RELAY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') };
    const { server } = await desk.host([], lost);
    await server.stop();
    assert.equal((await desk.relay(['serve', '--port', '0'])).code, 3);
    // Without a terminal nobody can be asked, and the key may be found again.
    const unasked = await desk.relay(['login', '--no-browser'], { env: { RELAY_PORT: '0' } });
    assert.deepEqual([unasked.code, unasked.out], [3, '']);
    const login = desk.begin(['login', '--no-browser', '--json', '--start-over'], { RELAY_PORT: '0' });
    const [, url = ''] = await login.until(/"event":"login_url".*"url":"([^"]+)"/);
    await createBrowser().open(url);
    assert.equal((await login.ended).code, 0);
    const { ready } = await desk.host();
    assert.equal(ready.providerConnected, true);
  }),
);

longTest('after a login in a browser on another machine, the address of its last page can be pasted', () =>
  withSpotifyDesk(ROTATING, async (desk) => {
    await desk.host();
    const login = desk.begin(['login', '--no-browser']);
    const [url] = await login.until(/^\s*(http\S+)\s*$/m);
    const approved = await createBrowser().step(url.trim());
    login.write('nonsense\n');
    login.write(`${approved.headers.get('location')}\n`);
    const ended = await login.ended;
    assert.equal(ended.code, 0, ended.err);
  }),
);

longTest('a login that nobody finishes times out, and one that is declined says so', () =>
  withSpotifyDesk(ROTATING, async (desk, provider) => {
    await desk.host();
    const late = await desk.relay(['login', '--no-browser', '--timeout', '1']);
    assert.equal(late.code, 1);
    assert.match(late.err, /relay login/);
    provider.denyNextLogin();
    const login = desk.begin(['login', '--no-browser']);
    const [url] = await login.until(/^\s*(http\S+)\s*$/m);
    await createBrowser().open(url.trim());
    const ended = await login.ended;
    assert.equal(ended.code, 1);
    assert.match(ended.err, /declined/);
  }),
);

longTest('logout disconnects the account, and key rotate makes a new key', () =>
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
  }),
);

async function connect(desk: Desk): Promise<void> {
  const login = desk.begin(['login', '--no-browser']);
  const [url] = await login.until(/^\s*(http\S+)\s*$/m);
  await createBrowser().open(url.trim());
  assert.equal((await login.ended).code, 0);
}
