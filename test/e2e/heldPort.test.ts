/** Another user of the machine holds the port before, while and after relay runs, and passes on whatever they get. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalClient } from '../../src/local/localClient.ts';
import { freePort } from '../oauth/support.ts';
import { startPortHolder } from '../support/portHolder.ts';
import { withoutSecondUser } from '../support/stranger.ts';
import { LOCAL_KEY, withRelay } from '../support/world.ts';

test('a greeting that another user kept while relay was away, and passes on once it is back, gets no credential', {
  skip: withoutSecondUser,
}, async (context) => {
  const port = Number(await freePort());
  const holder = await startPortHolder(context);
  assert.deepEqual(await holder.hold(port, ['127.0.0.1']), { '127.0.0.1': 'held' });
  const baseUrl = `http://127.0.0.1:${port}`;
  const asked = createLocalClient({ baseUrl, key: LOCAL_KEY }).showKey();
  asked.catch(() => {});
  await holder.greeted(1);
  await holder.release();
  await withRelay({ connect: false, client: false, env: { RELAY_PORT: String(port) } }, async () => {
    // The system has no second connection between the same two ends.
    assert.deepEqual(await holder.passOn('127.0.0.1', port), [['EADDRINUSE', 'passed on']]);
    await assert.rejects(asked, {
      code: 'NO_SERVER',
      message: `The program listening at ${baseUrl} is not the server for this home, so nothing was sent to it.`,
    });
    const { heard, answered } = await holder.report();
    assert.match(heard.join(''), /^POST \/local\/hello HTTP\/1\.1\r\n/);
    assert.match(answered.join(''), /"proof":"[\w-]{22}"/);
    assert.doesNotMatch(heard.join(''), /authorization|bearer/i);
    assert.ok((await createLocalClient({ baseUrl, key: LOCAL_KEY }).showKey()).key);
  });
});
