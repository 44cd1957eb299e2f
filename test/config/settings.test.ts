import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { loadSettings, redirectUriFor, type Settings } from '../../src/config/settings.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey } from '../../src/config/table.ts';
import { RelayError } from '../../src/domain/errors.ts';
import { temporaryHome } from '../support/cli.ts';
import { pluck } from '../support/entries.ts';

const NO_HOME = join(import.meta.dirname, 'no-such-home');
const KEY_32 = Buffer.alloc(32, 1).toString('base64');
const API_KEY = 'a'.repeat(32);
const CALLBACK = '/auth/provider/callback';

function load(env: NodeJS.ProcessEnv, flags: { host?: string; port?: string; home?: string } = {}): Settings {
  return loadSettings({ env, flags, home: NO_HOME });
}

function failure(work: () => unknown): RelayError {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof RelayError);
    assert.equal(error.code, 'SETTINGS_INVALID');
    return error;
  }
  assert.fail('It was accepted.');
}

test('with nothing set, every setting has its default, and the defaults that people rely on are those listed here', () => {
  const settings = load({});
  const newer = Object.fromEntries(SETTING_KEYS.map((key) => [key, settings[key]]));
  assert.deepEqual(settings, {
    ...newer,
    home: NO_HOME,
    host: '127.0.0.1',
    port: 4980,
    publicBaseUrl: null,
    providerClientId: null,
    providerClientSecret: null,
    providerRedirectUri: null,
    providerApiUrl: 'https://api.spotify.com/v1',
    providerAccountsUrl: 'https://accounts.spotify.com',
    mcpAuthMode: 'bearer',
    mcpApiKey: null,
    mcpOauthOwnerSecret: null,
    dynamicRegistration: true,
    mcpOauthClientId: null,
    mcpOauthClientSecret: null,
    mcpOauthClientRedirectUri: null,
    oauthClientsFile: null,
    encryptionKey: null,
    keychain: 'auto',
    logLevel: 'info',
    logFormat: 'json',
    demo: false,
    configPath: join(NO_HOME, 'config.json'),
    origins: Object.fromEntries(SETTING_KEYS.map((key) => [key, 'default'])),
    warnings: [],
  });
});

test('the remedy for a wrong value names no command that would refuse the same value', () => {
  const error = failure(() => load({ RELAY_PORT: 'abc' }));
  assert.match(error.message, /RELAY_PORT/);
  assert.equal(error.remedy, 'Correct it, or remove it to use the default.');
});

