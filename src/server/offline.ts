/** The owner's calls without a server: opens the state for as long as a command takes. */
import { LOCAL_ROUTES, type LocalApi } from '../domain/localApi.ts';
import { stateFilePath } from '../store/file/stateFile.ts';
import { exists } from '../store/home/smallFiles.ts';
import { type Core, type CoreOptions, openCore } from './core.ts';
import { createLocalApi } from './localApi.ts';
import { localApiWithoutState } from './status/emptyHome.ts';
import { offlineStatus } from './status/offlineStatus.ts';

export type OfflineOptions = Omit<CoreOptions, 'purpose' | 'readClientId'>;

export interface Offline {
  /** Calls reject with a RelayError of the home, the lock, the state file or the key; `status` reports those. */
  local: LocalApi;
  close(): Promise<void>;
}

/**
 * A home that holds no state gets one only by a call that has something to keep: a mistyped `--home` must not leave
 * directories about.
 */
export async function openOffline(options: OfflineOptions): Promise<Offline> {
  const readClientId = () => options.settings.providerClientId;
  let opening: Promise<Core> | null = null;
  const make = async (): Promise<LocalApi> => {
    opening ??= openCore({ ...options, purpose: 'a relay command', readClientId });
    const core = await opening;
    if (core.key.created && core.key.warning) options.log.warn({}, core.key.warning);
    return createLocalApi(core, null);
  };
  const local = (await exists(await stateFilePath(options.settings.home)))
    ? whenCalled(make)
    : localApiWithoutState(options, make);
  return {
    local: { ...local, status: () => offlineStatus(options) },
    async close() {
      const core = await opening?.catch(() => null);
      await core?.close();
    },
  };
}

/** Every call of what `make` makes. */
function whenCalled(make: () => Promise<LocalApi>): LocalApi {
  const deferred = (name: keyof LocalApi) => [
    name,
    async (...args: never[]) => ((await make())[name] as (...args: never[]) => unknown)(...args),
  ];
  return Object.fromEntries((Object.keys(LOCAL_ROUTES) as Array<keyof LocalApi>).map(deferred)) as LocalApi;
}
