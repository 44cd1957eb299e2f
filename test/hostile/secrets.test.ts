/**
 * Plants secrets wherever they can enter, and looks for them wherever data leaves or is kept: log, pages, answers, tool
 * results, errors, files of the home, change records, exports, a backup.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createLog } from '../../src/server/log/log.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { authorizeUrl, json, newClient, REDIRECT, VERIFIER } from '../oauth/clients.ts';
import { askToken, codeForm, refreshForm } from '../oauth/tokens.ts';
import { createBrowser } from '../support/browser.ts';
import { relay as runRelay } from '../support/cli.ts';
import { type Answer, send } from '../support/http.ts';
import { answerOf, askOwner, ownerBrowser } from '../support/ownerBrowser.ts';
import { API_KEY, ENCRYPTION_KEY, mcpClient, type Relay, withRelay } from '../support/world.ts';

const OWNER_CODE = 'planted-owner-code-71fe90b3';
const APP_SECRET = 'planted-app-secret-20cd47a8';
const STATIC_SECRET = 'planted-static-client-e83b1f52';
/** Wrong secrets, sent by mistake: they may be valid elsewhere. */
const WRONG = {
  bearer: 'planted-wrong-bearer-4a6d',
  cookie: 'planted-wrong-cookie-b91e',
  clientSecret: 'planted-wrong-secret-07cc',
  code: 'planted-wrong-code-5d20',
  refresh: 'planted-wrong-refresh-f3a4',
  callback: 'planted-wrong-callback-c6e8',
  ownerCode: 'planted-wrong-owner-182b',
  ticket: 'planted-wrong-ticket-9e7d',
  body: 'planted-body-secret-6b5f',
};
/** Secrets in answers of the provider: in a header, in an error, in a page that a proxy sends instead. */
const FROM_PROVIDER = { cookie: 'planted-provider-cookie-3d19', page: 'planted-provider-page-a07b' };

/** Bytes that were written or answered, and where. */
interface Seen {
  place: string;
  bytes: Buffer;
}

/** Secrets that are in a place on purpose, and the reason. */
const ALLOWED: ReadonlyArray<{ secret: RegExp; place: RegExp; why: string }> = [
  { secret: /^owner code$/, place: /^door status$/, why: 'relay status shows it on a terminal' },
  { secret: /^API key$/, place: /^door showKey$/, why: 'relay key prints it for the owner' },
  {
    secret: /^code of a client$/,
    place: /^redirect to the client$/,
    why: 'this is how a code is handed over',
  },
  { secret: /^(access|refresh) token of a client$/, place: /^token answer$/, why: 'the client asked for it' },
  { secret: /^secret of a client$/, place: /^registration$/, why: 'shown once, when a client registers' },
  { secret: /^secret of a browser$/, place: /^owner code answer$/, why: 'the page keeps it' },
  { secret: /^login cookie$/, place: /^login start$/, why: 'the cookie is set here' },
  { secret: /^form cookie$/, place: /^approval page$/, why: 'the cookie is set here' },
];

/** A secret in plain form and in the usual encodings. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), base64];
}

function leaks(secrets: ReadonlyMap<string, string>, seen: readonly Seen[]): string[] {
  return [...secrets].flatMap(([name, secret]) => {
    assert.ok(secret.length >= 12, `${name} is too short to be looked for: ${secret}`);
    const forms = formsOf(secret);
    const places = seen.filter(({ bytes }) => forms.some((form) => bytes.includes(form)));
    return places
      .filter(({ place }) => !ALLOWED.some((rule) => rule.secret.test(name) && rule.place.test(place)))
      .map(({ place }) => `${name} in: ${place}`);
  });
}

/** What the test collects, and how. */
function collector() {
  const seen: Seen[] = [];
  const secrets = new Map<string, string>([
    ['API key', API_KEY],
    ['encryption key', ENCRYPTION_KEY],
    ['owner code', OWNER_CODE],
    ['secret of the Spotify app', APP_SECRET],
    ['secret of a configured client', STATIC_SECRET],
    ['verifier of a client', VERIFIER],
    ...Object.entries(WRONG).map(([name, secret]): [string, string] => [`wrong ${name}`, secret]),
    ...Object.entries(FROM_PROVIDER).map(([name, secret]): [string, string] => [
      `provider's ${name}`,
      secret,
    ]),
  ]);
  const see = (place: string, what: string | Buffer) => void seen.push({ place, bytes: Buffer.from(what) });
  const answered = (place: string, answer: Answer): Answer => {
    see(place, `${JSON.stringify(answer.headers)}\n${answer.text}`);
    return answer;
  };
  return { seen, secrets, see, answered };
}
type Collector = ReturnType<typeof collector>;

