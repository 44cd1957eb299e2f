/** Who may call `/mcp` over TCP: OAuth clients, and programs with the API key, which the owner sets or relay generates and seals. */

import type { Random } from '../../base/clock.ts';
import type { Settings } from '../../config/settings.ts';
import type { Level } from '../../domain/access.ts';
import { RelayError } from '../../domain/errors.ts';
import type { createAuthorizationServer } from '../../oauth/server.ts';
import { equalSecrets } from '../../secrets/seal.ts';
import type { Store } from '../../store/store.ts';
import type { Vault } from '../../store/vault.ts';

type CredentialCheck =
  /** A valid credential, and what it may do. */
  | { ok: true; principal: string; access: Level }
  /** A refusal: no token was sent (`missing`), or the token is wrong or has ended (`invalid`). */
  | { ok: false; reason: 'missing' | 'invalid' };

export type Credentials = ReturnType<typeof createCredentials>;

export function createCredentials(
  settings: Pick<Settings, 'mcpAuthMode' | 'access'>,
  apiKey: ApiKey,
  oauth: Pick<ReturnType<typeof createAuthorizationServer>, 'accessOf'>,
) {
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

const BEARER = /^Bearer +\S/i;

function tokenIn(header: string): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
}

export const API_KEY_SECRET = 'mcp.api_key';

export interface ApiKey {
  current(): string;
  fromEnvironment: boolean;
  /** Replaces the key with a new one. @throws RelayError `USAGE` while the environment sets the key; `STORE_ERROR` */
  rotate(): Promise<string>;
}

export async function createApiKey(
  fromSettings: string | null,
  store: Store,
  vault: Vault,
  random: Random,
): Promise<ApiKey> {
  if (fromSettings !== null) {
    return {
      current: () => fromSettings,
      fromEnvironment: true,
      rotate: async () => {
        throw new RelayError('USAGE', 'The API key comes from MCP_API_KEY.', {
          remedy: 'Change that variable and restart the server, or unset it to let relay manage the key.',
        });
      },
    };
  }
  let key = vault.get(API_KEY_SECRET);
  const put = async (): Promise<string> => {
    // The prefix lets secret scanners and people recognise the key.
    const fresh = `relay_${random.bytes(32).toString('base64url')}`;
    const before = key;
    await store.durable(
      () => vault.set(API_KEY_SECRET, fresh),
      () => (before === null ? vault.delete(API_KEY_SECRET) : vault.set(API_KEY_SECRET, before)),
    );
    key = fresh;
    return fresh;
  };
  if (key === null) await put();
  return { current: () => key ?? '', fromEnvironment: false, rotate: put };
}