const GOOD: Array<[key: SettingKey, text: string, value: unknown]> = [
  ['host', 'LOCALHOST', 'localhost'],
  ['host', '127.0.0.2', '127.0.0.2'],
  ['host', '[::1]', '::1'],
  ['port', '0', 0],
  ['port', '65535', 65_535],
  ['publicBaseUrl', 'https://relay.example.org/', 'https://relay.example.org'],
  ['publicBaseUrl', 'http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['providerClientId', ' 0123456789abcdef0123456789abcdef ', '0123456789abcdef0123456789abcdef'],
  ['providerClientSecret', 's3cret', 's3cret'],
  ['providerRedirectUri', `http://127.0.0.1:4980${CALLBACK}`, `http://127.0.0.1:4980${CALLBACK}`],
  ['providerRedirectUri', `https://r.example${CALLBACK}`, `https://r.example${CALLBACK}`],
  ['providerApiUrl', 'http://127.0.0.1:9000/v1//', 'http://127.0.0.1:9000/v1'],
  ['providerAccountsUrl', 'http://127.0.0.1:9000/', 'http://127.0.0.1:9000'],
  ['mcpAuthMode', 'OAuth', 'oauth'],
  ['mcpApiKey', API_KEY, API_KEY],
  ['mcpOauthOwnerSecret', 'brown fox', 'brown fox'],
  ['mcpOauthOwnerSecret', ' brown fox\r\n', 'brown fox'],
  ['dynamicRegistration', 'false', false],
  ['dynamicRegistration', 'ON', true],
  ['dynamicRegistration', '0', false],
  ['encryptionKey', KEY_32, KEY_32],
  ['encryptionKey', KEY_32.replace('=', ''), KEY_32.replace('=', '')],
  ['keychain', 'file', 'file'],
  ['logLevel', 'debug', 'debug'],
  ['logFormat', 'pretty', 'pretty'],
];

for (const [key, text, value] of GOOD) {
  test(`${SETTINGS[key].env}=${text} is ${JSON.stringify(value)}`, () => {
    const settings = load({ [SETTINGS[key].env]: text });
    assert.deepEqual([settings[key], settings.origins[key]], [value, 'environment']);
  });
}

const URL_EXPECTED = 'an http or https URL without query or fragment';
const ORIGIN_EXPECTED =
  'an http or https URL without path, query or fragment, like "https://relay.example.org"';
const REDIRECT_EXPECTED =
  'an http or https URL whose path is exactly /auth/provider/callback, without query or fragment';
const BASE64_EXPECTED = 'base64 of exactly 32 bytes, as `openssl rand -base64 32` prints it';
const BEARER_EXPECTED = 'at least 32 characters of letters, digits and - . _ ~ + / =';

/** `shown` is the value as the message has it. If `shown` is missing, the setting is a secret and the message has no value. */
const BAD: Array<[key: SettingKey, text: string, expects: string, shown?: string]> = [
  ['host', 'http://x', 'an IP address or a host name, without scheme, port or path', '"http://x"'],
  ['port', '4980x', 'a whole number from 0 to 65535', '"4980x"'],
  ['port', '65536', 'a whole number from 0 to 65535', '"65536"'],
  ['port', '-1', 'a whole number from 0 to 65535', '"-1"'],
  ['publicBaseUrl', 'relay.example.org', ORIGIN_EXPECTED, '"relay.example.org"'],
  ['publicBaseUrl', 'https://x.org/relay', ORIGIN_EXPECTED, '"https://x.org/relay"'],
  ['publicBaseUrl', 'https://x.org/?a=1', ORIGIN_EXPECTED, '"https://x.org/?a=1"'],
  ['publicBaseUrl', 'https://me:pass@x.org', ORIGIN_EXPECTED, '"https://…@x.org"'],
  ['providerClientId', 'a b', 'the Client ID of a Spotify app: letters, digits, "-" and "_" only', '"a b"'],
  ['providerClientSecret', 'two words', 'one line of visible characters'],
  ['providerRedirectUri', 'http://127.0.0.1/callback', REDIRECT_EXPECTED, '"http://127.0.0.1/callback"'],
  ['providerRedirectUri', `http://x${CALLBACK}/`, REDIRECT_EXPECTED, `"http://x${CALLBACK}/"`],
  ['providerRedirectUri', `http://x/y/..${CALLBACK}`, REDIRECT_EXPECTED, `"http://x/y/..${CALLBACK}"`],
  ['providerApiUrl', 'ftp://x', URL_EXPECTED, '"ftp://x"'],
  ['providerAccountsUrl', 'x#y', URL_EXPECTED, '"x#y"'],
  ['mcpAuthMode', 'none', 'one of bearer, oauth', '"none"'],
  ['mcpApiKey', 'a'.repeat(31), BEARER_EXPECTED],
  ['mcpApiKey', `${API_KEY} and more`, BEARER_EXPECTED],
  ['mcpOauthOwnerSecret', '12345', 'at least 6 characters'],
  ['mcpOauthOwnerSecret', ' 12345 ', 'at least 6 characters'],
  ['dynamicRegistration', 'maybe', 'true or false', '"maybe"'],
  ['encryptionKey', Buffer.alloc(31, 1).toString('base64'), BASE64_EXPECTED],
  ['encryptionKey', `${KEY_32} `, BASE64_EXPECTED],
  ['encryptionKey', 'ab'.repeat(32), BASE64_EXPECTED],
  ['keychain', 'none', 'one of auto, os, file', '"none"'],
  ['logLevel', 'loud', 'one of trace, debug, info, warn, error, fatal, silent', '"loud"'],
  ['logFormat', 'xml', 'one of pretty, json', '"xml"'],
];

for (const [key, text, expects, shown] of BAD) {
  test(`${SETTINGS[key].env}=${text} is refused`, () => {
    const { env } = SETTINGS[key];
    const error = failure(() => load({ [env]: text }));
    const given = shown === undefined ? '' : `, not ${shown}`;
    assert.equal(error.message, `${env} in the environment must be ${expects}${given}.`);
    if (SETTINGS[key].secret) assert.ok(!JSON.stringify([error.message, error.details]).includes(text));
  });
}

test('a flag overrides the environment, the environment overrides the file, and the file overrides the default', (context) => {
  const home = temporaryHome(context);
  writeFileSync(join(home, 'config.json'), '{"port": 1003, "host": "127.0.0.3", "logLevel": "warn"}');
  const env = { RELAY_HOME: home, RELAY_PORT: '1002', RELAY_HOST: '127.0.0.2' };
  const settings = loadSettings({ env, flags: { port: '1001' } });
  const { port, host, logLevel, keychain, origins } = settings;
  assert.deepEqual(
    { port, host, logLevel, keychain },
    { port: 1001, host: '127.0.0.2', logLevel: 'warn', keychain: 'auto' },
  );
  assert.deepEqual(
    [origins.home, origins.port, origins.host, origins.logLevel, origins.keychain],
    ['environment', 'flag', 'environment', 'file', 'default'],
  );
});

test('--home comes before RELAY_HOME', (context) => {
  const home = temporaryHome(context);
  const settings = load({ RELAY_HOME: '/elsewhere' }, { home });
  assert.deepEqual([settings.home, settings.origins.home], [home, 'flag']);
});

test('~ alone or before a slash is the home directory of the user; any other tilde is part of a name', () => {
  assert.equal(load({ RELAY_HOME: '~/relay' }).home, join(homedir(), 'relay'));
  assert.equal(load({}, { home: '~' }).home, homedir());
  assert.equal(load({ RELAY_HOME: '/x/~/y' }).home, '/x/~/y');
  assert.equal(load({ RELAY_HOME: '~other' }).home, join(process.cwd(), '~other'));
});

test('without a flag or a variable, the home is in the config directory of the user', () => {
  const { home, origins } = loadSettings({ env: {} });
  assert.match(home, /relay/);
  assert.equal(origins.home, 'default');
});

test('an empty variable and a JSON null count as not set', (context) => {
  const home = temporaryHome(context);
  writeFileSync(join(home, 'config.json'), '{"publicBaseUrl": null, "port": 5000}');
  const settings = loadSettings({ env: { RELAY_HOME: home, RELAY_PORT: '', MCP_API_KEY: '' } });
  assert.deepEqual(
    [settings.port, settings.publicBaseUrl, settings.mcpApiKey, settings.origins.publicBaseUrl],
    [5000, null, null, 'default'],
  );
});

test('the demo has a home of its own and keeps its key in a file', (context) => {
  const home = temporaryHome(context);
  writeFileSync(join(home, 'config.json'), '{"port": 5000}');
  const settings = loadSettings({ env: { RELAY_HOME: home }, demo: true });
  assert.deepEqual(
    [settings.home, settings.port, settings.keychain, settings.demo, settings.configPath],
    [join(home, 'demo'), 4980, 'file', true, join(home, 'demo', 'config.json')],
  );
});

test('RELAY_KEYCHAIN applies to the demo too', () => {
  assert.equal(loadSettings({ env: { RELAY_KEYCHAIN: 'os' }, home: NO_HOME, demo: true }).keychain, 'os');
});

test('logs are pretty on a terminal', () => {
  assert.equal(loadSettings({ env: {}, home: NO_HOME, terminal: true }).logFormat, 'pretty');
});

test('all problems are reported at once, with where each came from', (context) => {
  const home = temporaryHome(context);
  const path = join(home, 'config.json');
  writeFileSync(path, '{"prot": 1, "mcpApiKey": "x", "RELAY_HOST": "h", "keychain": 3}');
  const env = { RELAY_HOME: home, MCP_API_KEY: 'hunter2', LOG_LEVEL: 'loud' };
  const error = failure(() => loadSettings({ env, flags: { port: 'x' } }));
  assert.equal(
    error.message,
    [
      '7 problems with the settings:',
      `  - "prot" in ${path} is not a setting (did you mean "port"?).`,
      `  - "mcpApiKey" in ${path} does not belong in a file: set MCP_API_KEY instead.`,
      `  - "RELAY_HOST" in ${path} is called "host" in a file.`,
      '  - --port must be a whole number from 0 to 65535, not "x".',
      `  - MCP_API_KEY in the environment must be ${BEARER_EXPECTED}.`,
      `  - "keychain" in ${path} must be one of auto, os, file, not 3.`,
      '  - LOG_LEVEL in the environment must be one of trace, debug, info, warn, error, fatal, silent, not "loud".',
    ].join('\n'),
  );
  assert.deepEqual(
    (error.details?.problems as Array<{ key: string; origin: string }> | undefined)?.map(
      ({ key, origin }) => [key, origin],
    ),
    [
      ['prot', 'file'],
      ['mcpApiKey', 'file'],
      ['RELAY_HOST', 'file'],
      ['port', 'flag'],
      ['mcpApiKey', 'environment'],
      ['keychain', 'file'],
      ['logLevel', 'environment'],
    ],
  );
});

test('a host that others can reach needs a public URL', () => {
  assert.equal(
    failure(() => load({ RELAY_HOST: '0.0.0.0' })).message,
    'RELAY_HOST in the environment is 0.0.0.0, which other machines can reach, so PUBLIC_BASE_URL (publicBaseUrl) must give the URL that they use.',
  );
  const settings = load({ RELAY_HOST: '0.0.0.0', PUBLIC_BASE_URL: 'https://relay.example.org' });
  assert.equal(settings.host, '0.0.0.0');
});

const PUBLIC = { PUBLIC_BASE_URL: 'https://relay.example.org' };
const STRONG_KEY = 'c41f9ad27e8b5036f1d2a97c0e64b853';
const EXPOSED = 'since PUBLIC_BASE_URL exposes it to strangers';
const SHORT = `needs at least 16 characters, ${EXPOSED}`;
const SAME = `is too predictable: use a random value such as one from \`openssl rand -hex 24\`, ${EXPOSED}`;
const NOT_HTTPS = 'must be an https URL unless it is on loopback, not "http://relay.example.org"';

const WEAK: Array<[name: string, value: string, why: string]> = [
  ['PUBLIC_BASE_URL', 'http://relay.example.org', NOT_HTTPS],
  ['MCP_OAUTH_OWNER_SECRET', '246813', SHORT],
  ['MCP_OAUTH_OWNER_SECRET', 'correct horse b', SHORT],
  ['MCP_OAUTH_OWNER_SECRET', '1212121212121212', SAME],
  ['MCP_OAUTH_OWNER_SECRET', 'passwordpassword', SAME],
  ['MCP_OAUTH_OWNER_SECRET', 'zzzzzzzzzzzzzzzzzzzz', SAME],
  ['MCP_API_KEY', 'a'.repeat(32), SAME],
  ['MCP_API_KEY', 'abcd'.repeat(8), SAME],
];

for (const [name, value, why] of WEAK) {
  test(`behind PUBLIC_BASE_URL ${name}=${value} stops the start, with the reason and without a secret`, () => {
    const error = failure(() => load({ ...PUBLIC, [name]: value }));
    assert.equal(error.message, `${name} in the environment ${why}.`);
    const problems = (error.details?.problems ?? []) as Array<{ origin: string }>;
    assert.deepEqual(pluck(problems, 'origin'), ['environment']);
    if (why !== NOT_HTTPS) assert.ok(!JSON.stringify(error.details).includes(value));
  });
}

test('strong secrets are accepted with PUBLIC_BASE_URL, and weak ones without it', () => {
  const strong = { MCP_API_KEY: STRONG_KEY, MCP_OAUTH_OWNER_SECRET: 'correct horse battery staple' };
  assert.equal(load({ ...PUBLIC, ...strong }).publicBaseUrl, 'https://relay.example.org');
  for (const url of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']) {
    assert.equal(load({ PUBLIC_BASE_URL: url, ...strong }).publicBaseUrl, url);
  }
  const weak = { MCP_API_KEY: API_KEY, MCP_OAUTH_OWNER_SECRET: '246813' };
  assert.equal(load(weak).mcpOauthOwnerSecret, '246813');
});

test('the client in the environment has three parts or none', () => {
  assert.equal(
    failure(() => load({ MCP_OAUTH_CLIENT_ID: 'desk' })).message,
    'MCP_OAUTH_CLIENT_ID, _SECRET and _REDIRECT_URI belong together: MCP_OAUTH_CLIENT_SECRET and MCP_OAUTH_CLIENT_REDIRECT_URI are missing.',
  );
  assert.equal(
    failure(() => load({ MCP_OAUTH_CLIENT_ID: 'desk', MCP_OAUTH_CLIENT_SECRET: 'geheim' })).message,
    'MCP_OAUTH_CLIENT_ID, _SECRET and _REDIRECT_URI belong together: MCP_OAUTH_CLIENT_REDIRECT_URI is missing.',
  );
});

test('a problem that no other value would mend has a remedy of its own', () => {
  const desk = { MCP_OAUTH_CLIENT_ID: 'desk' };
  assert.deepEqual(
    [desk, { ...desk, RELAY_PORT: 'x' }].map((env) => failure(() => load(env)).remedy),
    ['Set all three variables, or none of them.', 'Set all three variables, or none of them.'],
  );
});

test('a URL in a message has no password, whatever characters are in it', () => {
  for (const password of ['p', 'p@ss', 'p"ss', 'p/ss']) {
    const { message } = failure(() => load({ PROVIDER_API_URL: `ftp://somebody:${password}@host/v1` }));
    assert.match(message, /ftp:\/\/…@host\/v1/);
    assert.doesNotMatch(message, /somebody|ss/);
  }
});

test('a redirect URI that Spotify refuses, or an odd client ID, is a warning', () => {
  const env = {
    PROVIDER_REDIRECT_URI: 'http://localhost:4980/auth/provider/callback',
    PROVIDER_CLIENT_ID: 'demo-client',
  };
  assert.deepEqual(load(env).warnings, [
    'Spotify refuses the redirect URI http://localhost:4980/auth/provider/callback: it must use https, or http on 127.0.0.1 or [::1].',
    'The client ID does not look like a Spotify client ID (32 hexadecimal digits).',
  ]);
});

test('the redirect URI follows the port unless it is set', () => {
  assert.equal(redirectUriFor(load({}), 4980), 'http://127.0.0.1:4980/auth/provider/callback');
  const uri = 'https://r.example/auth/provider/callback';
  assert.equal(redirectUriFor(load({ PROVIDER_REDIRECT_URI: uri }), 4980), uri);
});
