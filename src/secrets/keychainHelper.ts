/**
 * The other side of `keychain.ts`: one request on stdin, one answer on stdout, in a process of its own.
 */
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { extractKeyringAddon } from './keyringAddon.ts';

/** Set to `1` in the environment of an executable that shall be the helper and nothing else. */
export const HELPER_VARIABLE = 'RELAY_KEYCHAIN_HELPER';
/** Path of the addon, in the environment of the helper. */
export const ADDON_VARIABLE = 'RELAY_KEYRING_ADDON';

export interface KeychainRequest {
  operation: 'read' | 'write';
  service: string;
  account: string;
  /** For `write`. */
  secret?: string;
}

/** `value`: what the keychain holds, after a write too; null where it holds nothing. */
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
    const { Entry } = require(process.env.${ADDON_VARIABLE});
    const entry = new Entry(request.service, request.account, { linux: { store: 'secret-service' } });
    if (request.operation === 'write') entry.setPassword(request.secret);
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
  const extracted = process.env[ADDON_VARIABLE] ? null : extractKeyringAddon();
  if (extracted) process.env[ADDON_VARIABLE] = extracted;
  new Function('require', HELPER_SOURCE)(createRequire(process.execPath));
  // Windows keeps a loaded addon in use; the temporary directory is cleaned by the system there.
  if (extracted && process.platform !== 'win32') rmSync(dirname(extracted), { recursive: true, force: true });
}
