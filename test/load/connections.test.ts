import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { longTest } from '../support/scale.ts';
import { until } from '../support/until.ts';
import { SEED } from './model/crew.ts';
import { withCrew } from './model/withCrew.ts';

const HOLD = fileURLToPath(new URL('../support/hold.mjs', import.meta.url));
const PAGE = 'GET /health HTTP/1.1\r\nhost: HOST\r\n\r\n';
const POST =
  'POST /mcp HTTP/1.1\r\nhost: HOST\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n';

/** The connections that another process holds open, all at once. */
const HELD = [
  { count: 700 },
  { count: 200, text: PAGE },
  { count: 100, ends: true },
  { count: 20, text: PAGE.repeat(500) },
  { count: 20, text: 'GET /health HTTP/1.1\r\nx: ', trickle: 'x' },
  { count: 20, text: POST, trickle: 'x' },
];

longTest('clients at work do not notice a thousand idle connections and sixty slow ones', async (t) => {
  t.diagnostic(`RELAY_TEST_SEED=${SEED}`);
  await withCrew({ clients: 6, share: 0 }, async (crew, _clock, { baseUrl }) => {
    const { port, host } = new URL(baseUrl);
    const child = fork(HOLD, { execArgv: [] });
    let opened = 0;
    child.on('message', () => {
      opened += 1;
    });
    try {
      const working = crew.work(6_000);
      working.catch(() => {});
      for (const { text = '', ...holding } of HELD)
        child.send({ ...holding, text: text.replaceAll('HOST', host), ports: [['127.0.0.1', Number(port)]] });
      await until(() => opened === HELD.length);
      await working;
    } finally {
      child.disconnect();
      await once(child, 'exit');
    }
    assert.equal((await fetch(`${baseUrl}/health`)).status, 200);
  });
});
