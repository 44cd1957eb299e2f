/** Another user of the machine, with everything they can read and every port they can reach. */

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { PEERS_ARE_KNOWN } from '../../src/server/access/peer.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { createBrowser } from '../support/browser.ts';
import { temporaryHome } from '../support/cli.ts';
import { pluck } from '../support/entries.ts';
import { answerOf, askOwner, formFields, ownerBrowser, signIn } from '../support/ownerBrowser.ts';
import { withDesk } from '../support/program.ts';
import { settingsFor, startSimulator } from '../support/simulator/simulator.ts';
import { type StrangerTask, sendStranger, withoutSecondUser } from '../support/stranger.ts';
import { until } from '../support/waiting.ts';
import { withRelay } from '../support/world.ts';

interface Opener {
  env: Record<string, string>;
  /** Waits until the opener is called. Returns the path that it got, the file's content and mode, and its environment. */
  opened(): Promise<{ path: string; page: string; mode: string; environment: string }>;
  /** Lets the process of the opener end. */
  release(): void;
}

/** Signs in with the ticket of the opened page, as its script does, and continues to Spotify. Returns the last status. */
async function followTicket(baseUrl: string, ticket: string): Promise<number> {
  const answer = await fetch(`${baseUrl}/owner/ticket`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({ ticket }),
  });
  const { next } = (await answer.json()) as { next: string };
  return (await createBrowser().open(`${baseUrl}${next}`)).status;
}

/** An `xdg-open` that stays in the process list, as a browser does, until it is released. */
function fakeOpener(folder: string): Opener {
  const bin = join(folder, 'bin');
  const at = (name: string) => join(folder, name);
  mkdirSync(bin);
  const script = `#!/bin/sh
stat -c %a "$1" > '${at('mode')}'
cat "$1" > '${at('page')}'
env > '${at('environment')}'
echo "$1" > '${at('path')}'
n=0
while [ ! -e '${at('release')}' ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done
`;
  writeFileSync(join(bin, 'xdg-open'), script, { mode: 0o755 });
  const text = (name: string) => readFileSync(at(name), 'utf8').trim();
  return {
    // Without DISPLAY, relay would not start a browser.
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder, DISPLAY: ':99' },
    async opened() {
      await until(() => existsSync(at('path')) && text('path') !== '');
      return { path: text('path'), page: text('page'), mode: text('mode'), environment: text('environment') };
    },
    release: () => writeFileSync(at('release'), ''),
  };
}

const loginUrlOf = (line: string) => (JSON.parse(line) as { url: string }).url;

