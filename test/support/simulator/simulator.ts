/**
 * The simulated provider for tests, with a log of requests and faults on demand. It can also change things without relay, as
 * another client would.
 */
import type { Hook } from '../../../src/demo/hook.ts';
import {
  type DemoProvider,
  type DemoProviderOptions,
  startDemoProvider,
} from '../../../src/demo/provider.ts';
import { type DemoAccount, findPlaylist, snapshotOf, type World } from '../../../src/demo/state.ts';
import { type FaultControl, FaultList, faultHook } from './faults.ts';
import { Lag, type LagControl, lagHook } from './lag.ts';
import { logHook, type RecordedRequest } from './requestLog.ts';

export interface SimulatorOptions extends Omit<DemoProviderOptions, 'hook'> {
  /** Makes a hook that runs before the log and the faults, and calls `next`. */
  around?: (next: Hook, simulator: () => Simulator) => Hook;
}

export interface Simulator extends DemoProvider {
  /** Base URL, without a path. */
  readonly url: string;
  readonly catalogue: World['catalogue'];
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
  revokeRefreshTokens(reason?: Parameters<DemoProvider['grants']['endRefresh']>[0]): void;
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
  const faults = new FaultList();
  const requests: RecordedRequest[] = [];
  const lagged: Hook = (context) => lagHook(lag, faultHook(faults))(context);
  const logged = logHook(requests, () => provider.world.clock.now(), lagged);
  const { around, ...settings } = options;
  const hook = around?.(logged, () => simulator) ?? logged;
  const provider = await startDemoProvider({ ...settings, hook });
  const { world, grants, setting, accountsUrl: url } = provider;
  const lag = new Lag(world);
  const simulator: Simulator = {
    ...provider,
    url,
    catalogue: world.catalogue,
    accounts: world.accounts,
    requests,
    faults,
    lag,
    clearRequests: () => void requests.splice(0),
    loginAs: (index) => {
      if (!world.accounts[index]) throw new RangeError(`There is no account ${index}.`);
      setting.loginIndex = index;
    },
    denyNextLogin: () => {
      setting.denyNext = true;
    },
    expireAccessTokens: () => grants.expireAccess(),
    revokeRefreshTokens: (reason = 'Refresh token revoked') => grants.endRefresh(reason),
    editPlaylist: (id, uris) => {
      lag.remember();
      return editPlaylist(world, id, uris);
    },
  };
  return simulator;
}

/** Replaces the rows of a playlist. A row with a URI that was there before keeps the time and the person that added it. */
function editPlaylist(world: World, id: string, uris: readonly string[]): string {
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
