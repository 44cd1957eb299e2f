/** `relay login` without any action by a person: from the file that the browser opens to the connected account. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { withChromium, withoutChromium } from '../support/chromium.ts';
import { relay as runRelay } from '../support/cli.ts';
import { pluck } from '../support/entries.ts';
import { longTest } from '../support/scale.ts';
import { ENCRYPTION_KEY, withRelay } from '../support/world.ts';

const PUBLIC = {
  PUBLIC_BASE_URL: 'https://relay.example.test',
  MCP_OAUTH_OWNER_SECRET: 'a long owner secret 4711',
};

for (const [where, env] of [
  ['', {}],
  [', also behind PUBLIC_BASE_URL', PUBLIC],
] as const) {
  const title = `relay login opens a browser that signs in and connects the account without a click${where}`;
  longTest(title, { skip: withoutChromium }, () =>
    withRelay({ connect: false, client: false, env }, async ({ home, server }) => {
      await withChromium(async (browser) => {
        const page = await browser.newPage();
        const opened: string[] = [];
        const referers: string[] = [];
        page.on('request', (request) => referers.push(request.headers().referer ?? ''));
        const ended = await runRelay(['login', '--timeout', '60'], {
          env: { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY },
          openBrowser: async (path) => {
            opened.push(path);
            await page.goto(`file://${path}`);
          },
        });
        await page.getByText('Your Spotify account is connected').first().waitFor();
        assert.equal(ended.code, 0, ended.err);
        assert.match(ended.out, /^Connected as /m);
        assert.doesNotMatch(ended.out + ended.err + referers.join(' '), /ticket/);
        assert.deepEqual(
          opened.map((path) => existsSync(path)),
          [false],
        );
        assert.match(String(await page.evaluate("localStorage.getItem('relay.owner')")), /^[\w-]{43}$/);
        const { browsers } = await server.local.listBrowsers();
        assert.deepEqual(pluck(browsers, 'origin'), [new URL(page.url()).origin]);
      });
    }),
  );
}

longTest(
  'without JavaScript the page says how to continue, and doing that connects the account',
  {
    skip: withoutChromium,
  },
  () =>
    withRelay({ connect: false, client: false }, async ({ home }) => {
      await withChromium(async (browser) => {
        const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
        let shown = '';
        const ended = await runRelay(['login', '--timeout', '60'], {
          env: { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY },
          // On a terminal the printed address starts the login. Elsewhere it leads to the owner's page, which needs JavaScript.
          terminal: { stdout: true, stderr: true },
          onOut(all) {
            shown = /http:\S+/.exec(all)?.[0] ?? '';
          },
          openBrowser: async (path) => {
            await page.goto(`file://${path}`);
            await page.waitForURL(/^http:/);
            assert.match(
              await page.locator('noscript').innerText(),
              /open the address that relay login shows/,
            );
            await page.goto(shown);
          },
        });
        assert.equal(ended.code, 0, ended.err);
        assert.match(ended.out, /^Connected as /m);
      });
    }),
);
