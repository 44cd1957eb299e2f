/** Decides who may call `/mcp` over TCP: OAuth clients, and programs with the API key. */
import type { Level } from '../../domain/access.ts';
import { equalSecrets } from '../../secrets/seal.ts';
import type { Core } from '../core.ts';

type CredentialCheck =
  /** A valid credential, and what it may do. */
  | { ok: true; principal: string; access: Level }
  /** A refusal: no token was sent (`missing`), or the token is wrong or has ended (`invalid`). */
  | { ok: false; reason: 'missing' | 'invalid' };

export type Credentials = ReturnType<typeof createCredentials>;

export function createCredentials({ settings, apiKey, oauth }: Core) {
  const isApiKey = (token: string) => equalSecrets(token, apiKey.current());
  const acceptsKey = settings.mcpAuthMode === 'bearer';

  return {
    /** True if clients may send the API key; false with `MCP_AUTH_MODE` set to `oauth`. */
    acceptsKey,
    /**
     * Checks an `Authorization` header. A token counts only in this header, never in the query (RFC 6750 2.1).
     * @param resource the MCP URL of the request: a token for another URL is refused (RFC 8707, RFC 9700 2.3)
     */
    check(header: string | undefined, resource: string): CredentialCheck {
      const token = tokenIn(header ?? '');
      // A credential of another scheme is no token (RFC 6750 3.1).
      if (token === undefined)
        return { ok: false, reason: BEARER.test(header ?? '') ? 'invalid' : 'missing' };
      if (acceptsKey && isApiKey(token)) {
        return { ok: true, principal: 'api-key', access: settings.access };
      }
      const access = oauth.accessOf(token, resource);
      if (access === null) return { ok: false, reason: 'invalid' };
      return { ok: true, principal: `client ${access.clientId}`, access: access.access };
    },
  };
}

/** Matches a header that has a token, even a malformed one. */
const BEARER = /^Bearer +\S/i;

function tokenIn(header: string): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
}
