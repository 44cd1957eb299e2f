/** Parameters of a query or a form, and the proof key among them (PKCE, RFC 7636). Pure. */

import { hashOf } from '../../base/digest.ts';
import { equalSecrets } from '../../secrets/seal.ts';
import { accepted, type Result, refused } from '../refusal.ts';

/** Names that appear more than once, which RFC 6749 3.1 and 3.2 forbid: two readers might take different values. */
export function repeatedNames(parameters: URLSearchParams): Set<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of parameters.keys()) (seen.has(name) ? repeated : seen).add(name);
  return repeated;
}

/** The value of a parameter; null if it is missing, or was sent without a value, which counts as missing (RFC 6749 3.1). */
export function parameter(parameters: URLSearchParams, name: string): string | null {
  return parameters.get(name) || null;
}

/** Checks the PKCE challenge, without which a code that was intercepted in the browser could be exchanged. */
export function checkChallenge(challenge: string | null, method: string | null): Result<string> {
  if (challenge === null) return refused('challenge_missing');
  // Without a method, `plain` applies (RFC 7636 4.3). The challenge is then the verifier itself, which anyone who reads the
  // request can use.
  if (method !== 'S256') return refused('challenge_method_unsupported');
  if (!/^[\w-]{43}$/.test(challenge)) return refused('challenge_malformed');
  return accepted(challenge);
}

/** True if a verifier belongs to a challenge (RFC 7636 4.6). */
export function isVerifierOf(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  return equalSecrets(hashOf(verifier, 'base64url'), challenge);
}
