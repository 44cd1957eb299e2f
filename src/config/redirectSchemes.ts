/**
 * The app schemes that a browser may be redirected to. Every scheme that the system knows opens a program. Many of these
 * programs do what the address says (`ms-msdt:`, `search-ms:`, `shell:`, `intent:`). So only listed schemes and reversed domain
 * names are allowed.
 */

/**
 * Clients that register a scheme without a dot; other clients use https or loopback. Add a scheme only for a client that
 * signs in through it, since the app may also act on other addresses of its scheme.
 */
const CLIENT_SCHEMES = [
  'claude',
  'cursor',
  'goose',
  'kiro',
  'lmstudio',
  'raycast',
  'vscode',
  'vscode-insiders',
  'warp',
  'windsurf',
  'zed',
];

/** A reversed domain name, which only its owner should use (RFC 8252 7.1, 8.4). */
const REVERSE_DOMAIN = /^[a-z]{2,}(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

/** Parts of operating systems have schemes of that form too (`microsoft.windows.camera:`, `com.apple.…:`). */
const SYSTEM_SCHEMES =
  /^(apple|microsoft|windows|android|com\.(apple|microsoft|android|google\.android)|org\.(freedesktop|gnome|kde))\./;

/** @param scheme without the colon, in lower case, as URL parsers give it */
export function isClientScheme(scheme: string): boolean {
  if (CLIENT_SCHEMES.includes(scheme)) return true;
  return REVERSE_DOMAIN.test(scheme) && !SYSTEM_SCHEMES.test(scheme);
}
