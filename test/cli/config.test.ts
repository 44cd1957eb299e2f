import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { SETTING_KEYS } from '../../src/config/table.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { assertNone, linesOf } from '../support/entries.ts';

const RESTART = 'A running server keeps the old value until it restarts.\n';

test('config list shows every value and where it comes from; of a secret it shows only whether it is set', async (context) => {
  const home = temporaryHome(context);
  writeFileSync(join(home, 'config.json'), '{"logLevel": "warn"}');
  const env = { RELAY_HOME: home, MCP_API_KEY: 'k'.repeat(40) };
  const { code, out, err } = await relay(['config'], { env });
  assert.deepEqual([code, err], [0, `They are stored in ${join(home, 'config.json')}\n`]);
  const lines = new Map(linesOf(out).map((line) => [line.split(' ')[0], line.replace(/ {2,}/g, ' | ')]));
  assert.equal(lines.get('port'), 'port | 4980');
  assert.equal(lines.get('logLevel'), `logLevel | warn | from ${join(home, 'config.json')}`);
  assert.equal(lines.get('mcpApiKey'), 'mcpApiKey | set | from MCP_API_KEY');
  assert.equal(lines.get('encryptionKey'), 'encryptionKey | not set (none)');
  assert.equal(
    lines.get('providerRedirectUri'),
    'providerRedirectUri | http://127.0.0.1:4980/auth/provider/callback',
  );
  assert.equal(lines.size, SETTING_KEYS.length);
  assert.ok(!out.includes('kkkk'));
});

test('on a terminal, the lines of config list are no wider than the window, and lose nothing', async (context) => {
  const env = { RELAY_HOME: join(temporaryHome(context), 'h'), LOG_FORMAT: 'json' };
  const terminal = { stdin: false, stdout: true, stderr: true };
  const { out } = await relay(['config'], { env, terminal, columns: 60 });
  assertNone(linesOf(out), (line) => line.length > 60);
  const whole = await relay(['config'], { env, columns: 60 });
  const letters = (text: string) => [...text.replaceAll(/\s/g, '')].sort().join('');
  assert.equal(letters(out), letters(whole.out));
  const tools = await relay(['tools'], { env, terminal, columns: 60 });
  assertNone(linesOf(tools.out), (line) => line.length > 60);
  assert.equal(letters(tools.out), letters((await relay(['tools'], { env })).out));
});

test('config list --json has the path of the file and every setting, but no value of a secret', async (context) => {
  const home = temporaryHome(context);
  const { out } = await relay(['config', 'list', '--json'], {
    env: { RELAY_HOME: home, MCP_API_KEY: 'k'.repeat(40) },
  });
  const { path, settings } = JSON.parse(out);
  assert.equal(path, join(home, 'config.json'));
  const of = (key: string) => settings.find((view: { key: string }) => view.key === key);
  assert.deepEqual(of('port'), {
    key: 'port',
    env: 'RELAY_PORT',
    value: 4980,
    source: 'default',
    secret: false,
    set: true,
    fallback: '4980',
  });
  assert.deepEqual(of('mcpApiKey'), {
    key: 'mcpApiKey',
    env: 'MCP_API_KEY',
    value: null,
    source: 'environment',
    secret: true,
    set: true,
    fallback: 'generated at first start',
  });
});

test('config list with unusable settings names each of them and where it comes from', async (context) => {
  const home = temporaryHome(context);
  const path = join(home, 'config.json');
  const env = { RELAY_HOME: home, MCP_OAUTH_CLIENT_ID: 'mine', LOG_LEVEL: 'loud' };
  writeFileSync(path, '{"port": 99999, "access": "read", "prot": 1}');
  const { code, out, err } = await relay(['config'], { env });
  assert.deepEqual([code, out, linesOf(err)[0]], [2, '', 'relay: 4 problems with the settings:']);
  assert.match(err, new RegExp(`"port" in ${path} must be a whole number from 0 to 65535, not 99999`));
  writeFileSync(path, '{');
  assert.deepEqual((({ code, out }) => [code, out])(await relay(['config'], { env })), [2, '']);
});

