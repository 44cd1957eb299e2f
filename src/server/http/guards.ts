/**
 * Who may talk to the server at all, decided before routing. Pure. A web page that a browser has loaded from elsewhere
 * reaches localhost too: under its own Origin, or, by DNS rebinding, under a Host name of its own. Both are refused.
 */

import { LOOPBACK_NAMES } from '../../base/loopback.ts';

export interface Identity {
  /** The port that the server listens on. */
  port: number;
  /** `PUBLIC_BASE_URL`, an origin without a slash at the end. */
  publicBaseUrl: string | null;
}

/**
 * The base URL for answers to a request with this `Host`, or null when the host is foreign. With `PUBLIC_BASE_URL` set
 * every answer uses it, since clients compare these URLs byte by byte.
 */
export function baseUrlFor(host: string | undefined, identity: Identity): string | null {
  const name = host?.toLowerCase();
  if (!name || !allowedHosts(identity).includes(name)) return null;
  if (identity.publicBaseUrl) return identity.publicBaseUrl;
  return `http://${name}`;
}

/** A request without `Origin` does not come from a page's script. `null` (sandboxed or privacy-stripped) is foreign. */
export function isOwnOrigin(origin: string | undefined, identity: Identity): boolean {
  if (origin === undefined) return true;
  const own = loopbackHosts(identity.port).map((host) => `http://${host}`);
  return own.includes(origin.toLowerCase()) || origin.toLowerCase() === identity.publicBaseUrl?.toLowerCase();
}

function allowedHosts(identity: Identity): string[] {
  const hosts = loopbackHosts(identity.port);
  return identity.publicBaseUrl ? [...hosts, new URL(identity.publicBaseUrl).host.toLowerCase()] : hosts;
}

/** Browsers leave the port out of Host and Origin when it is the scheme's own. */
function loopbackHosts(port: number): string[] {
  const withPort = LOOPBACK_NAMES.map((name) => `${name}:${port}`);
  return port === 80 ? [...withPort, ...LOOPBACK_NAMES] : withPort;
}
