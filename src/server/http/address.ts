/** Finds out who sent a request, for limits per address and for what only this machine may do. Pure. */
import { isIP } from 'node:net';
import { isLoopbackAddress, isLoopbackName, LOOPBACK_NAMES } from '../../base/loopback.ts';
import type { HttpContext } from './context.ts';

/** Headers that a proxy adds. A request with one of these headers did not come directly from a program on this machine. */
const FORWARDING_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
  'true-client-ip',
];

/**
 * True for a program on this machine that connected to the server directly: a loopback socket, a loopback `Host`, no trace of a
 * proxy. A tunnel on this machine has a loopback socket as well, but a public `Host` or forwarding headers.
 */
export function isDirectLoopback({ request }: HttpContext): boolean {
  return (
    isLoopbackAddress(plain(request.socket.remoteAddress ?? '')) &&
    isLoopbackName(request.headers.host) &&
    FORWARDING_HEADERS.every((name) => request.headers[name] === undefined)
  );
}

/** This server as the client addressed it: its MCP URL, and the origins under which it answers. */
export function ownAddress({ request, baseUrl }: HttpContext): { resource: string; origins: string[] } {
  return { resource: `${baseUrl}/mcp`, origins: originsOf(String(request.socket.localPort), baseUrl) };
}

/** The origins under which a server on this port answers, if its base URL is this one. */
export function originsOf(port: string, baseUrl: string): string[] {
  return [...LOOPBACK_NAMES.map((name) => `http://${name}:${port}`), baseUrl];
}

/**
 * The name under which a limit per address counts a request. All programs on this machine share one name, and so do all strangers
 * behind a proxy or tunnel: what a request says about its sender anyone could have made up.
 */
export function clientAddress(context: HttpContext): string {
  return isDirectLoopback(context) ? 'this machine' : networkOf(context.request.socket.remoteAddress ?? '');
}

/**
 * Returns the part of an address that identifies one stranger: all of an IPv4 address, or the first 64 bits of an IPv6 address.
 * A subscriber who holds one IPv6 address holds all that share these bits (RFC 6177). @internal
 */
export function networkOf(text: string): string {
  const address = plain(text);
  if (isLoopbackAddress(address)) return 'loopback';
  if (isIP(address) !== 6) return address;
  // The URL parser writes every spelling of an address in the same way.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ];
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** An address in lower case, without the zone; `::ffff:192.0.2.1` becomes `192.0.2.1`. */
function plain(address: string): string {
  return address
    .toLowerCase()
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
}
