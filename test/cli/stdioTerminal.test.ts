/** `relay stdio` at a terminal, where a person and no client has started it. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Pipe } from '../../src/cli/context.ts';
import { relay } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';

/** stdin that has ended, and a client that reads nothing. */
function pipe(terminal: boolean): Pipe {
  const input = new PassThrough();
  input.end();
  return {
    input,
    terminal,
    write: async () => {},
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