test('a change with which relay would not start is refused, and the file stays as it is', async (context) => {
  const home = temporaryHome(context);
  const env = { RELAY_HOME: home };
  const refused = (problem: string) => ({
    code: 2,
    out: '',
    err: `relay: ${problem}\n  Nothing was changed, since relay would not start with these settings.\n`,
  });
  const open =
    '"host" in config.json is 0.0.0.0, which other machines can reach, so PUBLIC_BASE_URL (publicBaseUrl) must give the URL that they use.';
  assert.deepEqual(await relay(['config', 'set', 'host', '0.0.0.0'], { env }), refused(open));
  await relay(['config', 'set', 'publicBaseUrl', 'https://relay.example'], { env });
  await relay(['config', 'set', 'host', '0.0.0.0'], { env });
  assert.deepEqual(await relay(['config', 'unset', 'publicBaseUrl'], { env }), refused(open));
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')), {
    publicBaseUrl: 'https://relay.example',
    host: '0.0.0.0',
  });
});

test('config set says if a variable in the environment overrides the file', async (context) => {
  const home = temporaryHome(context);
  const env = { RELAY_HOME: home, RELAY_PORT: '1' };
  const result = await relay(['config', 'set', 'port', '5000', '--json'], { env });
  assert.deepEqual(result, {
    code: 0,
    out: `{"key":"port","value":1,"source":"environment","path":"${join(home, 'config.json')}"}\n`,
    err: '',
  });
  const told = await relay(['config', 'set', 'port', '5000'], { env });
  assert.match(told.err, /RELAY_PORT in the environment overrides it\.\n$/);
});

test('config set warns of a client ID that does not look like one', async (context) => {
  const home = temporaryHome(context);
  const result = await relay(['config', 'set', 'providerClientId', 'my-app'], { env: { RELAY_HOME: home } });
  assert.deepEqual(result, {
    code: 0,
    out: '',
    err: `Set providerClientId in ${join(home, 'config.json')}
Warning: The client ID does not look like a Spotify client ID (32 hexadecimal digits).
A running server that has a client ID keeps it until it restarts.
`,
  });
});

const NOT_IN_A_FILE: Array<[values: object, problem: string, remedy: string, unset: string]> = [
  [
    { RELAY_PORT: 1, port: 5000 },
    'is called "port" in a file',
    'remove it with `relay config unset RELAY_PORT`',
    'RELAY_PORT',
  ],
  [
    { providerClientSecret: 'hunter2', port: 5000 },
    'does not belong in a file: set PROVIDER_CLIENT_SECRET instead',
    'remove it with `relay config unset providerClientSecret`',
    'providerClientSecret',
  ],
  [
    { prot: 1, port: 5000 },
    'is not a setting (did you mean "port"?)',
    'remove it with `relay config unset prot`',
    'prot',
  ],
  [{ 'my key': 1, port: 5000 }, 'is not a setting', 'remove it with `relay config unset KEY`', 'my key'],
  [
    { '--port': 1, port: 5000 },
    'is not a setting (did you mean "port"?)',
    'remove it with `relay config unset KEY`',
    '--port',
  ],
];

for (const [values, problem, remedy, unset] of NOT_IN_A_FILE) {
  test(`config unset removes "${unset}" from the file, which may not have it, and nothing else`, async (context) => {
    const home = temporaryHome(context);
    const path = join(home, 'config.json');
    writeFileSync(path, JSON.stringify(values));
    const env = { RELAY_HOME: home };
    assert.deepEqual(await relay(['key'], { env }), {
      code: 2,
      out: '',
      err: `relay: "${unset}" in ${path} ${problem}.\n  Correct it there, or ${remedy}.\n`,
    });
    const words = unset.startsWith('-') ? ['--', unset] : [unset];
    assert.deepEqual(await relay(['config', 'unset', ...words], { env }), {
      code: 0,
      out: '',
      err: `Removed ${unset}\n${RESTART}`,
    });
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { port: 5000 });
    assert.equal((await relay(['config', 'list'], { env })).code, 0);
  });
}

test('of several keys that are no settings, the remedy is config unset, one at a time', async (context) => {
  const home = temporaryHome(context);
  const path = join(home, 'config.json');
  const env = { RELAY_HOME: home };
  for (const values of [
    { prot: 1, hots: 2 },
    { prot: 1, port: 'x' },
  ]) {
    writeFileSync(path, JSON.stringify(values));
    const { code, err } = await relay(['config', 'list'], { env });
    assert.deepEqual(
      [code, err.split('\n').at(-2)],
      [2, '  Correct them there, or remove each with `relay config unset KEY`.'],
    );
    for (const key of Object.keys(values)) await relay(['config', 'unset', key], { env });
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), {});
  }
});
