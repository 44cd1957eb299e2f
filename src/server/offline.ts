/** The owner's calls without a server: opens the state for as long as a command takes. */
import { stat } from 'node:fs/promises';
import type { LocalApi } from '../domain/localApi.ts';
import { stateFilePath } from '../store/stateFile.ts';
import { type Core, type CoreOptions, openCore } from './core.ts';
import { createLocalApi } from './localApi.ts';
import { localApiWithoutState } from './withoutState.ts';

export type OfflineOptions = Omit<CoreOptions, 'purpose' | 'readClientId'>;

export interface Offline {
  local: LocalApi;
  close(): Promise<void>;
}

/**
 * A home that holds no state gets one only by a call that has something to keep: a mistyped `--home` must not leave
 * directories about.
 * @throws RelayError of the home, the lock, the state file or the key
 */
export async function openOffline(options: OfflineOptions): Promise<Offline> {
  const readClientId = () => options.settings.providerClientId;
  const open = () => openCore({ ...options, purpose: 'a relay command', readClientId });
  if (await hasState(options.settings.home)) {
    const core = await open();
    return { local: createLocalApi(core, null), close: () => core.close() };
  }
  const made: Core[] = [];
  const make = async () => {
    const core = await open();
    if (core.key.created && core.key.warning) options.log.warn({}, core.key.warning);
    made.push(core);
    return createLocalApi(core, null);
  };
  return {
    local: localApiWithoutState(options, make),
    async close() {
      for (const core of made) await core.close();
    },
  };
}

async function hasState(home: string): Promise<boolean> {
  return stat(await stateFilePath(home)).then(
    () => true,
    () => false,
  );
}