/** Logs in; codes, verifier and tokens of the provider become secrets to look for. */
async function login({ baseUrl, provider }: Relay, { secrets, see }: Collector): Promise<void> {
  let nth = 0;
  const fn = (body: unknown) => {
    const { access_token, refresh_token } = body as Record<string, string | undefined>;
    nth += 1;
    if (access_token) secrets.set(`provider's access token ${nth}`, access_token);
    if (refresh_token) secrets.set(`provider's refresh token ${nth}`, refresh_token);
    return body;
  };
  provider.faults.add({ path: /\/api\/token$/, kind: 'transform', times: Number.POSITIVE_INFINITY, fn });
  const browser = createBrowser();
  const start = await browser.step(`${baseUrl}/auth/provider/login`);
  const [line = ''] = start.headers.getSetCookie();
  secrets.set('login cookie', /^[^=]+=([^;]+)/.exec(line)?.[1] ?? '');
  see('login start', `${JSON.stringify([...start.headers])}${start.text}`);
  const end = await browser.open(start.headers.get('location') ?? '');
  assert.equal(end.status, 200);
  see('login end', `${JSON.stringify([...end.headers])}${end.text}`);
  const exchange = provider.requests.find(({ path }) => path.endsWith('/api/token'))?.body as Record<
    string,
    string
  >;
  secrets.set("provider's code", exchange.code ?? '');
  secrets.set("provider's verifier", exchange.code_verifier ?? '');
}

/** A client registers, is approved, gets tokens, refreshes, and makes every mistake that sends a secret. */
async function connectClients(relay: Relay, { secrets, see, answered }: Collector): Promise<string> {
  const { baseUrl } = relay;
  const client = await newClient(baseUrl, { token_endpoint_auth_method: 'client_secret_post' });
  see('registration', JSON.stringify(client));
  secrets.set('secret of a client', client.client_secret ?? '');
  const browser = ownerBrowser(baseUrl);
  const address = authorizeUrl(baseUrl, { client_id: client.client_id });
  const page = answered('approval page', await browser.open(address));
  for (const value of browser.cookies.values()) secrets.set('form cookie', value);
  answered('approval refused', await browser.submit(page, 'approve', { owner_code: WRONG.ownerCode }));
  const approved = await browser.submit(page, 'approve', { owner_code: OWNER_CODE });
  const { code = '' } = answerOf(answered('redirect to the client', approved));
  secrets.set('code of a client', code);
  const secret = { client_secret: client.client_secret ?? '' };
  const exchanged = await askToken(baseUrl, { ...codeForm(client, code), ...secret });
  const first = json(answered('token answer', exchanged));
  const token = String(first.access_token);
  secrets.set('access token of a client', token);
  secrets.set('refresh token of a client', String(first.refresh_token));
  const wrong = { client_id: client.client_id, client_secret: WRONG.clientSecret };
  const basic = Buffer.from(`static-client:${WRONG.clientSecret}`).toString('base64');
  const tries: Array<Parameters<typeof askToken>> = [
    [baseUrl, { ...wrong, grant_type: 'refresh_token', refresh_token: WRONG.refresh }],
    [baseUrl, { ...codeForm(client, WRONG.code), ...secret }],
    [baseUrl, { ...refreshForm(client, WRONG.refresh), ...secret }],
    [baseUrl, { grant_type: 'x' }, { authorization: `Basic ${basic}` }],
    // The code is used again: its tokens end, and the log says so.
    [baseUrl, { ...codeForm(client, code), ...secret }],
  ];
  for (const request of tries) answered('token refused', await askToken(...request));
  return token;
}

/** Requests with a secret in a wrong place. */
async function mistake({ baseUrl, door }: Relay, { secrets, answered }: Collector): Promise<void> {
  const signedIn = await askOwner(baseUrl, 'code', { code: OWNER_CODE });
  secrets.set('secret of a browser', String(json(signedIn).secret));
  answered('owner code answer', signedIn);
  answered('owner code refused', await askOwner(baseUrl, 'code', { code: WRONG.ownerCode }));
  answered('ticket refused', await askOwner(baseUrl, 'ticket', { ticket: WRONG.ticket }));
  const type = { 'content-type': 'application/json' };
  const headers = { ...type, authorization: `Bearer ${WRONG.bearer}`, cookie: `relay_login=${WRONG.cookie}` };
  const body = `{"secret":"${WRONG.body}"`;
  const callback = `/auth/provider/callback?code=${WRONG.callback}&state=${WRONG.callback}`;
  const paths = ['/mcp', '/oauth/token', '/oauth/register', '/oauth/revoke', '/oauth/authorize', '/nowhere'];
  for (const path of [...paths, callback]) {
    for (const options of [{ headers }, { method: 'POST', headers, body }])
      answered(`refused: ${path.slice(0, 22)}`, await send(`${baseUrl}${path}`, options));
  }
  for (const call of ['status', 'showKey', 'listClients', 'listBrowsers', 'listPlaylists'] as const) {
    answered(`door ${call}`, { status: 200, headers: {}, text: JSON.stringify(await door[call]()) });
  }
  const owner = { 'x-relay-owner': secrets.get('secret of a browser') ?? '', origin: baseUrl };
  const views = ['home', 'diagnostics'].map((view) => `/owner/cards?view=${view}`);
  for (const path of [...views, '/', '/health', '/auth/status'])
    answered(path, await send(`${baseUrl}${path}`, { headers: owner }));
}

