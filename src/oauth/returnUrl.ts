/** The answer to an authorization request, as the address that the browser is sent to. Pure. */
import type { ReturnAddress } from './policy/authorize.ts';
import type { Refusal } from './refusal.ts';
import { toWire } from './toWire.ts';

/** RFC 6749 4.1.2, with the issuer (RFC 9207 2), by which a client notices an answer of another server. */
export function codeUrl(address: ReturnAddress, code: string, issuer: string): string {
  return withParameters(address, { code }, issuer);
}

/** RFC 6749 4.1.2.1; the issuer is on errors too (RFC 9207 2). */
export function refusalUrl(address: ReturnAddress, refusal: Refusal, issuer: string): string {
  const { error, error_description } = toWire(refusal);
  return withParameters(address, { error, error_description }, issuer);
}

/** A query that the registered URI has stays (RFC 6749 3.1.2); the URI itself is not normalised. */
function withParameters(
  { redirectUri, state }: ReturnAddress,
  parameters: Record<string, string>,
  issuer: string,
): string {
  const all = new URLSearchParams({ ...parameters, ...(state === null ? {} : { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${all}`;
}
