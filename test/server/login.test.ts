import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrowser, type Visit } from '../support/browser.ts';
import { manualClock } from '../support/clock.ts';
import { owner } from '../support/entries.ts';
import { send } from '../support/http.ts';
import { signIn } from '../support/ownerBrowser.ts';
import { withClock } from '../support/waiting.ts';
import { connectAccount, type Relay, type RelayOptions, withRelay } from '../support/world.ts';

const unconnected: RelayOptions = { connect: false, client: false };

const authStatus = async (baseUrl: string) => JSON.parse((await send(`${baseUrl}/auth/status`)).text);
const NOT_CONNECTED = { providerConnected: false, reauthorizationRequired: false };
const CONNECTED = { providerConnected: true, reauthorizationRequired: false };

/** Logs in with the browser up to the provider's redirect to relay. Returns the address of the redirect without opening it. */
async function untilCallback(browser: ReturnType<typeof createBrowser>, baseUrl: string): Promise<string> {
  const start = await browser.step(`${baseUrl}/auth/provider/login`);
  const approved = await browser.step(location(start));
  return location(approved);
}

function location(visit: Visit): string {
  const target = visit.headers.get('location');
  if (!target) throw new Error(`${visit.url} leads nowhere (${visit.status})`);
  return target;
}

/** Checks for the failure page, which is the same for every cause and shows nothing of the request or the answer. */
function assertGenericFailure(visit: Visit, status: number, ...hidden: string[]): void {
  assert.equal(visit.status, status);
  assert.match(visit.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(visit.text, /This login is over/);
  for (const secret of hidden) assert.ok(!visit.text.includes(secret), `the page shows ${secret}`);
}

test('the login asks the provider for every scope, with PKCE, state and the exact redirect URI', () =>
  withRelay(unconnected, async ({ baseUrl, provider }) => {
    const start = await createBrowser().step(`${baseUrl}/auth/provider/login`);
    assert.equal(start.status, 302);
    const url = new URL(location(start));
    assert.equal(`${url.origin}${url.pathname}`, `${provider.accountsUrl}/authorize`);
    const { state, code_challenge, ...query } = Object.fromEntries(url.searchParams);
    assert.match(state ?? '', /^[\w-]{43}$/);
    assert.match(code_challenge ?? '', /^[\w-]{43}$/);
    assert.deepEqual(query, {
      client_id: provider.clientId,
      response_type: 'code',
      redirect_uri: `${baseUrl}/auth/provider/callback`,
      scope:
        'playlist-read-private playlist-read-collaborative playlist-modify-public playlist-modify-private user-library-read user-library-modify user-top-read user-read-recently-played user-read-playback-state user-read-currently-playing user-modify-playback-state user-read-private user-follow-read',
      code_challenge_method: 'S256',
    });
    const cookie = start.headers.get('set-cookie') ?? '';
    assert.match(
      cookie,
      /^relay_login=[\w-]{43}; Path=\/auth\/provider; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
  }));

test('the page after a login leads on to relay, unless the server runs only for that login', async () => {
  for (const purpose of ['relay serve', 'relay login'] as const)
    await withRelay({ ...unconnected, purpose }, async ({ baseUrl }) => {
      const { status, text } = await createBrowser().open(`${baseUrl}/auth/provider/login`);
      assert.equal(status, 200);
      assert.equal(text.includes('or <a href="/">go on to relay</a>.'), purpose === 'relay serve');
      const over = await createBrowser().step(`${baseUrl}/auth/provider/callback?state=x&code=y`);
      assert.equal(over.text.includes('<a href="/">Your page</a>'), purpose === 'relay serve');
    });
});

test('the address of a login that is over does not deny that the account is connected', () =>
  withRelay(unconnected, async ({ baseUrl, provider }) => {
    const browser = createBrowser();
    const connected = await browser.open(`${baseUrl}/auth/provider/login`);
    assert.ok(connected.text.includes(owner(provider).displayName));
    const again = await browser.step(connected.url);
    assert.equal(again.status, 400);
    assert.match(again.text, /This login is over/);
    assert.match(again.text, /Your page<\/a> shows whether an account is connected/);
    assert.deepEqual(await authStatus(baseUrl), CONNECTED);
  }));

test('a browser connects the account, and a restart keeps it', () =>
  withRelay({ connect: false }, async (relay) => {
    const { baseUrl, provider } = relay;
    assert.deepEqual(await authStatus(baseUrl), NOT_CONNECTED);
    const page = await createBrowser().open(`${baseUrl}/auth/provider/login`);
    assert.equal(page.status, 200);
    assert.match(page.text, /Your Spotify account is connected/);
    assert.ok(page.text.includes(owner(provider).displayName));
    assert.deepEqual(await authStatus(baseUrl), CONNECTED);
    const exchange = provider.requests.find(({ path }) => path.endsWith('/api/token'));
    assert.deepEqual(Object.keys(exchange?.body as object).sort(), [
      'client_id',
      'code',
      'code_verifier',
      'grant_type',
      'redirect_uri',
    ]);
    await relay.restart();
    assert.deepEqual(await authStatus(relay.baseUrl), CONNECTED);
    assert.equal((await relay.call('get_devices')).error, undefined);
  }));

test('a browser at localhost is first redirected to the host of the redirect URI', () =>
  withRelay(unconnected, async ({ baseUrl }) => {
    const page = await createBrowser().open(
      `${baseUrl.replace('127.0.0.1', 'localhost')}/auth/provider/login`,
    );
    assert.equal(page.status, 200);
    assert.deepEqual(await authStatus(baseUrl), CONNECTED);
  }));

test('with PUBLIC_BASE_URL, a login at the local address reaches the provider and is not redirected to itself', () =>
  withRelay({ ...unconnected, env: { PUBLIC_BASE_URL: 'https://relay.example.org' } }, async ({ server }) => {
    const { browserUrl, redirectUri } = await server.local.startLogin({ switchAccount: false });
    const local = new URL(redirectUri).origin;
    assert.equal(new URL(browserUrl).origin, local);
    assert.equal((await createBrowser().open(browserUrl)).status, 200);
    assert.deepEqual(await authStatus(local), CONNECTED);
  }));

test('two tabs of one browser can both finish', () =>
  withRelay(unconnected, async ({ baseUrl }) => {
    const browser = createBrowser();
    const first = await untilCallback(browser, baseUrl);
    const second = await untilCallback(browser, baseUrl);
    assert.equal((await browser.step(first)).status, 200);
    assert.equal((await browser.step(second)).status, 200);
  }));

test('a state works once', () =>
  withRelay(unconnected, async ({ baseUrl }) => {
    const browser = createBrowser();
    const callback = await untilCallback(browser, baseUrl);
    assert.equal((await browser.step(callback)).status, 200);
    const code = new URL(callback).searchParams.get('code') ?? '';
    assertGenericFailure(await browser.step(callback), 400, code);
  }));

test('what a browser only fetches ahead uses up no state, and anything else does', () =>
  withRelay(unconnected, async ({ baseUrl }) => {
    const browser = createBrowser();
    const ahead: Array<Record<string, string>> = [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
    ];
    for (const headers of ahead) {
      const callback = await untilCallback(browser, baseUrl);
      assert.equal((await fetch(callback, { headers })).status, 503);
      assert.equal((await browser.step(callback)).status, 200);
    }
    const callback = await untilCallback(browser, baseUrl);
    assert.equal((await fetch(callback, { headers: { 'sec-purpose': 'other' } })).status, 400);
    assert.equal((await browser.step(callback)).status, 400);
  }));

test('a pasted address that a terminal broke over two lines is asked for again, and then works', () =>
  withRelay(unconnected, async ({ server }) => {
    const { attemptId, providerUrl } = await server.local.startLogin({ switchAccount: false });
    const whole = location(await createBrowser().step(providerUrl));
    const paste = (address: string) => server.local.pasteLogin({ attemptId, address });
    for (const at of [whole.indexOf('code=') + 9, whole.indexOf('state=') + 9, whole.indexOf('?')]) {
      for (const part of [whole.slice(0, at), whole.slice(at)]) {
        if (part !== whole.slice(whole.indexOf('?')))
          await assert.rejects(paste(part), { code: 'LOGIN_FAILED' }, part);
      }
    }
    assert.equal((await paste(whole)).state, 'connected');
  }));

test('a missing state, or one that relay never issued, is refused before anything is sent', () =>
  withRelay(unconnected, async ({ baseUrl, provider }) => {
    for (const query of [
      '',
      '?code=secret-code',
      '?state=made-up&code=secret-code',
      '?state=&code=secret-code',
    ]) {
      const visit = await createBrowser().step(`${baseUrl}/auth/provider/callback${query}`);
      assertGenericFailure(visit, 400, 'secret-code', 'made-up');
    }
    assert.deepEqual(provider.requests, []);
  }));

test('a state expires after ten minutes', () =>
  withClock({ ...unconnected }, async ({ baseUrl }, clock) => {
    const browser = createBrowser();
    const callback = await untilCallback(browser, baseUrl);
    clock.advance(10 * 60_000);
    assertGenericFailure(await browser.step(callback), 400);
    assert.deepEqual(await authStatus(baseUrl), NOT_CONNECTED);
  }));

test('another browser cannot finish a login, and its attempt ends the login', () =>
  withRelay(unconnected, async ({ baseUrl, provider }) => {
    const browser = createBrowser();
    const callback = await untilCallback(browser, baseUrl);
    assertGenericFailure(await createBrowser().step(callback), 400);
    assertGenericFailure(await browser.step(callback), 400);
    assert.deepEqual(await authStatus(baseUrl), NOT_CONNECTED);
    assert.equal(provider.requests.filter(({ path }) => path.endsWith('/api/token')).length, 0);
  }));

test('a refusal on the provider’s page ends on the generic page', () =>
  withRelay(unconnected, async ({ baseUrl, provider }) => {
    provider.denyNextLogin();
    assertGenericFailure(await createBrowser().open(`${baseUrl}/auth/provider/login`), 400, 'access_denied');
  }));

const failingLogins: Array<
  [what: string, rule: Parameters<Relay['provider']['faults']['add']>[0], status: number]
> = [
  [
    'a code that the provider refuses',
    {
      path: /\/api\/token$/,
      kind: 'status',
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Invalid authorization code' },
    },
    400,
  ],
  [
    'a login service that fails',
    { path: /\/api\/token$/, kind: 'status', status: 503, body: 'down for now' },
    502,
  ],
  ['a login service that hangs up', { path: /\/api\/token$/, kind: 'drop', when: 'before' }, 502],
  ['an answer that is no JSON', { path: /\/api\/token$/, kind: 'malformed' }, 502],
  ['an empty answer', { path: /\/api\/token$/, kind: 'empty' }, 502],
  ['a profile that cannot be read', { path: '/me', kind: 'status', status: 502, body: 'Bad gateway.' }, 502],
  ['a rate limit on reading the profile', { path: '/me', kind: 'rate_limit', retryAfterSeconds: 600 }, 502],
  [
    'an account that is not on the user list of the app',
    {
      path: '/me',
      kind: 'status',
      status: 403,
      body: 'the user may not be registered.',
      contentType: 'text/plain',
    },
    400,
  ],
];

for (const [what, rule, status] of failingLogins) {
  test(`${what}: the login ends on the failure page with ${status}, and no account is connected`, () =>
    withRelay(unconnected, async ({ baseUrl, provider }) => {
      provider.faults.add({ ...rule, times: Number.POSITIVE_INFINITY });
      const page = await createBrowser().open(`${baseUrl}/auth/provider/login`);
      assertGenericFailure(
        page,
        status,
        'Invalid authorization code',
        'down for now',
        'Bad gateway',
        'registered',
      );
      assert.deepEqual(await authStatus(baseUrl), NOT_CONNECTED);
    }));
}

test('a profile that cannot be read at once is read again, so that nobody has to log in twice', () =>
  withRelay(unconnected, async ({ baseUrl, provider, server }) => {
    provider.faults.add(
      { path: '/me', kind: 'status', status: 503, body: 'down for now' },
      { path: '/me', kind: 'drop', when: 'before' },
    );
    const page = await createBrowser().open(`${baseUrl}/auth/provider/login`);
    assert.equal(page.status, 200);
    assert.deepEqual(await authStatus(baseUrl), CONNECTED);
    assert.equal(provider.requests.filter(({ path }) => path === '/api/token').length, 1);
    const { rateLimits, recentErrors } = await server.local.status();
    assert.deepEqual([rateLimits, recentErrors], [{ blocked: [], requests24h: 3 }, []]);
  }));

test('if Spotify rate-limits the profile, the login says how long to wait, and a second login does not ask for the profile before then', () =>
  withRelay({ ...unconnected, clock: manualClock() }, async ({ baseUrl, provider, server }) => {
    provider.faults.add({ path: '/me', kind: 'rate_limit', retryAfterSeconds: 600 });
    for (const _ of [1, 2]) {
      const { attemptId, browserUrl } = await server.local.startLogin({ switchAccount: false });
      assertGenericFailure(await createBrowser().open(browserUrl), 502, '600');
      const progress = await server.local.loginProgress({ attemptId, waitSeconds: 0 });
      assert.deepEqual(progress.state === 'failed' && [progress.code, progress.message.slice(0, 68)], [
        'RATE_LIMITED',
        'Spotify asks relay to wait 10 minutes before it may read the account',
      ]);
    }
    assert.equal(provider.requests.filter(({ path }) => path === '/me').length, 1);
    const { blocked, requests24h } = (await server.local.status()).rateLimits;
    assert.deepEqual([blocked.map(({ scope }) => scope), requests24h], [['me'], 1]);
    assert.deepEqual(await authStatus(baseUrl), NOT_CONNECTED);
  }));

test('another account is refused unless the switch was asked for', () =>
  withRelay({ client: false }, async ({ baseUrl, provider, server }) => {
    provider.loginAs(1);
    assertGenericFailure(await createBrowser().open(`${baseUrl}/auth/provider/login`), 400);
    assert.equal((await server.local.status()).account.name, provider.accounts[0]?.displayName);

    const [ours, theirs] = provider.accounts.map(({ displayName, id }) => `${displayName} (${id})`);
    const plain = await server.local.startLogin({ switchAccount: false });
    await createBrowser().open(plain.browserUrl);
    const refused = await server.local.loginProgress({ attemptId: plain.attemptId, waitSeconds: 0 });
    assert.deepEqual(refused, {
      state: 'failed',
      code: 'LOGIN_FAILED',
      message: `The browser is logged in to Spotify as ${theirs}, but the connected account is ${ours}.`,
      remedy: {
        text: `Log out on the Spotify page and log in as ${ours}, or run {command} to connect ${theirs} instead.`,
        command: ['login', '--switch-account'],
      },
    });

    const wanted = await server.local.startLogin({ switchAccount: true });
    assert.equal((await createBrowser().open(wanted.browserUrl)).status, 200);
    assert.equal((await server.local.status()).account.name, provider.accounts[1]?.displayName);
  }));

test('the same account may log in again, and its six months start again', () =>
  withClock({ connect: 'login', client: false }, async ({ baseUrl, server }, clock) => {
    const before = (await server.local.status()).account.loginExpiresAt;
    clock.advance(40 * 24 * 3600_000);
    await connectAccount(baseUrl);
    const after = (await server.local.status()).account.loginExpiresAt;
    assert.ok(Date.parse(after ?? '') > Date.parse(before ?? ''));
  }));

test('after six months the login has to be repeated', async () => {
  const clock = manualClock(Date.UTC(2026, 7, 31, 12));
  await withRelay({ connect: 'login', client: false, clock }, async ({ baseUrl, server }) => {
    const { loginExpiresAt } = (await server.local.status()).account;
    assert.equal(loginExpiresAt, '2027-02-28T12:00:00.000Z');
    clock.advance(Date.parse(loginExpiresAt ?? '') - clock.now());
    assert.deepEqual(await authStatus(baseUrl), { providerConnected: false, reauthorizationRequired: true });
  });
});

test('the Connect button of the owner’s page continues a relay login that is waiting', () =>
  withRelay({ connect: false, client: false }, async (relay) => {
    const { server, baseUrl } = relay;
    const headers = {
      'content-type': 'application/json',
      origin: baseUrl,
      'x-relay-owner': await signIn(relay),
    };
    const connect = async (switchAccount: boolean) => {
      const body = JSON.stringify({ switchAccount });
      const answer = await send(`${baseUrl}/owner/account/connect`, { method: 'POST', headers, body });
      return String(JSON.parse(answer.text).next);
    };
    const { attemptId } = await server.local.startLogin({ switchAccount: false });
    assert.doesNotMatch(await connect(true), new RegExp(attemptId));
    const next = await connect(false);
    assert.match(next, new RegExp(attemptId));
    assert.equal((await createBrowser().open(next)).status, 200);
    assert.equal(
      (await server.local.loginProgress({ attemptId: attemptId, waitSeconds: 0 })).state,
      'connected',
    );
    // A login that has ended is not continued.
    assert.doesNotMatch(await connect(false), new RegExp(attemptId));
  }));

test('relay login from a terminal works from any browser, and by pasting the address back', () =>
  withRelay(unconnected, async ({ server }) => {
    const first = await server.local.startLogin({ switchAccount: false });
    const waiting = server.local.loginProgress({ attemptId: first.attemptId, waitSeconds: 20 });
    assert.equal((await createBrowser().open(first.providerUrl)).status, 200);
    assert.equal((await waiting).state, 'connected');

    const second = await server.local.startLogin({ switchAccount: false });
    const ended = location(await createBrowser().step(second.providerUrl));
    const foreign = await server.local.startLogin({ switchAccount: false });
    await assert.rejects(server.local.pasteLogin({ attemptId: foreign.attemptId, address: ended }), {
      code: 'LOGIN_FAILED',
    });
    await assert.rejects(
      server.local.pasteLogin({ attemptId: second.attemptId, address: 'http://127.0.0.1/?code=x' }),
      {
        code: 'LOGIN_FAILED',
      },
    );
    assert.equal(
      (await server.local.pasteLogin({ attemptId: second.attemptId, address: `  ${ended}\n` })).state,
      'connected',
    );
  }));

test('without a client ID the login page says what is missing', () =>
  withRelay({ ...unconnected, env: { PROVIDER_CLIENT_ID: '' } }, async ({ baseUrl, server }) => {
    const page = await createBrowser().open(`${baseUrl}/auth/provider/login`);
    assert.equal(page.status, 503);
    assert.match(page.text, /relay login/);
    await assert.rejects(server.local.startLogin({ switchAccount: false }), { code: 'SETTINGS_INVALID' });
  }));

test('a client secret authenticates the app', async () => {
  const env = { PROVIDER_CLIENT_SECRET: 'app-secret' };
  await withRelay({ ...unconnected, env, provider: { clientSecret: 'app-secret' } }, async ({ baseUrl }) => {
    await connectAccount(baseUrl);
    assert.deepEqual(await authStatus(baseUrl), CONNECTED);
  });
});

test('a wrong client secret is named as such, with what to do about it', async () => {
  const env = { PROVIDER_CLIENT_SECRET: 'other-secret' };
  const provider = { clientSecret: 'app-secret' };
  await withRelay({ ...unconnected, env, provider }, async ({ server }) => {
    const { attemptId, providerUrl } = await server.local.startLogin({ switchAccount: false });
    await createBrowser().open(providerUrl);
    assert.deepEqual(await server.local.loginProgress({ attemptId, waitSeconds: 5 }), {
      state: 'failed',
      code: 'LOGIN_FAILED',
      message: 'Spotify does not accept the client ID or the client secret.',
      remedy: {
        text: "relay needs no client secret: unset PROVIDER_CLIENT_SECRET, or copy it again from the app's page on developer.spotify.com/dashboard.",
      },
    });
  });
});

test('logout forgets the account', () =>
  withRelay(async ({ baseUrl, server, call, provider }) => {
    const { displayName } = owner(provider);
    assert.deepEqual(await server.local.logout(), {
      wasConnected: true,
      name: displayName,
      libraryDeleted: false,
    });
    assert.deepEqual(await server.local.logout(), { wasConnected: false, name: null, libraryDeleted: false });
    assert.deepEqual(await authStatus(baseUrl), NOT_CONNECTED);
    assert.equal(((await call('get_devices')).error as { code: string }).code, 'LOGIN_REQUIRED');
  }));
