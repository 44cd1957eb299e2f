/**
 * While relay is not running, another program uses its port. What that program leaves in the owner's browser for the
 * origin must not affect relay's pages later.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { SCRIPT as PAGE_SCRIPT } from '../../src/server/pages/assets.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { withChromium, withoutChromium } from '../support/chromium.ts';
import { send } from '../support/http.ts';
import { freePort } from '../support/loopback.ts';
import { longTest } from '../support/scale.ts';
import { type Relay, withRelay } from '../support/world.ts';

const { path: SCRIPT } = PAGE_SCRIPT;

const WORKER = `
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const headers = { 'content-type': 'text/html' };
  if (event.request.mode === 'navigate') event.respondWith(new Response('<title>taken</title>', { headers }));
});`;

const ANSWERS: Record<string, [type: string, text: string]> = {
  '/worker.js': ['text/javascript', WORKER],
  [SCRIPT]: ['text/javascript', "document.title = 'taken';"],
};

/** Answers on the port during `work`, and lets the browser cache the answers for a year; then frees the port. */
async function holdPort(port: string, work: (origin: string) => Promise<unknown>): Promise<void> {
  const server = createServer((request, response) => {
    const [type, text] = ANSWERS[request.url ?? ''] ?? ['text/html', `<script src="${SCRIPT}"></script>`];
    response
      .writeHead(200, { 'content-type': type, 'cache-control': 'max-age=31536000, immutable' })
      .end(text);
  });
  await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
  await work(`http://127.0.0.1:${port}`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function afterwards(
  before: (page: Page, origin: string) => Promise<unknown>,
  work: (page: Page, relay: Relay) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  await withChromium(async (browser) => {
    const page = await browser.newPage();
    await holdPort(port, (origin) => before(page, origin));
    await page.goto('about:blank');
    const options = { client: false, connect: false, env: { RELAY_PORT: port } };
    await withRelay(options, (relay) => work(page, relay));
  });
}

longTest(
  'pages that another program left in the browser cache get no ticket and are not shown',
  {
    skip: withoutChromium,
  },
  async () => {
    await afterwards(
      async (page, origin) => {
        await page.goto(origin);
        assert.equal(await page.title(), 'taken');
      },
      async (page, relay) => {
        const { client_id } = await newClient(relay.baseUrl);
        await page.goto(authorizeUrl(relay.baseUrl, { client_id }));
        assert.equal(await page.title(), 'Let Story client use your Spotify account? · relay');
        await page.goto((await relay.server.local.ownerTicket({ attemptId: null })).url);
        await page.getByText('You are signed in').waitFor();
        assert.equal(await page.title(), 'relay is running · relay');
      },
    );
  },
);

longTest(
  'a service worker that another program registered ends when the browser next asks for its script',
  {
    skip: withoutChromium,
  },
  async () => {
    await afterwards(
      async (page, origin) => {
        await page.goto(origin);
        await page.evaluate("navigator.serviceWorker.register('/worker.js').then(() => 0)");
        await page.evaluate('navigator.serviceWorker.ready.then(() => 0)');
      },
      async (page, relay) => {
        const { client_id } = await newClient(relay.baseUrl);
        await page.goto(authorizeUrl(relay.baseUrl, { client_id }));
        assert.equal(await page.title(), 'taken');
        // A browser asks for the script by itself some seconds after a visit; the test does not wait for that.
        await page.evaluate(
          'navigator.serviceWorker.getRegistration().then((found) => found.update()).then(() => 0)',
        );
        await page.getByRole('button', { name: 'Approve' }).waitFor();
        assert.equal(await page.title(), 'Let Story client use your Spotify account? · relay');
        assert.equal(
          await page.evaluate('navigator.serviceWorker.getRegistration().then((found) => !found)'),
          true,
        );
      },
    );
  },
);

longTest(
  'every request for a service worker script is answered with a script that ends the worker, but only under our own host names',
  () =>
    withRelay({ client: false, connect: false }, async ({ baseUrl }) => {
      const headers = { 'service-worker': 'script' };
      const asked = await send(`${baseUrl}/any/path.js`, { headers });
      assert.deepEqual(
        [asked.status, asked.headers['content-type'], asked.headers['clear-site-data']],
        [200, 'text/javascript; charset=utf-8', '"cache"'],
      );
      assert.equal((await send(`${baseUrl}/any/path.js`)).status, 404);
      assert.equal(
        (await send(`${baseUrl}/`, { headers: { ...headers, host: 'evil.example' } })).status,
        403,
      );
    }),
);
