/** Names and addresses that only this machine can reach. Pure. */
import { isIP } from 'node:net';

/** The names that this program answers to, in the form of `Host`, `Origin` and URLs. */
export const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** True if only this machine can reach `host`, an address or a name without brackets or port (RFC 5735, RFC 4291 2.5.3). */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}

/** True for `::1` and 127.0.0.0/8. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

/** True if `host`, with or without a port, is one of `LOOPBACK_NAMES`. */
export function isLoopbackName(host: string | undefined): boolean {
  return LOOPBACK_NAMES.includes((host ?? '').toLowerCase().replace(/:\d+$/, ''));
}
