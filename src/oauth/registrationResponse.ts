/** What a client is told about its registration (RFC 7591 3.2.1): exactly what is kept of its metadata. */
import type { ClientAuthMethod } from '../config/oauthClients.ts';
import type { OAuthClient } from './client.ts';
import { SCOPE } from './policy/limits.ts';

export interface RegistrationResponse {
  client_id: string;
  /** Unix seconds. */
  client_id_issued_at: number;
  client_secret?: string;
  /** 0: it does not end. */
  client_secret_expires_at?: 0;
  client_name?: string;
  redirect_uris: readonly string[];
  grant_types: readonly string[];
  response_types: ['code'];
  token_endpoint_auth_method: ClientAuthMethod;
  scope: string;
}

export function registrationResponse(
  client: OAuthClient,
  authMethod: ClientAuthMethod,
  secret: string | null,
): RegistrationResponse {
  return {
    client_id: client.clientId,
    client_id_issued_at: Math.floor((client.createdAt ?? 0) / 1000),
    ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    ...(client.name === null ? {} : { client_name: client.name }),
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    response_types: ['code'],
    token_endpoint_auth_method: authMethod,
    scope: SCOPE,
  };
}
