import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import type { Parts } from '../../src/cli/context.ts';
import { RelayError } from '../../src/domain/errors.ts';
import type { AccountSummary, LoginProgress } from '../../src/domain/localApi.ts';
import type { LocalApi } from '../../src/server/calls.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { linesOf, pluck } from '../support/entries.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { until } from '../support/waiting.ts';

const CLIENT_ID = '0123456789abcdef0123456789abcdef';
const SET_UP = { RELAY_HOME: '/no/such/home', PROVIDER_CLIENT_ID: CLIENT_ID };
const BROWSER_URL = 'http://127.0.0.1:4980/auth/provider/login?attempt=a1';
/** The address that is shown without a terminal; its page asks for the owner code. */
const OWNER_URL = 'http://127.0.0.1:4980/';
const PROVIDER_URL = 'https://accounts.example/authorize?state=s';
const REDIRECT_URI = 'http://127.0.0.1:4980/auth/provider/callback';
const BACK = `${REDIRECT_URI}?code=c&state=s`;

const ANN: AccountSummary = {
  id: 'ann',
  name: 'Ann',
  loginExpiresAt: '2027-05-01T10:00:00.000Z',
  scopes: ['user-top-read'],
  missingScopes: [],
};

const CONNECTED: LoginProgress = { state: 'connected', account: ANN };
const CONNECTED_LINE = 'Connected as Ann (ann) until 2027-05-01.\n';
const OPENING = `Opening the browser. If nothing happens, open this:
Waiting up to 300 s for you to log in there. Ctrl-C gives up.
`;
const NEXT = 'Next, connect a client: relay connect\n';
const NEXT_WITHOUT_SERVER = 'Next, start the server: relay serve. Then connect a client: relay connect\n';
const PASTE_HINT = `Open this in any browser:
Waiting up to 300 s for you to log in there.
If the browser ends on a page that does not load, paste the address of that page here:
`;

const TICKET_URL = 'http://127.0.0.1:4980/#ticket=owner-ticket';

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** A login that is pending for the first `pending` answers, and then ends with `ends`. */
function loginThat(ends: LoginProgress, pending = 0): Partial<LocalApi> {
  let polls = 0;
  return {
    startLogin: async () => ({
      attemptId: 'a1',
      browserUrl: BROWSER_URL,
      providerUrl: PROVIDER_URL,
      redirectUri: REDIRECT_URI,
    }),
    loginProgress: async () => (polls++ < pending ? { state: 'pending' } : ends),
    ownerTicket: async () => ({ url: TICKET_URL, id: 't1' }),
    ownerTicketWaits: async () => ({ waits: true }),
  };
}

/** A fake `startServer`, which records its calls and whether the server was closed. */
function startable(local: Partial<LocalApi>, refuseFirst?: RelayError) {
  const starts: Array<{ clientId: string | null; startOver: boolean; demo: boolean; purpose?: string }> = [];
  const ends: string[] = [];
  const startServer: Parts['startServer'] = async ({
    settings,
    startOver = false,
    purpose = 'relay serve',
  }) => {
    starts.push({ clientId: settings.providerClientId, startOver, demo: settings.demo, purpose });
    if (refuseFirst && starts.length === 1) throw refuseFirst;
    return {
      baseUrl: 'http://127.0.0.1:4980',
      mcpUrl: 'http://127.0.0.1:4980/mcp',
      localUrl: 'http://127.0.0.1:4980',
      over: new Promise<void>(() => {}),
      local: local as LocalApi,
      ownerCode: '',
      demoKey: null,
      close: async () => {
        ends.push('closed');
      },
    };
  };
  return { parts: { startServer }, starts, ends };
}

test('login opens the browser through a file, always prints an address without a ticket, and says who is connected', async (context) => {
  const server = await startFakeLocal(context, { answers: loginThat(CONNECTED, 2) });
  const opened: string[] = [];
  const result = await relay(['login'], {
    env: server.env,
    openBrowser: async (path) => {
      opened.push(path, readFileSync(path, 'utf8'));
      assert.deepEqual([modeOf(path), modeOf(dirname(path))], [0o600, 0o700]);
    },
  });
  assert.deepEqual(result, { code: 0, out: `${OWNER_URL}\n${CONNECTED_LINE}`, err: `${OPENING}${NEXT}` });
  const [path = '', page = ''] = opened;
  assert.ok(page.includes(`content="0;url=${TICKET_URL}"`) && page.includes(`href="${TICKET_URL}"`));
  assert.deepEqual([opened.length, existsSync(dirname(path))], [2, false]);
  const calls = server.calls.filter(({ call }) => call !== 'ownerTicketWaits');
  assert.deepEqual(calls, [
    { call: 'startLogin', body: { switchAccount: false } },
    { call: 'ownerTicket', body: { attemptId: 'a1' } },
    { call: 'loginProgress', body: { attemptId: 'a1', waitSeconds: 25 } },
    { call: 'loginProgress', body: { attemptId: 'a1', waitSeconds: 25 } },
    { call: 'loginProgress', body: { attemptId: 'a1', waitSeconds: 25 } },
  ]);
});

