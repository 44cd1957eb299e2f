/** `relay stdio` in this process: what it says at a terminal, and to a client whose server cannot start. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Pipe } from '../../src/cli/context.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { makeState } from '../support/homes.ts';
import { COMMAND } from '../support/program.ts';

/** stdin that ends after these lines, and a client that keeps in `read` what it gets. */
function pipe(terminal: boolean, lines = '', read: string[] = []): Pipe {
  const input = new PassThrough();
  input.end(lines);
  return {
    input,
    terminal,
    write: async (text) => void read.push(text),
    flushed: async () => {},
    closed: new AbortController().signal,
  };
}

test('stdio on a terminal says what it waits for, and what ends it', async (context) => {
  const { env } = await startFakeLocal(context);
  assert.deepEqual(await relay(['stdio'], { env, pipe: pipe(true) }), {
    code: 0,
    out: '',
    err: 'Waiting for messages of an MCP client. Ctrl-C ends it.\n',
  });
});

test('stdio says on stderr that the server is of another version, and goes on', async (context) => {
  const { env } = await startFakeLocal(context, { version: '9.9.9' });
  assert.deepEqual(await relay(['stdio'], { env, pipe: pipe(false) }), {
    code: 0,
    out: '',
    err: 'The running server is version 9.9.9, this is 1.2.3: end it with "relay stop" and start it again.\n',
  });
});

test('a server that cannot start says why to the client', async (context) => {
  const machine = { program: [...COMMAND], homeDir: '/', uid: 0, run: () => assert.fail() };
  const home = temporaryHome(context);
  const key = (byte: number) => ({ RELAY_ENCRYPTION_KEY: Buffer.alloc(32, byte).toString('base64') });
  await makeState({ RELAY_HOME: home, ...key(1) });
  const refusals: Array<[env: Record<string, string>, why: RegExp]> = [
    // No server is started with such a setting; the other key is found by the server that is started.
    [{ RELAY_PORT: 'none' }, /RELAY_PORT in the environment must be/],
    [{ RELAY_PORT: '0', ...key(2) }, /The master key is not the one that encrypted the state/],
  ];
  for (const [more, why] of refusals) {
    const read: string[] = [];
    const asked = pipe(false, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n', read);
    const env = { RELAY_HOME: home, ...more };
    assert.equal((await relay(['stdio'], { env, machine, pipe: asked })).code, 0);
    const { id, error } = JSON.parse(read.join(''));
    assert.equal(id, 1);
    assert.match(error.message, why);
  }
});
