import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type CliOptions, relay, temporaryHome } from '../support/cli.ts';
import { HOUR, manualClock } from '../support/clock.ts';
import { listening } from '../support/http.ts';
import { exampleReport } from '../support/reports.ts';

const NOTICE = 'relay 99.1.0 is out; this is 1.2.3. RELAY_UPDATE_CHECK=off hides this.\n';
/** No server runs. A command that reads the state gets an example report. */
const PARTS = {
  openOffline: async () => ({ local: { status: async () => exampleReport() }, close: async () => {} }),
} as unknown as NonNullable<CliOptions['parts']>;
const TERMINAL = { stdin: true, stdout: true, stderr: true };

interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
}

/** An update server, and a person who looks at the status. */
async function desk(context: TestContext, answer: string, status = 200) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    asked.push({ path: `${request.method} ${request.url}`, headers: request.headers });
    response.writeHead(status).end(answer);
  });
  const baseUrl = await listening(context, server);
  const home = temporaryHome(context);
  const clock = manualClock();
  const env = {
    RELAY_HOME: home,
    RELAY_KEYCHAIN: 'file',
    RELAY_UPDATE_URL: `${baseUrl}/latest.json`,
  };
  const look = async (args: string[] = ['status'], options: CliOptions = {}) => {
    const { err } = await relay(args, {
      clock,
      parts: PARTS,
      terminal: TERMINAL,
      ...options,
      env: { ...env, ...options.env },
    });
    return err;
  };
  return { asked, clock, home, host: new URL(baseUrl).host, look };
}

test('relay status says once a day that a newer version is out, and its request identifies nobody', async (context) => {
  const { asked, clock, home, host, look } = await desk(context, '{"version":"99.1.0"}');
  assert.equal(await look(), NOTICE);
  assert.equal(await look(), '');
  clock.advance(23 * HOUR);
  assert.equal(await look(), '');
  clock.advance(2 * HOUR);
  assert.equal(await look(), NOTICE);
  const { askedAt } = JSON.parse(readFileSync(join(home, 'update.json'), 'utf8'));
  assert.equal(Date.parse(askedAt), clock.now());
  const request = {
    path: 'GET /latest.json',
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate',
      'accept-language': '*',
      connection: 'keep-alive',
      host,
      'sec-fetch-mode': 'cors',
      'user-agent': 'relay',
    },
  };
  assert.deepEqual(asked, [request, request]);
});

test('no request is sent if the check is off, in CI, without a terminal, for JSON, or by another command', async (context) => {
  const { asked, look } = await desk(context, '{"version":"99.1.0"}');
  const silent: Array<[args: string[], options: CliOptions]> = [
    [['status'], { env: { RELAY_UPDATE_CHECK: 'off' } }],
    [['status'], { env: { CI: 'true' } }],
    [['status'], { terminal: { stdout: true } }],
    [['status'], { terminal: { stderr: true } }],
    [['status', '--json'], {}],
    [['config'], {}],
    [['tools'], {}],
    [['connect'], { env: { HOME: '/nonexistent' } }],
  ];
  for (const [args, options] of silent)
    assert.doesNotMatch(await look(args, options), /is out/, args.join(' '));
  assert.deepEqual(asked, []);
  assert.equal(await look(['status'], { env: { CI: 'false' } }), NOTICE);
});

test('if the answer is unusable or names no newer version, nothing is said', async (context) => {
  const answers: Array<[answer: string, status: number]> = [
    ['{"version":"1.2.3"}', 200],
    ['{"version":"1.1.9"}', 200],
    ['{"version":"0.99.99"}', 200],
    ['{"version":"99.1.0"}', 500],
    ['{"version":"99.1.0\\u001b[31m; run this"}', 200],
    ['{"version":99}', 200],
    ['null', 200],
    ['not JSON', 200],
    [`{"version":"99.1.0","more":"${'x'.repeat(100_000)}"}`, 200],
  ];
  for (const [answer, status] of answers) {
    const { asked, look } = await desk(context, answer, status);
    assert.equal(await look(), '', answer.slice(0, 40));
    assert.equal(asked.length, 1);
  }
});

test("GitHub's own answer is understood, and a spoiled update.json is ignored", async (context) => {
  const { home, look } = await desk(context, '{"tag_name":"v99.1.0"}');
  writeFileSync(join(home, 'update.json'), 'spoiled');
  assert.equal(await look(), NOTICE);
});

test('the time of a request is stored even if the server does not answer', async (context) => {
  const { home, look } = await desk(context, '');
  const nowhere = { env: { RELAY_UPDATE_URL: 'http://127.0.0.1:9/latest.json' } };
  assert.equal(await look(['status'], nowhere), '');
  assert.match(readFileSync(join(home, 'update.json'), 'utf8'), /askedAt/);
});
