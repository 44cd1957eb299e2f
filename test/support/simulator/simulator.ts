/**
 * The simulated provider for tests, with a log of requests and faults on demand. It can also change things without relay, as
 * another client would.
 */
import { systemClock } from '../../../src/base/clock.ts';
import { apiError } from '../../../src/demo/http.ts';
import {
  type DemoProvider,
  type DemoProviderOptions,
  startDemoProvider,
} from '../../../src/demo/provider.ts';
import { type DemoAccount, type DemoWorld, findPlaylist, snapshotOf } from '../../../src/demo/state.ts';
import { type FaultControl, FaultList, faultHook } from './faults.ts';
import { guestOf } from './guest.ts';
import { type Hook, type RequestContext, respondWith } from './hook.ts';
import { createLogins, type LoginOptions } from './logins.ts';
import { createLag, isRemoved, type LagControl, rememberAll, withLegacyShapes } from './reads.ts';
import { logHook, type RecordedRequest } from './requestLog.ts';

export interface SimulatorOptions extends Omit<DemoProviderOptions, 'responder'>, LoginOptions {
  /** True to answer also with the field names from before February 2026: `tracks`, `track`, `genres`. */
  legacyShapes?: boolean;
  /** Makes a hook that runs before the log and the faults, and calls `next`. */
  around?: (next: Hook, simulator: () => Simulator) => Hook;
}

export interface Simulator extends DemoProvider {
  /** Base URL, without a path. */
  readonly url: string;
  readonly catalogue: DemoWorld['catalogue'];
  /** Tests may read and change the accounts. Logins get the first account by default. */
  readonly accounts: DemoAccount[];
  /** The requests since the start or the last `clearRequests()`, oldest first; of many, at least the last 20,000. */
  readonly requests: RecordedRequest[];
  clearRequests(): void;
  readonly faults: FaultControl;
  /** The lag of reads, which is off at the start. */
  readonly lag: LagControl;
  /** Says who the next `/authorize` logs in. */
  loginAs(accountIndex: number): void;
  denyNextLogin(): void;
  expireAccessTokens(): void;
  revokeRefreshTokens(
    reason?: 'Refresh token revoked' | 'Refresh token expired' | 'Invalid refresh token',
  ): void;
  /** Sets a playlist's rows as another client would; returns the new snapshot. */
  editPlaylist(playlistId: string, uris: readonly string[]): string;
}

/** The settings of a relay that uses the simulator. */
export const settingsFor = ({ clientId, apiUrl, accountsUrl }: Simulator) => ({
  PROVIDER_CLIENT_ID: clientId,
  PROVIDER_API_URL: apiUrl,
  PROVIDER_ACCOUNTS_URL: accountsUrl,
});

/** Starts a simulator in its initial state on a free port of 127.0.0.1. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { around, legacyShapes = false, ...settings } = options;
  const faults = new FaultList();
  const requests: RecordedRequest[] = [];
  const { answer: answerLogin, denyNext } = createLogins(settings);
  /** Answers a request as Spotify would if nothing goes wrong. */
  const regular = ({ request, handle }: RequestContext) => {
    if (isRemoved(request)) return apiError(403, 'Forbidden');
    const answer = show(request, answerLogin(provider.clientId, { request, handle }));
    return legacyShapes ? { ...answer, json: withLegacyShapes(world, answer.json) } : answer;
  };
  const faulty: Hook = (context) => faultHook(faults)({ ...context, handle: () => regular(context) });
  const logged = logHook(requests, () => world.clock.now(), faulty);
  const hook = around?.(logged, () => simulator) ?? logged;
  const stop = new AbortController();
  const wait = (ms: number) => (settings.clock ?? systemClock).sleep(ms, stop.signal);
  const provider = await startDemoProvider({
    ...settings,
    responder: (handle) => respondWith(hook, handle, wait),
  });
  const { world, logins, accountsUrl: url } = provider;
  world.accounts.push(...world.accounts.map(guestOf));
  const { lag, show } = createLag(world);
  const simulator: Simulator = {
    ...provider,
    url,
    catalogue: world.catalogue,
    accounts: world.accounts,
    requests,
    faults,
    lag,
    close: () => {
      stop.abort(new Error('The simulated provider was closed.'));
      return provider.close();
    },
    clearRequests: () => void requests.splice(0),
    loginAs: (index) => {
      if (!world.accounts[index]) throw new RangeError(`There is no account ${index}.`);
      logins.nextAccount = index;
    },
    denyNextLogin: denyNext,
    expireAccessTokens: () => logins.access.clear(),
    revokeRefreshTokens: (reason = 'Refresh token revoked') => {
      for (const token of logins.refresh.keys()) logins.refresh.set(token, reason);
    },
    editPlaylist: (id, uris) => {
      rememberAll(world);
      return editPlaylist(world, id, uris);
    },
  };
  return simulator;
}

/** Replaces the rows of a playlist. A row with a URI that was there before keeps the time and the person that added it. */
function editPlaylist(world: DemoWorld, id: string, uris: readonly string[]): string {
  const playlist = findPlaylist(world, id);
  if (!playlist) throw new RangeError(`There is no playlist ${id}.`);
  const addedAt = `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`;
  const former = new Map(playlist.rows.map((row) => [row.uri, row]));
  playlist.rows = uris.map((uri) => ({
    ...(former.get(uri) ?? { addedAt, addedBy: playlist.ownerId }),
    uri,
  }));
  playlist.version += 1;
  return snapshotOf(playlist);
}
