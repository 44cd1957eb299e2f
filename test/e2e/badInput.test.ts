import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { listening } from '../support/http.ts';
import { type Ended, withDesk } from '../support/program.ts';

const SERVE = ['serve', '--port', '0'];

/** Asserts a refusal: the exit code, an error with these words, no stack trace, and nothing on stdout. */
function assertRefusal(ended: Ended, code: number, ...words: RegExp[]): void {
  assert.equal(ended.code, code, ended.err);
  for (const word of words) assert.match(ended.err, word);
  assert.doesNotMatch(ended.err, /\n\s+at .+:\d+/);
  assert.equal(ended.out, '');
}

const badSettings: Array<[what: string, env: Record<string, string>, args: string[], words: RegExp[]]> = [
  ['an invalid port', { RELAY_PORT: '70000' }, [], [/RELAY_PORT/]],
  ['an open address without a public URL', { RELAY_HOST: '0.0.0.0' }, [], [/RELAY_HOST/, /PUBLIC_BASE_URL/]],
  ['a short API key', { MCP_API_KEY: 'tiny-secret' }, [], [/MCP_API_KEY/, /32/]],
  [
    'a weak API key with a public URL',
    { PUBLIC_BASE_URL: 'https://relay.example.org', MCP_API_KEY: 'tiny-secret'.repeat(4) },
    [],
    [/MCP_API_KEY in the environment is too predictable/, /PUBLIC_BASE_URL/],
  ],
  ['a bad encryption key', { RELAY_ENCRYPTION_KEY: 'c2hvcnQ=' }, [], [/RELAY_ENCRYPTION_KEY/]],
  [
    'a redirect URI with another path',
    { PROVIDER_REDIRECT_URI: 'http://127.0.0.1:4980/callback' },
    [],
    [/PROVIDER_REDIRECT_URI/, /\/auth\/provider\/callback/],
  ],
  ['half an OAuth client', { MCP_OAUTH_CLIENT_ID: 'x' }, [], [/MCP_OAUTH_CLIENT_/]],
  ['an unknown option', {}, ['--prot', '1'], [/--prot/]],
];

for (const [what, env, args, words] of badSettings) {
  test(`${what} stops the start with exit code 2 and no value of a secret`, () =>
    withDesk(env, async (desk) => {
      const ended = await desk.relay([...SERVE.slice(0, 1), ...args]);
      assertRefusal(ended, 2, ...words);
      for (const secret of ['tiny-secret', 'c2hvcnQ=']) assert.ok(!ended.err.includes(secret));
    }));
}

test('a taken port is an error that names the flag', (t) =>
  withDesk({}, async (desk) => {
    const { port } = new URL(await listening(t, createServer()));
    assertRefusal(await desk.relay(['serve', '--port', port]), 1, new RegExp(port), /--port/);
    // Nothing is left behind: the home is free again.
    await desk.host();
  }));

test('a home that cannot be made is refused at once', () =>
  withDesk({}, async (desk) => {
    for (const home of ['/proc/relay-home', '/proc/relay/home', '/dev/null/relay']) {
      assertRefusal(
        await desk.relay(SERVE, { env: { RELAY_HOME: home } }),
        home.startsWith('/dev') ? 2 : 1,
        /\/(proc|dev)\//,
      );
    }
  }));

test('a second server of one home fails at once with the pid and URL of the first', () =>
  withDesk({}, async (desk) => {
    const { ready, server } = await desk.serve();
    const second = await desk.relay(SERVE);
    assertRefusal(second, 1, new RegExp(String(ready.pid)), new RegExp(ready.baseUrl));
    // A process that does not answer, because it is stopped, still owns its home.
    process.kill(server.pid, 'SIGSTOP');
    assertRefusal(await desk.relay(SERVE), 1, new RegExp(String(ready.pid)));
    process.kill(server.pid, 'SIGCONT');
  }));

const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

const damages: Array<[what: string, spoil: (path: string) => void]> = [
  ['cut off', (path) => truncateSync(path, 5_000)],
  ['overwritten in the middle', (path) => writeFileSync(path, spoiled(readFileSync(path)))],
  ['no database at all', (path) => writeFileSync(path, 'not a database, but somebody’s text\n'.repeat(200))],
  ['empty', (path) => writeFileSync(path, '')],
];

function spoiled(image: Buffer): Buffer {
  randomBytes(image.length - 200).copy(image, 150);
  return image;
}

for (const [what, spoil] of damages) {
  test(`a state file that is ${what} is named, refused and left as it is`, () =>
    withDesk({}, async (desk) => {
      const { server } = await desk.host();
      await server.stop();
      const path = join(desk.home, 'relay.db');
      spoil(path);
      const before = digest(path);
      assertRefusal(await desk.relay(SERVE), 1, /relay\.db/);
      assertRefusal(await desk.relay(['key']), 1, /relay\.db/);
      assert.equal(digest(path), before);
    }));
}
