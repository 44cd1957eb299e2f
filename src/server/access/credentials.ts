/** Who may call `/mcp`: OAuth clients, the API key, and short-lived tokens for this machine's own command line. */
import type { Clock, Random } from '../../base/clock.ts';
import { hashOf, newSecret } from '../../base/digest.ts';
import { createSecretCheck, equalSecrets } from '../../secrets/seal.ts';

export const LOCAL_TOKEN_SECONDS = 300;

/** The principal of those tokens. */
export const COMMAND_LINE = 'command-line';

type CredentialCheck =
  | { ok: true; principal: string }
  /** `missing`: no credential was sent; `invalid`: one was, and it is wrong or has ended. */
  | { ok: false; reason: 'missing' | 'invalid' };

export interface Credentials {
  /**
   * Judges an `Authorization` header (RFC 6750 2.1: only there, never in the query).
   * @param connection the socket that it came on
   * @param resource the MCP URL that was dialled: a token for another one is refused (RFC 8707, RFC 9700 2.3)
   */
  check(header: string | undefined, resource: string, connection: object): CredentialCheck;
  /** The command line's own credential for one connection, on which the server has proved itself. */
  expectOn(connection: object, credential: string): void;
  /** Whether a client has come with a good credential since the start; the command line does not count. */
  wereUsed(): boolean;
  /** A token for `relay call`, so that it works in every auth mode; kept in memory only. */
  issueLocalToken(): string;
}

export interface CredentialOptions {
  mode: 'bearer' | 'oauth';
  apiKey: () => string;
  /** The OAuth client behind an access token that is good for the resource; null for anything else. */
  clientOf: (token: string, resource: string) => string | null;
  clock: Clock;
  random: Random;
}

export function createCredentials(options: CredentialOptions): Credentials {
  const localTokens = new Map<string, number>();
  const expected = new WeakMap<object, string>();
  const isApiKey = createSecretCheck(options.apiKey);
  let wereUsed = false;

  function isLocalToken(token: string): boolean {
    const expiresAt = localTokens.get(hashOf(token));
    return expiresAt !== undefined && expiresAt > options.clock.now();
  }

  return {
    expectOn: (connection, credential) => void expected.set(connection, credential),
    check(header, resource, connection) {
      if (header === undefined || header === '') return { ok: false, reason: 'missing' };
      const token = /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
      if (token === undefined) return { ok: false, reason: 'invalid' };
      if (options.mode === 'bearer' && isApiKey(token)) {
        wereUsed = true;
        return { ok: true, principal: 'api-key' };
      }
      const own = expected.get(connection);
      if (own !== undefined && equalSecrets(token, own)) return { ok: true, principal: COMMAND_LINE };
      if (isLocalToken(token)) return { ok: true, principal: COMMAND_LINE };
      const clientId = options.clientOf(token, resource);
      if (clientId === null) return { ok: false, reason: 'invalid' };
      wereUsed = true;
      return { ok: true, principal: `client ${clientId}` };
    },
    wereUsed: () => wereUsed,
    issueLocalToken() {
      const now = options.clock.now();
      for (const [hash, expiresAt] of localTokens) if (expiresAt <= now) localTokens.delete(hash);
      const token = newSecret(options.random);
      localTokens.set(hashOf(token), now + LOCAL_TOKEN_SECONDS * 1000);
      return token;
    },
  };
}
