/**
 * Who may talk to the server at all, decided before routing. Pure. A web page that a browser has loaded from elsewhere
 * reaches localhost too: under its own Origin, or, by DNS rebinding, under a Host name of its own. Both are refused.
 */

export interface Identity {
  /** The port that the server listens on. */
  port: number;
  /** The loopback names that lead to this server, as they stand in `Host`. */
  names: readonly string[];
  /** `PUBLIC_BASE_URL`, an origin without a slash at the end. */
  publicBaseUrl: string | null;
}

export interface Guards {
  /**
   * The base URL for answers to a request with this `Host`, or null when the host is foreign. With `PUBLIC_BASE_URL` set
   * every answer uses it, since clients compare these URLs byte by byte.
   */
  baseUrlFor(host: string | undefined): string | null;
  /** A request without `Origin` does not come from a page's script. `null` (sandboxed or privacy-stripped) is foreign. */
  isOwnOrigin(origin: string | undefined): boolean;
}

export function createGuards({ port, names, publicBaseUrl }: Identity): Guards {
  const loopback = loopbackHosts(names, port);
  const hosts = publicBaseUrl ? [...loopback, new URL(publicBaseUrl).host.toLowerCase()] : loopback;
  const baseUrls = new Map(hosts.map((host) => [host, publicBaseUrl || `http://${host}`]));
  const origins = new Set(loopback.map((host) => `http://${host}`));
  if (publicBaseUrl) origins.add(publicBaseUrl.toLowerCase());
  return {
    baseUrlFor: (host) => baseUrls.get(host?.toLowerCase() ?? '') ?? null,
    isOwnOrigin: (origin) => origin === undefined || origins.has(origin.toLowerCase()),
  };
}

/** Browsers leave out the scheme's default port in Host and Origin. */
function loopbackHosts(names: readonly string[], port: number): string[] {
  const withPort = names.map((name) => `${name}:${port}`);
  return port === 80 ? [...withPort, ...names] : withPort;
}
