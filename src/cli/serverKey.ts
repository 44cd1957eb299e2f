/** The key with which this program and the running server prove themselves to each other. */
import type { Clock } from '../base/clock.ts';
import { keyOptions, type Settings } from '../config/settings.ts';
import { RelayError } from '../domain/errors.ts';
import { loadMasterKey } from '../secrets/masterKey.ts';
import { deriveLocalKey } from '../secrets/seal.ts';

/**
 * Reads the master key that the server at `baseUrl` has, and derives the key from it. If the master key cannot be read here, the
 * server still has it. So the error does not tell the person to start over.
 * @throws RelayError `SETTINGS_INVALID`, `KEY_UNAVAILABLE`
 */
export async function serverKey(settings: Settings, baseUrl: string, clock: Clock): Promise<string> {
  try {
    const { key } = await loadMasterKey({ ...keyOptions(settings), allowCreate: false, clock });
    return deriveLocalKey(key);
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== 'KEY_UNAVAILABLE') throw error;
    throw error.with({
      message: `A server runs at ${baseUrl}, but its key cannot be read here, so it cannot be asked. ${error.message}`,
      remedy:
        'Run this as the user who started the server, with the same RELAY_ENCRYPTION_KEY and RELAY_KEYCHAIN. If the keychain is locked, unlock it first.',
    });
  }
}
