/**
 * The OS keychain: Keychain on macOS, Credential Manager on Windows, Secret Service on Linux.
 *
 * A call can block forever (a prompt that nobody answers, a session bus that is silent). It blocks its thread, and then the exit
 * of the process. So a child process, which can be killed, makes each call.
 */
import { realpath } from 'node:fs/promises';
import { isSea } from 'node:sea';
import { childEnv } from '../base/childProcess.ts';
import { hashOf } from '../base/digest.ts';
import { readJson } from '../base/parsing.ts';
import {
  ADDON_VARIABLE,
  findKeyringAddon,
  HELPER_SOURCE,
  HELPER_VARIABLE,
  type KeychainAnswer,
  type KeychainRequest,
} from './keychainHelper.ts';

/** A keychain's entries for relay, by account. Both calls reject if the keychain does not answer or `signal` aborts. */
export interface Keychain {
  /** Reads the secret of an account; null if there is no such entry. */
  read(account: string, signal: AbortSignal): Promise<string | null>;
  /** Stores a secret, and returns what the keychain then holds; null if it holds nothing. */
  write(account: string, secret: string, signal: AbortSignal): Promise<string | null>;
}

/** The account of a home's master key. It depends on the real path of the home, so that several homes do not share one. */
export async function keychainAccount(home: string): Promise<string> {
  const path = await realpath(home);
  return `master-key-${hashOf(path).slice(0, 16)}`;
}

export const osKeychain: Keychain = {
  read: (account, signal) => ask({ operation: 'read', account }, signal),
  write: (account, secret, signal) => ask({ operation: 'write', account, secret }, signal),
};

/** Removes an entry for good. Rejects if the keychain does not answer or still holds the entry, or if `signal` aborts. */
export async function forgetInKeychain(account: string, signal: AbortSignal): Promise<void> {
  const left = await ask({ operation: 'delete', account }, signal);
  if (left !== null) throw new Error('The keychain still holds the key');
}

async function ask(request: KeychainRequest, signal: AbortSignal): Promise<string | null> {
  const answer = readJson(await runHelper(JSON.stringify(request), signal)) as KeychainAnswer | undefined;
  if (answer === undefined) throw new Error('The keychain helper ended without an answer');
  if ('error' in answer) throw new Error(answer.error);
  return answer.value;
}

async function runHelper(request: string, signal: AbortSignal): Promise<string> {
  const { execFile } = await import('node:child_process');
  const { args, env } = helperCommand();
  const options = { env, windowsHide: true, killSignal: 'SIGKILL', signal } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, args, options, (_error, output) => {
      // A child that even SIGKILL does not end at once must not keep this process running.
      child.unref();
      child.stdin?.destroy();
      return signal.aborted ? reject(signal.reason) : resolve(output);
    });
    child.stdin?.on('error', () => {}).end(request);
  });
}

function helperCommand(): { args: string[]; env: NodeJS.ProcessEnv } {
  // Options for this process (an inspector, a loader) are not meant for the helper.
  const env = childEnv({ NODE_OPTIONS: '' });
  if (isSea()) return { args: [], env: { ...env, [HELPER_VARIABLE]: '1', [ADDON_VARIABLE]: '' } };
  const addon = findKeyringAddon();
  if (!addon) throw new Error('The keychain addon is not installed for this platform');
  return { args: ['-e', HELPER_SOURCE], env: { ...env, [ADDON_VARIABLE]: addon } };
}
