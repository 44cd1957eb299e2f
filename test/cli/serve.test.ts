import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import type { Parts } from '../../src/cli/context.ts';
import { RelayError } from '../../src/domain/errors.ts';
import type { LocalApi } from '../../src/server/calls.ts';
import { relay } from '../support/cli.ts';
import { linesOf } from '../support/entries.ts';
import { CONNECTED, exampleReport } from '../support/reports.ts';

const BASE_URL = 'http://127.0.0.1:4980';

/** Fake parts that only record what happens to their servers, and a signal that ends `serve` once it is ready. */
function world(changes: { connect?: () => Promise<void>; connected?: boolean } = {}) {
  const events: string[] = [];
  const stop = new AbortController();
  const status = async () => exampleReport(changes.connected ? { account: CONNECTED } : {});
  const parts: Partial<Parts> = {
    startServer: async ({ settings: { host, port, providerApiUrl, demo }, prepare }) => {
      events.push(`start ${host} ${port} ${providerApiUrl} demo=${demo}`);
      const close = async () => {
        events.push('server closed');
      };
      const ownerTicket = async () => ({ url: `${BASE_URL}/#ticket=owner-ticket`, id: 't1' });
      const ownerTicketWaits = async () => ({ waits: true });
      const local = { status, ownerTicket, ownerTicketWaits } as unknown as LocalApi;
      await prepare?.(local).catch(async (error) => {
        await close();
        throw error;
      });
      const demoKey = demo ? 'demo-key' : null;
      const urls = { baseUrl: BASE_URL, mcpUrl: `${BASE_URL}/mcp`, localUrl: BASE_URL };
      return { ...urls, local, ownerCode: 'brown-fox', demoKey, over: new Promise<void>(() => {}), close };
    },
    startDemo: async (settings) => ({
      settings: { ...settings, providerApiUrl: 'http://127.0.0.1:9/v1' },
      connect: async () => {
        await changes.connect?.();
        events.push('demo connected');
      },
      close: async () => {
        events.push('provider closed');
      },
    }),
  };
  const onOut = () => setImmediate(() => stop.abort(new RelayError('INTERRUPTED', 'Interrupted.')));
  return { events, options: { env: { RELAY_HOME: '/no/such/home' }, parts, signal: stop.signal, onOut } };
}

test('serve says that it is ready, waits for the signal, drains and succeeds', async () => {
  const { events, options } = world();
  const { code, out, err } = await relay(['serve', '--port', '5001', '--host', '::1'], options);
  assert.deepEqual([code, err], [0, 'Stopping. Ctrl-C again stops at once.\n']);
  assert.match(out, /^relay 1\.2\.3 is ready\n\n {2}MCP {9}http:\/\/127\.0\.0\.1:4980\/mcp\n/);
  assert.doesNotMatch(out, /brown-fox/);
  const shown = await relay(['serve'], { ...world().options, terminal: { stdout: true } });
  assert.match(shown.out, /^ {2}Owner code {2}brown-fox$/m);
  assert.deepEqual(events, ['start ::1 5001 https://api.spotify.com/v1 demo=false', 'server closed']);
});

test('serve --json is one event per line, without secrets', async () => {
  const { options } = world({ connected: true });
  const { out, err } = await relay(['serve', '--json'], { ...options, terminal: { stdout: true } });
  assert.deepEqual(
    [err, ...linesOf(out).map((line) => JSON.parse(line))],
    [
      '',
      {
        event: 'ready',
        pid: process.pid,
        baseUrl: BASE_URL,
        mcpUrl: `${BASE_URL}/mcp`,
        version: '1.2.3',
        providerConnected: true,
        demo: false,
      },
      { event: 'stopped' },
    ],
  );
});

test('serve --demo runs the simulated provider beside the server and ends both', async () => {
  const { events, options } = world();
  const { code, out } = await relay(['serve', '--demo'], options);
  assert.equal(code, 0);
  assert.match(out, /^relay 1\.2\.3 is ready \(DEMO\)\n/);
  assert.match(out, /Bearer demo-key"$/m);
  assert.deepEqual(events, [
    'start 127.0.0.1 4980 http://127.0.0.1:9/v1 demo=true',
    'demo connected',
    'server closed',
    'provider closed',
  ]);
});

test('a demo that cannot connect leaves nothing running', async () => {
  const { events, options } = world({
    connect: () => Promise.reject(new RelayError('LOGIN_FAILED', 'It does not connect.')),
  });
  const result = await relay(['serve', '--demo'], options);
  assert.deepEqual(result, { code: 1, out: '', err: 'relay: It does not connect.\n' });
  assert.deepEqual(events.slice(1), ['server closed', 'provider closed']);
});

test("serve --open opens the owner's page signed in, or prints its address if no browser opens", async () => {
  const opened: string[] = [];
  const first = world();
  const { out, err } = await relay(['serve', '--open'], {
    ...first.options,
    onOut: () => {},
    openBrowser: async (path) => {
      opened.push(readFileSync(path, 'utf8'));
      first.options.onOut();
    },
  });
  assert.match(opened.join(), /url=http:\/\/127\.0\.0\.1:4980\/#ticket=owner-ticket"/);
  assert.doesNotMatch(out + err, /ticket/);
  const other = world();
  const failing = await relay(['serve', '--open'], {
    ...other.options,
    onOut: () => {},
    openBrowser: async () => {
      setImmediate(other.options.onOut);
      throw new Error('no browser');
    },
  });
  assert.match(
    failing.err,
    /^No browser could be opened\. Open http:\/\/127\.0\.0\.1:4980\/ yourself, and sign in with the owner code that `relay status` shows\.\n/,
  );
});

test('relay warns of settings that will hardly work', async () => {
  const { options } = world();
  const env = { ...options.env, PROVIDER_CLIENT_ID: 'odd' };
  const { err } = await relay(['serve'], { ...options, env });
  assert.match(
    err,
    /^Warning: The client ID does not look like a Spotify client ID \(32 hexadecimal digits\)\.\n/,
  );
});
