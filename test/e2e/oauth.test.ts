/** OAuth with real processes and files: access survives a kill -9, and secrets never reach a file, the log or the output. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizeUrl } from '../oauth/clients.ts';
import { askToken, codeForm } from '../oauth/tokens.ts';
import { answerOf, ownerBrowser } from '../support/ownerBrowser.ts';
import { withDesk } from '../support/program.ts';

const OWNER_CODE = 'the owner types this 17';

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
    // The first start of a server makes the state.
    await (await desk.host()).server.stop();
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
