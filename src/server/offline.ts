/** The owner's calls without a server: opens the state for as long as a command takes. */

import { exists } from '../base/files.ts';
import { callsOf } from '../domain/localApi.ts';
import { SHORT_COMMAND } from '../store/home/lockFile.ts';
import { noState, stateFilePath } from '../store/store.ts';
import { carryOut, type LocalApi } from './calls.ts';
import { type Core, type HomeOptions, openCore } from './core.ts';
import { offlineStatus } from './status/offlineStatus.ts';

export interface Offline {
  /**
   * The calls. They reject with a RelayError about the home, the lock, the state file or the key. `status` does not reject: its
   * report contains such an error.
   */
  local: LocalApi;
  close(): Promise<void>;
}

/** In a home without a state, every call but `status` is refused: a mistyped `--home` must not leave directories behind. */
export async function openOffline(options: HomeOptions): Promise<Offline> {
  const { home, providerClientId } = options.settings;
  let opening: Promise<Core> | null = null;
  const open = async (): Promise<Core> => {
    if (!(await exists(await stateFilePath(home)))) throw noState(home);
    return openCore({ ...options, purpose: SHORT_COMMAND, readClientId: () => providerClientId });
  };
  return {
    local: callsOf(async (name, given) => {
      if (name === 'status') return offlineStatus(options);
      opening ??= open();
      return carryOut(name, given, await opening, null);
    }),
    async close() {
      const core = await opening?.catch(() => null);
      await core?.close();
    },
  };
}
