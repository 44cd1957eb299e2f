/**
 * The authorization server for MCP clients, without HTTP: for one owner, over one state, with opaque tokens that are valid only
 * for `/mcp`. `server/routes/oauth.ts` and `server/routes/authorize.ts` add HTTP and pages.
 */

import { hashOf, newSecret } from '../base/digest.ts';
import type { Log } from '../base/log.ts';
import type { Level } from '../domain/access.ts';
import {
  deleteGrant,
  type Grant,
  getGrant,
  getToken,
  markClientApproved,
  markClientUnapproved,
  putGrant,
  touchClient,
  touchGrant,
} from '../store/tables/oauth.ts';
import { createClientDirectory, type DirectoryOptions } from './clientDirectory.ts';
import { createSweep, isNarrowed } from './issueTokens.ts';
import { type AuthorizeRequest, checkAuthorizeRequest, type OwnAddress } from './policy/authorize.ts';
import { CODE_MS, READ_SCOPE, TOUCH_MS } from './policy/limits.ts';
import { isSameResource, parameter } from './policy/parameters.ts';
import { checkMetadata, registrationResponse } from './policy/registration.ts';
import { accepted, type Result, refused } from './refusal.ts';
import { authenticate, createTokenEndpoint } from './tokenEndpoint.ts';

export interface AuthorizationServerOptions extends DirectoryOptions {
  log: Log;
}

export function createAuthorizationServer(options: AuthorizationServerOptions) {
  const { store, clock, random, log } = options;
  const clients = createClientDirectory(options);
  const sweep = createSweep(options);

  /** Notes a use. The next save stores it, at the latest when the server stops. */
  function touch({ id, clientId, lastUsedAt }: Grant, now: number): void {
    if (lastUsedAt !== null && now - lastUsedAt < TOUCH_MS) return;
    touchGrant(store, id, now);
    touchClient(store, clientId, now);
  }

  return {
    clients,
    /** Registers a client, and returns the answer for it (RFC 7591 3.2.1). @throws RelayError `STORE_ERROR` */
    async register(body: unknown, { origins }: Pick<OwnAddress, 'origins'>): Promise<Result<object>> {
      const metadata = checkMetadata(body, origins);
      if (!metadata.ok) return metadata;
      const registered = await clients.register(metadata.value);
      if (!registered.ok) return registered;
      const { client, secret } = registered.value;
      log.info({ clientId: client.clientId, clientName: client.name }, 'client registered');
      return accepted(registrationResponse(client, secret));
    },
    checkAuthorize: (parameters: URLSearchParams, own: OwnAddress) =>
      checkAuthorizeRequest(parameters, clients.find, own),
    /**
     * Records the owner's approval, and returns the code. A request for reading alone gets no more.
     * @throws RelayError `STORE_ERROR`
     */
    async approve(request: AuthorizeRequest, access: Level): Promise<string> {
      const code = newSecret(random);
      const grant = grantOf(request, access, code, random.uuid(), clock.now());
      let isFirst = false;
      await store.durable(
        () => {
          sweep();
          putGrant(store, grant);
          isFirst = markClientApproved(store, grant.clientId, clock.now());
        },
        () => {
          deleteGrant(store, grant.id);
          if (isFirst) markClientUnapproved(store, grant.clientId);
        },
      );
      log.info({ clientId: grant.clientId, clientName: request.client.name }, 'client approved');
      return code;
    },
    token: createTokenEndpoint({ ...options, clients, sweep }),
    /**
     * The revocation endpoint (RFC 7009): a client gives up its tokens. The answer is the same for every token, so that nobody
     * learns which tokens exist (RFC 7009 2.2).
     * @throws RelayError `STORE_ERROR`; even so, the approval may have ended in memory
     */
    async revoke(form: URLSearchParams, authorization: string | undefined): Promise<Result<null>> {
      const client = authenticate({ clients, log }, form, authorization);
      if (!client.ok) return client;
      const sent = parameter(form, 'token');
      if (sent === null) return refused('parameter_missing', 'Parameter: token.');
      // `token_type_hint` (RFC 7009 2.1) is not needed: one lookup finds tokens of both kinds.
      const token = getToken(store, hashOf(sent));
      const grant = token && getGrant(store, token.grantId);
      // Another client's token stays (RFC 7009 2.1), and the answer does not show that it exists.
      if (grant?.clientId !== client.value.clientId) return accepted(null);
      // There is no undo: if the save fails, access stays ended in memory, and a later save stores that.
      await store.durable(() => deleteGrant(store, grant.id));
      log.info({ clientId: grant.clientId }, 'client revoked its own approval');
      return accepted(null);
    },
    /** The client behind an access token that is good for `resource` now, and what it may do; null for anything else. */
    accessOf(accessToken: string, resource: string): { clientId: string; access: Level } | null {
      const now = clock.now();
      const token = getToken(store, hashOf(accessToken));
      if (token?.kind !== 'access' || token.expiresAt <= now) return null;
      const grant = getGrant(store, token.grantId);
      // A client that was removed from the settings is unknown, though its tokens are still stored.
      if (!grant || !isSameResource(grant.resource, resource) || !clients.find(grant.clientId)) return null;
      touch(grant, now);
      return { clientId: grant.clientId, access: isNarrowed(accessToken) ? 'read' : grant.access };
    },
  };
}

function grantOf(request: AuthorizeRequest, asked: Level, code: string, id: string, now: number): Grant {
  const { client, redirectUri, codeChallenge, resource } = request;
  const access = request.scope === READ_SCOPE ? 'read' : asked;
  return {
    id,
    clientId: client.clientId,
    redirectUri,
    codeChallenge,
    resource,
    scope: request.scope,
    access,
    codeHash: hashOf(code),
    codeExpiresAt: now + CODE_MS,
    codeUsedAt: null,
    createdAt: now,
    lastUsedAt: null,
    refreshed: 0,
  };
}
