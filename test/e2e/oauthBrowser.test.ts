/** The approval page in a real browser: what a person sees, and that the policies of the page let the answer through. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { READING_MS, signIn } from '../oauth/ownerBrowser.ts';
import { askToken, codeForm } from '../oauth/tokens.ts';
import { picture, screenshots, withChromium, withoutChromium } from '../support/chromium.ts';
import { pluck } from '../support/entries.ts';
import { longTest, sized } from '../support/scale.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

interface Story extends Relay {
  browser: Browser;
  /** A fresh browser profile, which shares no cookies with others. */
  newProfile(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** The address at which a client waits for the browser, and the requests that arrived there. */
  callback: { url: string; arrived: string[] };
}

async function withBrowser(options: RelayOptions, work: (story: Story) => Promise<void>): Promise<void> {
  await withRelay({ client: false, ...options }, async (relay) => {
    const callback = await listenForCallback();
    try {
      await withChromium(async (browser) => {
        const newProfile = (profile: BrowserContextOptions = {}) => browser.newContext(profile);
        await work({ ...relay, browser, newProfile, callback });
      });
    } finally {
      callback.close();
    }
  });
}

async function listenForCallback() {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/callback')) arrived.push(request.url);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back in the client</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, arrived, close };
}

/** Collects what the page's own policies blocked, which only the console shows. */
function watchPolicy(page: Page): string[] {
  const stopped: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|refused to/i.test(message.text())) stopped.push(message.text());
  });
  return stopped;
}

async function registered({ baseUrl, callback }: Story, client_name: string, more: string[] = []) {
  const client = await newClient(baseUrl, { client_name, redirect_uris: [callback.url, ...more] });
  const url = (redirect_uri = callback.url) =>
    authorizeUrl(baseUrl, { client_id: client.client_id, redirect_uri });
  return { client, url };
}

const lastArrival = ({ callback }: Story) =>
  Object.fromEntries(new URL(callback.arrived.at(-1) ?? '', callback.url).searchParams);

const skip = { skip: withoutChromium };

test('a person approves by keyboard, without JavaScript, and is asked again the next time', skip, () =>
  withBrowser({}, async (story) => {
    const { baseUrl, server, callback } = story;
    const first = await registered(story, 'Claude Code (relay)');
    const profile = await story.newProfile({ javaScriptEnabled: false });
    const page = await profile.newPage();
    const stopped = watchPolicy(page);
    await page.goto(first.url());
    await screenshots(page, 'approve');
    await page.keyboard.press('Tab');
    await page.keyboard.type((server.ownerCode ?? '').toLowerCase());
    // If an answer comes before anyone can have read the page, relay asks again.
    await page.waitForTimeout(READING_MS);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${callback.url}?**`);
    const { code, state, iss } = lastArrival(story);
    assert.deepEqual([state, iss], ['some state', baseUrl]);
    const form = { ...codeForm(first.client, code ?? ''), redirect_uri: callback.url };
    assert.equal((await askToken(baseUrl, form)).status, 200);
    await page.goto((await registered(story, 'Cursor')).url());
    assert.equal(await page.getByLabel('Owner code').isVisible(), true);
    assert.deepEqual(stopped, []);
  }),
);

longTest(
  'with JavaScript the code is asked for once per origin; there the next client needs only one click',
  skip,
  () =>
    withBrowser({}, async (story) => {
      const { baseUrl, server, callback } = story;
      const profile = await story.newProfile();
      const page = await profile.newPage();
      const stopped = watchPolicy(page);
      await page.goto((await registered(story, 'Claude Code (relay)')).url());
      // If the field of the code is in view, it has the focus.
      await page.keyboard.type((server.ownerCode ?? '').toLowerCase());
      await page.locator('#approve:enabled').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${callback.url}?**`);
      assert.ok(lastArrival(story).code);

      const second = await registered(story, 'Cursor');
      await page.goto(second.url());
      await page.getByText('This browser is remembered').waitFor();
      await screenshots(page, 'approve-remembered');
      assert.equal(await page.getByLabel('Owner code').isVisible(), false);
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.waitForURL(`${callback.url}?**`);
      assert.ok(lastArrival(story).code);
      const { browsers } = await server.local.listBrowsers();
      assert.deepEqual(pluck(browsers, 'origin'), [baseUrl]);

      // Under another name of the server the browser is not remembered, since each origin has a browser secret of its own.
      const elsewhere = await registered(story, 'Codex');
      await page.goto(elsewhere.url().replace('//127.0.0.1:', '//localhost:'));
      await page.getByLabel('Owner code').waitFor();
      assert.equal(await page.getByText('This browser is remembered').isVisible(), false);

      // Once the server has forgotten its browsers, the code is asked for again.
      await server.local.forgetBrowsers({ id: null });
      await page.goto(elsewhere.url());
      await page.getByLabel('Owner code').waitFor();
      assert.equal(await page.evaluate('localStorage.length'), 0);
      assert.deepEqual(stopped, []);
    }),
);

