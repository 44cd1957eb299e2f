/** Where a client may be sent back to. Pure. A mistake here hands the authorization code to a stranger. */
import { oauthRedirectUri } from '../../config/types.ts';

const MAX_LENGTH = 2000;

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)(.*)$/i;

/**
 * True for an address that may be registered and that a browser may be sent to: https, http on loopback (RFC 8252 7.3), or a
 * client's private-use scheme (RFC 8252 7.1, `config/types.ts`). A fragment is refused (RFC 6749 3.1.2), and
 * so is user info: it makes `https://trusted@evil` look trusted.
 */
export function isUsableRedirectUri(uri: string): boolean {
  // Control characters and line ends would break out of the Location header; parsers differ over backslashes.
  if (uri.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\')) return false;
  if (oauthRedirectUri.read(uri) === null) return false;
  const { protocol } = new URL(uri);
  if (protocol === 'http:') return LOOPBACK.test(uri);
  // In `https:host`, browsers read a host, and other parsers a path.
  return protocol !== 'https:' || /^https:\/\/[^/]/i.test(uri);
}

/**
 * Compares exactly (RFC 9700 2.1), except for the port of a loopback URI: the system gives a client its port when it starts to
 * listen (RFC 8252 7.3). `localhost` is treated the same because clients in use register it.
 */
export function isRegisteredRedirectUri(registered: readonly string[], requested: string): boolean {
  if (!isUsableRedirectUri(requested)) return false;
  const loopback = withoutPort(requested);
  return registered.some((uri) => uri === requested || (loopback !== null && withoutPort(uri) === loopback));
}

/**
 * True if the address leads to this server itself. Deny would then send the owner's browser from one page of relay to another,
 * as if the owner had clicked there.
 * @param own the origins under which this server answers
 */
export function isOwnAddress(uri: string, own: readonly string[]): boolean {
  const place = placeOf(uri);
  return place !== null && own.some((origin) => placeOf(origin) === place);
}

/** Host and port, whatever the scheme and the spelling; null if there is no host. */
function placeOf(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  return `${hostname.replace(/\.$/, '')}:${port || (protocol === 'http:' ? '80' : '443')}`;
}

/** A loopback URI without its port; null for any other URI. An empty path equals the path `/` (RFC 3986 6.2.3). */
function withoutPort(uri: string): string | null {
  const parts = LOOPBACK.exec(uri);
  if (!parts) return null;
  const [, host = '', rest = ''] = parts;
  return `${host.toLowerCase()}${rest.startsWith('/') ? rest : `/${rest}`}`;
}
