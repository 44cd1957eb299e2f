import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../src/generated/sql.ts';
import { getGrant } from '../../src/store/tables/oauthGrants.ts';
import { countOauthTokens, getToken } from '../../src/store/tables/oauthTokens.ts';
import { NOON, temporaryHome, testStore } from './testStore.ts';

const BEFORE = MIGRATIONS.findIndex(({ name }) => name.endsWith('_oauth_rotation'));

test('tokens from before generations were counted stay valid, and rotated ones stay rotated', async (t) => {
  const home = temporaryHome(t);
  const old = await testStore(t, { home, migrations: MIGRATIONS.slice(0, BEFORE) });
  await old.durable(() => {
    old.run(`insert into oauth_grants (id, client_id, redirect_uri, code_challenge, resource, scope, code_hash,
        code_expires_at, created_at)
      values ('grant', 'client', 'http://127.0.0.1/', 'x', 'http://127.0.0.1/mcp', 'relay', 'code', ${NOON}, ${NOON})`);
    for (const [hash, kind, rotated] of [
      ['first', 'refresh', NOON],
      ['second', 'refresh', null],
      ['access', 'access', null],
    ] as const) {
      old.run(
        `insert into oauth_tokens (hash, grant_id, kind, issued_at, expires_at, rotated_at)
         values (?, 'grant', ?, ${NOON}, ${NOON + 1}, ?)`,
        [hash, kind, rotated],
      );
    }
  });
  await old.close();
  const store = await testStore(t, { home });
  assert.equal(getGrant(store, 'grant')?.refreshed, 0);
  const generations = ['first', 'second', 'access'].map((hash) => getToken(store, hash)?.generation);
  assert.deepEqual(generations, [0, 1, 1]);
  assert.equal(countOauthTokens(store, NOON), 2);
});
