/** The approval page in a real browser: what a person sees, and that the policies of the page let the answer through. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { askToken, authorizeUrl, codeForm, newClient } from '../oauth/support.ts';
import { screenshots, withChromium, withoutChromium } from '../support/chromium.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

interface Story extends Relay {
  browser: Browser;
  /** A fresh profile: another browser as far as cookies go. */
  newProfile(options?: { javaScriptEnabled?: boolean }): Promise<BrowserContext>;
  /** Where a client on this machine waits for the browser, and what came. */
  callback: { url: string; arrived: string[] };
}

async function withBrowser(options: RelayOptions, work: (story: Story) => Promise<void>): Promise<void> {
  await withRelay({ client: false, ...options }, async (relay) => {
    const callback = await listenForCallback();
    try {
      await withChromium(async (browser) => {
        const newProfile = (profile: { javaScriptEnabled?: boolean } = {}) => browser.newContext(profile);
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

/** What the page's own policies stopped; it would only show in the console. */
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

test(
  'a person approves by keyboard, without JavaScript, and the next client is one click',
  skip,
  async () => {
    await withBrowser({}, async (story) => {
      const { baseUrl, server, callback } = story;
      const first = await registered(story, 'Claude Code (relay)');
      const profile = await story.newProfile({ javaScriptEnabled: false });
      const page = await profile.newPage();
      const stopped = watchPolicy(page);
      await page.goto(first.url());
      await screenshots(page, 'approve');
      // The code's field has the focus.
      await page.keyboard.type((server.ownerCode ?? '').toLowerCase());
      await page.keyboard.press('Enter');
      await page.waitForURL(`${callback.url}?**`);
      const { code, state, iss } = lastArrival(story);
      assert.deepEqual([state, iss], ['some state', baseUrl]);
      const form = { ...codeForm(first.client, code ?? ''), redirect_uri: callback.url };
      assert.equal((await askToken(baseUrl, form)).status, 200);

      const second = await registered(story, 'Cursor');
      await page.goto(second.url());
      await screenshots(page, 'approve-signed-in');
      assert.equal(await page.getByLabel('Owner code').count(), 0);
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.waitForURL(`${callback.url}?**`);
      assert.ok(lastArrival(story).code);
      assert.deepEqual(stopped, []);
    });
  },
);

test('a person denies with the field still empty', skip, async () => {
  await withBrowser({}, async (story) => {
    const { url } = await registered(story, 'Nobody asked for this');
    const page = await (await story.newProfile()).newPage();
    await page.goto(url());
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${story.callback.url}?**`);
    assert.equal(lastArrival(story).error, 'access_denied');
  });
});

test('a wrong code is told beside the field; the right one then works', skip, async () => {
  await withBrowser({ connect: false }, async (story) => {
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
  });
});

test('an app with links of its own is reached, and a website is marked as one', skip, async () => {
  await withBrowser({}, async (story) => {
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
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    const handedOver = page.waitForEvent('request', (request) => request.url().startsWith('cursor:'));
    await page.getByRole('button', { name: 'Approve' }).click();
    const answer = await answered;
    assert.equal(answer.status(), 303);
    assert.ok(answer.headers().location?.startsWith(`${app}?code=`));
    // A policy that limits where forms lead would have stopped it before this request was made.
    assert.ok((await handedOver).url().startsWith(`${app}?code=`));
    assert.deepEqual(stopped, []);
  });
});

test('a client that cannot be trusted ends on a page that says so', skip, async () => {
  await withBrowser({}, async (story) => {
    const page = await (await story.newProfile()).newPage();
    await page.goto(authorizeUrl(story.baseUrl, { client_id: 'stranger' }));
    assert.ok(await page.getByRole('heading', { name: 'This client cannot be connected' }).isVisible());
    await screenshots(page, 'wrong-client');
    assert.deepEqual(story.callback.arrived, []);
  });
});
