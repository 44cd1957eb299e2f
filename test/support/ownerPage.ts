/** The owner's page in a real browser. Notes errors in the console and requests to other hosts. */
import assert from 'node:assert/strict';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { withChromium, withoutChromium } from './chromium.ts';
import { assertNone } from './entries.ts';
import type { longTest } from './scale.ts';
import { type Relay, type RelayOptions, withRelay } from './world.ts';

/** Leaves tests out if there is no Chromium. CI always has one. */
export const inChromium = (run: typeof longTest): typeof longTest => (withoutChromium ? () => {} : run);

export interface OwnerPage {
  page: Page;
  /** Fails if the console had an error, or the page sent a request to another host. */
  assertQuiet(): void;
}

/** The console's message for an error answer that a test expects. */
export const REFUSED = /^Failed to load resource/;

interface PageOptions extends BrowserContextOptions {
  /** Errors that the test expects. */
  expected?: RegExp;
}

/**
 * Runs `work` with a relay and one of its pages in Chromium. Fails unless the page stayed quiet.
 * @param options.page the options for `newPage`
 */
export async function withPage(
  { page: pageOptions, ...options }: RelayOptions & { page?: PageOptions },
  work: (relay: Relay, page: Page, browser: Browser) => Promise<void>,
): Promise<void> {
  await withRelay(options, (relay) =>
    withChromium(async (browser) => {
      const { page, assertQuiet } = await newPage(browser, relay, pageOptions);
      await work(relay, page, browser);
      assertQuiet();
    }),
  );
}

/** A page with a new profile. */
export async function newPage(
  browser: Browser,
  relay: Pick<Relay, 'baseUrl' | 'provider'>,
  options: PageOptions = {},
): Promise<OwnerPage> {
  const { expected, ...profile } = options;
  const page = await (await browser.newContext(profile)).newPage();
  const errors: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected?.test(message.text())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  const own = [new URL(relay.baseUrl).host, new URL(relay.provider.accountsUrl).host];
  return {
    page,
    assertQuiet() {
      assert.deepEqual(errors, []);
      assertNone([...hosts], (host) => !own.includes(host));
    },
  };
}

/** Signs in as `relay open` does. */
export async function openSignedIn(page: Page, { server }: Pick<Relay, 'server'>): Promise<void> {
  await page.goto((await server.local.ownerTicket({ attemptId: null })).url);
  await page.getByRole('heading', { name: 'Spotify account' }).waitFor();
}

export const card = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });

/** The second view of the page. */
export async function openDiagnostics(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Diagnostics' }).click();
  await page.getByRole('heading', { name: 'Health' }).waitFor();
}

/** Holds the requests to an address until the function that it returns is called. They go on then, or fail. */
export async function hold(
  page: Page,
  url: string,
  then: 'continue' | 'abort' = 'continue',
): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await held;
    await route[then]();
  });
  return release;
}
