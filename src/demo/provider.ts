/**
 * A simulated music provider: a real HTTP server on a loopback port that speaks the provider's OAuth and Web API over
 * an invented catalogue. `relay serve --demo` runs against it, and so do all tests that need Spotify.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Clock, type Random, systemClock, systemRandom } from '../base/clock.ts';
import { sharedCatalogue } from './catalogue/generate.ts';
import type { Answer, Incoming } from './http.ts';
import { CLIENT_ID, type Logins } from './oauth.ts';
import { createDemoRules } from './rules.ts';
import { seedAccount } from './seed.ts';
import { makeServer, type Responder, writeAnswer } from './server.ts';
import type { DemoWorld } from './state.ts';

export interface DemoProviderOptions {
  clock?: Clock;
  random?: Random;
  /** Lifetime of an access token in seconds; 3600 by default. */
  accessTokenSeconds?: number;
  /** When the newest saved track was saved, in Unix milliseconds; by default a fixed day, so that answers are always the same. */
  savedUntil?: number;
  /** Makes what answers requests; by default each gets its answer from `handle`. */
  responder?: (handle: (request: Incoming) => Answer) => Responder;
}

export interface DemoProvider {
  readonly apiUrl: string;
  /** The base of `/authorize` and `/api/token`. */
  readonly accountsUrl: string;
  readonly clientId: string;
  /** Tests may read and change it. */
  readonly world: DemoWorld;
  readonly logins: Logins;
  /** Cuts all connections and frees the port; a second call does nothing. */
  close(): Promise<void>;
}

/** Starts a provider in its initial state on a free port of 127.0.0.1. */
export async function startDemoProvider(options: DemoProviderOptions = {}): Promise<DemoProvider> {
  const { clock = systemClock, random = systemRandom, savedUntil, accessTokenSeconds } = options;
  const catalogue = sharedCatalogue();
  const accounts = [seedAccount(clock.now(), savedUntil)];
  const lags = { lists: 0, snapshots: 0, totals: 0 };
  const world: DemoWorld = {
    catalogue,
    accounts,
    unlisted: [],
    clock,
    random,
    lags,
    apiUrl: '',
    commands: 0,
  };
  const { logins, handle } = createDemoRules(world, accessTokenSeconds);
  const usual: Responder = async (request, response) => writeAnswer(response, handle(request));
  const server = makeServer(options.responder?.(handle) ?? usual, () => clock.now());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accountsUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world.apiUrl = `${accountsUrl}/v1`;
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { apiUrl: world.apiUrl, accountsUrl, clientId: CLIENT_ID, world, logins, close };
}
