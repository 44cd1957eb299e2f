/** The login in a real browser: what the owner does, and what pages elsewhere make the browser do. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { withChromium, withoutChromium } from '../support/chromium.ts';
import { type CliResult, relay as runRelay } from '../support/cli.ts';
import { longTest, sized } from '../support/scale.ts';
import { until } from '../support/waiting.ts';
import { ENCRYPTION_KEY, type Relay, withRelay } from '../support/world.ts';

interface Story extends Relay {
  browser: Browser;
  /** A stranger's page under each name of this machine. None of the pages is on relay's port. */
  foreignPages: string[];
  isConnected(): Promise<boolean>;
  /** How often the browser was redirected to the provider. */
  trips(): number;
}

const NAMES = ['127.0.0.1', 'localhost', '[::1]'];

async function withStory(
  options: { connect: boolean },
  work: (story: Story) => Promise<void>,
): Promise<void> {
  await withRelay({ ...options, client: false }, async (relay) => {
    const servers = await Promise.all(['127.0.0.1', '::1'].map(listenAt));
    const [ipv4 = 0, ipv6 = 0] = servers.map((server) => (server.address() as AddressInfo).port);
    const foreignPages = NAMES.map((name) => `http://${name}:${name === '[::1]' ? ipv6 : ipv4}/`);
    try {
      await withChromium((browser) =>
        work({
          ...relay,
          browser,
          foreignPages,
          isConnected: async () => (await relay.server.local.status()).account.connected,
          trips: () => relay.provider.requests.filter(({ path }) => path.endsWith('/authorize')).length,
        }),
      );
    } finally {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    }
  });
}

async function listenAt(host: string) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>A page of a stranger</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return server;
}

/** Ways in which a page can make its browser open the login page. Each `run` resolves once the login page has answered. */
const TRICKS: ReadonlyArray<[what: string, run: (page: Page, login: string) => Promise<unknown>]> = [
  ['a script that navigates', (page, login) => led(page, `location.href = '${login}'`)],
  ['a link', (page, login) => led(page, element('a', `href = '${login}'`, 'click()'))],
  [
    'a link without referrer',
    (page, login) => led(page, element('a', `rel = 'noreferrer'; it.href = '${login}'`, 'click()')),
  ],
  ['a form', (page, login) => led(page, element('form', `action = '${login}'`, 'submit()'))],
  ['a frame', (page, login) => answered(page, element('iframe', `src = '${login}'`), 1)],
  [
    'a frame in a sandbox',
    (page, login) => answered(page, element('iframe', `sandbox = 'allow-scripts'; it.src = '${login}'`), 1),
  ],
  [
    'a script that fetches',
    (page, login) => answered(page, `fetch('${login}', { mode: 'no-cors', credentials: 'include' })`, 1),
  ],
];

function element(tag: string, set: string, act = ''): string {
  return `const it = document.createElement('${tag}'); it.${set}; document.body.append(it); ${act && `it.${act}`}`;
}

async function led(page: Page, script: string): Promise<void> {
  const [answer] = await Promise.all([page.waitForResponse(isLogin), page.evaluate(`{ ${script} }`)]);
  assert.equal(answer.status(), 403);
  await page.getByRole('heading', { name: 'A login cannot be started here' }).waitFor();
}

async function answered(page: Page, script: string, count: number): Promise<void> {
  let left = count;
  const watch = (request: { url(): string }) => {
    if (isLogin(request)) left--;
  };
  // A response that the browser hides from the page is reported as failed.
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', watch);
  await page.evaluate(`{ ${script} }`);
  await until(() => left <= 0);
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.off(event as 'requestfinished', watch);
}

const isLogin = (response: { url(): string }) => response.url().includes('/auth/provider/login');

/** Number of logins that pages start. It would fill a limited list and push the waiting login out of it. */
const MANY = 210;

const images = (login: string, count: number) =>
  `for (let n = 0; n < ${count}; n++) new Image().src = '${login}' + (n ? '&n=' + n : '')`;

/**
 * @param names how many of this machine's names the strangers use
 * @param count how many logins a page tries to start at once
 */
async function tryEverything(
  { browser, foreignPages, baseUrl }: Story,
  names: number,
  count: number,
  query = '',
): Promise<void> {
  const login = `${baseUrl}/auth/provider/login?${query}`;
  const page = await browser.newPage();
  for (const home of foreignPages.slice(0, names)) {
    for (const [, run] of TRICKS) {
      await page.goto(home);
      await run(page, login);
    }
  }
  await answered(page, images(login, count), count);
  await page.close();
}

const skip = { skip: withoutChromium };

longTest('no page of a stranger starts a login or disturbs a relay login that is waiting', skip, () =>
  withStory({ connect: false }, async (story) => {
    const { server, browser, provider } = story;
    const waiting = await server.local.startLogin({ switchAccount: false });
    // For a browser, the first name is on the same site as the server, the second is not.
    await tryEverything(story, sized(3, 2), MANY);
    // Not even a page that knows the address in the terminal can send a browser there.
    await tryEverything(story, 1, sized(MANY, 10), new URL(waiting.browserUrl).search.slice(1));
    assert.deepEqual([story.trips(), await story.isConnected()], [0, false]);
    const page = await browser.newPage();
    await page.goto(waiting.browserUrl);
    await page.getByText('Your Spotify account is connected').first().waitFor();
    assert.equal(
      (await server.local.loginProgress({ attemptId: waiting.attemptId, waitSeconds: 0 })).state,
      'connected',
    );
    assert.equal((await server.local.status()).account.name, provider.accounts[0]?.displayName);
  }),
);

longTest('after relay logout no page of a stranger connects the account again', skip, () =>
  withStory({ connect: true }, async (story) => {
    await story.server.local.logout();
    await tryEverything(story, sized(3, 1), sized(MANY, 10));
    assert.deepEqual([story.trips(), await story.isConnected()], [0, false]);
  }),
);

longTest('relay login sends the browser through a file to the owner’s page, and prints no ticket', skip, () =>
  withStory({ connect: false }, async ({ browser, baseUrl, home }) => {
    const page = await browser.newPage();
    const visited: string[] = [];
    page.on('request', (request) => visited.push(request.url()));
    const atOwnerPage = () => visited.some((url) => url.startsWith(`${baseUrl}/`));
    let led: Promise<unknown> | undefined;
    const ended: CliResult = await runRelay(['login', '--json'], {
      env: { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY },
      terminal: { stdout: true },
      openBrowser: async (path) => {
        await page.goto(`file://${path}`);
        await until(atOwnerPage);
      },
      onOut(all) {
        const [, shown] = /"event":"login_url","url":"([^"]+)"/.exec(all) ?? [];
        // In another tab, since a page that is sent to two addresses at once may end at either.
        if (shown) led ??= until(atOwnerPage).then(async () => (await browser.newPage()).goto(shown));
      },
    });
    await led;
    assert.equal(ended.code, 0, ended.err);
    assert.match(
      visited.find((url) => url.startsWith(`${baseUrl}/`)) ?? '',
      /\/(\?[0-9a-f]{16}(#ticket=[\w-]{43})?)?$/,
    );
    assert.doesNotMatch(ended.out + ended.err, /ticket/);
  }),
);