longTest('a double click that was meant for another page approves nothing', skip, () =>
  withBrowser({}, async (story) => {
    const { server, callback } = story;
    const profile = await story.newProfile();
    const page = await profile.newPage();
    await page.goto(story.baseUrl);
    const secret = await signIn(story);
    await page.evaluate(`localStorage.setItem('relay.owner', ${JSON.stringify(secret)})`);
    const { url } = await registered(story, 'Popunder');
    // Only the test moves the page's clock, so that the result is the same on a slow machine.
    await page.clock.install();
    await page.goto(url());
    const { x = 0, y = 0, width = 0, height = 0 } = (await page.locator('#approve').boundingBox()) ?? {};
    const at = [x + width / 2, y + height / 2] as const;
    // Clicks where the button will be, from before the page loads until just before half a second is over.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.goto('about:blank');
    await page.goto(url(), { waitUntil: 'commit' });
    for (let clicks = 0; clicks < 10; clicks++) await page.mouse.click(...at);
    await page.locator('#approve').waitFor();
    for (let clicks = 0; clicks < 10; clicks++) await page.mouse.click(...at);
    await page.clock.runFor(READING_MS - 1);
    assert.deepEqual(callback.arrived, []);
    // If a window on top closes, the page gets the focus and waits for half a second again.
    await page.clock.runFor(1);
    await page.locator('#approve:enabled').waitFor();
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await page.mouse.click(...at);
    await page.clock.runFor(READING_MS - 1);
    assert.equal(await page.locator('#approve').isDisabled(), true);
    assert.deepEqual(callback.arrived, []);
    assert.deepEqual(
      (await server.local.listClients()).clients.map(({ approvals }) => approvals.length),
      [0],
    );
    // By its own clock, the server refuses an answer to a page that it sent less than half a second ago.
    await page.waitForTimeout(READING_MS);
    await page.clock.runFor(1);
    await page.locator('#approve:enabled').waitFor();
    await page.mouse.click(...at);
    await page.waitForURL(`${callback.url}?**`);
    assert.ok(lastArrival(story).code);
  }),
);

longTest(
  'pressing repeatedly approves nothing; after half a second without a press, one click does',
  skip,
  () =>
    withBrowser({}, async (story) => {
      const { callback } = story;
      const page = await (await story.newProfile()).newPage();
      await page.goto(story.baseUrl);
      const secret = await signIn(story);
      await page.evaluate(`localStorage.setItem('relay.owner', ${JSON.stringify(secret)})`);
      const { url } = await registered(story, 'Clicked for');
      await page.clock.install();
      await page.goto(url());
      await page.locator('#approve:enabled').waitFor();
      const { x = 0, y = 0, width = 0, height = 0 } = (await page.locator('#approve').boundingBox()) ?? {};
      const at = [x + width / 2, y + height / 2] as const;
      await page.clock.pauseAt(Date.now() + 3_600_000);
      const presses: Array<() => Promise<void>> = [
        () => page.mouse.click(...at),
        () => page.mouse.click(5, 5),
        () => page.keyboard.press('Enter'),
        () => page.keyboard.press('Space'),
      ];
      for (const press of presses) {
        await page.goto(url());
        await page.locator('#approve:disabled').waitFor();
        await page.evaluate("document.getElementById('approve').focus()");
        // Eight times a second, for longer than the server itself waits.
        for (let count = 0; count < 12; count++) {
          await press();
          await page.clock.runFor(125);
        }
        await page.waitForTimeout(READING_MS);
        assert.equal(await page.locator('#approve').isDisabled(), true);
        assert.deepEqual(callback.arrived, []);
      }
      await page.clock.runFor(READING_MS);
      // This click is not at the old place, since the space bar has scrolled the page.
      await page.locator('#approve').click();
      await page.waitForURL(`${callback.url}?**`);
      assert.ok(lastArrival(story).code);
    }),
);

