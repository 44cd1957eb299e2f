/**
 * A program on this machine tries to get access without approval. It listens on other ports of every loopback name, keeps
 * everything that a browser sends it, and then uses that in HTTP requests of its own.
 */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { ownerBrowser } from '../oauth/ownerBrowser.ts';
import { withChromium, withoutChromium } from '../support/chromium.ts';
import { send } from '../support/http.ts';
import { longTest, sized } from '../support/scale.ts';
import { type Relay, withRelay } from '../support/world.ts';

interface Attacker {
  /** The attacker's redirect URI as the browser names it: `http://[::1]:5000/cb`. */
  callback: string;
  seen: Array<{ url: string; headers: IncomingHttpHeaders }>;
  close(): void;
}

const NAMES = ['127.0.0.1', 'localhost', '[::1]'];

async function listenAt(name: string): Promise<Attacker> {
  const seen: Attacker['seen'] = [];
  const server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Thank you</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, name === '[::1]' ? '::1' : '127.0.0.1', resolve));
  const callback = `http://${name}:${(server.address() as AddressInfo).port}/cb`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { callback, seen, close };
}

async function press(page: Page, button: 'Approve' | 'Deny'): Promise<void> {
  const gone = page.waitForURL(/\/cb\?/);
  await page.getByRole('button', { name: button }).click();
  await gone;
}

/** The owner signs in, approves, denies, follows a malformed request and logs in. Each time the browser visits the attacker. */
async function visits(page: Page, relay: Relay, base: string, clientId: string, attacker: Attacker) {
  const url = (state: string, more: Record<string, string> = {}) =>
    authorizeUrl(base, { client_id: clientId, redirect_uri: attacker.callback, state, ...more });
  await page.goto(url('approved'));
  await page.getByLabel('Owner code').fill(relay.server.ownerCode ?? '');
  await press(page, 'Approve');
  await page.goto(url('denied'));
  await press(page, 'Deny');
  await page.goto(url('malformed', { response_type: 'token' }));
  await page.goto(attacker.callback);
  const { browserUrl } = await relay.server.local.startLogin({ switchAccount: false });
  await page.goto(browserUrl.replace('127.0.0.1', new URL(base).hostname));
  await page.getByText('Your Spotify account is connected').first().waitFor();
  await page.goto(attacker.callback);
  await page.evaluate(`fetch(${JSON.stringify(`${base}/owner/check`)}, { method: 'POST' }).catch(() => {})`);
}

// The first name is that of the server's own URL; a test of reduced size tries no other name.
for (const name of NAMES.slice(0, sized(3, 1))) {
  longTest(
    `what a browser sends to another port of ${name} is not enough to approve or sign in`,
    {
      skip: withoutChromium,
    },
    () =>
      withRelay({ client: false }, async (relay) => {
        const attackers = await Promise.all(NAMES.map(listenAt));
        const base = relay.baseUrl.replace('127.0.0.1', name);
        const client = await newClient(relay.baseUrl, {
          redirect_uris: attackers.map(({ callback }) => callback),
        });
        try {
          await withChromium(async (browser) => {
            const page = await browser.newPage();
            const attacker = attackers[NAMES.indexOf(name)] as Attacker;
            await visits(page, relay, base, client.client_id, attacker);
            for (const { callback } of attackers) await page.goto(callback);
          });
          for (const attacker of attackers) {
            assert.ok(attacker.seen.length > 0);
            await attack(relay, base, client.client_id, attacker);
          }
        } finally {
          for (const attacker of attackers) attacker.close();
        }
      }),
  );
}

async function attack(
  relay: Relay,
  base: string,
  clientId: string,
  { callback, seen }: Attacker,
): Promise<void> {
  const before = await approvals(relay);
  const thief = ownerBrowser(base);
  for (const { headers } of seen) {
    for (const pair of (headers.cookie ?? '').split('; ').filter(Boolean)) {
      const [cookie = '', value = ''] = pair.split('=');
      thief.cookies.set(cookie, value);
    }
  }
  const cookie = [...thief.cookies].map(([one, value]) => `${one}=${value}`).join('; ');
  const finds = new Set(JSON.stringify(seen).match(/[\w-]{20,}/g));
  for (const state of ['denied', 'a request of its own']) {
    const url = authorizeUrl(base, { client_id: clientId, redirect_uri: callback, state });
    const page = await thief.open(url);
    if (page.status !== 403) {
      const answer = await thief.submit(page, 'approve');
      assert.equal(answer.headers.location, undefined, `${state}: approved with ${cookie}`);
    }
    // This browser need not wait before it answers, since the page has been open for long enough by now.
    const quick = ownerBrowser(base, { readingMs: 0 });
    for (const [one, value] of thief.cookies) quick.cookies.set(one, value);
    for (const owner_proof of page.status === 403 ? [] : finds) {
      const answer = await quick.submit(page, 'approve', { owner_proof, owner_code: null });
      assert.equal(answer.headers.location, undefined, `${state}: approved with ${owner_proof}`);
    }
  }
  for (const found of finds) {
    const headers = { cookie, origin: base, 'content-type': 'application/json', 'x-relay-owner': found };
    for (const path of ['check', 'ticket', 'code']) {
      const body = JSON.stringify({ ticket: found, code: found });
      const answer = await send(`${base}/owner/${path}`, { method: 'POST', headers, body });
      assert.ok(answer.status >= 400, `${path} with ${found}`);
    }
  }
  assert.equal(await approvals(relay), before);
}

/** Approvals that the owner gave, whether or not their code was exchanged. */
async function approvals(relay: Relay): Promise<number> {
  await relay.server.local.saveState();
  const { default: initSqlJs } = await import('sql.js');
  const { readFile } = await import('node:fs/promises');
  const { Database } = await initSqlJs();
  const state = new Database(await readFile(`${relay.home}/relay.db`));
  const [counted] = state.exec('select count(*) from oauth_grants');
  state.close();
  return Number(counted?.values[0]?.[0]);
}
