/** OAuth with real processes and files: access survives a kill -9, and secrets never reach a file, the log or the output. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizeUrl, json, newClient } from '../oauth/clients.ts';
import { answerOf, askOwner, ownerBrowser } from '../oauth/ownerBrowser.ts';
import { askToken, codeForm, mcpStatus, refreshForm, refusal } from '../oauth/tokens.ts';
import { freePort } from '../support/loopback.ts';
import { withDesk } from '../support/program.ts';

const OWNER_CODE = 'the owner types this 17';

test('the access of a client survives a kill -9 and ends when it is revoked; no secret is left anywhere', () =>
  withDesk({ MCP_OAUTH_OWNER_SECRET: OWNER_CODE, LOG_LEVEL: 'trace' }, async (desk) => {
    const port = await freePort();
    const first = await desk.serve(['--port', port]);
    const { baseUrl, mcpUrl } = first.ready;
    const client = await newClient(baseUrl, {
      client_name: 'Traveller',
      token_endpoint_auth_method: undefined,
    });
    const browser = ownerBrowser(baseUrl);
    const page = await browser.open(authorizeUrl(baseUrl, { client_id: client.client_id }));
    const approved = await browser.submit(page, 'approve', { owner_code: OWNER_CODE });
    const code = answerOf(approved).code ?? '';
    const secret = { client_secret: client.client_secret ?? '' };
    const exchanged = await askToken(baseUrl, { ...codeForm(client, code), ...secret });
    assert.equal(exchanged.status, 200, exchanged.text);
    const { access_token, refresh_token } = json(exchanged) as Record<string, string>;
    await first.server.stop('SIGKILL');

    const second = await desk.serve(['--port', port]);
    assert.equal(await mcpStatus(mcpUrl, access_token ?? ''), 200);
    const renewed = await askToken(baseUrl, { ...refreshForm(client, refresh_token ?? ''), ...secret });
    const tokens = json(renewed) as Record<string, string>;
    await second.server.stop('SIGKILL');

    const third = await desk.host(['--port', port]);
    assert.equal(
      refusal(await askToken(baseUrl, { ...codeForm(client, code), ...secret })),
      '400 invalid_grant',
    );
    assert.equal(await mcpStatus(mcpUrl, tokens.access_token ?? ''), 401, 'the replay ended the approval');

    const again = await browser.open(authorizeUrl(baseUrl, { client_id: client.client_id }));
    const remembered = json(await askOwner(baseUrl, 'code', { code: OWNER_CODE })) as { secret: string };
    const owner_proof = remembered.secret;
    const oneClick = answerOf(await browser.submit(again, 'approve', { owner_proof })).code ?? '';
    const fresh = json(await askToken(baseUrl, { ...codeForm(client, oneClick), ...secret })) as Record<
      string,
      string
    >;
    const listed = await desk.relay(['clients', '--json']);
    const [summary] = JSON.parse(listed.out).clients;
    assert.deepEqual(
      [summary.name, summary.source, summary.approvals.length],
      ['Traveller', 'registered', 1],
    );
    const revoked = await desk.relay(['clients', 'revoke', 'traveller']);
    assert.deepEqual([revoked.code, revoked.out], [0, 'Revoked Traveller: its access has ended.\n']);
    assert.equal(await mcpStatus(mcpUrl, fresh.access_token ?? ''), 401);

    const status = await desk.relay(['status']);
    const cookies = [...browser.cookies.values()];
    const secrets = [OWNER_CODE, owner_proof, code, oneClick, ...Object.values(secret), ...cookies];
    for (const pair of [json(exchanged), tokens, fresh]) {
      secrets.push(String(pair.access_token), String(pair.refresh_token));
    }
    const logs = [first, second, third].map(({ server }) => server.err + server.out).join('\n');
    for (const text of secrets) {
      assert.deepEqual(desk.filesWith(text), [], 'in a file');
      assert.ok(!logs.includes(text), 'in the log');
      assert.ok(!`${listed.out}${listed.err}${status.out}${status.err}`.includes(text), 'printed');
    }
    assert.match(logs, /client approved/);
  }));

test('a client added while no server runs takes its secret from stdin, never prints it, and can sign in later', () =>
  withDesk({ MCP_OAUTH_OWNER_SECRET: OWNER_CODE }, async (desk) => {
    const secret = 'a-secret-from-a-pipe-0123456789-0123';
    const args = [
      'clients',
      'add',
      'Bot',
      '--confidential',
      '--redirect-uri',
      'http://127.0.0.1:7777/callback',
    ];
    const added = await desk.relay(args, { input: `${secret}\n` });
    assert.equal(added.code, 0, added.err);
    assert.ok(!`${added.out}${added.err}`.includes(secret));
    const client = { client_id: added.out.trim(), redirect_uris: [] };
    const { ready } = await desk.host();
    const browser = ownerBrowser(ready.baseUrl);
    const page = await browser.open(authorizeUrl(ready.baseUrl, { client_id: client.client_id }));
    assert.ok(page.text.includes('set up by you with relay clients add'));
    const code = answerOf(await browser.submit(page, 'approve', { owner_code: OWNER_CODE })).code ?? '';
    const token = await askToken(ready.baseUrl, { ...codeForm(client, code), client_secret: secret });
    assert.equal(token.status, 200, token.text);
  }));