test('another user gets neither an approval nor a token nor a login of their own, and sees no secret', {
  skip: withoutSecondUser,
}, async (context) => {
  // A home in a folder that everybody may enter, so that only relay itself keeps others out.
  const folder = temporaryHome(context);
  chmodSync(folder, 0o755);
  const home = join(folder, 'home');
  const provider = await startSimulator();
  context.after(() => provider.close());
  const opener = fakeOpener(folder);
  await withDesk({ ...opener.env, RELAY_HOME: home, ...settingsFor(provider) }, async (desk) => {
    const { server, ready } = await desk.serve();
    const { baseUrl } = ready;
    const login = desk.start(['login', '--json']);
    const [line] = await login.until(/^\{"event":"login_url".*\}$/m);
    const { path, page, mode } = await opener.opened();
    const [, ticket = ''] = /url=[^"]*#ticket=([\w-]{43})"/.exec(page) ?? [];

    // The other user is logged in to the provider as somebody else, and no account is connected yet.
    provider.loginAs(1);
    const { client_id } = await newClient(baseUrl, { redirect_uris: [CLIENT] });
    const report = await sendStranger({
      baseUrl,
      addresses: [`${baseUrl}/auth/provider/login`],
      paths: [home, ...FILES.map((name) => join(home, name)), path, dirname(path)],
      requests: [...ownersCalls(), ...guesses(client_id)],
      approval: { path: authorizeUrl(baseUrl, { client_id, redirect_uri: CLIENT }), codes: CODES },
      socket: join(home, 'relay.sock'),
      watchMs: 700,
    });
    provider.loginAs(0);

    assert.deepEqual(report.tried, { [`${baseUrl}/auth/provider/login`]: 403 });
    // The printed address, which a pipe or a log may keep, leads to a page that asks for the owner code.
    assert.equal(loginUrlOf(line), `${baseUrl}/`);
    // Node sends no answer to a client that has closed its end. Any other answer must be a refusal, not a redirect to the
    // provider.
    assert.match(report.closing, /^(HTTP\/1\.1 403)?$/);
    assert.deepEqual(report.door, ['EACCES']);
    assert.deepEqual(report.read, {});
    assert.deepEqual(report.files, []);
    assert.match(ticket, /^[\w-]{43}$/);
    assert.equal(mode, '600');
    // The opener is in the list of processes, so a secret on its command line would have been seen.
    assert.ok(report.lines.some((text) => text.includes(`xdg-open ${path}`)));
    assert.deepEqual(report.lines.filter(holdsSecret(ticket)), []);
    for (const { path: asked, status, text } of report.sent) {
      assert.ok(status >= 400, `${asked} answered ${status}: ${text}`);
    }
    assert.deepEqual(
      report.approvals.map(({ token, status, location }) => [token, status >= 400, location]),
      CODES.map(() => [false, true, null]),
    );

    // The owner's login still waits, and the owner's own account is what gets connected.
    assert.equal(await followTicket(baseUrl, ticket), 200);
    const ended = await login.ended;
    assert.equal(ended.code, 0, ended.err);
    assert.ok(ended.out.includes(provider.accounts[0]?.displayName ?? '?'));
    assert.ok(![ended.out, ended.err, server.out, server.err].some(holdsSecret(ticket)));
    assert.equal(existsSync(dirname(path)), false);
    const clients = JSON.parse((await desk.relay(['clients', '--json'])).out) as {
      clients: Array<{ approvals: unknown[] }>;
    };
    assert.deepEqual(pluck(clients.clients, 'approvals'), [[]]);
  }).finally(opener.release);
});

test('another user who has learned the secrets that prove the owner gets nothing with them', {
  skip: withoutSecondUser || !PEERS_ARE_KNOWN,
}, async () => {
  await withRelay({ connect: false, client: false }, async (relay) => {
    const { baseUrl, server } = relay;
    const page = authorizeUrl(baseUrl, { client_id: (await newClient(baseUrl)).client_id });
    const ticket = new URL((await server.local.ownerTicket({ attemptId: null })).url).hash.slice(8);
    const secret = await signIn(relay);
    const code = server.ownerCode ?? '';
    const headers = { 'content-type': 'application/json', origin: baseUrl, 'x-relay-owner': secret };
    const post = (path: string, body: object) => {
      return { path, method: 'POST', headers, body: JSON.stringify(body) };
    };
    // The form of a page that the owner has open, with all its fields and cookies.
    const browser = ownerBrowser(baseUrl);
    const shown = await browser.open(page);
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    const form = (proof: Record<string, string>) => ({
      ...{ path: '/oauth/authorize', method: 'POST' },
      headers: { origin: baseUrl, cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams([...formFields(shown), ['decision', 'approve'], ...Object.entries(proof)])}`,
    });
    const requests = [
      post('/owner/check', {}),
      post('/owner/code', { code }),
      post('/owner/ticket', { ticket }),
      post('/owner/player/look', {}),
      { path: '/owner/cards', headers },
      // As if the connection had been made by a proxy.
      { path: '/owner/cards', headers: { ...headers, 'x-forwarded-for': '192.0.2.1' } },
      { path: page },
      form({ owner_code: code }),
      form({ owner_proof: secret }),
    ];
    const { sent } = await sendStranger({ baseUrl, addresses: [], requests, paths: [], watchMs: 0 });
    assert.deepEqual(pluck(sent, 'status'), Array(requests.length).fill(403));
    for (const { text } of sent) assert.doesNotMatch(text, /<form/);

    // The owner can still use the ticket, and approves with one click.
    assert.equal((await askOwner(baseUrl, 'ticket', { ticket })).status, 200);
    assert.ok(answerOf(await browser.submit(shown, 'approve', { owner_proof: secret })).code);
  });
});

const FILES = ['relay.db', 'config.json', 'server.json', 'master.key', 'oauth-clients.json'];

const holdsSecret = (ticket: string) => (text: string) =>
  /[?&#](ticket|owner)=[\w-]{43}/.test(text) || (ticket !== '' && text.includes(ticket));

/** Calls of the door and of the owner's page, without a proof. */
function ownersCalls() {
  const headers = { 'content-type': 'application/json' };
  return ['local/status', 'status', 'stop', 'owner/player/look', 'owner/account/connect'].map((route) => ({
    ...{ path: `/${route}`, method: 'POST', headers, body: '{"call":"status","given":{}}' },
  }));
}

const CLIENT = 'http://127.0.0.1:9/cb';

const CODES = ['', 'AAAA-AAAA', 'ABCD-EFGH', '2345-6789', 'null'];

/** Requests with made-up credentials. */
function guesses(client_id: string): StrangerTask['requests'] {
  const form = { grant_type: 'authorization_code', code: 'guess', client_id, redirect_uri: CLIENT };
  return [
    {
      path: '/oauth/token',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams(form)}`,
    },
    { path: '/mcp', method: 'POST', headers: { authorization: 'Bearer guess' }, body: '{}' },
  ];
}
