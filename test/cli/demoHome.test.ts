/** Commands that only read use a running demo. Commands for the real home never go to the demo. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Parts } from '../../src/cli/context.ts';
import { RelayError } from '../../src/domain/errors.ts';
import type { LocalApi } from '../../src/server/calls.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { exampleReport } from '../support/reports.ts';

const CLIENT_ID = '0123456789abcdef0123456789abcdef';
const noteOf = (home: string) =>
  `A demo is running, but this command uses ${home}. Add --demo to use the demo.\n`;

/** Gives `answers` for the state of a home without a server, and collects in `homes` the homes that commands open. */
function realState(answers: Partial<LocalApi>) {
  const homes: string[] = [];
  const openOffline: Parts['openOffline'] = async ({ settings }) => {
    homes.push(settings.home);
    return { local: answers as LocalApi, close: async () => {} };
  };
  return { homes, parts: { openOffline } };
}

test('login connects the real account while a demo runs', async (context) => {
  const demo = await startFakeLocal(context, { demo: true });
  const started: string[] = [];
  const startServer: Parts['startServer'] = async ({ settings }) => {
    started.push(settings.home);
    throw new RelayError('KEY_UNAVAILABLE', 'Enough.');
  };
  const env = { ...demo.env, PROVIDER_CLIENT_ID: CLIENT_ID };
  const { err } = await relay(['login'], { env, parts: { startServer } });
  assert.equal(err.split('\n')[0], noteOf(demo.home).trimEnd());
  assert.deepEqual([new Set(started), demo.calls], [new Set([demo.home]), []]);
});

test('login --demo uses the demo, and says if no demo runs', async (context) => {
  const startLogin = async () => {
    throw new RelayError('LOGIN_FAILED', 'The demo was asked.');
  };
  const { env, home } = await startFakeLocal(context, { demo: true, answers: { startLogin } });
  const asked = { code: 1, out: '', err: 'relay: The demo was asked.\n' };
  assert.deepEqual(await relay(['login', '--demo'], { env }), asked);
  assert.deepEqual(await relay(['--demo', '--home', home, 'login'], { env }), asked);
  assert.deepEqual(await relay(['login', '--demo'], { env: { RELAY_HOME: temporaryHome(context) } }), {
    code: 4,
    out: '',
    err: 'relay: The demo is not running.\n  Start it with `relay --demo serve`.\n',
  });
});

test('logout concerns the real home while a demo runs', async (context) => {
  const demo = await startFakeLocal(context, { demo: true });
  const { homes, parts } = realState({
    logout: async () => ({ wasConnected: false, name: null, libraryDeleted: false }),
  });
  const options = { env: demo.env, parts };
  assert.deepEqual(await relay(['logout'], options), {
    code: 0,
    out: 'No account was connected.\n',
    err: noteOf(demo.home),
  });
  assert.deepEqual([[...new Set(homes)], demo.calls], [[demo.home], []]);
});

test('config reads and writes the settings of the real home, and with --demo those of the demo', async (context) => {
  const { env, home } = await startFakeLocal(context, { demo: true });
  const real = await relay(['config'], { env });
  assert.match(real.out, /^port +4980$/m);
  assert.ok(real.err.startsWith(noteOf(home)));
  assert.deepEqual(await relay(['config', 'set', 'port', '5001', '--demo'], { env }), {
    code: 0,
    out: '',
    err: `Set port in ${home}/demo/config.json\nA running server keeps the old value until it restarts.\n`,
  });
  assert.equal(existsSync(join(home, 'config.json')), false);
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'demo', 'config.json'), 'utf8')), { port: 5001 });
  assert.match((await relay(['config', '--demo'], { env })).out, /^port +5001 /m);
});

test('no note about the demo comes before an error in JSON, or if the real server runs', async (context) => {
  const demo = await startFakeLocal(context, { demo: true });
  assert.equal((await relay(['config', '--json'], { env: demo.env })).err, noteOf(demo.home));
  const { err } = await relay(['config', 'unset', 'prot', '--json'], { env: demo.env });
  assert.equal(JSON.parse(err).error.code, 'USAGE');
  const own = await startFakeLocal(context);
  assert.equal((await relay(['config', '--json'], { env: own.env })).err, '');
});

test('if the demo uses the port, serve and login say so, each with a remedy that works for it', async (context) => {
  const demo = await startFakeLocal(context, { demo: true });
  const { host, port } = new URL(demo.baseUrl);
  const startServer = () =>
    Promise.reject(new RelayError('PORT_TAKEN', `Another program is already using ${host}.`));
  const env = { ...demo.env, PROVIDER_CLIENT_ID: CLIENT_ID, RELAY_PORT: port };
  for (const [command, remedy] of [
    ['serve', 'Stop the demo with `relay stop --demo`, or choose another port with --port.'],
    [
      'login',
      'Stop it, or choose another port with `relay config set port PORT` and enter the new redirect URI in the Spotify app.',
    ],
  ] as const) {
    const err = `${noteOf(demo.home)}relay: The demo is already using ${host}.\n  ${remedy}\n`;
    const result = await relay([command], { env, parts: { startServer } });
    assert.deepEqual(result, { code: 1, out: '', err });
  }
});

test('with --demo, the commands shown to a person contain --demo', async (context) => {
  const status = async () => exampleReport({ demo: true });
  const { env } = await startFakeLocal(context, { demo: true, answers: { status } });
  for (const args of [['status', '--demo'], ['status']]) {
    const { out } = await relay(args, { env, columns: 200 });
    assert.match(out, /> relay --demo login\n/);
  }
});

test('the demo cannot be a service', async (context) => {
  assert.deepEqual(
    await relay(['service', 'install', '--demo'], { env: { RELAY_HOME: temporaryHome(context) } }),
    {
      code: 2,
      out: '',
      err: 'relay: A service runs the real server, not the demo.\n  Leave out --demo.\n',
    },
  );
});

test('a client that starts relay gets the home of the demo that runs, however the command names it', async (context) => {
  const answers = { status: async () => exampleReport() };
  const { env, home } = await startFakeLocal(context, { demo: true, answers });
  for (const args of [['connect'], ['connect', '--demo'], ['--demo', '--home', home, 'connect']]) {
    const { out } = await relay([...args, 'claude-desktop', '--json'], { env: { ...env, HOME: home } });
    const { server, entry } = JSON.parse(out);
    const expected = {
      command: '/opt/relay/relay',
      args: ['--home', home, 'stdio', '--demo', '--access', 'everything'],
    };
    assert.deepEqual([server, entry], ['relay-demo', expected], args.join(' '));
  }
});
