/**
 * The token endpoint (RFC 6749 4.1.3, 6): decides by `policy/grants.ts` and stores the result. Both are one transaction, so that
 * one of two simultaneous exchanges counts as the second. The tokens are on disk before the client gets them.
 */
import { hashOf } from '../base/digest.ts';
import type { Log } from '../base/log.ts';
import {
  deleteGrant,
  findGrantByCode,
  getGrant,
  getToken,
  markCodeUnused,
  markCodeUsed,
  rotateToken,
  type StoredToken,
  unrotateToken,
} from '../store/tables/oauth.ts';
import type { OAuthClient } from './client.ts';
import type { ClientDirectory, DirectoryOptions } from './clientDirectory.ts';
import { issueTokens } from './issueTokens.ts';
import { checkCredentials, readCredentials } from './policy/clientAuth.ts';
import { type ExchangeDecision, type ExchangeRequest, judgeCode, judgeRefresh } from './policy/grants.ts';
import { parameter, repeatedNames } from './policy/parameters.ts';
import { accepted, type Result, refused } from './refusal.ts';

export interface TokenOptions extends Omit<DirectoryOptions, 'configured'> {
  clients: ClientDirectory;
  log: Log;
  /** Drops what has expired. */
  sweep(): void;
}

/** One exchange: functions that decide about it, mark the credential as used, and undo the mark. */
interface Exchange {
  judge(): ExchangeDecision;
  use(): void;
  putBack(): void;
  /** Generation of the tokens that the exchange issues. */
  generation(): number;
}

/**
 * The endpoint throws the RelayError `STORE_ERROR` if no tokens were issued; then the code or refresh token can be exchanged later,
 * but an approval that the exchange ended stays ended in memory.
 */
export function createTokenEndpoint(options: TokenOptions) {
  const { store, clock, log } = options;

  return async (form: URLSearchParams, authorization: string | undefined): Promise<Result<object>> => {
    const client = authenticate(options, form, authorization);
    if (!client.ok) return client;
    const exchange = readExchange(client.value, form);
    return exchange.ok ? perform(client.value, exchange.value) : exchange;
  };

  function readExchange(client: OAuthClient, form: URLSearchParams): Result<Exchange> {
    const grantType = parameter(form, 'grant_type');
    if (grantType === null) return refused('parameter_missing', 'Parameter: grant_type.');
    if (grantType === 'authorization_code') return codeExchange(client, form);
    if (grantType !== 'refresh_token') return refused('grant_type_unsupported');
    return refreshExchange(client, form);
  }

  function codeExchange(client: OAuthClient, form: URLSearchParams): Result<Exchange> {
    const [code, verifier] = [parameter(form, 'code'), parameter(form, 'code_verifier')];
    if (code === null) return refused('parameter_missing', 'Parameter: code.');
    if (verifier === null) return refused('parameter_missing', 'Parameter: code_verifier.');
    const request = { ...requestOf(client, form), redirectUri: parameter(form, 'redirect_uri'), verifier };
    const find = () => findGrantByCode(store, hashOf(code));
    const id = find()?.id ?? '';
    return accepted({
      judge: () => judgeCode(find(), request, clock.now()),
      use: () => markCodeUsed(store, id, clock.now()),
      putBack: () => markCodeUnused(store, id),
      generation: () => 1,
    });
  }

  function refreshExchange(client: OAuthClient, form: URLSearchParams): Result<Exchange> {
    const sent = parameter(form, 'refresh_token');
    if (sent === null) return refused('parameter_missing', 'Parameter: refresh_token.');
    if (!client.grantTypes.includes('refresh_token')) return refused('grant_type_unregistered');
    const hash = hashOf(sent);
    const request = requestOf(client, form);
    let token: StoredToken | null = null;
    return accepted({
      judge() {
        token = getToken(store, hash);
        return judgeRefresh(token, token && getGrant(store, token.grantId), request, clock.now());
      },
      use: () => token && rotateToken(store, token, clock.now()),
      putBack: () => token && unrotateToken(store, token),
      generation: () => (token?.generation ?? 0) + 1,
    });
  }

  async function perform(client: OAuthClient, exchange: Exchange): Promise<Result<object>> {
    let undo = () => {};
    return store.durable<Result<object>>(
      () => {
        options.sweep();
        const decision = exchange.judge();
        if (!decision.issue) return refuse(client, decision);
        exchange.use();
        const issued = issueTokens(options, client, decision.grant, decision.scope, exchange.generation());
        undo = () => {
          issued.undo();
          exchange.putBack();
        };
        return accepted(issued.response);
      },
      () => undo(),
    );
  }

  function refuse({ clientId }: OAuthClient, { reason, revoked }: ExchangeDecision & { issue: false }) {
    if (revoked) deleteGrant(store, revoked.id);
    log.warn({ clientId, reason, approvalEnded: revoked !== null }, 'no token issued');
    return refused(reason);
  }
}

function requestOf({ clientId }: OAuthClient, form: URLSearchParams): ExchangeRequest {
  return { clientId, resource: parameter(form, 'resource'), scope: parameter(form, 'scope') };
}

/**
 * Finds out which client asks, also for revocation (RFC 7009 2.1). Wrong credentials are logged, but without the ID if no client has it: such an ID may be
 * any text.
 */
export function authenticate(
  { clients, log }: { clients: ClientDirectory; log: Log },
  form: URLSearchParams,
  authorization: string | undefined,
): Result<OAuthClient> {
  if (repeatedNames(form).size > 0) return refused('parameter_repeated');
  const credentials = readCredentials(form, authorization);
  const client = credentials.ok ? clients.find(credentials.value.clientId) : null;
  const result = !credentials.ok
    ? credentials
    : client
      ? checkCredentials(client, credentials.value)
      : refused('client_unknown');
  const reason = result.ok ? null : result.refusal.reason;
  if (reason !== null && reason !== 'parameter_missing') {
    log.warn({ clientId: client?.clientId ?? null, reason }, 'client authentication refused');
  }
  return result;
}
