/** What a browser's headers say: which browser it is, who led it here, and whether it fetches a service worker. */
import type { IncomingHttpHeaders } from 'node:http';
import { end, type HttpContext } from './context.ts';

/**
 * relay has no service worker. A program that held this port while relay was not running could have registered one. The browser
 * keeps such a worker for the origin and lets it answer instead of relay. After a visit, the browser fetches the worker's
 * script again and gets this script, which replaces the worker and removes itself. The foreign worker still answers that one
 * visit.
 */
const ENDS_ITSELF = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(end()));
async function end() {
  for (const name of await caches.keys()) await caches.delete(name);
  await registration.unregister();
  for (const client of await clients.matchAll({ type: 'window' })) client.navigate(client.url).catch(() => {});
}
`;

/**
 * True if a browser fetches a worker's script. Browsers mark such requests, and no page can make them send such a request to
 * another origin.
 */
export function asksForServiceWorker(headers: IncomingHttpHeaders): boolean {
  return headers['service-worker'] === 'script';
}

/** Ends a service worker. Answers at every path, since the worker may have been registered with any path. */
export function endServiceWorker(context: HttpContext): void {
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'clear-site-data': '"cache"' };
  end(context, 200, headers, ENDS_ITSELF);
}

/**
 * True if a person came here in the top window. The person typed the address, ran a program that opened it, or followed a link
 * on one of our own pages. Another page cannot fake the `Sec-Fetch` headers. A program sends none of them and is accepted,
 * since a page cannot lead a program here.
 */
export function isPersonsNavigation(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined) return true;
  if (site !== 'none' && site !== 'same-origin') return false;
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = headers;
  return mode === 'navigate' && (dest === undefined || dest === 'document');
}

/** True if a browser only fetches ahead what a person may open (Fetch Metadata, `Sec-Purpose`; older browsers: `Purpose`). */
export function isPrefetch({ 'sec-purpose': purpose, purpose: older }: IncomingHttpHeaders): boolean {
  return /\bprefetch\b/i.test(`${purpose ?? ''} ${older ?? ''}`);
}

/** True if a browser navigates here and would show the answer; programs get JSON. */
export function asksForPage({ method, request: { headers } }: HttpContext): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers.accept?.includes('text/html') === true
  );
}

/** What each browser calls itself. Most call themselves Chrome and Safari too, so these two come last. */
const BROWSERS = {
  ...{ Edg: 'Edge', 'OPR/': 'Opera', Vivaldi: 'Vivaldi', 'Firefox/': 'Firefox', FxiOS: 'Firefox' },
  ...{ Chrom: 'Chrome', CriOS: 'Chrome', 'Safari/': 'Safari' },
};
const SYSTEMS = {
  ...{ Android: 'Android', iPhone: 'iOS', iPad: 'iOS', CrOS: 'ChromeOS' },
  ...{ Windows: 'Windows', 'Mac OS X': 'macOS', Linux: 'Linux' },
};

/** Names a browser, as in `Firefox on Linux`. A browser that is not recognised is called `A browser`. */
export function labelOf(userAgent = ''): string {
  const find = (names: Record<string, string>) =>
    Object.entries(names).find(([part]) => userAgent.includes(part))?.[1];
  const system = find(SYSTEMS);
  return `${find(BROWSERS) ?? 'A browser'}${system === undefined ? '' : ` on ${system}`}`;
}
