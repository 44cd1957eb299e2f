/**
 * The other side of `keychain.ts`: one request on stdin, one answer on stdout, in a process of its own.
 */
import { createRequire } from 'node:module';
import { ADDON_ASSET, loadCarriedAddon } from './keyringAddon.ts';

/** Set to `1` in the environment of an executable that is to be the helper and nothing else. */
export const HELPER_VARIABLE = 'RELAY_KEYCHAIN_HELPER';
/** Path of the addon, in the environment of the helper; none where the executable carries it. */
export const ADDON_VARIABLE = 'RELAY_KEYRING_ADDON';

export interface KeychainRequest {
  operation: 'read' | 'write' | 'delete';
  service: string;
  account: string;
  /** For `write`. */
  secret?: string;
}

/** `value`: what the keychain holds, after a write or a delete too; null if it holds nothing. */
export type KeychainAnswer = { value: string | null } | { error: string };

/**
 * The helper as text, since a child of Node runs it with `-e` from every form of the program: source, bundle, package.
 * The kernel keyring of Linux forgets at reboot, so the Secret Service is asked for by name.
 */
export const HELPER_SOURCE = `
  const { readFileSync, writeSync } = require('node:fs');
  let answer;
  try {
    const request = JSON.parse(readFileSync(0, 'utf8'));
    const { Entry } = require(process.env.${ADDON_VARIABLE} || '${ADDON_ASSET}');
    const entry = new Entry(request.service, request.account, { linux: { store: 'secret-service' } });
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
