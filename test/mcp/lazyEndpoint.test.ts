import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { McpEndpoint } from '../../src/mcp/endpoint.ts';
import { createLazyEndpoint } from '../../src/mcp/lazyEndpoint.ts';

/** A lazy endpoint whose loads end or fail when the test says so; `done` records what reaches the endpoint behind it. */
function world() {
  const done: string[] = [];
  const loads: Array<{ end: () => void; fail: () => void }> = [];
  const endpoint: McpEndpoint = {
    direct: async () => false,
    async fetch(request) {
      done.push(new URL(request.url).pathname);
      return new Response();
    },
    stopCalls: () => void done.push('stop'),
    close: async () => void done.push('close'),
  };
  const lazy = createLazyEndpoint(
    () =>
      new Promise((resolve, reject) => {
        loads.push({ end: () => resolve(endpoint), fail: () => reject(new Error('no such file')) });
      }),
  );
  return { lazy, done, loads, ask: (path: string) => lazy.fetch(new Request(`http://x${path}`), null, 'me') };
}

test('requests that come during the load share it and are answered after it', async () => {
  const { ask, done, loads } = world();
  const answers = [ask('/1'), ask('/2')];
  assert.deepEqual([loads.length, done], [1, []]);
  loads[0]?.end();
  await Promise.all([...answers, ask('/3')]);
  assert.deepEqual([loads.length, done], [1, ['/1', '/2', '/3']]);
});

test('if a load fails, the requests that waited for it fail too, and the next request loads again', async () => {
  const { ask, done, loads } = world();
  const failed = [ask('/1'), ask('/2')];
  loads[0]?.fail();
  for (const answer of failed) await assert.rejects(answer, { message: 'no such file' });
  const answer = ask('/3');
  loads[1]?.end();
  await answer;
  assert.deepEqual([loads.length, done], [2, ['/3']]);
});

test('closing waits for a load under way, and loads nothing itself', async () => {
  const unused = world();
  unused.lazy.stopCalls();
  await unused.lazy.close();
  assert.deepEqual([unused.loads.length, unused.done], [0, []]);

  const { lazy, ask, done, loads } = world();
  const answer = ask('/1');
  const closed = lazy.close();
  loads[0]?.end();
  await Promise.all([answer, closed]);
  assert.deepEqual(done.toSorted(), ['/1', 'close']);

  const broken = world();
  const refused = assert.rejects(broken.ask('/1'));
  const closing = broken.lazy.close();
  broken.loads[0]?.fail();
  await Promise.all([refused, closing]);
  assert.deepEqual(broken.done, []);
});
