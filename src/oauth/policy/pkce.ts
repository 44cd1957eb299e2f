/** Proof Key for Code Exchange (RFC 7636), S256 only and for every client (OAuth 2.1, 4.1.1). Pure. */
import { hashOf } from '../../base/digest.ts';
import { equalSecrets } from '../../secrets/seal.ts';
import { accepted, type Result, refused } from '../refusal.ts';

/** Stops a code that was intercepted on its way through the browser from being exchanged. */
export function checkChallenge(challenge: string | null, method: string | null): Result<string> {
  if (challenge === null) return refused('challenge_missing');
  // Absent means `plain` (RFC 7636 4.3), which anyone who reads the request could answer.
  if (method !== 'S256') return refused('challenge_method_unsupported');
  if (!/^[\w-]{43}$/.test(challenge)) return refused('challenge_malformed');
  return accepted(challenge);
}

/** RFC 7636 4.6. */
export function isVerifierOf(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  return equalSecrets(hashOf(verifier, 'base64url'), challenge);
}
