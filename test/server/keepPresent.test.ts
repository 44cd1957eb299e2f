/** Restoring a copy gives nobody back an access that was taken away after the copy was made. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock, systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { createSealer } from '../../src/secrets/seal.ts';
import { type Restored, restoreState } from '../../src/server/restore/restoreState.ts';
import { backUpState } from '../../src/store/backup.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { putAccount } from '../../src/store/tables/account.ts';
import { listBrowsers, putBrowser } from '../../src/store/tables/browsers.ts';
import { deleteClient, getClient, putClient, putGrant, putToken } from '../../src/store/tables/oauth.ts';
import { createVault, type Vault } from '../../src/store/vault.ts';
import { temporaryHome } from '../store/testStore.ts';
import { HOUR } from '../support/clock.ts';

const KEY = Buffer.alloc(32, 5);

async function withState(
  home: string,
  change: (store: Store, vault: Vault) => void,
  key = KEY,
): Promise<void> {
  const store = await openStore({ home, clock: systemClock, log: silentLog });
  const vault = createVault(store, createSealer(key, systemRandom));
  await vault.verifyKey();
  await store.durable(() => change(store, vault));
  await store.close();
}

function approve(store: Store, client: string, grant: string): void {
  const now = Date.now();
  deleteClient(store, client);
  putClient(store, {
    clientId: client,
    name: client,
    secretHash: null,
    authMethod: null,
    redirectUris: [],
    grantTypes: [],
    source: 'registered',
    createdAt: now,
    approvedAt: now,
    lastUsedAt: now,
  });
  putGrant(store, {
    id: grant,
    clientId: client,
    redirectUri: 'http://127.0.0.1/cb',
    codeChallenge: 'c',
    resource: 'r',
    scope: 'relay',
    access: 'standard',
    codeHash: `code ${grant}`,
    codeExpiresAt: now + HOUR,
    codeUsedAt: now,
    createdAt: now,
    lastUsedAt: now,
    refreshed: 0,
  });
  for (const kind of ['access', 'refresh'] as const) {
    const times = { issuedAt: now, expiresAt: now + HOUR, rotatedAt: null };
    putToken(store, { hash: `${kind} ${grant}`, grantId: grant, kind, generation: 1, ...times });
  }
}

function connect(store: Store, vault: Vault, id: string, token: string): void {
  const now = Date.now();
  const times = { consentAt: now, loginExpiresAt: now + HOUR, accessExpiresAt: null };
  const account = { providerUserId: id, accountId: null, displayName: id, scopes: [], ...times };
  putAccount(store, { ...account, reauthorizationRequired: false, reauthorizationReason: null }, now);
  vault.set('provider.access_token', `access ${token}`);
  vault.set('provider.refresh_token', `refresh ${token}`);
}

async function restore(home: string, file: string): Promise<Restored> {
  const env = { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: KEY.toString('base64') };
  const settings = loadSettings({ env });
  const { signal } = new AbortController();
  const world = { clock: systemClock, random: systemRandom, signal };
  return restoreState({ settings, file, force: false, ...world });
}

/** Everything in a state that gives access. */
async function credentials(home: string) {
  let found: Record<string, unknown> = {};
  await withState(home, (store, vault) => {
    const column = (sql: string) => store.all<{ v: string }>(sql).map(({ v }) => v);
    found = {
      key: vault.get('mcp.api_key'),
      login: vault.get('provider.refresh_token'),
      clients: column('select client_id as v from oauth_clients order by 1'),
      grants: column('select id as v from oauth_grants order by 1'),
      tokens: column('select hash as v from oauth_tokens order by 1'),
      account: column('select provider_user_id as v from account'),
    };
  });
  return found;
}

