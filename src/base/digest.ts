/** Makes secrets, and the hashes that are kept in place of codes, tokens and secrets. */
import { hash } from 'node:crypto';
import type { Random } from './clock.ts';

/** Makes a secret of 32 random bytes. Nobody can guess it, so a plain hash of it is enough. */
export function newSecret(random: Random): string {
  return random.bytes(32).toString('base64url');
}

/** SHA-256 of text (as UTF-8) or bytes. Returns hex by default, the encoding in which hashes of secrets are stored. */
export function hashOf(
  content: string | Uint8Array,
  encoding: 'hex' | 'base64' | 'base64url' = 'hex',
): string {
  return hash('sha256', content, encoding);
}
