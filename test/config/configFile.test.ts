import assert from 'node:assert/strict';
import fs, {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';
import { loadSettings, removeSetting, storeSetting } from '../../src/config/settings.ts';
import { relay, temporaryHome } from '../support/cli.ts';

const BROKEN: Array<[text: string, problem: string]> = [
  ['{"port": abc}', 'is not JSON'],
  ['{\n  "mcpApiKey": "hunter2",\n}', 'is not JSON'],
  ['{"port": 1', 'is not JSON'],
  ['[1]', 'must hold one JSON object'],
  ['"text"', 'must hold one JSON object'],
];

for (const [text, problem] of BROKEN) {
  test(`a config.json of ${JSON.stringify(text)} ${problem}`, (context) => {
    const home = temporaryHome(context);
    const path = join(home, 'config.json');
    writeFileSync(path, text);
    const error = {
      code: 'SETTINGS_INVALID',
      message: `${path} ${problem}.`,
      remedy: `Correct ${path} with an editor, or remove it.`,
    };
    assert.throws(() => loadSettings({ env: { RELAY_HOME: home } }), error);
    assert.throws(() => storeSetting({ env: { RELAY_HOME: home } }, 'port', '5000'), error);
    assert.equal(readFileSync(path, 'utf8'), text);
  });
}

for (const [what, isThere, mode] of [
  ['a config.json that this user may not read', true, 0o755],
  ['a home that this user may not enter', false, 0],
] as const) {
  test(`the remedy for ${what} is to allow access, not to correct the file`, {
    skip: process.platform === 'win32',
  }, async (context) => {
    const home = temporaryHome(context);
    const path = join(home, 'config.json');
    if (isThere) writeFileSync(path, '{}', { mode: 0 });
    chmodSync(home, mode);
    const err =
      `relay: ${path} cannot be read (EACCES).\n` +
      `  Let the user that runs relay read and write ${home} and its files, or choose another home with --home or RELAY_HOME.\n`;
    const isRoot = process.getuid?.() === 0;
    try {
      for (const args of [['status'], ['serve'], ['config', 'set', 'port', '5000']]) {
        // Loads the modules first: without root's rights, this process may not be able to read them.
        await relay(args, { env: { RELAY_HOME: home, RELAY_PORT: 'none' } });
        if (isRoot) process.seteuid?.(65_534);
        const result = await relay(args, { env: { RELAY_HOME: home } }).finally(() => {
          if (isRoot) process.seteuid?.(0);
        });
        assert.deepEqual(result, { code: 2, out: '', err }, args.join(' '));
      }
    } finally {
      chmodSync(home, 0o700);
    }
  });
}

test('an empty file and a byte order mark are no problem', (context) => {
  const home = temporaryHome(context);
  writeFileSync(join(home, 'config.json'), '');
  assert.equal(loadSettings({ env: { RELAY_HOME: home } }).port, 4980);
  writeFileSync(join(home, 'config.json'), '\uFEFF{"port": 5000}');
  assert.equal(loadSettings({ env: { RELAY_HOME: home } }).port, 5000);
});

test('a stored value is readable by its owner only, in a home that is created for it', (context) => {
  const home = join(temporaryHome(context), 'new');
  storeSetting({ env: { RELAY_HOME: home } }, 'dynamicRegistration', 'no');
  assert.equal(readFileSync(join(home, 'config.json'), 'utf8'), '{\n  "dynamicRegistration": false\n}\n');
  assert.deepEqual(readdirSync(home), ['config.json']);
  if (process.platform !== 'win32') {
    const modes = [home, join(home, 'config.json')].map((path) => (statSync(path).mode & 0o777).toString(8));
    assert.deepEqual(modes, ['700', '600']);
  }
});

test('changes keep the order of the file', (context) => {
  const home = temporaryHome(context);
  const path = join(home, 'config.json');
  writeFileSync(path, '{\n\t"port": 1,\n\t"logLevel": "warn"\n}\n');
  storeSetting({ env: { RELAY_HOME: home } }, 'port', '5000');
  storeSetting({ env: { RELAY_HOME: home } }, 'publicBaseUrl', 'https://x.org/');
  assert.equal(
    readFileSync(path, 'utf8'),
    '{\n  "port": 5000,\n  "logLevel": "warn",\n  "publicBaseUrl": "https://x.org"\n}\n',
  );
});

test('a config.json that is a link stays a link, and the file that it leads to is changed', (context) => {
  const folder = temporaryHome(context);
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(folder, 'settings.json'), '{}');
  symlinkSync('../settings.json', join(home, 'config.json'));
  storeSetting({ env: { RELAY_HOME: home } }, 'port', '5000');
  assert.equal(readlinkSync(join(home, 'config.json')), '../settings.json');
  assert.equal(readFileSync(join(folder, 'settings.json'), 'utf8'), '{\n  "port": 5000\n}\n');
  assert.deepEqual(
    [readdirSync(home), readdirSync(folder).sort()],
    [['config.json'], ['home', 'settings.json']],
  );
});

test('if the disk is full, a change leaves the file as it was and says what helps', (context) => {
  const home = temporaryHome(context);
  const env = { RELAY_HOME: home };
  storeSetting({ env }, 'port', '5000');
  const before = readFileSync(join(home, 'config.json'), 'utf8');
  context.mock.method(fs, 'fsyncSync', () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  try {
    assert.throws(() => storeSetting({ env }, 'port', '5001'), {
      code: 'HOME_UNUSABLE',
      message: `${join(home, 'config.json')} cannot be written: ENOSPC: no space left on device, write.`,
      remedy: 'Free some space, or choose another home with --home.',
    });
  } finally {
    context.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.deepEqual(readdirSync(home), ['config.json']);
  assert.equal(readFileSync(join(home, 'config.json'), 'utf8'), before);
});

test('a change that makes the settings unusable is refused', (context) => {
  const home = temporaryHome(context);
  const options = { env: { RELAY_HOME: home } };
  assert.throws(() => storeSetting(options, 'host', '0.0.0.0'), { code: 'SETTINGS_INVALID' });
  storeSetting(options, 'publicBaseUrl', 'https://x.org');
  storeSetting(options, 'host', '0.0.0.0');
  const before = readFileSync(join(home, 'config.json'), 'utf8');
  assert.throws(() => removeSetting(options, 'publicBaseUrl'), { code: 'SETTINGS_INVALID' });
  assert.equal(readFileSync(join(home, 'config.json'), 'utf8'), before);
});

test('problems that were there before can be fixed one after the other', (context) => {
  const home = temporaryHome(context);
  const options = { env: { RELAY_HOME: home } };
  writeFileSync(join(home, 'config.json'), '{"prot": 1, "logLevel": "loud", "port": 1}');
  storeSetting(options, 'logLevel', 'warn');
  assert.equal(removeSetting(options, 'prot'), true);
  assert.equal(removeSetting(options, 'prot'), false);
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')), {
    logLevel: 'warn',
    port: 1,
  });
  assert.equal(loadSettings(options).logLevel, 'warn');
});

test('a home that is a file has a remedy that helps, whatever the command', async (context) => {
  const home = join(temporaryHome(context), 'file');
  writeFileSync(home, '');
  for (const args of [['status'], ['serve'], ['config', 'set', 'port', '5000']]) {
    const { err } = await relay(['--home', home, ...args, '--json']);
    assert.match(JSON.parse(err).error.remedy, /[Cc]hoose another .*--home/, args.join(' '));
  }
});
