/** The MCP API key. The owner sets it in the environment; otherwise relay generates one if the state has none, and seals it. */
import type { Random } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Vault } from '../../store/vault.ts';

/** Name of the key among the sealed secrets. */
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
