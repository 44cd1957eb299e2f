/** The owner's calls without a server: opens the state for as long as a command takes. */

import { exists } from '../base/files.ts';
import { type LocalApi, localApiOf } from '../domain/localApi.ts';
import { noState, stateFilePath } from '../store/file/stateFile.ts';
import { SHORT_COMMAND } from '../store/home/lockFile.ts';
import { type Core, type HomeOptions, openCore } from './core.ts';
import { createLocalApi, localApiWithoutState } from './localApi.ts';
import { offlineStatus } from './status/offlineStatus.ts';

export interface Offline {
  /**
   * The calls. They reject with a RelayError about the home, the lock, the state file or the key. `status` does not reject: its
   * report contains such an error.
   */
  local: LocalApi;
  close(): Promise<void>;
}

/**
 * In a home without a state, only a call that has something to store creates the state: a mistyped `--home` must not leave
 * directories behind.
 */
export async function openOffline(options: HomeOptions): Promise<Offline> {
  const readClientId = () => options.settings.providerClientId;
  let opening: Promise<Core> | null = null;
  const make = async (): Promise<LocalApi> => {
    opening ??= openCore({ ...options, purpose: SHORT_COMMAND, readClientId });
    const core = await opening;
    if (core.key.created && core.key.warning) options.log.warn({}, core.key.warning);
    return createLocalApi(core, null);
  };
  const { home } = options.settings;
  const refuse = async () => {
    throw noState(home);
  };
  const local = (await exists(await stateFilePath(home)))
    ? localApiOf(
        (name) => async (given) => ((await make())[name] as (given: object) => Promise<unknown>)(given),
      )
    : localApiWithoutState({ clock: options.clock, make, refuse });
  return {
    local: { ...local, status: () => offlineStatus(options) },
    async close() {
      const core = await opening?.catch(() => null);
      await core?.close();
    },
  };
}
