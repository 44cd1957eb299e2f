/**
 * Finds out who sent a request, for limits per address and for calls that only this machine may make. Pure. What a request says
 * about its sender counts only from a trusted proxy (`RELAY_TRUSTED_PROXY`): anyone can send `X-Forwarded-For`.
 */
import { BlockList, isIP } from 'node:net';
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

/** Says whether an address is a trusted proxy. */
export type ProxyTrust = (address: string) => boolean;

/** @param proxies addresses and networks (`10.0.0.0/8`), checked by the settings */
export function trustIn(proxies: readonly string[]): ProxyTrust {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (text) => {
    const address = plain(text);
    return isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  };
}

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
 * The name under which a limit per address counts a request. All programs on this machine share one name. A client that a
 * trusted proxy forwards counts by its own address, any other client by the socket's. Strangers behind an untrusted proxy share
 * the proxy's address.
 */
export function clientAddress(context: HttpContext): string {
  if (isDirectLoopback(context)) return 'this machine';
  const { request, trusts } = context;
  const peer = request.socket.remoteAddress ?? '';
  return networkOf((trusts(peer) ? forwardedClient(context) : null) ?? peer);
}

/**
 * Returns the part of an address that identifies one stranger: all of an IPv4 address, or the first 64 bits of an IPv6 address.
 * A subscriber who holds one IPv6 address holds all that share these bits (RFC 6177). Loopback addresses all give `loopback`.
 */
export function networkOf(text: string): string {
  const address = plain(text);
  if (isLoopbackAddress(address)) return 'loopback';
  return isIP(address) === 6 ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address;
}

/**
 * Returns the nearest hop that is not trusted, since that hop may have made up every hop to its left (RFC 7239 8.1). If all are
 * trusted, returns the farthest; null if the headers do not tell.
 */
function forwardedClient({ request, trusts }: HttpContext): string | null {
  const lists = [
    chainOf(request.headers['x-forwarded-for'], addressIn),
    chainOf(request.headers.forwarded, forwardedAddress),
  ].filter((chain) => chain.length > 0);
  // A proxy adds to one of the two headers and passes the other on unchanged. So if a request has both, neither is reliable.
  const [chain] = lists;
  if (lists.length !== 1 || chain === undefined) return null;
  const nearest = [...chain].reverse().find((hop) => hop === null || !trusts(hop));
  return nearest === undefined ? (chain[0] ?? null) : nearest;
}

/** The addresses of the hops in a header. @param read returns the address of one hop, or null if the hop names none */
function chainOf(header: string | string[] | undefined, read: typeof addressIn): Array<string | null> {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  return text.trim() === '' ? [] : text.split(',').map((hop) => read(hop));
}

/** The address in one hop of a `Forwarded` header (RFC 7239 4), as in `for="[2001:db8::1]:4711";proto=http`. */
function forwardedAddress(hop: string): string | null {
  const pair = hop.split(';').find((part) => /^\s*for\s*=/i.test(part));
  return addressIn((pair ?? '').replace(/^\s*for\s*=/i, '').replace(/^\s*"|"\s*$/g, ''));
}

/** The address in a text, which may have a port and brackets; null for any other text, such as `unknown` or `_hidden`. */
function addressIn(text: string): string | null {
  const word = text.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(word)?.[1] ?? word.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(bare) === 0 ? null : plain(bare);
}

/** An address in lower case, without the zone; `::ffff:192.0.2.1` becomes `192.0.2.1`. */
function plain(address: string): string {
  const bare = address.toLowerCase().replace(/%.*$/, '');
  const mapped = isIP(bare) === 6 ? groupsOf(bare) : [];
  if (mapped.length !== 8 || mapped.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return bare;
  return bytesOf(mapped.slice(6)).join('.');
}

/** The eight groups of an IPv6 address; the URL parser writes every spelling of an address in the same way. */
export function groupsOf(address: string): string[] {
  const [head = '', tail] = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname
    .slice(1, -1)
    .split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}

/** The bytes of groups of an IPv6 address. */
export function bytesOf(groups: readonly string[]): number[] {
  return groups.map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 255]);
}