test('the file is removed as soon as the browser has used its ticket, while the login continues', async (context) => {
  let path = '';
  const server = await startFakeLocal(context, {
    answers: {
      ...loginThat(CONNECTED),
      ownerTicketWaits: async () => ({ waits: false }),
      loginProgress: async () => {
        await until(() => path !== '' && !existsSync(dirname(path)));
        return CONNECTED;
      },
    },
  });
  const openBrowser = async (target: string) => {
    path = target;
  };
  assert.equal((await relay(['login', '--json'], { env: server.env, openBrowser })).code, 0);
});

test('a browser that cannot be opened is reported, and the login continues', async (context) => {
  const { env } = await startFakeLocal(context, { answers: loginThat(CONNECTED) });
  assert.deepEqual(await relay(['login'], { env }), {
    code: 0,
    out: `${OWNER_URL}\n${CONNECTED_LINE}`,
    err: `${OPENING}No browser could be opened.\n${NEXT}`,
  });
});

test('only a terminal gets an address that starts the login, since others may read other output', async (context) => {
  const server = await startFakeLocal(context, { answers: loginThat(CONNECTED) });
  const shown = async (args: string[], stdout: boolean) => {
    const { out } = await relay(args, { env: server.env, terminal: { stdout } });
    return /http[^"\s]+/.exec(out)?.[0];
  };
  for (const args of [['login'], ['login', '--json']]) {
    assert.deepEqual([await shown(args, false), await shown(args, true)], [OWNER_URL, BROWSER_URL]);
  }
});

test('login --json is one event per line', async (context) => {
  const server = await startFakeLocal(context, { answers: loginThat(CONNECTED) });
  const args = ['login', '--json', '--no-browser', '--switch-account'];
  const { code, out } = await relay(args, { env: server.env });
  assert.equal(code, 0);
  assert.deepEqual(
    linesOf(out).map((line) => JSON.parse(line)),
    [
      { event: 'login_url', url: PROVIDER_URL, redirectUri: REDIRECT_URI },
      { event: 'connected', account: ANN },
    ],
  );
  assert.deepEqual(server.calls[0], { call: 'startLogin', body: { switchAccount: true } });
});

test('permissions that were not granted are reported', async (context) => {
  const account = { ...ANN, name: null, missingScopes: ['user-library-read', 'user-top-read'] };
  const { env } = await startFakeLocal(context, { answers: loginThat({ state: 'connected', account }) });
  assert.deepEqual(await relay(['login', '--no-browser'], { env }), {
    code: 0,
    out: `${PROVIDER_URL}\nConnected as ann until 2027-05-01.\n`,
    err: `${PASTE_HINT}The login lacks permissions: user-library-read, user-top-read. Log in again to grant them.\n${NEXT}`,
  });
});

test('with --no-browser, login reads from stdin the address at which a browser elsewhere ended', async (context) => {
  const pending = loginThat({ state: 'pending' });
  let finish: (progress: LoginProgress) => void = () => {};
  const server = await startFakeLocal(context, {
    answers: {
      ...pending,
      loginProgress: () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
      pasteLogin: async ({ address }) => {
        if (address !== BACK)
          throw new RelayError('LOGIN_FAILED', 'That is not it.', { remedy: 'Start again.' });
        finish(CONNECTED);
        return CONNECTED;
      },
    },
  });
  const result = await relay(['login', '--no-browser'], {
    env: server.env,
    stdin: `\nhttp://wrong\n${BACK}\n`,
  });
  assert.deepEqual(result, {
    code: 0,
    out: `${PROVIDER_URL}\n${CONNECTED_LINE}`,
    err: `${PASTE_HINT}That is not it. Paste the whole address of that page, or give up with Ctrl-C:\n${NEXT}`,
  });
});

test('a login that is not finished in time is exit 1 with what to check', async () => {
  let now = 0;
  const waits: number[] = [];
  const { parts, ends } = startable({
    ...loginThat({ state: 'pending' }),
    loginProgress: async ({ waitSeconds }) => {
      waits.push(waitSeconds);
      now += waitSeconds * 1_000;
      return { state: 'pending' };
    },
  });
  const result = await relay(['login', '--no-browser', '--timeout', '60'], {
    env: SET_UP,
    parts,
    clock: {
      now: () => now,
      monotonic: () => now,
      sleep: () => Promise.reject(new Error('Nothing sleeps here.')),
    },
  });
  assert.deepEqual(result, {
    code: 1,
    out: `${PROVIDER_URL}\n`,
    err: `${PASTE_HINT.replace('300', '60')}relay: The login was not finished within 60 s.\n  Run \`relay login\` again. If the browser showed "INVALID_CLIENT: Invalid client", first correct the client ID with \`relay config set providerClientId ID\`. If it showed another INVALID_CLIENT, check that the Spotify app has exactly this redirect URI: ${REDIRECT_URI}\n`,
  });
  assert.deepEqual([waits, ends], [[25, 25, 10], ['closed']]);
});

test('a login that fails says why, with the exit code of its error', async (context) => {
  const failed = (code: string): LoginProgress => ({
    state: 'failed',
    code,
    message: 'Spotify says no.',
    remedy: { text: 'Run {command}.', command: ['login', '--switch-account'] },
  });
  for (const code of ['USER_NOT_REGISTERED', 'SOMETHING_NEW']) {
    const { env } = await startFakeLocal(context, { answers: loginThat(failed(code)) });
    const { code: exit, err } = await relay(['login', '--json', '--no-browser'], { env });
    const error = { code: code === 'SOMETHING_NEW' ? 'LOGIN_FAILED' : code, message: 'Spotify says no.' };
    const remedy = 'Run `relay login --switch-account`.';
    assert.deepEqual([exit, JSON.parse(err)], [1, { error: { ...error, remedy } }]);
  }
});

test('without a server, login starts one and closes it afterwards', async () => {
  const { parts, starts, ends } = startable(loginThat(CONNECTED));
  const { code, out } = await relay(['login', '--no-browser'], { env: SET_UP, parts });
  assert.deepEqual([code, out], [0, `${PROVIDER_URL}\n${CONNECTED_LINE}`]);
  assert.deepEqual(
    [starts, ends],
    [[{ clientId: CLIENT_ID, startOver: false, demo: false, purpose: 'relay login' }], ['closed']],
  );
});

const MISMATCH = new RelayError('KEY_MISMATCH', 'The master key is another one.', {
  remedy: { text: 'Put back the key, or start over with {command}.', command: ['login'] },
});
const JUNK = new RelayError('KEY_UNAVAILABLE', 'The master key in /h/master.key cannot be read.', {
  remedy: { text: 'Move it away and start over with {command}.', command: ['login'] },
  details: { path: '/h/master.key' },
});
const TAKEN = new RelayError('PORT_TAKEN', 'Another program listens on 127.0.0.1:4980.', {
  remedy: 'Choose another port with --port.',
});
const STARTS_OVER =
  'The master key is another one. The login starts over: the old login and the API key of MCP clients are forgotten.';
const PUT_BACK = `Bring back the key, or start over with \`relay login --yes\`. That forgets the old login and the API key of MCP clients.`;
const JUNK_TOLD =
  'relay: The master key in /h/master.key cannot be read.\n  Move it away and start over with `relay login`.\n';

interface CannotStart {
  what: string;
  error: RelayError;
  /** Words after `login --no-browser`. */
  words?: string[];
  told: { code: number; err: string };
  startsOver?: boolean;
}

const CANNOT_START: CannotStart[] = [
  {
    what: 'with the wrong key, --yes starts over without asking',
    error: MISMATCH,
    words: ['--yes'],
    told: { code: 0, err: `${STARTS_OVER}\n${PASTE_HINT}${NEXT_WITHOUT_SERVER}` },
    startsOver: true,
  },
  {
    what: 'without a terminal nothing is forgotten unless --yes says so',
    error: MISMATCH,
    told: { code: 3, err: `relay: The master key is another one.\n  ${PUT_BACK}\n` },
  },
  ...[[], ['--yes']].map((words) => ({
    what: `a key file that holds no key is named before anything is said to be forgotten ${words.join()}`,
    error: JUNK,
    words,
    told: { code: 3, err: JUNK_TOLD },
  })),
  {
    what: 'a taken port is reported with a remedy that works for login',
    error: TAKEN,
    told: {
      code: 1,
      err: `relay: Another program listens on 127.0.0.1:4980.
  Stop it, or choose another port with \`relay config set port PORT\` and enter the new redirect URI in the Spotify app.
`,
    },
  },
];

for (const { what, error, words = [], told, startsOver } of CANNOT_START) {
  test(what, async () => {
    const { parts, starts } = startable(loginThat(CONNECTED), error);
    const { code, err } = await relay(['login', '--no-browser', ...words], { env: SET_UP, parts });
    assert.deepEqual({ code, err }, told);
    assert.deepEqual(pluck(starts, 'startOver'), startsOver ? [false, true] : [false]);
  });
}

test('with --json, starting over is reported only once the login has succeeded: after a failure, the error must be the only line on stderr', async () => {
  const args = ['login', '--no-browser', '--yes', '--json'];
  const { parts } = startable(loginThat(CONNECTED), MISMATCH);
  assert.equal((await relay(args, { env: SET_UP, parts })).err, `${STARTS_OVER}\n`);
  const failure = { state: 'failed', code: 'LOGIN_FAILED', message: 'Declined.', remedy: null } as const;
  const { parts: failing } = startable(loginThat(failure), MISMATCH);
  const { err } = await relay(args, { env: SET_UP, parts: failing });
  assert.deepEqual(JSON.parse(err), { error: { code: 'LOGIN_FAILED', message: 'Declined.', remedy: null } });
});

test('a person at a terminal may decline to start over, and nothing is forgotten', async () => {
  const { parts, starts } = startable(loginThat(CONNECTED), MISMATCH);
  const terminal = { stdin: true };
  const { code, err } = await relay(['login'], { env: SET_UP, parts, stdin: '\n', terminal });
  assert.equal(code, 3);
  assert.ok(err.startsWith(`${STARTS_OVER}\nStart over? [y/N] relay: The master key is another one.\n`), err);
  assert.deepEqual(pluck(starts, 'startOver'), [false]);
});

const STEPS = `relay reaches Spotify through an app of your own. To make it:

  1. Create an app at https://developer.spotify.com/dashboard
     (its owner needs Premium).
  2. Enter exactly this redirect URI, and tick "Web API":
     ${REDIRECT_URI}
  3. Save it, open its settings and copy the Client ID.
`;

test('without a client ID, login explains the app, asks until it gets an ID, and stores it', async (context) => {
  const home = temporaryHome(context);
  const { parts, starts } = startable(loginThat(CONNECTED));
  const { code, err } = await relay(['login'], {
    env: { RELAY_HOME: home },
    parts,
    stdin: `my-app\n${CLIENT_ID.slice(1)}\n${CLIENT_ID.toUpperCase()} \n`,
    terminal: { stdin: true },
    openBrowser: async () => {},
  });
  const path = join(home, 'config.json');
  assert.equal(code, 0);
  const again = 'Client ID: That is not a client ID, which has 32 characters, 0-9 and a-f. Copy it again.\n';
  assert.equal(
    err,
    `${STEPS}\n${again}${again}Client ID: Saved in ${path}\n${OPENING}${NEXT_WITHOUT_SERVER}`,
  );
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { providerClientId: CLIENT_ID });
  assert.deepEqual(starts, [{ clientId: CLIENT_ID, startOver: false, demo: false, purpose: 'relay login' }]);
});

