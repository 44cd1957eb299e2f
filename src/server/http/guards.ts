/**
 * Decides before routing who may talk to the server at all. Pure. A web page from elsewhere can make the browser send requests
 * to localhost. They have the page's own `Origin` or, by DNS rebinding, the page's own `Host`. Both kinds are refused.
 */

export interface Identity {
  /** The port that the server listens on. */
  port: number;
  /** The loopback names that lead to this server, as they appear in `Host`. */
  names: readonly string[];
  /** The setting `PUBLIC_BASE_URL`, an origin without a slash at the end; null if it is not set. */
  publicBaseUrl: string | null;
}

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
