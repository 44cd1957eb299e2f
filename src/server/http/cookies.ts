/** The cookies that this server sends and reads. None of them proves who the owner is: see `access/owner.ts`. */
import { isDirectLoopback } from './address.ts';
import type { HttpContext } from './context.ts';

export interface CookieOptions {
  path: string;
  /** 0 takes the cookie away. */
  maxAgeSeconds: number;
}

/** Sends a cookie with whatever the answer will be: out of reach of scripts and of requests from other sites. */
export function setCookie(
  context: HttpContext,
  name: string,
  value: string,
  { path, maxAgeSeconds }: CookieOptions,
): void {
  // Not every browser keeps a `Secure` cookie of plain http, which is how this machine itself comes.
  const isSecure = context.baseUrl.startsWith('https:') && !isDirectLoopback(context);
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;
  context.response.appendHeader('set-cookie', `${name}=${value}; ${attributes}`);
}

/** The value of a cookie, null when the browser sent none of that name. */
export function cookieOf(context: HttpContext, name: string): string | null {
  const pairs = (context.request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${name}=`));
  return found ? found.slice(name.length + 1) : null;
}
