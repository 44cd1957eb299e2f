/** The requests that the simulated provider has received. */
import type { Relay } from './world.ts';

/** Each as a line: `PUT /me/player/seek?position_ms=0`, with the body as JSON behind it if there is one. */
export const sent = ({ provider }: Pick<Relay, 'provider'>) =>
  provider.requests.map(({ method, path, query, body }) => {
    const asked = Object.entries(query).map((pair) => pair.join('='));
    const line = `${method} ${path}${asked.length > 0 ? `?${asked.join('&')}` : ''}`;
    return body === null ? line : `${line} ${JSON.stringify(body)}`;
  });

export const searches = ({ provider }: Relay) =>
  provider.requests.filter(({ path }) => path === '/search').length;

export const writes = ({ provider }: Relay) =>
  provider.requests.filter(({ method }) => method !== 'GET').length;
