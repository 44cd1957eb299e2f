/** Where a request comes from, as far as it can be told. */

import { isLoopbackName } from '../../base/loopback.ts';
import { isDirectLoopback } from '../http/address.ts';
import type { HttpContext } from '../http/context.ts';
import { peerOf } from './peer.ts';

/**
 * Whether the request comes straight from a program of the owner on this machine, or from the owner's browser at one of
 * our own pages. Only then may it be the person who reads the owner code on the terminal.
 */
export async function isNear(context: HttpContext): Promise<boolean> {
  const { origin } = context.request.headers;
  const fromOurPage = origin === undefined || isLoopbackName(origin.replace(/^https?:\/\//, ''));
  if (!isDirectLoopback(context) || !fromOurPage) return false;
  return (await peerOf(context.request.socket)) !== 'other';
}

/**
 * The origin of the page that a browser sends this request from, in lower case. Not always the one of `baseUrl`: with
 * `PUBLIC_BASE_URL` set the server still answers under its loopback names, and a browser keeps what it stores apart for
 * each. An `Origin` that is not ours did not pass the guards.
 */
export function originOf({ request, baseUrl }: HttpContext): string {
  const { origin, host = '' } = request.headers;
  if (origin !== undefined) return origin.toLowerCase();
  const own = new URL(baseUrl);
  return own.host === host.toLowerCase() || !isLoopbackName(host)
    ? own.origin
    : `http://${host.toLowerCase()}`;
}

/** Whether a page of another origin made the browser send this; programs and old browsers do not say. */
export function isOfAnotherPage({ request }: HttpContext): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

/** The secret of a browser that is signed in, from the header in which our pages send it. */
export function proofOf({ request }: HttpContext): string | null {
  const proof = request.headers['x-relay-owner'];
  return typeof proof === 'string' ? proof : null;
}
