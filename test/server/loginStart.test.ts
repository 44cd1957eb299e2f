/** Who may start a login. However many logins one program starts, the logins of others continue. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '../../src/base/clock.ts';
import type { LoginStart } from '../../src/domain/localApi.ts';
import { createBrowser } from '../support/browser.ts';
import { manualClock } from '../support/clock.ts';
import { type Answer, send } from '../support/http.ts';
import { sendStranger, withoutSecondUser } from '../support/stranger.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

const LOGIN = '/auth/provider/login';
const PERSON = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const CROSS_SITE = { ...PERSON, 'sec-fetch-site': 'cross-site' };
const PUBLIC_NAME = 'relay.example.org';
const PUBLIC = { PUBLIC_BASE_URL: `https://${PUBLIC_NAME}` };

interface Story extends Relay {
  start(headers?: Record<string, string>, query?: string): Promise<Answer>;
  /** Starts a `relay login` and signs its browser in. `query` is what that browser then continues with. */
  loginWithTicket(): Promise<LoginStart & { query: string }>;
  isConnected(): Promise<boolean>;
}

async function withLogin(options: RelayOptions, work: (story: Story) => Promise<void>): Promise<void> {
  const made: string[] = [];
  const bytes = (count: number) => {
    const some = systemRandom.bytes(count);
    made.push(some.toString('base64url'));
    return some;
  };
  const all = { connect: false, client: false, random: { ...systemRandom, bytes }, ...options };
  await withRelay(all, async (relay) => {
    const { server, home } = relay;
    // The address at which the server listens, which may differ from the public one.
    const { baseUrl } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { baseUrl: string };
    await work({
      ...relay,
      baseUrl,
      start: (headers = {}, query = '') => send(`${baseUrl}${LOGIN}${query}`, { headers }),
      async loginWithTicket() {
        const start = await server.local.startLogin({ switchAccount: false });
        made.length = 0;
        await server.local.ownerTicket({ attemptId: start.attemptId });
        // The first secret is the login's ticket. The second is the ticket of the owner's page, which leads on to the login.
        return { ...start, query: `?ticket=${made[0]}` };
      },
      isConnected: async () => (await server.local.status()).account.connected,
    });
  });
}

/** Checks that nothing was started. The page is the same for every reason. */
function assertRefused(answer: Answer): void {
  const { location, 'set-cookie': cookie } = answer.headers;
  assert.deepEqual([answer.status, location, cookie], [403, undefined, undefined]);
  assert.match(answer.text, /A login cannot be started here[\s\S]*relay login/);
}

