/** Decides who may call `/mcp`: OAuth clients, programs with the API key, and the command line, which may use `/local` too. */
import { createSecretCheck, equalSecrets } from '../../secrets/seal.ts';
import type { Core } from '../core.ts';

/** The principal of the command line. */
export const COMMAND_LINE = 'command-line';

type CredentialCheck =
  /** A valid credential. `readOnly` is true if the owner has approved it only for tools that change nothing. */
  | { ok: true; principal: string; readOnly: boolean }
  /** A refusal: no token was sent (`missing`), or the token is wrong or has ended (`invalid`). */
  | { ok: false; reason: 'missing' | 'invalid' };

export interface Credentials {
  /** True if clients may send the API key; false with `MCP_AUTH_MODE` set to `oauth`. */
  readonly acceptsKey: boolean;
  /**
   * Checks an `Authorization` header. A token counts only in this header, never in the query (RFC 6750 2.1).
   * @param resource the MCP URL of the request: a token for another URL is refused (RFC 8707, RFC 9700 2.3)
   * @param connection the socket that the header came on
   */
  check(header: string | undefined, resource: string, connection: object): CredentialCheck;
  /** Sets the command line's own credential for one connection, on which the server has proved itself. */
  expectOn(connection: object, credential: string): void;
  /** True if an `Authorization` header has the command line's credential for this connection. */
  isCommandLine(header: string | undefined, connection: object): boolean;
  /** True if a client has used a valid credential since the start; the command line does not count. */
  wereUsed(): boolean;
}

export function createCredentials({ settings, apiKey, oauth }: Core): Credentials {
  const expected = new WeakMap<object, string>();
  const isApiKey = createSecretCheck(apiKey.current);
  const acceptsKey = settings.mcpAuthMode === 'bearer';
  let wereUsed = false;

  function isExpected(token: string, connection: object): boolean {
    const own = expected.get(connection);
    return own !== undefined && equalSecrets(token, own);
  }

  return {
    acceptsKey,
    expectOn: (connection, credential) => void expected.set(connection, credential),
    isCommandLine(header, connection) {
      const token = tokenIn(header ?? '');
      return token !== undefined && isExpected(token, connection);
    },
    check(header, resource, connection) {
      const token = tokenIn(header ?? '');
      // A credential of another scheme is no token (RFC 6750 3.1).
      if (token === undefined)
        return { ok: false, reason: BEARER.test(header ?? '') ? 'invalid' : 'missing' };
      if (acceptsKey && isApiKey(token)) {
        wereUsed = true;
        return { ok: true, principal: 'api-key', readOnly: false };
      }
      if (isExpected(token, connection)) return { ok: true, principal: COMMAND_LINE, readOnly: false };
      const access = oauth.accessOf(token, resource);
      if (access === null) return { ok: false, reason: 'invalid' };
      wereUsed = true;
      return { ok: true, principal: `client ${access.clientId}`, readOnly: access.readOnly };
    },
    wereUsed: () => wereUsed,
  };
}

/** Matches a header that has a token, even a malformed one. */
const BEARER = /^Bearer +\S/i;

function tokenIn(header: string): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
}