/** Every tool that needs no argument, some that write, and each kind of failure of the provider. */
async function useTools({ server, provider }: Relay, { secrets, see }: Collector): Promise<void> {
  const client = await mcpClient(server.mcpUrl);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: args }).catch((error: unknown) => String(error));
    see(`tool ${name}`, JSON.stringify(result));
    return result as { structuredContent?: Record<string, unknown> };
  };
  const { tracks } = provider.catalogue;
  await call('create_playlist', { name: 'For the search' });
  await call('save_tracks', { track_ids: [tracks[40]?.id, tracks[41]?.id] });
  for (const { name } of ALL_TOOLS.filter(({ kind }) => kind === 'read')) await call(name);
  provider.expireAccessTokens();
  await call('get_devices');
  const token = [...secrets].filter(([name]) => name.startsWith("provider's access")).at(-1)?.[1] ?? '';
  const page = `<html>${FROM_PROVIDER.page} ${token}</html>`;
  const headers = { 'set-cookie': FROM_PROVIDER.cookie };
  for (const status of [400, 403, 404, 500, 200]) {
    const body = status === 200 ? page : { error: { status, message: `Invalid token ${token}` } };
    provider.faults.add({ kind: 'status', path: /tracks/, status, body, headers, times: 4 });
    await call('get_track', { track_id: tracks[50]?.id });
    provider.faults.clear();
  }
  await client.close();
}

/** What the command line writes, and every file of the home. */
async function readFiles({ home, server }: Relay, { see }: Collector): Promise<void> {
  const env = { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY };
  const copy = join(home, 'copy.backup');
  for (const command of ['backup', 'export --saved', 'history', 'status', 'config list']) {
    const args = command === 'backup' ? [command, copy] : command.split(' ');
    const { code, out, err } = await runRelay(args, { env });
    assert.ok(code === 0 || args[0] === 'export' || args[0] === 'status', `${args}: ${code} ${err}`);
    see(`relay ${args[0]}`, `${out}\n${err}`);
  }
  see('change records', JSON.stringify(await server.local.listChanges({ limit: 50 })));
  await server.local.saveState();
  for (const name of readdirSync(home, { recursive: true, withFileTypes: true })) {
    if (name.isFile()) see(`file ${name.name}`, readFileSync(join(name.parentPath, name.name)));
  }
}

test('no planted secret is in the log, an answer, a file or an export, except where it belongs', async () => {
  const collected = collector();
  const stream = new PassThrough();
  let written = '';
  stream.on('data', (chunk: Buffer) => {
    written += chunk;
  });
  const env = {
    PROVIDER_CLIENT_SECRET: APP_SECRET,
    MCP_OAUTH_OWNER_SECRET: OWNER_CODE,
    MCP_OAUTH_CLIENT_ID: 'static-client',
    MCP_OAUTH_CLIENT_SECRET: STATIC_SECRET,
    MCP_OAUTH_CLIENT_REDIRECT_URI: REDIRECT,
  };
  const log = createLog({ logLevel: 'debug', logFormat: 'json' }, stream);
  const options = { connect: false, client: false, env, log, provider: { clientSecret: APP_SECRET } };
  await withRelay(options, async (relay) => {
    await login(relay, collected);
    const token = await connectClients(relay, collected);
    await mistake(relay, collected);
    await mcpClient(relay.server.mcpUrl, token).catch(() => {});
    await useTools(relay, collected);
    await readFiles(relay, collected);
  });
  collected.see('log', written);
  assert.ok(written.includes('"level":"debug"'));
  assert.deepEqual(leaks(collected.secrets, collected.seen), []);
  const places = new Set(collected.seen.map(({ place }) => place));
  for (const place of [
    'file relay.db',
    'file copy.backup',
    'tool get_track',
    'relay export',
    'change records',
  ])
    assert.ok(places.has(place), place);
  // Every rule must be used. If a rule is not, the place that it names may have moved.
  for (const { secret, place, why } of ALLOWED) {
    const names = [...collected.secrets].filter(([name]) => secret.test(name));
    const there = collected.seen.filter((one) => place.test(one.place));
    assert.ok(
      names.some(([, text]) => there.some(({ bytes }) => bytes.includes(text))),
      why,
    );
  }
});
