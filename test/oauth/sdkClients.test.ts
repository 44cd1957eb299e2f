/**
 * The clients of the official SDK with the OAuth that they bring: the older client, and the current one in both protocol
 * revisions.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Client as CurrentClient,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { OAuthClientProvider as OlderProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TOOLS } from '../../src/tools/index.ts';
import { HOUR } from '../support/clock.ts';
import { answerOf, ownerBrowser } from '../support/ownerBrowser.ts';
import type { Relay } from '../support/world.ts';
import { REDIRECT } from './clients.ts';
import { withServer } from './withServer.ts';

/** What an application stores for the SDK. When the SDK opens an approval page, the owner approves it at once. */
class Notebook {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata: Record<string, unknown> & { redirect_uris: string[] };
  readonly saved: Record<string, unknown> = {};
  /** The parameters of the redirect that ended the approval. */
  answer: URLSearchParams | null = null;
  private readonly relay: Relay;

  constructor(relay: Relay, method: string | undefined) {
    this.relay = relay;
    this.clientMetadata = {
      client_name: 'SDK',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
    };
  }

  state = () => 'a-state-of-the-sdk';
  clientInformation = () => this.saved.client;
  saveClientInformation = (client: unknown) => this.keep('client', client);
  tokens = () => this.saved.tokens;
  saveTokens = (tokens: unknown) => this.keep('tokens', tokens);
  saveCodeVerifier = (verifier: string) => this.keep('verifier', verifier);
  codeVerifier = () => String(this.saved.verifier);
  discoveryState = () => this.saved.discovery;
  saveDiscoveryState = (state: unknown) => this.keep('discovery', state);

  async redirectToAuthorization(url: URL): Promise<void> {
    const browser = ownerBrowser(url.origin);
    const page = await browser.open(url.href);
    const owner_code = this.relay.server.ownerCode ?? '';
    this.answer = new URLSearchParams(answerOf(await browser.submit(page, 'approve', { owner_code })));
  }

  private keep(name: string, value: unknown): void {
    this.saved[name] = value;
  }
}

/** What both generations of the client have, and what is different. */
interface Sdk {
  client(): Client;
  transport(url: URL, notebook: Notebook): Transport;
  finish(transport: Transport, answer: URLSearchParams): Promise<void>;
}
type Client = Pick<CurrentClient, 'connect' | 'listTools' | 'callTool' | 'close'>;
type Transport = Parameters<CurrentClient['connect']>[0];

const current = (mode: 'legacy' | { pin: string }): Sdk => ({
  client: () => new CurrentClient({ name: 'sdk', version: '1.0.0' }, { versionNegotiation: { mode } }),
  transport: (url, notebook) =>
    new StreamableHTTPClientTransport(url, { authProvider: notebook as unknown as OAuthClientProvider }),
  finish: (transport, answer) => (transport as StreamableHTTPClientTransport).finishAuth(answer),
});

const older: Sdk = {
  client: () => new OlderClient({ name: 'older', version: '1.0.0' }) as unknown as Client,
  transport: (url, notebook) =>
    new OlderTransport(url, { authProvider: notebook as unknown as OlderProvider }) as unknown as Transport,
  finish: (transport, answer) =>
    (transport as unknown as OlderTransport).finishAuth(answer.get('code') ?? ''),
};

/** Connects as an application does: the first try opens the approval page, and the second one has tokens. */
async function connected(sdk: Sdk, url: URL, notebook: Notebook): Promise<Client> {
  const first = sdk.transport(url, notebook);
  const refused = await sdk
    .client()
    .connect(first)
    .then(
      () => assert.fail('no approval was needed'),
      (error: unknown) => error,
    );
  if (!notebook.answer) throw refused;
  await sdk.finish(first, notebook.answer);
  const client = sdk.client();
  await client.connect(sdk.transport(url, notebook));
  return client;
}

const GENERATIONS: Array<[name: string, sdk: Sdk, version: string | undefined]> = [
  ['the current client in the 2026 revision', current({ pin: '2026-07-28' }), '2026-07-28'],
  ['the current client in an older revision', current('legacy'), '2025-11-25'],
  ['the older client', older, undefined],
];

for (const [name, sdk, version] of GENERATIONS) {
  test(`${name} connects by URL alone, and refreshes when its token has ended`, () =>
    withServer({}, async ({ relay, clock }) => {
      for (const [host, method] of [
        ['127.0.0.1', 'none'],
        ['localhost', undefined],
      ] as const) {
        const url = new URL(relay.server.mcpUrl.replace('127.0.0.1', host));
        const notebook = new Notebook(relay, method);
        const client = await connected(sdk, url, notebook);
        assert.equal((await client.listTools()).tools.length, TOOLS.length);
        if (client instanceof CurrentClient) assert.equal(client.getNegotiatedProtocolVersion(), version);
        const accessToken = () => (notebook.saved.tokens as { access_token: string }).access_token;
        const before = accessToken();
        clock.advance(HOUR);
        // A call always sends a request. A list of tools may come from the client's cache.
        await client.callTool({ name: 'get_rate_limit_status', arguments: {} });
        assert.notEqual(accessToken(), before);
        await client.close();
      }
    }));
}
