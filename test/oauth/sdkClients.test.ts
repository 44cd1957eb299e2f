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
import type { Relay } from '../support/world.ts';
import { REDIRECT } from './clients.ts';
import { answerOf, ownerBrowser } from './ownerBrowser.ts';
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

interface Connected {
  tools(): Promise<number>;
  /** Calls a tool, since a call always sends a request. A list of tools may come from the client's cache. */
  call(): Promise<unknown>;
  version(): string | undefined;
  close(): Promise<void>;
}

type Connect = (url: URL, notebook: Notebook) => Promise<Connected>;

function currentClient(mode: 'legacy' | { pin: string }): Connect {
  return async (url, notebook) => {
    const authProvider = notebook as unknown as OAuthClientProvider;
    const client = () =>
      new CurrentClient({ name: 'sdk', version: '1.0.0' }, { versionNegotiation: { mode } });
    let transport = new StreamableHTTPClientTransport(url, { authProvider });
    let connected = client();
    const refused = await connected.connect(transport).then(
      () => null,
      (error: unknown) => error,
    );
    if (refused) {
      if (!notebook.answer) throw refused;
      await transport.finishAuth(notebook.answer);
      transport = new StreamableHTTPClientTransport(url, { authProvider });
      connected = client();
      await connected.connect(transport);
    }
    return {
      tools: async () => (await connected.listTools()).tools.length,
      call: () => connected.callTool({ name: 'get_rate_limit_status', arguments: {} }),
      version: () => connected.getNegotiatedProtocolVersion(),
      close: () => connected.close(),
    };
  };
}

const olderClient: Connect = async (url, notebook) => {
  const authProvider = notebook as unknown as OlderProvider;
  type Transport = Parameters<OlderClient['connect']>[0];
  const first = new OlderTransport(url, { authProvider });
  let client = new OlderClient({ name: 'older', version: '1.0.0' });
  const refused = await client.connect(first as Transport).then(
    () => null,
    (error: unknown) => error,
  );
  if (refused) {
    if (!notebook.answer) throw refused;
    await first.finishAuth(notebook.answer.get('code') ?? '');
    client = new OlderClient({ name: 'older', version: '1.0.0' });
    await client.connect(new OlderTransport(url, { authProvider }) as Transport);
  }
  return {
    tools: async () => (await client.listTools()).tools.length,
    call: () => client.callTool({ name: 'get_rate_limit_status', arguments: {} }),
    version: () => undefined,
    close: () => client.close(),
  };
};

const GENERATIONS: Array<[name: string, connect: Connect, version: string | undefined]> = [
  ['the current client in the 2026 revision', currentClient({ pin: '2026-07-28' }), '2026-07-28'],
  ['the current client in an older revision', currentClient('legacy'), '2025-11-25'],
  ['the older client', olderClient, undefined],
];

for (const [name, connect, version] of GENERATIONS) {
  test(`${name} connects by URL alone, and refreshes when its token has ended`, () =>
    withServer({}, async ({ relay, clock }) => {
      for (const [host, method] of [
        ['127.0.0.1', 'none'],
        ['localhost', undefined],
      ] as const) {
        const url = new URL(relay.server.mcpUrl.replace('127.0.0.1', host));
        const notebook = new Notebook(relay, method);
        const client = await connect(url, notebook);
        assert.equal(await client.tools(), TOOLS.length);
        assert.equal(client.version(), version);
        const before = notebook.saved.tokens as { access_token: string };
        clock.advance(HOUR);
        await client.call();
        assert.notEqual(
          (notebook.saved.tokens as { access_token: string }).access_token,
          before.access_token,
        );
        await client.close();
      }
    }));
}
