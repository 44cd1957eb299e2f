import assert from 'node:assert/strict';
import { createServer } from 'node:http';
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
