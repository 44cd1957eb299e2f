/** The two metadata documents. Clients compare the URLs in them byte by byte, so both are built from the dialled base URL. */
import { AUTH_METHODS } from '../config/oauthClients.ts';
import { GRANT_TYPES } from './client.ts';
import { SCOPE } from './policy/limits.ts';

/** The metadata of the protected resource (RFC 9728 2). `resource` is the MCP URL itself. */
export function protectedResourceMetadata(baseUrl: string): object {
  return {
    resource: `${baseUrl}/mcp`,
    authorization_servers: [baseUrl],
    resource_name: 'relay for Spotify (unofficial)',
    bearer_methods_supported: ['header'],
    scopes_supported: [SCOPE],
  };
}

/**
 * The metadata of the authorization server (RFC 8414 2). The issuer is the base URL, without a slash at the end (RFC 8414
 * 3.3).
 */
export function authorizationServerMetadata(baseUrl: string, registrationOpen: boolean): object {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    ...(registrationOpen ? { registration_endpoint: `${baseUrl}/oauth/register` } : {}),
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    scopes_supported: [SCOPE],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${baseUrl}/`,
  };
}
