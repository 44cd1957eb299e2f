/**
 * A simulated music provider: a real HTTP server on a loopback port that speaks the provider's OAuth and Web API over
 * an invented catalogue. `relay serve --demo` runs against it, and so do all tests that need Spotify.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, type Random, systemClock, systemRandom } from '../base/clock.ts';
import { dispatch } from './api/dispatch.ts';
import { sharedCatalogue } from './catalogue/generate.ts';
import { COVER_PATH, coverImage } from './cover.ts';
import { type Hook, passThrough } from './hook.ts';
import { type Answer, apiError, type Incoming } from './http.ts';
import { createAuthorizer, type OAuthSetting } from './oauth/authorize.ts';
import { Grants } from './oauth/grants.ts';
import { answerTokenRequest } from './oauth/token.ts';
import { seedState } from './seed/accounts.ts';
import { makeServer } from './server.ts';
import type { World } from './state.ts';

export interface DemoProviderOptions {
  clock?: Clock;
  random?: Random;
  clientId?: string;
  /** If set, Basic authentication is accepted as well as PKCE alone. */
  clientSecret?: string;
  /** `any-loopback` (default): `http://127.0.0.1:PORT/…` and `http://[::1]:PORT/…`, never `localhost`. */
  redirectUris?: string[] | 'any-loopback';
  /** True if a refresh returns a new refresh token and revokes the old one. */
  rotateRefreshTokens?: boolean;
  /** Lifetime of an access token in seconds; 3600 by default. */
  accessTokenSeconds?: number;
  /** `auto` (default) redirects back at once; `page` shows a page to approve or deny. */
  approve?: 'auto' | 'page';
  /** True to answer also with the field names from before February 2026: `tracks`, `track`, `genres`. */
  legacyShapes?: boolean;
  /**
   * When the newest saved track was saved, in Unix milliseconds; by default a fixed day, so that answers are the same each
   * time.
   */
  savedUntil?: number;
  /** Called between each request and its answer. */
  hook?: Hook;
}

export interface DemoProvider {
  readonly apiUrl: string;
  /** The base of `/authorize` and `/api/token`. */
  readonly accountsUrl: string;
  readonly clientId: string;
  /** Tests may read and change it. The first account is the default for logins. */
  readonly world: World;
  readonly grants: Grants;
  /** Tests may change which account the next login uses, and whether the login is denied. */
  readonly setting: OAuthSetting;
  /**
   * `true` cuts all connections and refuses new ones, as without a network. `false` listens again on the same port. Requests
   * that the provider has already taken continue.
   */
  offline(isOffline: boolean): Promise<void>;
  /** Cuts all connections and frees the port; a second call does nothing. */
  close(): Promise<void>;
}

/** The provider without a network: takes requests and returns answers. */
interface DemoRules {
  readonly grants: Grants;
  readonly setting: OAuthSetting;
  /** Lets a request take effect and answers it. */
  handle(request: Incoming): Answer;
}

/** Creates the rules for a state that the caller has created. @internal */
export function createDemoRules(world: World, options: DemoProviderOptions = {}): DemoRules {
  const grants = new Grants(world.clock, world.random, options.accessTokenSeconds ?? 3600);
  const setting = oauthSetting(options);
  return { grants, setting, handle: makeHandler(world, grants, setting) };
}

/** Starts a provider in its initial state on a free port of 127.0.0.1. */
export async function startDemoProvider(options: DemoProviderOptions = {}): Promise<DemoProvider> {
  const { hook = passThrough } = options;
  const world = makeWorld(options);
  const { grants, setting, handle } = createDemoRules(world, options);
  const stop = new AbortController();
  const wait = (ms: number) => world.clock.sleep(ms, stop.signal);
  const respond = (request: Incoming) => hook({ request, handle: () => handle(request), wait });
  const server = makeServer(respond, () => world.clock.now());
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  world.apiUrl = `${url}/v1`;
  return {
    apiUrl: world.apiUrl,
    accountsUrl: url,
    clientId: setting.clientId,
    world,
    grants,
    setting,
    offline: (isOffline) => (isOffline ? closeServer(server) : listen(server, port)),
    close: async () => {
      stop.abort(new Error('The simulated provider was closed.'));
      await closeServer(server);
    },
  };
}

function makeWorld(options: DemoProviderOptions): World {
  const clock = options.clock ?? systemClock;
  const catalogue = sharedCatalogue();
  const { accounts, unlisted } = seedState(catalogue, clock.now(), options.savedUntil);
  const { random = systemRandom, legacyShapes = false } = options;
  return { catalogue, accounts, unlisted, clock, random, legacyShapes, apiUrl: '', commands: 0 };
}

function oauthSetting(options: DemoProviderOptions): OAuthSetting {
  return {
    clientId: options.clientId ?? 'relay-demo-client',
    clientSecret: options.clientSecret,
    redirectUris: options.redirectUris ?? 'any-loopback',
    rotateRefreshTokens: options.rotateRefreshTokens ?? false,
    approve: options.approve ?? 'auto',
    loginIndex: 0,
    denyNext: false,
  };
}

function makeHandler(world: World, grants: Grants, setting: OAuthSetting): (incoming: Incoming) => Answer {
  const authorizer = createAuthorizer(world, grants, setting);
  return (incoming) => {
    if (incoming.isApi) return dispatch(world, incoming, (token) => grants.access(token));
    switch (`${incoming.method} ${incoming.path}`) {
      case 'GET /authorize':
        return authorizer.start(incoming);
      case 'POST /authorize':
        return authorizer.answerForm(incoming);
      case 'POST /api/token':
        return answerTokenRequest(grants, setting, incoming);
      default:
        return imageAt(incoming) ?? apiError(404, 'Service not found');
    }
  };
}

function imageAt({ method, path }: Incoming): Answer | null {
  const id = method === 'GET' ? COVER_PATH.exec(path)?.[1] : undefined;
  return id === undefined ? null : coverImage(id);
}

async function listen(server: Server, port: number): Promise<void> {
  if (server.listening) return;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
