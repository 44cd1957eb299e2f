/**
 * A simulated music provider: a real HTTP server on a loopback port that speaks the provider's OAuth and Web API over an
 * invented catalogue. `relay serve --demo` runs against it, and so do the tests and benchmarks.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type Clock, type Random, systemClock, systemRandom } from '../domain/clock.ts';
import { dispatch } from './api/dispatch.ts';
import { sharedCatalogue } from './catalogue/generate.ts';
import type { Catalogue } from './catalogue/types.ts';
import { answerControl, isControl } from './control.ts';
import { type Delivery, type FaultControl, FaultList, underFaults } from './faults.ts';
import { type Answer, apiError, type Incoming } from './http.ts';
import { Authorizer, type OAuthSetting } from './oauth/authorize.ts';
import { Grants, type RefreshFailure } from './oauth/grants.ts';
import { exchange } from './oauth/token.ts';
import { type RecordedRequest, recordedBody, recordRequest } from './requests.ts';
import { seedState } from './seed/accounts.ts';
import { makeServer, type Responder } from './server.ts';
import { type DemoAccount, findPlaylist, setPlaylistUris, snapshotOf, type World } from './state.ts';

export type { Catalogue } from './catalogue/types.ts';
export type { FaultAction, FaultControl, FaultMatch, FaultRule } from './faults.ts';
export type { RecordedRequest } from './requests.ts';
export type { DemoAccount, DemoDevice, DemoPlayer, DemoPlaylist, PlaylistRow } from './state.ts';

export interface DemoProviderOptions {
  /** 0, the default: a free one. */
  port?: number;
  clock?: Clock;
  random?: Random;
  clientId?: string;
  /** With it, Basic authentication is accepted as well as PKCE alone. */
  clientSecret?: string;
  /** `any-loopback`, the default: `http://127.0.0.1:PORT/…` and `http://[::1]:PORT/…`, never `localhost`. */
  redirectUris?: string[] | 'any-loopback';
  /** The shared one when omitted. */
  catalogue?: Catalogue;
  /** true: a refresh returns a new refresh token and voids the old one. */
  rotateRefreshTokens?: boolean;
  /** 3600 when omitted. */
  accessTokenSeconds?: number;
  /** `auto`, the default, redirects back at once; `page` lets a person approve or deny. */
  approve?: 'auto' | 'page';
  /** Also answer with the field names of before February 2026: `tracks`, `track`, `genres`. */
  legacyShapes?: boolean;
  /** Offer the controls over HTTP. */
  control?: boolean;
}

export interface DemoProvider {
  readonly url: string;
  readonly apiUrl: string;
  /** `/authorize` and `/api/token` are below it. */
  readonly accountsUrl: string;
  readonly clientId: string;
  readonly catalogue: Catalogue;
  /** Tests may read and change them; the first is the default for logins. */
  readonly accounts: DemoAccount[];
  /** Says who the next `/authorize` logs in. */
  loginAs(accountIndex: number): void;
  denyNextLogin(): void;
  /** Since the start or the last `clearRequests()`, oldest first; the last 20,000. */
  readonly requests: RecordedRequest[];
  clearRequests(): void;
  readonly faults: FaultControl;
  expireAccessTokens(): void;
  revokeRefreshTokens(reason?: RefreshFailure): void;
  /** Sets a playlist's rows as another client would; returns the new snapshot. */
  editPlaylist(playlistId: string, uris: readonly string[]): string;
  /** Cuts all connections and frees the port; a second call does nothing. */
  close(): Promise<void>;
}

/** Everything that one provider is made of. */
interface Parts {
  readonly world: World;
  readonly grants: Grants;
  readonly setting: OAuthSetting;
  readonly faults: FaultList;
  readonly requests: RecordedRequest[];
  /** Ends the waits of requests that are under way. */
  readonly stop: AbortController;
}

