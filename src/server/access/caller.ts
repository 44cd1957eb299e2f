/** Tells where a request comes from: the owner's programs and browser, another user of this machine, or another page. */

import { isLoopbackName } from '../../base/loopback.ts';
import { isDirectLoopback } from '../http/address.ts';
import type { HttpContext } from '../http/context.ts';
import { HttpError } from '../http/toHttp.ts';
import { isFromStranger } from './peer.ts';

/**
 * True if the request comes straight from a program of the owner on this machine, or from the owner's browser at our own pages.
 * Only such a request can come from the person who reads the owner code on the terminal. If the system does not say which user
 * asks, the program counts as the owner's.
 */
export async function isNear(context: HttpContext): Promise<boolean> {
  const { origin } = context.request.headers;
  const fromOurPage = origin === undefined || isLoopbackName(origin.replace(/^https?:\/\//, ''));
  if (!isDirectLoopback(context) || !fromOurPage) return false;
  return !(await isFromStranger(context.request.socket));
}

/**
 * True if another user of this machine sent the request, or may have sent it and closed the connection at once. With a public
 * address this is not checked: there a proxy makes the connection, and the proxy may run as any user.
 */
export async function isFromOtherUser({ request, baseUrl }: HttpContext): Promise<boolean> {
  if (!isLoopbackName(new URL(baseUrl).host)) return false;
  return isFromStranger(request.socket);
}

/**
 * The origin of the page that a browser sends this request from, in lower case; null if the request contradicts itself. The
 * origin may differ from `baseUrl`: with `PUBLIC_BASE_URL` set, the server still answers under its loopback names, and a
 * browser keeps separate storage for each. The guards have already refused any foreign `Origin`.
 */
export function originOf({ request, baseUrl }: HttpContext): string | null {
  const { origin, host = '' } = request.headers;
  if (origin !== undefined) {
    const page = origin.toLowerCase().replace(/^https?:\/\//, '');
    // From a loopback page, a browser sends the page's own host as `Host`. Only a proxy changes this header, and no page behind
    // a proxy has a loopback name.
    return isLoopbackName(page) && page !== host.toLowerCase() ? null : origin.toLowerCase();
  }
  const own = new URL(baseUrl);
  return own.host === host.toLowerCase() || !isLoopbackName(host)
    ? own.origin
    : `http://${host.toLowerCase()}`;
}

/** False for programs and old browsers, which do not send the header. */
function isFromAnotherPage({ request }: HttpContext): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

/** Refuses requests from pages of other origins and from other users of this machine. @throws HttpError */
export async function requireOwnPage(context: HttpContext): Promise<void> {
  if (isFromAnotherPage(context)) throw new HttpError('FORBIDDEN_ORIGIN');
  if (await isFromOtherUser(context)) throw new HttpError('FORBIDDEN_USER');
}

/**
 * True if the request was made under this origin of the server. Anyone can send a false `Origin`, and through a tunnel a false
 * `Host` too. So a loopback origin counts only for a program that connected to the server directly.
 */
export function isUnder(origin: string, context: HttpContext): boolean {
  if (originOf(context) !== origin) return false;
  return !isLoopbackName(new URL(origin).host) || isDirectLoopback(context);
}

/** The secret of a browser that is signed in, from the header in which our pages send it; null without the header. */
export function proofOf({ request }: HttpContext): string | null {
  const proof = request.headers['x-relay-owner'];
  return typeof proof === 'string' ? proof : null;
}
