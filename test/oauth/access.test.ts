/** What a client may do: chosen at its approval, enforced by the server, and changed by the owner at any time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Level } from '../../src/domain/access.ts';
import { toolsAt } from '../../src/tools/index.ts';
import { freePort } from '../support/loopback.ts';
import { answerOf, ownerBrowser } from '../support/ownerBrowser.ts';
import { mcpClient, type Relay } from '../support/world.ts';
import { authorizeUrl, newClient } from './clients.ts';
import { codeForm, exchanged, refreshForm } from './tokens.ts';
import { withServer } from './withServer.ts';

const namesAt = (level: Level) => toolsAt(level).map(({ name }) => name);
const READING = namesAt('read');

/** Registers and approves a client with this choice on the page. */
async function approved(relay: Relay, access: Level | null, parameters: Record<string, string> = {}) {
  const client = await newClient(relay.baseUrl);
  const browser = ownerBrowser(relay.baseUrl);
  const page = await browser.open(
    authorizeUrl(relay.baseUrl, { client_id: client.client_id, ...parameters }),
  );
  const answer = await browser.submit(page, 'approve', { owner_code: relay.server.ownerCode ?? '', access });
  const tokens = await exchanged(relay.baseUrl, codeForm(client, answerOf(answer).code ?? ''));
  return { client, page, tokens };
}

async function offered(relay: Relay, token: string, headers: Record<string, string> = {}): Promise<string[]> {
  const client = await mcpClient(relay.server.mcpUrl, token, headers);
  try {
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

test('a client approved for reading only is offered only tools that change nothing, also after a refresh and a restart', async () =>
  withServer({ env: { RELAY_PORT: await freePort() } }, async ({ relay }) => {
    const { client, tokens } = await approved(relay, 'read', { scope: 'relay' });
    assert.equal(tokens.scope, 'relay:read');
    assert.deepEqual(await offered(relay, tokens.access_token), READING);
    // The client's own headers add nothing.
    const more = { 'X-MCP-Access': 'everything' };
    assert.deepEqual(await offered(relay, tokens.access_token, more), READING);
    const asking = await mcpClient(relay.server.mcpUrl, tokens.access_token);
    await assert.rejects(
      asking.callTool({ name: 'create_playlist', arguments: { name: 'Mine' } }),
      /needs the access "standard", and this client has "read"/,
    );
    await asking.close();
    const form = { ...refreshForm(client, tokens.refresh_token), scope: 'relay:read' };
    const renewed = await exchanged(relay.baseUrl, form);
    await relay.restart();
    assert.deepEqual(await offered(relay, renewed.access_token), READING);
    const { clients } = await relay.server.local.listClients();
    assert.deepEqual(
      clients.map(({ approvals }) => approvals.map(({ access }) => access)),
      [['read']],
    );
  }));

test('the page offers three levels with everything chosen; a form without the choice means standard', () =>
  withServer({}, async ({ relay }) => {
    const { page, tokens } = await approved(relay, null);
    assert.deepEqual(
      [...page.text.matchAll(/name="access" value="(\w+)"( checked)?/g)].map(([, level, is]) => [
        level,
        is !== undefined,
      ]),
      [
        ['read', false],
        ['standard', false],
        ['everything', true],
      ],
    );
    assert.deepEqual(await offered(relay, tokens.access_token), namesAt('standard'));
    const all = await approved(relay, 'everything');
    assert.deepEqual(await offered(relay, all.tokens.access_token), namesAt('everything'));
  }));

test('the owner changes what a client may do, and it counts from the next request, except for one that asked to read', () =>
  withServer({}, async ({ relay }) => {
    const { client, tokens } = await approved(relay, 'everything');
    const { local } = relay.server;
    await local.setClientAccess({ client: client.client_id, level: 'read' });
    assert.deepEqual(await offered(relay, tokens.access_token), READING);
    await local.setClientAccess({ client: client.client_id, level: 'standard' });
    assert.deepEqual(await offered(relay, tokens.access_token), namesAt('standard'));
    const modest = await approved(relay, null, { scope: 'relay:read' });
    assert.equal([...modest.page.text.matchAll(/name="access"/g)].length, 1);
    await local.setClientAccess({ client: modest.client.client_id, level: 'everything' });
    assert.deepEqual(await offered(relay, modest.tokens.access_token), READING);
  }));

test('a client may ask for a token that only reads, and later again for all; it never gets more than was approved', () =>
  withServer({}, async ({ relay }) => {
    const full = await approved(relay, null);
    const ask = (of: Awaited<ReturnType<typeof approved>>, token: string, scope: string) =>
      exchanged(relay.baseUrl, { ...refreshForm(of.client, token), scope });
    const less = await ask(full, full.tokens.refresh_token, 'relay:read');
    assert.equal(less.scope, 'relay:read');
    assert.deepEqual(await offered(relay, less.access_token), READING);
    await assert.rejects(
      offered(relay, less.access_token.replace(/^ro\./, '')),
      'the mark is part of the token',
    );
    const all = await ask(full, less.refresh_token, 'relay');
    assert.equal(all.scope, 'relay');
    assert.ok((await offered(relay, all.access_token)).includes('create_playlist'));
    const modest = await approved(relay, 'read');
    const more = await ask(modest, modest.tokens.refresh_token, 'relay');
    assert.equal(more.scope, 'relay:read');
    assert.deepEqual(await offered(relay, more.access_token), READING);
  }));

test('scopes that clients add by themselves are ignored, and never widen relay:read', () =>
  withServer({}, async ({ relay }) => {
    const granted: ReadonlyArray<[asked: string, scope: string]> = [
      ['offline_access', 'relay'],
      ['openid profile relay', 'relay'],
      ['relay:read relay', 'relay'],
      ['openid relay:read offline_access', 'relay:read'],
    ];
    for (const [scope, expected] of granted) {
      const { client, tokens } = await approved(relay, null, { scope });
      assert.equal(tokens.scope, expected, scope);
      const refreshed = await exchanged(relay.baseUrl, {
        ...refreshForm(client, tokens.refresh_token),
        scope,
      });
      assert.equal(refreshed.scope, expected, scope);
    }
  }));
