/**
 * Parameters of a query or a form, and what each of them may be: the proof key (PKCE, RFC 7636), the MCP URL that a token is for
 * (RFC 8707) and its scope (RFC 6749 3.3). Pure.
 */
import { hashOf } from '../../base/digest.ts';
import { LOOPBACK_NAMES } from '../../base/loopback.ts';
import { equalSecrets } from '../../secrets/seal.ts';
import { accepted, type Result, refused } from '../refusal.ts';
import { READ_SCOPE, SCOPE } from './limits.ts';

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

/**
 * One spelling for a resource, whatever its case, default port or slash at the end. Null if it cannot be a resource of this
 * server: not an absolute http or https URL, or one with a fragment or user info (RFC 8707 2).
 */
function canonicalResource(text: string): string | null {
  if (!URL.canParse(text) || text.includes('#')) return null;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  if (url.username !== '' || url.password !== '') return null;
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}${url.search}`;
}

/**
 * True if two URLs mean the MCP endpoint of one server. Without this, a token for one server would work at another. The three loopback names with one port are one server: a client may be
 * set up with one name and learn another from a document or a link.
 */
export function isSameResource(a: string, b: string): boolean {
  const [first, second] = [canonicalResource(a), canonicalResource(b)];
  if (first === null || second === null) return false;
  return first === second || (loopbackRest(first) !== null && loopbackRest(first) === loopbackRest(second));
}

function loopbackRest(canonical: string): string | null {
  const url = new URL(canonical);
  if (url.protocol !== 'http:' || !LOOPBACK_NAMES.includes(url.hostname)) return null;
  return `:${url.port}${url.pathname}${url.search}`;
}

/**
 * The widest scope that a request asks for. Other words (`offline_access`, `openid`) are ignored, since clients add them by
 * themselves; the token answer names what was granted (RFC 6749 3.3). A request for `relay:read` alone is never widened.
 */
export function askedScope(scope: string | null): string {
  const words = (scope ?? '').split(/\s+/);
  return words.includes(READ_SCOPE) && !words.includes(SCOPE) ? READ_SCOPE : SCOPE;
}
