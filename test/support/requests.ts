/** Counts requests that the simulated provider has received. */
import type { Relay } from './world.ts';

export const searches = ({ provider }: Relay) =>
  provider.requests.filter(({ path }) => path === '/search').length;

export const writes = ({ provider }: Relay) =>
  provider.requests.filter(({ method }) => method !== 'GET').length;
