/** Who may talk to the server, and who sent a request, for limits per address and for what only this machine may do. Pure. */
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

export interface Identity {
  port: number;
  /** The loopback names that lead to this server, as they appear in `Host`. */
  names: readonly string[];
  /** The setting `PUBLIC_BASE_URL`, an origin without a slash at the end; null if it is not set. */
  publicBaseUrl: string | null;
}

/**
 * A web page from elsewhere can make the browser send requests to localhost. They have the page's own `Origin` or, by DNS
 * rebinding, the page's own `Host`. Both kinds are refused before routing.
 */
export function createGuards({ port, names, publicBaseUrl }: Identity) {
  const loopback = loopbackHosts(names, port);
  const hosts = publicBaseUrl ? [...loopback, ...hostsOf(publicBaseUrl)] : loopback;
  const baseUrls = new Map(hosts.map((host) => [host, publicBaseUrl || `http://${host}`]));
  const origins = new Set(loopback.map((host) => `http://${host}`));
  if (publicBaseUrl) origins.add(publicBaseUrl.toLowerCase());
  return {
    /**
     * The base URL for answers to a request with this `Host`, or null when the host is foreign. If `PUBLIC_BASE_URL` is set, it
     * is the base URL of every answer, since clients compare these URLs byte by byte.
     */
    baseUrlFor: (host: string | undefined): string | null => baseUrls.get(host?.toLowerCase() ?? '') ?? null,
    /**
     * True for this server's own origins. Also true without an `Origin`: browsers leave it out only of GET and HEAD requests
     * whose answer no foreign page can read. The value `null`, as from a sandbox, is foreign.
     */
    isOwnOrigin: (origin: string | undefined): boolean =>
      origin === undefined || origins.has(origin.toLowerCase()),
  };
}

/** The values of `Host` for an origin: the scheme's default port may be left out, and some proxies name it (RFC 9110 4.2.3). */
export function hostsOf(origin: string): string[] {
  const { host, port, protocol } = new URL(origin);
  return port === '' ? [host, `${host}:${protocol === 'https:' ? 443 : 80}`] : [host];
}

/** The values of `Host` for the loopback names. Browsers leave out the scheme's default port. */
function loopbackHosts(names: readonly string[], port: number): string[] {
  const withPort = names.map((name) => `${name}:${port}`);
  return port === 80 ? [...withPort, ...names] : withPort;
}