longTest('a person can deny with the code field still empty', skip, () =>
  withBrowser({}, async (story) => {
    const { url } = await registered(story, 'Nobody asked for this');
    const page = await (await story.newProfile()).newPage();
    await page.goto(url());
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${story.callback.url}?**`);
    assert.equal(lastArrival(story).error, 'access_denied');
  }),
);

longTest('a wrong code is reported beside the field; the right one then works', skip, () =>
  withBrowser({ connect: false }, async (story) => {
    const { url } = await registered(story, 'Claude Code (relay)');
    const page = await (await story.newProfile()).newPage();
    await page.goto(url());
    await page.getByLabel('Owner code').fill('AAAA-AAAA');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alert').waitFor();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /not the owner code/);
    await screenshots(page, 'approve-wrong-code');
    const described = await page.getByLabel('Owner code').getAttribute('aria-describedby');
    assert.equal(described, 'code-hint code-problem');
    await page.getByLabel('Owner code').fill(story.server.ownerCode ?? '');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(`${story.callback.url}?**`);
    assert.ok(lastArrival(story).code);
  }),
);

longTest('the browser that relay login opens is signed in, and its history has no ticket', skip, () =>
  withBrowser({ connect: false }, async (story) => {
    const { url } = await registered(story, 'Codex');
    const page = await (await story.newProfile()).newPage();
    const { attemptId } = await story.server.local.startLogin({ switchAccount: false });
    const { url: ticketUrl } = await story.server.local.ownerTicket({ attemptId });
    await page.goto(ticketUrl);
    await page.getByText('Your Spotify account is connected').first().waitFor();
    await screenshots(page, 'connected');
    await page.goto(url());
    await page.getByText('This browser is remembered').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(`${story.callback.url}?**`);
    assert.ok(lastArrival(story).code);
    // The same link in another browser: it was used before.
    const other = await (await story.newProfile()).newPage();
    await other.goto(ticketUrl);
    await other.getByText('This link was used before').waitFor();
    assert.equal(other.url(), `${new URL(ticketUrl).origin}/`);
    await screenshots(other, 'home-used-ticket');
    assert.equal(await other.evaluate('localStorage.length'), 0);
  }),
);

const SMALL: ReadonlyArray<readonly [what: string, width: number, height: number]> = [
  ['old-phone', 320, 568],
  ['phone', 360, 740],
  ['zoomed', 640, 360],
  ['popup', 420, 260],
  ['low-phone', 320, 480],
  ['zoomed-far', 320, 256],
  ['narrow', 200, 640],
];

/** The end of this host says whose it is. */
const LONG_HOST = `${['a', 'b', 'c'].map((letter) => letter.repeat(60)).join('.')}.example.com`;

for (const [what, width, height] of SMALL.slice(0, sized(SMALL.length, 1))) {
  longTest(
    `who asks, for what, and where the answer goes are in view when the page opens: ${width}x${height}`,
    skip,
    () =>
      withBrowser({}, async (story) => {
        const long = 'A client with quite a long name that somebody has chosen here';
        const usual = new URL(story.callback.url).host;
        const clients = [
          ['short', 'Claude Code (relay)', story.callback.url, usual],
          ['long', long, story.callback.url, usual],
          ['wide', 'W'.repeat(60), `https://${LONG_HOST}/callback`, '.example.com'],
        ] as const;
        for (const [kind, name, target, host] of clients) {
          for (const javaScriptEnabled of [true, false]) {
            const { url } = await registered(story, name, [target]);
            const profile = await story.newProfile({ viewport: { width, height }, javaScriptEnabled });
            const page = await profile.newPage();
            // A client may add a fragment that points further down the page.
            await page.goto(`${url(target)}#approve`);
            if (javaScriptEnabled) await page.locator('#approve:enabled').waitFor();
            for (const colorScheme of ['light', 'dark'] as const) {
              await page.emulateMedia({ colorScheme });
              await picture(page, `approve-${what}-${kind}-${colorScheme}`);
            }
            const facts = await page.locator('.facts > div, h1').all();
            assert.equal(facts.length, 5);
            for (const fact of facts) {
              const box = await fact.boundingBox();
              const text = (await fact.textContent()) ?? '';
              assert.ok(box && box.y >= 0 && box.y + box.height <= height, `${text}: ${JSON.stringify(box)}`);
              assert.ok(box.x >= 0 && box.x + box.width <= width, `${text}: ${JSON.stringify(box)}`);
            }
            const all = (await page.locator('.facts').textContent()) ?? '';
            const { displayName } = story.provider.accounts[0] ?? {};
            for (const fact of [name.slice(0, 59), host, displayName ?? '?']) {
              assert.ok(all.includes(fact), fact);
            }
            // The page has not scrolled, and is not wider than the screen.
            if (javaScriptEnabled) {
              assert.deepEqual(await page.evaluate('[scrollY, document.documentElement.scrollWidth]'), [
                0,
                width,
              ]);
            }
            await profile.close();
          }
        }
      }),
  );
}

