/**
 * Service workers, of which relay has none. A program that held this port before relay did could register one: browsers
 * keep it for the origin and let it answer in relay's place. They fetch its script anew at each visit, so what is answered
 * then takes its place and ends it. A worker of the attacker still answers that first visit.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { end, type HttpContext } from './context.ts';

const ENDS_ITSELF = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(end()));
async function end() {
  for (const name of await caches.keys()) await caches.delete(name);
  await registration.unregister();
  for (const client of await clients.matchAll({ type: 'window' })) client.navigate(client.url).catch(() => {});
}
`;

/** Browsers mark the fetch of a worker's script, and no page can make them do so for another origin. */
export function asksForServiceWorker(headers: IncomingHttpHeaders): boolean {
  return headers['service-worker'] === 'script';
}

/** Answers at every path, since any may be the one that the worker was registered with. */
export function endServiceWorker(context: HttpContext): void {
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'clear-site-data': '"cache"' };
  end(context, 200, headers, ENDS_ITSELF);
}
