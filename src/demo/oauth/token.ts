/** `POST /api/token`: exchanges a code or refreshes a token (RFC 6749 sections 4.1.3 and 6, RFC 7636 section 4.6). */
import { hashOf } from '../../base/digest.ts';
import { type Answer, type Incoming, Refusal } from '../http.ts';
import type { OAuthSetting } from './authorize.ts';
import type { CodeGrant, Grants } from './grants.ts';

/** @returns 200 with tokens, or 400 in the shape of RFC 6749 section 5.2 */
export function answerTokenRequest(grants: Grants, setting: OAuthSetting, incoming: Incoming): Answer {
  try {
    const form = formOf(incoming);
    const hasSecret = authenticate(setting, incoming, form);
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return exchangeCode(grants, setting, form, hasSecret);
      case 'refresh_token':
        return answerRefresh(grants, setting, form);
      case null:
        throw refused('unsupported_grant_type', 'grant_type parameter is missing');
      default:
        throw refused('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
    }
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function formOf({ headers, text }: Incoming): URLSearchParams {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw refused('invalid_request', 'A form body is required');
  return new URLSearchParams(text);
}

/**
 * True for a client that proved its secret, false for one that only gave its ID. As in the provider's guide, ID and secret are
 * not form-encoded, although RFC 6749 section 2.3.1 asks for it.
 */
function authenticate(setting: OAuthSetting, { headers }: Incoming, form: URLSearchParams): boolean {
  const encoded = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) {
    if (form.get('client_id') !== setting.clientId) throw refused('invalid_client', 'Invalid client');
    return false;
  }
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const [id = '', ...secret] = pair.split(':');
  if (id !== setting.clientId) throw refused('invalid_client', 'Invalid client');
  if (setting.clientSecret === undefined || secret.join(':') !== setting.clientSecret) {
    throw refused('invalid_client', 'Invalid client secret');
  }
  return true;
}

function exchangeCode(
  grants: Grants,
  setting: OAuthSetting,
  form: URLSearchParams,
  hasSecret: boolean,
): Answer {
  const code = form.get('code');
  if (code === null) throw refused('invalid_request', 'code must be supplied');
  const grant = grants.takeCode(code);
  if (!grant || grant.clientId !== setting.clientId)
    throw refused('invalid_grant', 'Invalid authorization code');
  if (grants.hasExpired(grant)) throw refused('invalid_grant', 'Authorization code expired');
  if (form.get('redirect_uri') !== grant.redirectUri) throw refused('invalid_grant', 'Invalid redirect URI');
  checkVerifier(grant, form.get('code_verifier'), hasSecret);
  const { account, scope, clientId } = grant;
  const tokens = accessTokens(grants, account, scope);
  return ok({ ...tokens, refresh_token: grants.issueRefresh(account, scope, clientId) });
}

function checkVerifier({ challenge }: CodeGrant, verifier: string | null, hasSecret: boolean): void {
  if (challenge === null && hasSecret) return;
  if (verifier === null) throw refused('invalid_request', 'code_verifier must be supplied');
  const wellFormed = /^[A-Za-z0-9\-._~]{43,128}$/.test(verifier);
  const digest = hashOf(verifier, 'base64url');
  if (!wellFormed || challenge === null || digest !== challenge) {
    throw refused('invalid_grant', 'code_verifier was incorrect');
  }
}

function answerRefresh(grants: Grants, setting: OAuthSetting, form: URLSearchParams): Answer {
  const token = form.get('refresh_token');
  if (token === null) throw refused('invalid_request', 'refresh_token must be supplied');
  const grant = grants.refresh(token);
  if (typeof grant === 'string') throw refused('invalid_grant', grant);
  if (grant.clientId !== setting.clientId) throw refused('invalid_grant', 'Invalid refresh token');
  const tokens = accessTokens(grants, grant.account, grant.scope);
  return ok(setting.rotateRefreshTokens ? { ...tokens, refresh_token: grants.rotate(token, grant) } : tokens);
}

function accessTokens(grants: Grants, account: CodeGrant['account'], scope: string) {
  const { token, seconds } = grants.issueAccess(account, scope);
  return { access_token: token, token_type: 'Bearer', expires_in: seconds, scope };
}

function ok(json: Record<string, unknown>): Answer {
  return { status: 200, json, headers: { 'cache-control': 'no-store' } };
}

function refused(error: string, description: string): Refusal {
  return new Refusal({ status: 400, json: { error, error_description: description } });
}
