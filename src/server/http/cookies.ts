/** The cookies that this server sends and reads. No cookie proves that a request comes from the owner: see `access/owner.ts`. */
import { isDirectLoopback } from './address.ts';
import type { HttpContext } from './context.ts';

export interface CookieOptions {
  path: string;
  /** Lifetime of the cookie; 0 removes it. */
  maxAgeSeconds: number;
}

/**
 * Adds a cookie to the response. Scripts cannot read the cookie. Another site can make the browser send it only by navigating to
 * this server.
 */
export function setCookie(
  context: HttpContext,
  name: string,
  value: string,
  { path, maxAgeSeconds }: CookieOptions,
): void {
  // Some browsers drop a `Secure` cookie that arrives over plain http, and browsers on this machine use plain http.
  const isSecure = context.baseUrl.startsWith('https:') && !isDirectLoopback(context);
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;
  context.response.appendHeader('set-cookie', `${name}=${value}; ${attributes}`);
}

export function cookieOf(context: HttpContext, name: string): string | null {
  const pairs = (context.request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${name}=`));
  return found ? found.slice(name.length + 1) : null;
}
