import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrowser } from '../support/browser.ts';
import { owner } from '../support/entries.ts';
import { withDesk } from '../support/program.ts';
import { settingsFor, startSimulator } from '../support/simulator/simulator.ts';

test('relay login --no-browser connects through the printed address; no secret is in clear, and kill -9 keeps the login', async (t) => {
  const provider = await startSimulator({ rotateRefreshTokens: true });
  t.after(() => provider.close());
  const tokens = new Set<string>();
  const fn = (body: unknown) => {
    const { access_token, refresh_token } = body as Record<string, string | undefined>;
    for (const token of [access_token, refresh_token]) if (token) tokens.add(token);
    return body;
  };
  provider.faults.add({ path: /\/api\/token$/, kind: 'transform', times: Number.POSITIVE_INFINITY, fn });
  await withDesk({ ...settingsFor(provider), LOG_LEVEL: 'trace' }, async (desk) => {
    const { server, ready } = await desk.serve();
    assert.equal(ready.providerConnected, false);
    assert.equal((await desk.relay(['status'])).code, 3);

    const login = desk.begin(['login', '--no-browser']);
    const [url] = await login.until(/^\s*(http\S+)\s*$/m);
    assert.equal((await createBrowser().open(url.trim())).status, 200);
    const ended = await login.ended;
    assert.equal(ended.code, 0, ended.err);
    assert.ok(ended.out.includes(owner(provider).displayName));

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
    await server.stop('SIGKILL');
    assert.equal((await desk.host()).ready.providerConnected, true);
    assert.equal((await desk.relay(['call', 'get_devices'])).code, 0);
  });
});
