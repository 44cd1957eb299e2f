/**
 * What a token is for: which MCP URL (RFC 8707) and which scope (RFC 6749 3.3). Pure. Without this, a token for one server would
 * work at another.
 */
import { LOOPBACK_NAMES } from '../../base/loopback.ts';
import { READ_SCOPE, SCOPE } from './limits.ts';

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
 * True if two URLs mean the MCP endpoint of one server. The three loopback names with one port are one server: a client may be
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