const NOT_SET = `relay: The client ID of your Spotify app is not set.
  Set it with \`relay config set providerClientId ID\`, then log in again.
`;

test('without a client ID, login asks only on a terminal; if none is typed, nothing is stored, and it is exit 2', async (context) => {
  const env = { RELAY_HOME: temporaryHome(context) };
  for (const [stdin, terminal, asked] of [
    [`${CLIENT_ID}\n`, false, ''],
    ['\n', true, '\nClient ID: '],
    ['', true, '\nClient ID: \n'],
  ] as const) {
    const result = await relay(['login'], { env, stdin, terminal: { stdin: terminal } });
    assert.deepEqual(result, { code: 2, out: '', err: `${STEPS}${asked}${NOT_SET}` });
  }
  assert.equal(existsSync(join(env.RELAY_HOME, 'config.json')), false);
});

test('a running server without a client ID takes the one that is asked for', async (context) => {
  const answers = loginThat(CONNECTED);
  const server = await startFakeLocal(context, {
    answers: {
      ...answers,
      startLogin: async (options) => {
        if (existsSync(join(server.home, 'config.json'))) return answers.startLogin?.(options) as never;
        throw new RelayError('SETTINGS_INVALID', 'No client ID.');
      },
    },
  });
  const { code, out, err } = await relay(['login'], {
    env: server.env,
    stdin: `${CLIENT_ID}\n`,
    terminal: { stdin: true },
    openBrowser: async () => {},
  });
  assert.deepEqual([code, out], [0, `${OWNER_URL}\n${CONNECTED_LINE}`]);
  assert.ok(err.includes(`${server.baseUrl}/auth/provider/callback\n`));
});

test('interrupted while waiting: exit 130, and the server that was started is closed', async () => {
  const stop = new AbortController();
  const { parts, ends } = startable({ ...loginThat(CONNECTED), loginProgress: () => new Promise(() => {}) });
  const result = await relay(['login', '--no-browser'], {
    env: SET_UP,
    stdin: new PassThrough(),
    parts,
    signal: stop.signal,
    onOut: () => setImmediate(() => stop.abort(new RelayError('INTERRUPTED', 'Interrupted.'))),
  });
  assert.deepEqual([result.code, result.err, ends], [130, `${PASTE_HINT}relay: Interrupted.\n`, ['closed']]);
});
