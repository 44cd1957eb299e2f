import assert from 'node:assert/strict';
import test from 'node:test';
import { settingsMarkdown } from '../../src/config/markdown.ts';
import { didYouMean, nearestNames } from '../../src/config/nearest.ts';

const NAMES = ['host', 'port', 'logLevel', 'logFormat', 'publicBaseUrl', 'providerClientId'];

const NEAREST: Array<[name: string, nearest: string[]]> = [
  ['prot', ['port']],
  ['PORT', ['port']],
  ['loglevl', ['logLevel']],
  ['providerClientID', ['providerClientId']],
  ['clientId', ['providerClientId']],
  ['zzz', []],
];

for (const [name, nearest] of NEAREST) {
  test(`nearest to ${name}: ${nearest.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(nearestNames(name, NAMES), nearest);
  });
}

test('several names that are equally near are all suggested', () => {
  assert.equal(
    didYouMean('get_artst', ['get_artist', 'get_track', 'get_artists']),
    'Did you mean "get_artist" or "get_artists"?',
  );
  assert.equal(didYouMean('zzz', NAMES), undefined);
});

test('the settings table of the README', () => {
  const [head, rule, ...rows] = settingsMarkdown().trimEnd().split('\n');
  assert.equal(head, '| environment, flag | `config.json` | default | meaning |');
  assert.equal(rule, '|---|---|---|---|');
  assert.equal(
    rows.find((row) => row.includes('RELAY_PORT')),
    '| `RELAY_PORT`, `--port` | `port` | `4980` | Port to listen on; 0 picks a free one |',
  );
  assert.deepEqual(
    rows.map((row) => /^\| `(\w+)`/.exec(row)?.[1]),
    [
      'RELAY_HOME',
      'RELAY_HOST',
      'RELAY_PORT',
      'PUBLIC_BASE_URL',
      'RELAY_TRUSTED_PROXY',
      'PROVIDER_CLIENT_ID',
      'PROVIDER_CLIENT_SECRET',
      'PROVIDER_REDIRECT_URI',
      'PROVIDER_API_URL',
      'PROVIDER_ACCOUNTS_URL',
      'MCP_AUTH_MODE',
      'MCP_API_KEY',
      'MCP_OAUTH_OWNER_SECRET',
      'MCP_OAUTH_DCR_ENABLED',
      'MCP_OAUTH_CLIENT_ID',
      'MCP_OAUTH_CLIENT_SECRET',
      'MCP_OAUTH_CLIENT_REDIRECT_URI',
      'MCP_OAUTH_CLIENTS_FILE',
      'RELAY_ENCRYPTION_KEY',
      'RELAY_KEYCHAIN',
      'LOG_LEVEL',
      'LOG_FORMAT',
    ],
  );
});