/** A copy made while `old key`, the client `gone` and the client `stays` had access. */
async function copyOf(t: TestContext, id = 'ann') {
  const home = temporaryHome(t);
  await withState(home, (store, vault) => {
    vault.set('mcp.api_key', 'old key');
    connect(store, vault, id, 'old');
    approve(store, 'gone', 'revoked since');
    approve(store, 'stays', 'continues');
    const at = { createdAt: 1, lastUsedAt: 1, expiresAt: 9_000_000_000_000 };
    putBrowser(
      store,
      { id: 'planted', origin: 'http://127.0.0.1:4980', label: 'A browser', ...at },
      'hash',
      10,
    );
  });
  const file = join(temporaryHome(t), 'copy');
  await backUpState({ source: join(home, 'relay.db'), file, force: false });
  return { home, file };
}

async function browsers(home: string): Promise<number> {
  let count = -1;
  await withState(home, (store) => {
    count = listBrowsers(store, 0).length;
  });
  return count;
}

test('the key and the login of this home stay, and every approval and browser ends', async (t) => {
  const { home, file } = await copyOf(t);
  await withState(home, (store, vault) => {
    vault.set('mcp.api_key', 'new key');
    connect(store, vault, 'ann', 'new');
    approve(store, 'later', 'approved since');
  });
  const { kept } = await restore(home, file);
  assert.deepEqual(kept, { apiKey: 'present', login: 'present' });
  assert.deepEqual(await credentials(home), {
    key: 'new key',
    login: 'refresh new',
    clients: ['gone', 'stays'],
    grants: [],
    tokens: [],
    account: ['ann'],
  });
  assert.equal(await browsers(home), 0);
});

test('on a new machine the key and the login of the copy are used, and every client signs in again', async (t) => {
  const { file } = await copyOf(t);
  const home = join(temporaryHome(t), 'new');
  const { kept } = await restore(home, file);
  assert.deepEqual(kept, { apiKey: 'copy', login: 'copy' });
  assert.deepEqual(await credentials(home), {
    key: 'old key',
    login: 'refresh old',
    clients: ['gone', 'stays'],
    grants: [],
    tokens: [],
    account: ['ann'],
  });
  assert.equal(await browsers(home), 0);
});

test('a client of the copy is a stranger, whatever the copy says of that client', async (t) => {
  const home = temporaryHome(t);
  const add = (clientId: string) => (store: Store) => {
    const owned = { source: 'added', createdAt: 5, approvedAt: 5, lastUsedAt: 5 } as const;
    const metadata = { authMethod: null, redirectUris: ['http://127.0.0.1/cb'], grantTypes: [] };
    putClient(store, { clientId, name: 'Yours', secretHash: null, ...metadata, ...owned });
  };
  await withState(home, add('planted'));
  const file = join(temporaryHome(t), 'copy');
  await backUpState({ source: join(home, 'relay.db'), file, force: false });
  const before = Date.now();
  const target = join(temporaryHome(t), 'home');
  await restore(target, file);
  await withState(target, (store) => {
    const planted = getClient(store, 'planted');
    assert.ok(planted && planted.createdAt >= before);
    const { source, approvedAt, lastUsedAt } = planted;
    assert.deepEqual(
      { source, approvedAt, lastUsedAt },
      { source: 'registered', approvedAt: null, lastUsedAt: null },
    );
  });
});

test('a copy of another account brings back the login of that account, but not the key', async (t) => {
  const { file } = await copyOf(t, 'ben');
  const home = temporaryHome(t);
  await withState(home, (store, vault) => {
    vault.set('mcp.api_key', 'new key');
    connect(store, vault, 'ann', 'new');
  });
  const { kept } = await restore(home, file);
  assert.deepEqual(kept, { apiKey: 'present', login: 'copy' });
  const { key, login, account } = await credentials(home);
  assert.deepEqual([key, login, account], ['new key', 'refresh old', ['ben']]);
});

test('if the former state is sealed with another key, neither API key is kept', async (t) => {
  const { file } = await copyOf(t);
  const home = temporaryHome(t);
  await withState(home, (_store, vault) => vault.set('mcp.api_key', 'new key'), Buffer.alloc(32, 6));
  const { kept } = await restore(home, file);
  assert.deepEqual(kept, { apiKey: 'new', login: 'copy' });
  assert.equal((await credentials(home)).key, null);
});