const NAVIGATIONS: ReadonlyArray<[who: string, headers: Record<string, string>, starts: boolean]> = [
  ['a program', {}, true],
  ['an address that was typed', PERSON, true],
  ['a link on a page of this server', { ...PERSON, 'sec-fetch-site': 'same-origin' }, true],
  [
    'a browser that does not send the destination',
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    true,
  ],
  ['a page of another site', CROSS_SITE, false],
  ['a page on another port of this host', { ...PERSON, 'sec-fetch-site': 'same-site' }, false],
  [
    'an image',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    false,
  ],
  [
    'a frame on a page of this server',
    { ...PERSON, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' },
    false,
  ],
  [
    'a script on a page of this server',
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    false,
  ],
  ['a site that is not known', { ...PERSON, 'sec-fetch-site': 'sideways' }, false],
];

test('only a person or a program starts a login, not another page', () =>
  withLogin({}, async ({ start }) => {
    for (const [who, headers, starts] of NAVIGATIONS) {
      const answer = await start(headers);
      assert.equal(answer.status, starts ? 302 : 403, who);
      if (!starts) assertRefused(answer);
    }
  }));

test('the address that relay login shows starts a login for a person too, and not for another page', () =>
  withLogin({}, async ({ start, server }) => {
    const { browserUrl } = await server.local.startLogin({ switchAccount: false });
    const { search } = new URL(browserUrl);
    assertRefused(await start(CROSS_SITE, search));
    assert.equal((await start(PERSON, search)).status, 302);
  }));

test('a ticket lets a browser in from anywhere, once, within a minute, and the command line gets the result', async () => {
  const clock = manualClock();
  await withLogin({ clock }, async ({ start, loginWithTicket, server, baseUrl }) => {
    const { query, attemptId } = await loginWithTicket();
    const browser = createBrowser({ headers: CROSS_SITE });
    assert.equal((await browser.open(`${baseUrl}${LOGIN}${query}`)).status, 200);
    assert.equal(
      (await server.local.loginProgress({ attemptId: attemptId, waitSeconds: 0 })).state,
      'connected',
    );
    assertRefused(await start(CROSS_SITE, query));
    const late = await loginWithTicket();
    clock.advance(60_000);
    assertRefused(await start(CROSS_SITE, late.query));
    assertRefused(await start(CROSS_SITE, '?ticket=guess&attempt=guess'));
  });
});

test('a link on a page that was opened as localhost starts a login as well', () =>
  withLogin({}, async ({ baseUrl, isConnected }) => {
    const { port } = new URL(baseUrl);
    const first = await send(`${baseUrl}${LOGIN}`, {
      headers: { ...PERSON, 'sec-fetch-site': 'same-origin', host: `localhost:${port}` },
    });
    assert.equal(first.status, 302);
    // The redirect changes the host, so the browser calls it cross-site from here on.
    const browser = createBrowser({ headers: CROSS_SITE });
    const page = await browser.open(String(first.headers.location));
    assert.deepEqual([page.status, await isConnected()], [200, true]);
    assert.equal(
      (await createBrowser({ headers: CROSS_SITE }).open(String(first.headers.location))).status,
      403,
    );
  }));

test('behind PUBLIC_BASE_URL a login needs the ticket or the address that relay login shows', () =>
  withLogin({ env: PUBLIC }, async ({ start, server, loginWithTicket, isConnected }) => {
    const host = { host: PUBLIC_NAME };
    for (const headers of [host, { ...host, ...PERSON }, {}, PERSON]) assertRefused(await start(headers));
    assertRefused(await start(host, '?ticket=guess&attempt=guess'));
    const { query, redirectUri } = await loginWithTicket();
    const led = await start({ ...host, ...CROSS_SITE }, query);
    assert.deepEqual(
      [led.status, led.headers.location],
      [302, `${new URL(redirectUri).origin}${LOGIN}${query}`],
    );
    const { browserUrl } = await server.local.startLogin({ switchAccount: false });
    assert.equal((await createBrowser().open(browserUrl)).status, 200);
    assert.equal(await isConnected(), true);
  }));

test('behind PUBLIC_BASE_URL the login cookie is for https alone', async () => {
  const env = { ...PUBLIC, PROVIDER_REDIRECT_URI: `https://${PUBLIC_NAME}/auth/provider/callback` };
  await withLogin({ env }, async ({ start, loginWithTicket }) => {
    // Some proxies name the port of https too.
    for (const host of [PUBLIC_NAME, `${PUBLIC_NAME}:443`]) {
      const { query } = await loginWithTicket();
      const { headers } = await start({ host, ...CROSS_SITE }, query);
      assert.match(String(headers['set-cookie']), /^relay_login=.*; Secure$/, host);
    }
  });
});

test('the server never reuses the secret in a cookie that it receives: knowing or choosing that secret gains nothing', () =>
  withLogin({}, async ({ start, baseUrl, isConnected }) => {
    const chosen = 'A'.repeat(43);
    const first = await start({ cookie: `relay_login=${chosen}` });
    const [issued = ''] = secretsOf(first);
    assert.notEqual(issued, chosen);
    // Another server on 127.0.0.1 got the cookie of the owner's flow and begins one of its own with it.
    const stolen = await start({ cookie: `relay_login=${issued}` });
    const [, own] = secretsOf(stolen);
    assert.notEqual(own, issued);
    const back = await createBrowser().step(String(stolen.headers.location));
    const callback = back.headers.get('location') ?? '';
    assert.ok(callback.startsWith(baseUrl));
    // The other server leads the owner's browser, which has its own cookie, to the end of that flow.
    const planted = await send(callback, { headers: { cookie: `relay_login=${issued}` } });
    assert.deepEqual([planted.status, await isConnected()], [400, false]);
  }));

test('the secret of a flow leaves the cookie when the flow ends, and other tabs keep theirs', () =>
  withLogin({}, async ({ start }) => {
    const first = await start();
    const second = await start({ cookie: cookieOf(first) });
    const callback =
      (await createBrowser().step(String(first.headers.location))).headers.get('location') ?? '';
    const ended = await send(callback, { headers: { cookie: cookieOf(second) } });
    assert.equal(ended.status, 200);
    assert.deepEqual(secretsOf(ended), secretsOf(second).slice(1));
    const other = (await createBrowser().step(String(second.headers.location))).headers.get('location') ?? '';
    const last = await send(other, { headers: { cookie: cookieOf(ended) } });
    assert.equal(last.status, 200);
    assert.match(String(last.headers['set-cookie']), /^relay_login=; .*Max-Age=0/);
  }));

test('another user of the machine starts and finishes nothing', { skip: withoutSecondUser }, () =>
  withLogin({}, async ({ baseUrl, server, start, loginWithTicket, isConnected }) => {
    const { providerUrl, browserUrl } = await server.local.startLogin({ switchAccount: false });
    const { query } = await loginWithTicket();
    const { location = '' } = (await start()).headers;
    const addresses = [
      `${baseUrl}${LOGIN}`,
      `${baseUrl.replace('127.0.0.1', 'localhost')}${LOGIN}`,
      `${baseUrl.replace('127.0.0.1', '[::1]')}${LOGIN}`,
      browserUrl,
      // The owner's own ticket and addresses do not help another user either.
      `${baseUrl}${LOGIN}${query}`,
      providerUrl,
      String(location),
    ];
    const report = await sendStranger({ baseUrl, addresses, requests: [], paths: [], watchMs: 0 });
    assert.deepEqual(
      Object.values(report.tried),
      addresses.map(() => 403),
    );
    assert.equal(await isConnected(), false);
    assert.equal((await createBrowser().open(providerUrl)).status, 200);
  }),
);

const cookieOf = (answer: Answer) => `relay_login=${secretsOf(answer).join('.')}`;

/** The secrets in the cookie that an answer sets. */
function secretsOf({ headers }: Answer): string[] {
  const [, value = ''] = /^relay_login=([^;]*)/.exec(String(headers['set-cookie'])) ?? [];
  return value.split('.');
}