/** Starts a provider in its initial state on 127.0.0.1. */
export async function startDemoProvider(options: DemoProviderOptions = {}): Promise<DemoProvider> {
  const parts = makeParts(options);
  const respond = makeResponder(parts);
  const server = makeServer(async (incoming) => {
    if (!options.control || !isControl(incoming)) return respond(incoming);
    return { answer: answerControl(provider, incoming), manner: 'whole' };
  });
  const url = await listen(server, options.port ?? 0);
  parts.world.apiUrl = `${url}/v1`;
  const provider = makeProvider(parts, server, url);
  return provider;
}

function makeParts(options: DemoProviderOptions): Parts {
  const world = makeWorld(options);
  return {
    world,
    grants: new Grants(world.clock, world.random, options.accessTokenSeconds ?? 3600),
    setting: oauthSetting(options),
    faults: new FaultList(),
    requests: [],
    stop: new AbortController(),
  };
}

function makeResponder({ world, grants, setting, faults, requests, stop }: Parts): Responder {
  const handle = makeHandler(world, grants, setting);
  const wait = (ms: number) => world.clock.sleep(ms, stop.signal);
  return (incoming) => {
    return recorded(requests, world, incoming, () => {
      return underFaults(faults.take(incoming.method, incoming.path), () => handle(incoming), wait);
    });
  };
}

function makeProvider(parts: Parts, server: Server, url: string): DemoProvider {
  const { world, grants, setting, faults, requests, stop } = parts;
  return {
    url,
    apiUrl: world.apiUrl,
    accountsUrl: url,
    clientId: setting.clientId,
    catalogue: world.catalogue,
    accounts: world.accounts,
    requests,
    faults,
    clearRequests: () => void requests.splice(0),
    expireAccessTokens: () => grants.expireAccess(),
    revokeRefreshTokens: (reason = 'Refresh token revoked') => grants.endRefresh(reason),
    editPlaylist: (id, uris) => editPlaylist(world, id, uris),
    denyNextLogin: () => {
      setting.denyNext = true;
    },
    loginAs: (index) => loginAs(parts, index),
    close: async () => {
      stop.abort(new Error('The simulated provider was closed.'));
      await closeServer(server);
    },
  };
}

function loginAs({ world, setting }: Parts, index: number): void {
  if (!world.accounts[index]) throw new RangeError(`There is no account ${index}.`);
  setting.loginIndex = index;
}

function makeWorld(options: DemoProviderOptions): World {
  const clock = options.clock ?? systemClock;
  const catalogue = options.catalogue ?? sharedCatalogue();
  const { accounts, unlisted } = seedState(catalogue, clock.now());
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
  const authorizer = new Authorizer(world, grants, setting);
  return (incoming) => {
    if (incoming.isApi) return dispatch(world, incoming, (token) => grants.access(token));
    switch (`${incoming.method} ${incoming.path}`) {
      case 'GET /authorize':
        return authorizer.start(incoming);
      case 'POST /authorize':
        return authorizer.answerForm(incoming);
      case 'POST /api/token':
        return exchange(grants, setting, incoming);
      default:
        return apiError(404, 'Service not found');
    }
  };
}

async function recorded(
  requests: RecordedRequest[],
  world: World,
  incoming: Incoming,
  deliver: () => Promise<Delivery>,
): Promise<Delivery> {
  const { method, path, query, text, headers } = incoming;
  const body = recordedBody(text, headers['content-type']);
  const at = world.clock.now();
  const request = { method, path, query: Object.fromEntries(query), body, status: 0, at };
  recordRequest(requests, request);
  const delivery = await deliver();
  if (delivery.manner === 'whole' || delivery.manner === 'half') request.status = delivery.answer.status;
  return delivery;
}

function editPlaylist(world: World, id: string, uris: readonly string[]): string {
  const playlist = findPlaylist(world, id);
  if (!playlist) throw new RangeError(`There is no playlist ${id}.`);
  setPlaylistUris(playlist, uris, `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`);
  return snapshotOf(playlist);
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no TCP address.');
  return `http://127.0.0.1:${address.port}`;
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
