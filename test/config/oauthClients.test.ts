import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { configuredClients } from '../../src/config/oauthClients.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { RelayError } from '../../src/domain/errors.ts';
import { temporaryHome } from '../support/cli.ts';

const SECRET = 'a-very-secret-text';
const HASH = createHash('sha256').update(SECRET).digest('hex');
const CALLBACK = 'http://127.0.0.1:3118/callback';

function messageOfLoad(env: NodeJS.ProcessEnv): string {
  try {
    configuredClients(loadSettings({ env }));
  } catch (error) {
    assert.ok(error instanceof RelayError);
    return error.message;
  }
  assert.fail('It was accepted.');
}

test('clients come from the environment and from the file in the home, and of each secret only the hash is kept', (context) => {
  const home = temporaryHome(context);
  const clients = [
    {
      clientId: 'public',
      clientName: 'Public',
      redirectUris: [CALLBACK, 'cursor://anysphere.cursor-mcp/oauth/callback'],
    },
    { clientId: 'clear', clientSecret: SECRET, redirectUris: ['https://x.org/cb'] },
    {
      clientId: 'hashed',
      clientSecretSha256: HASH.toUpperCase(),
      redirectUris: ['http://localhost/cb'],
      tokenEndpointAuthMethod: 'client_secret_post',
    },
  ];
  writeFileSync(join(home, 'oauth-clients.json'), JSON.stringify({ clients }));
  const settings = loadSettings({
    env: {
      RELAY_HOME: home,
      MCP_OAUTH_CLIENT_ID: 'legacy',
      MCP_OAUTH_CLIENT_SECRET: SECRET,
      MCP_OAUTH_CLIENT_REDIRECT_URI: CALLBACK,
    },
  });
  assert.equal(settings.oauthClientsFile, join(home, 'oauth-clients.json'));
  assert.equal(settings.origins.oauthClientsFile, 'default');
  assert.deepEqual(configuredClients(settings), [
    {
      clientId: 'legacy',
      name: null,
      secretHash: HASH,
      redirectUris: [CALLBACK],
      authMethod: null,
      source: 'environment',
    },
    {
      clientId: 'public',
      name: 'Public',
      secretHash: null,
      redirectUris: [CALLBACK, 'cursor://anysphere.cursor-mcp/oauth/callback'],
      authMethod: 'none',
      source: 'file',
    },
    {
      clientId: 'clear',
      name: null,
      secretHash: HASH,
      redirectUris: ['https://x.org/cb'],
      authMethod: null,
      source: 'file',
    },
    {
      clientId: 'hashed',
      name: null,
      secretHash: HASH,
      redirectUris: ['http://localhost/cb'],
      authMethod: 'client_secret_post',
      source: 'file',
    },
  ]);
});

test('a clients file that config.json names by a relative path is looked for in the home', (context) => {
  const home = temporaryHome(context);
  writeFileSync(join(home, 'config.json'), '{"oauthClientsFile": "mine.json"}');
  writeFileSync(join(home, 'mine.json'), '{"clients": []}');
  assert.equal(loadSettings({ env: { RELAY_HOME: home } }).oauthClientsFile, join(home, 'mine.json'));
});

test('if a setting names a clients file, the file must exist, and the message names the setting', (context) => {
  const file = '/no/such/file';
  assert.equal(
    messageOfLoad({ MCP_OAUTH_CLIENTS_FILE: file }),
    `MCP_OAUTH_CLIENTS_FILE in the environment: ${file} does not exist.`,
  );
  const home = temporaryHome(context);
  const config = join(home, 'config.json');
  writeFileSync(config, JSON.stringify({ oauthClientsFile: file }));
  assert.equal(
    messageOfLoad({ RELAY_HOME: home }),
    `"oauthClientsFile" in ${config}: ${file} does not exist.`,
  );
});

/** A file with one client, which is good except for these fields. */
const oneClient = (fields: object) => ({ clients: [{ clientId: 'a', redirectUris: [CALLBACK], ...fields }] });
const NO_SECRET = 'clients[0] must have clientSecret or clientSecretSha256, or no secret and';

const BAD: Array<[name: string, content: unknown, problem: string]> = [
  ['no JSON', `{"clientSecret": "${SECRET}`, 'is not JSON'],
  ['a list', [], 'cannot be used: Invalid input: expected object'],
  ['another key', { clients: [], more: 1 }, 'cannot be used: Unrecognized key: "more"'],
  ['no list', { clients: 'x' }, 'clients Invalid input: expected array'],
  ['no ID', { clients: [{ redirectUris: [CALLBACK] }] }, 'clients[0].clientId Invalid input'],
  ['a bad ID', oneClient({ clientId: 'a b' }), 'clients[0].clientId must be one line of visible characters'],
  ['an ID like an option', oneClient({ clientId: '-a' }), 'that does not begin with "-"'],
  ['a mistyped key', oneClient({ secret: SECRET }), 'clients[0] Unrecognized key: "secret"'],
  ['no URI', oneClient({ redirectUris: [] }), 'clients[0].redirectUris Too small'],
  ['a script', oneClient({ redirectUris: ['javascript:alert(1)'] }), 'clients[0].redirectUris[0] must be an'],
  [
    'a far http URI',
    oneClient({ redirectUris: ['http://x.org/cb'] }),
    '[0] must be an https URL, an http URL on',
  ],
  [
    'a fragment',
    oneClient({ redirectUris: [CALLBACK, 'https://x.org/#a'] }),
    'redirectUris[1] must be an https',
  ],
  ['two secrets', oneClient({ clientSecret: SECRET, clientSecretSha256: HASH }), NO_SECRET],
  ['a short hash', oneClient({ clientSecretSha256: 'ab' }), 'Sha256 must be 64 hexadecimal digits'],
  ['a public secret', oneClient({ clientSecret: SECRET, tokenEndpointAuthMethod: 'none' }), NO_SECRET],
  ['no secret', oneClient({ tokenEndpointAuthMethod: 'client_secret_basic' }), NO_SECRET],
  [
    'another method',
    oneClient({ tokenEndpointAuthMethod: 'jwt' }),
    'clients[0].tokenEndpointAuthMethod Invalid',
  ],
];

for (const [name, content, problem] of BAD) {
  test(`a clients file with ${name} is refused without its values`, (context) => {
    const home = temporaryHome(context);
    const path = join(home, 'oauth-clients.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    const message = messageOfLoad({ RELAY_HOME: home });
    assert.ok(message.startsWith(`${path} `) && message.includes(problem), message);
    assert.ok(!message.includes(SECRET));
  });
}

test('a client ID in two places is refused', (context) => {
  const home = temporaryHome(context);
  const client = (clientId: string) => ({ clientId, redirectUris: [CALLBACK] });
  const env = {
    RELAY_HOME: home,
    MCP_OAUTH_CLIENT_ID: 'legacy',
    MCP_OAUTH_CLIENT_SECRET: SECRET,
    MCP_OAUTH_CLIENT_REDIRECT_URI: CALLBACK,
  };
  for (const clients of [
    ['a', 'legacy'],
    ['b', 'b'],
  ]) {
    writeFileSync(join(home, 'oauth-clients.json'), JSON.stringify({ clients: clients.map(client) }));
    assert.match(messageOfLoad(env), new RegExp(`the client ID "${clients[1]}", which another client has`));
  }
});
