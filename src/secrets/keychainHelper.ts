/**
 * The child process of `keychain.ts`: one request on stdin, one answer on stdout.
 */
import { createRequire } from 'node:module';
import { ADDON_ASSET, loadCarriedAddon } from './keyringAddon.ts';

/** Set to `1` in the environment of an executable that is to be the helper and nothing else. */
export const HELPER_VARIABLE = 'RELAY_KEYCHAIN_HELPER';
/** Path of the addon, in the environment of the helper. Empty if the executable carries the addon. */
export const ADDON_VARIABLE = 'RELAY_KEYRING_ADDON';

export interface KeychainRequest {
  operation: 'read' | 'write' | 'delete';
  account: string;
  /** For `write` only. */
  secret?: string;
}

/** `value` is what the keychain holds after the request; null if it holds nothing. */
export type KeychainAnswer = { value: string | null } | { error: string };

/**
 * The helper as text, since Node can run it with `-e` from source, bundle and package alike. The kernel keyring of Linux
 * forgets at reboot, so the Secret Service is named explicitly.
 */
export const HELPER_SOURCE = `
  const { readFileSync, writeSync } = require('node:fs');
  let answer;
  try {
    const request = JSON.parse(readFileSync(0, 'utf8'));
    const { Entry } = require(process.env.${ADDON_VARIABLE} || '${ADDON_ASSET}');
    const entry = new Entry('relay', request.account, { linux: { store: 'secret-service' } });
    if (request.operation === 'write') entry.setPassword(request.secret);
    if (request.operation === 'delete') entry.deletePassword();
    answer = { value: entry.getPassword() ?? null };
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  writeSync(1, JSON.stringify(answer));
`;

/**
 * Answers one request and returns. The single executable cannot run `-e`; it starts itself with `HELPER_VARIABLE` set, and
 * its entry calls this before anything else.
 */
export function runKeychainHelper(): void {
  const load = createRequire(process.execPath);
  new Function('require', HELPER_SOURCE)((id: string) =>
    id === ADDON_ASSET ? loadCarriedAddon(load) : load(id),
  );
}
