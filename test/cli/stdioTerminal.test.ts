/** `relay stdio` at a terminal, where a person and no client has started it. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { relay } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';

const END_KEYS = [
  ['linux', 'Ctrl-D'],
  ['darwin', 'Ctrl-D'],
  ['win32', 'Ctrl-Z and then Enter'],
] as const;

for (const [platform, keys] of END_KEYS) {
  test(`stdio on a terminal of ${platform} says what it waits for, and what ends it`, async (context) => {
    const { env } = await startFakeLocal(context);
    const input = new PassThrough();
    input.end();
    const pipe = {
      input,
      terminal: true,
      write: async () => {},
      flushed: async () => {},
      closed: new AbortController().signal,
    };
    assert.deepEqual(await relay(['stdio'], { env, platform, pipe }), {
      code: 0,
      out: '',
      err: `Waiting for messages of an MCP client. ${keys} ends it.\n`,
    });
  });
}