longTest(
  'an app with its own URL scheme gets the answer, and a website is marked as not on this computer',
  skip,
  () =>
    withBrowser({}, async (story) => {
      const app = 'cursor://anysphere.cursor-mcp/oauth/callback';
      const website = 'https://collect.example/oauth/callback';
      const { url } = await registered(story, 'Cursor', [app, website]);
      const page = await (await story.newProfile()).newPage();
      const stopped = watchPolicy(page);
      await page.goto(url(website));
      assert.ok(await page.getByText('Not on this computer').isVisible());
      await screenshots(page, 'approve-website');

      await page.goto(url(app));
      await screenshots(page, 'approve-app');
      await page.getByLabel('Owner code').fill(story.server.ownerCode ?? '');
      const answered = page.waitForResponse((response) => response.url().endsWith('/oauth/authorize'));
      const handedOver = page.waitForEvent('request', (request) => request.url().startsWith('cursor:'));
      await page.getByRole('button', { name: 'Approve' }).click();
      const answer = await answered;
      assert.equal(answer.status(), 303);
      assert.ok(answer.headers().location?.startsWith(`${app}?code=`));
      // A policy that limits where forms lead would have blocked this request.
      assert.ok((await handedOver).url().startsWith(`${app}?code=`));
      // The page stays open beside the app. It says so, and a second click cannot approve again.
      await page.getByText('you can close this page').waitFor();
      await screenshots(page, 'approve-app-opened');
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await page.waitForTimeout(2 * READING_MS);
      assert.equal(await page.getByRole('button').count(), 0);
      assert.deepEqual(stopped, []);

      // A headless Chromium takes no more clicks in a page that has opened an app.
      const other = await page.context().newPage();
      await other.goto(url(app));
      await other.getByRole('button', { name: 'Deny' }).click();
      await other.getByText('you can close this page').waitFor();
      assert.equal(await other.getByRole('button').count(), 0);
    }),
);

longTest('a client that cannot be trusted ends on a page that says so', skip, () =>
  withBrowser({}, async (story) => {
    const page = await (await story.newProfile()).newPage();
    await page.goto(authorizeUrl(story.baseUrl, { client_id: 'stranger' }));
    assert.ok(await page.getByRole('heading', { name: 'This client cannot be connected' }).isVisible());
    await screenshots(page, 'wrong-client');
    assert.deepEqual(story.callback.arrived, []);
  }),
);
