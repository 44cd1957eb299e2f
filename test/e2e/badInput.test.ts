import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
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

test('a wrong setting stops the start with exit code 2 and no value of a secret', () =>
  withDesk({}, async (desk) => {
    const weak = { PUBLIC_BASE_URL: 'https://relay.example.org', MCP_API_KEY: 'tiny-secret'.repeat(4) };
    const wrong: Array<[env: Record<string, string>, ...words: RegExp[]]> = [
      [{ RELAY_HOST: '0.0.0.0' }, /RELAY_HOST/, /PUBLIC_BASE_URL/],
      [weak, /MCP_API_KEY in the environment is too predictable/, /PUBLIC_BASE_URL/],
      [{ RELAY_ENCRYPTION_KEY: 'c2hvcnQ=' }, /RELAY_ENCRYPTION_KEY/],
    ];
    for (const [env, ...words] of wrong) {
      const ended = await desk.relay(SERVE, { env });
      assertRefusal(ended, 2, ...words);
      for (const secret of ['tiny-secret', 'c2hvcnQ=']) assert.ok(!ended.err.includes(secret));
    }
  }));

test('a taken port is an error that names the flag', (t) =>
  withDesk({}, async (desk) => {
    const { port } = new URL(await listening(t, createServer()));
    assertRefusal(await desk.relay(['serve', '--port', port]), 1, new RegExp(port), /--port/);
    // Nothing is left behind: the home is free again.
    await desk.host();
  }));

test('a second server of one home fails at once with the pid and URL of the first', () =>
  withDesk({}, async (desk) => {
    const { ready, server } = await desk.serve();
    assertRefusal(await desk.relay(SERVE), 1, new RegExp(String(ready.pid)), new RegExp(ready.baseUrl));
    // A process that does not answer, because it is stopped, still owns its home.
    process.kill(server.pid, 'SIGSTOP');
    assertRefusal(await desk.relay(SERVE), 1, new RegExp(String(ready.pid)));
    process.kill(server.pid, 'SIGCONT');
  }));

test('a state file that is no database is named, refused and left as it is', () =>
  withDesk({}, async (desk) => {
    await (await desk.host()).server.stop();
    const path = join(desk.home, 'relay.db');
    const text = 'not a database, but somebody’s text\n'.repeat(200);
    writeFileSync(path, text);
    for (const args of [SERVE, ['key']]) assertRefusal(await desk.relay(args), 1, /relay\.db/);
    assert.equal(readFileSync(path, 'utf8'), text);
  }));
