/** Who has shown no credential can send little, and bodies that nobody needs are not read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { send } from '../support/http.ts';
import { postMcp } from '../support/mcpPost.ts';
import { until } from '../support/until.ts';
import { withRelay } from '../support/world.ts';

const KIB = 1024;
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

test('a body that needs no credential has at most 64 KiB', () =>
  withRelay({ client: false, connect: false }, async ({ baseUrl }) => {
    for (const [path, type] of [
      ['/oauth/authorize', FORM],
      ['/owner/code', JSON_TYPE],
      ['/owner/ticket', JSON_TYPE],
      ['/oauth/token', FORM],
      ['/oauth/register', JSON_TYPE],
    ] as const) {
      const statusOf = async (bytes: number) => {
        const asked = { method: 'POST', headers: { 'content-type': type }, body: 'x'.repeat(bytes) };
        return (await send(`${baseUrl}${path}`, asked)).status;
      };
      assert.equal(await statusOf(64 * KIB + 1), 413, path);
      assert.equal(await statusOf(64 * KIB), 400, path);
    }
  }));

test('unfinished bodies without a credential take no more memory than what has arrived, and are cut', async () => {
  const limits = { headersMs: 1_000, requestMs: 1_000, checkMs: 50 };
  await withRelay({ client: false, connect: false, limits }, async ({ baseUrl }) => {
    const { host, port, hostname } = new URL(baseUrl);
    const before = process.memoryUsage().arrayBuffers;
    const head = `POST /oauth/token HTTP/1.1\r\nhost: ${host}\r\ncontent-type: ${FORM}\r\ncontent-length: ${64 * KIB}\r\n\r\n`;
    let open = BODIES;
    for (let count = 0; count < BODIES; count++) {
      const socket = connect(Number(port), hostname, () => socket.write(head + 'x'.repeat(63 * KIB)));
      socket
        .on('error', () => {})
        .on('close', () => (open -= 1))
        .resume();
    }
    await until(() => open < BODIES);
    assert.ok(process.memoryUsage().arrayBuffers - before < BODIES * 136 * KIB);
    await until(() => open === 0);
  });
});

/** At full size 300; 136 KiB each are 40 MB. */
const BODIES = 60;

test('no body is read before the credential is right', () =>
  withRelay({ client: false }, async ({ baseUrl }) => {
    const { host, port, hostname } = new URL(baseUrl);
    for (const path of ['/mcp', '/owner/jobs/settle']) {
      const socket = connect(Number(port), hostname);
      let said = '';
      socket.on('data', (chunk) => {
        said += String(chunk);
      });
      await once(socket, 'connect');
      const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: ${JSON_TYPE}\r\n`;
      socket.write(`${head}authorization: Bearer x\r\ncontent-length: 1001\r\n\r\n${' '.repeat(1000)}`);
      await until(() => said !== '');
      assert.match(said, /^HTTP\/1\.1 401 /, path);
      socket.destroy();
    }
  }));

test('a message that is nested too deeply is refused, whatever is in it, and one with a credential may be long', () =>
  withRelay({ client: false }, async (relay) => {
    const call = (more: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_devices","arguments":{}${more}}}`;
    for (const levels of [62, 63, 500_000]) {
      const answer = await postMcp(relay, call(`,"more":${'['.repeat(levels)}${']'.repeat(levels)}`));
      assert.equal(answer.status, levels === 62 ? 200 : 400);
      if (answer.status === 400)
        assert.equal(
          JSON.parse(answer.text).error.message,
          'The body is nested deeper than the limit of 64 levels.',
        );
    }
    assert.equal((await postMcp(relay, call(`,"more":"${'x'.repeat(3_000 * KIB)}"`))).status, 200);
  }));
