/** Relay's pages in the system's Chromium, without a window. One browser serves all tests of a process. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { freePort } from '../support/loopback.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

/** The first one there is taken. The shell is the same browser without a window, and needs half the time. */
const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = process.env.RELAY_CHROMIUM ?? PATHS.find((path) => existsSync(path));

/** Why tests in Chromium are skipped; false if they run. In CI nothing may be skipped, so they fail there instead. */
const withoutChromium =
  executablePath === undefined && process.env.CI !== 'true' ? 'no Chromium: apt-get install chromium' : false;

/** For a machine without a display. Most turn off the browser's own use of the network: tests need only loopback. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Every process of Chromium costs half a second of a processor.
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  '--disable-features=IsolateOrigins,site-per-process,SpareRendererForSitePerProcess',
];
/** Time limit for one step on a slow machine, in milliseconds. */
const PATIENCE_MS = 60_000;

/** The page asks for news twenty times as often. */
const FAST = `{
  const { setTimeout: later } = window;
  window.setTimeout = (work, ms = 0) => later(work, ms > 2_000 ? ms : ms / 20);
}`;

interface Shared {
  browser: Browser;
  /** The profile of all tests. It is never without a page, since the first page of a profile takes longest. */
  profile: BrowserContext;
}

let shared: Promise<Shared> | undefined;

async function launch(): Promise<Shared> {
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  const browser = await chromium.launch({
    executablePath: executablePath ?? '',
    args: ARGUMENTS,
    ...signals,
  });
  browser.on('context', (profile) => profile.setDefaultTimeout(PATIENCE_MS));
  const profile = await browser.newContext();
  await profile.addInitScript(FAST);
  await profile.newPage();
  return { browser, profile };
}

/** After this time, relay no longer expects that Spotify may not show its last writes yet, and does not wait for that. */
export const LONG_MS = 120_000;

interface Scene {
  relay: Relay;
  page: Page;
  /** Sets the relay's clock forward. */
  pass(ms: number): void;
  t: TestContext;
}

interface PageOptions extends Omit<RelayOptions, 'clock'> {
  /** True for a profile of its own, whose clock moves only when the test says so. */
  stopped?: boolean;
}

/**
 * A test with a relay, which keeps its port when it is restarted, and a page in Chromium. Fails if a page of relay has an error in
 * its console, or asks another machine.
 */
export function pageTest(name: string, options: PageOptions, work: (scene: Scene) => Promise<void>): void {
  // An open browser keeps the process alive. If a test of another file follows, it launches a new one.
  after(closeChromium);
  test(name, { skip: withoutChromium }, async (t) => {
    shared ??= launch();
    const { browser, profile: usual } = await shared;
    const profile = options.stopped ? await browser.newContext() : usual;
    if (options.stopped) await profile.clock.install();
    let ahead = 0;
    const pass = (ms: number) => {
      ahead += ms;
    };
    const clock: Clock = {
      now: () => systemClock.now() + ahead,
      monotonic: () => systemClock.monotonic() + ahead,
      sleep: systemClock.sleep,
    };
    const env = { RELAY_PORT: await freePort(), ...options.env };
    const wrong: string[] = [];
    await withRelay({ ...options, clock, env }, async (relay) => {
      const page = await profile.newPage();
      watch(page, relay, wrong);
      await work({ relay, page, pass, t });
    }).finally(() => {
      const [, ...others] = usual.pages();
      // Chromium may never say that a page is closed that was just navigating, so nothing waits for that.
      for (const open of [...others, ...(options.stopped ? profile.pages() : [])])
        open.close().catch(() => {});
    });
    assert.deepEqual(wrong, []);
  });
}

async function closeChromium(): Promise<void> {
  const open = shared;
  shared = undefined;
  await (await open?.catch(() => undefined))?.browser.close();
}

function watch(page: Page, relay: Relay, wrong: string[]): void {
  page.on('console', (message) => {
    // What the page of a stranger is refused is no error of relay's.
    const isOwn = page.url().startsWith(relay.baseUrl);
    if (isOwn && message.type() === 'error' && !REFUSED.test(message.text())) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (request) => {
    if (!OWN.test(request.url())) wrong.push(request.url());
  });
}

/** The console's message about an answer with an error, which the page itself handles. */
const REFUSED = /^Failed to load resource/;
const OWN = /^(https?:\/\/(127\.0\.0\.1|localhost)[:/]|file:|cursor:)/;

/** Opens the owner's page as `relay open` does. */
export async function openSignedIn(page: Page, { server }: Pick<Relay, 'server'>): Promise<void> {
  await page.goto((await server.local.ownerTicket({ attemptId: null })).url);
  await page.getByRole('heading', { name: 'Spotify account' }).waitFor();
}

export const card = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });

/** Presses what asks whether this is meant, and then the button that does it. */
export async function pressTwice(part: Locator, first: string | RegExp, second: string): Promise<void> {
  await part.locator('summary', { hasText: first }).click();
  await part.getByRole('button', { name: second }).click();
}

/** Presses Tab until the focus is on what is called so. */
export async function tabTo(page: Page, label: string, most = 80): Promise<void> {
  for (let presses = 0; presses < most; presses++) {
    await page.keyboard.press('Tab');
    const focused = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent';
    if (String(await page.evaluate(focused)).startsWith(label)) return;
  }
  throw new Error(`the keyboard does not reach ${label}`);
}

/** Drops a file on the page. */
export async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: 'text/plain' }));
    for (const type of ['dragenter', 'dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  }`);
}

/** A web server of somebody else on this machine, until the test ends. Notes the paths and headers that it gets. */
export async function listen(
  test: TestContext,
  answer: (path: string) => { type?: string; text: string; headers?: Record<string, string> },
  port = 0,
): Promise<{ origin: string; asked: string[]; close(): Promise<void> }> {
  const asked: string[] = [];
  const server = createServer(({ url: path = '', headers: sent }, response) => {
    asked.push(`${path} ${JSON.stringify(sent)}`);
    const { type = 'text/html', text, headers } = answer(path);
    response.writeHead(200, { 'content-type': type, ...headers }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  test.after(close);
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}
