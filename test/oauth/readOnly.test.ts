/** A read-only approval: chosen by the owner, enforced by the server, whatever the client asks for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isToolset } from '../../src/domain/toolsets.ts';
import { toolsOf } from '../../src/tools/index.ts';
import { freePort } from '../support/loopback.ts';
import { mcpClient, type Relay } from '../support/world.ts';
import { authorizeUrl, newClient } from './clients.ts';
import { answerOf, ownerBrowser } from './ownerBrowser.ts';
import { codeForm, exchanged, refreshForm } from './tokens.ts';
import { withServer } from './withServer.ts';

const READING = toolsOf({ toolsets: ['standard'], readOnly: true }).map(({ name }) => name);

/** Registers and approves a client with this choice on the page. */
async function approved(relay: Relay, access: 'read' | null, parameters: Record<string, string> = {}) {
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
    const more = { 'X-MCP-Readonly': 'false', 'X-MCP-Toolsets': 'standard' };
    assert.deepEqual(await offered(relay, tokens.access_token, more), READING);
    const asking = await mcpClient(relay.server.mcpUrl, tokens.access_token);
    await assert.rejects(
      asking.callTool({ name: 'create_playlist', arguments: { name: 'Mine' } }),
      /changes something, and only reading is on .*the owner has approved this client for reading only/,
    );
    await asking.close();
    const form = { ...refreshForm(client, tokens.refresh_token), scope: 'relay:read' };
    const renewed = await exchanged(relay.baseUrl, form);
    await relay.restart();
    assert.deepEqual(await offered(relay, renewed.access_token), READING);
    const { clients } = await relay.server.local.listClients();
    assert.deepEqual(
      clients.map(({ approvals }) => approvals.map(({ readOnly }) => readOnly)),
      [[true]],
    );
  }));

test('a client approved while the server offers only reading gets no more once the server offers more', async () =>
  withServer({ env: { RELAY_READ_ONLY: 'true' } }, async ({ relay }) => {
    const { page, tokens } = await approved(relay, null, { scope: 'relay' });
    assert.match(page.text, /Only read: your playlists, saved songs and what you listen to/);
    assert.equal(tokens.scope, 'relay:read');
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

test('the page lists once what a client may do, and offers "Read only"; a client that asks to read gets no more', () =>
  withServer({}, async ({ relay }) => {
    const full = await approved(relay, null);
    assert.equal(full.tokens.scope, 'relay');
    assert.ok((await offered(relay, full.tokens.access_token)).includes('create_playlist'));
    assert.equal(full.page.text.match(/your playlists/g)?.length, 1);
    assert.match(full.page.text, /<input type="checkbox" name="access" value="read">/);
    const modest = await approved(relay, null, { scope: 'relay:read' });
    assert.doesNotMatch(modest.page.text, /name="access"/);
    assert.equal(modest.tokens.scope, 'relay:read');
    assert.deepEqual(await offered(relay, modest.tokens.access_token), READING);
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

const NAMED: ReadonlyArray<readonly [toolsets: string, changing: string | null, reading: string]> = [
  [
    'standard',
    'Create, change and empty your playlists, change saved songs, control playback, see what you listen to',
    'Only read: your playlists, saved songs and what you listen to',
  ],
  [
    'all',
    'Create, change and empty your playlists, delete playlists, make playlists follow rules, change saved songs, control playback, see what you listen to',
    'Only read: your playlists, saved songs and what you listen to',
  ],
  [
    'library_sql',
    'Create, change and empty your playlists, make playlists follow rules, see what you listen to',
    'Only read: your playlists, saved songs and what you listen to',
  ],
  ['jobs', 'Create, change and empty your playlists, change saved songs', "Only read: relay's jobs"],
  ['playlists', 'Create, change and empty your playlists', 'Only read: your playlists'],
  ['library', 'Change saved songs', 'Only read: saved songs'],
  ['playback', 'Control playback, see what you listen to', 'Only read: what you listen to'],
  ['catalog', 'Search Spotify and remember which songs you mean', "Only read: Spotify's catalog"],
  ['history', null, 'Only read: what you listen to'],
  ['diagnostics', null, "Only read: relay's own state"],
  [
    'catalog,diagnostics',
    'Search Spotify and remember which songs you mean',
    "Only read: Spotify's catalog and relay's own state",
  ],
];

for (const [toolsets, changing, reading] of NAMED) {
  test(`the page names what the tools of ${toolsets} can do, and no more`, () =>
    withServer({ env: { RELAY_TOOLSETS: toolsets } }, async ({ relay }) => {
      const { page, tokens } = await approved(relay, null);
      const named = ({ text }: typeof page) =>
        /<dt>Can<\/dt><dd>(.*?)<\/dd>/.exec(text)?.[1]?.replaceAll('&#39;', "'");
      assert.equal(named(page), changing ?? reading);
      const all = toolsOf({ toolsets: toolsets.split(',').filter(isToolset), readOnly: false });
      const changes = all.some(({ kind, changesMemory }) => kind !== 'read' || changesMemory === true);
      assert.equal(changes, changing !== null);
      assert.equal(/name="access"/.test(page.text), changes);
      assert.equal(tokens.scope, changes ? 'relay' : 'relay:read');
      assert.equal(named((await approved(relay, null, { scope: 'relay:read' })).page), reading);
    }));
}
