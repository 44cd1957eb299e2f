/** The owner's calls without a server: opens the state for as long as a command takes. */
import type { LocalApi } from '../domain/localApi.ts';
import { type CoreOptions, openCore } from './core.ts';
import { createLocalApi } from './localApi.ts';

export type OfflineOptions = Omit<CoreOptions, 'purpose' | 'readClientId'>;

/** @throws RelayError of the home, the lock, the state file or the key */
export async function openOffline(
  options: OfflineOptions,
): Promise<{ local: LocalApi; close(): Promise<void> }> {
  const readClientId = () => options.settings.providerClientId;
  const core = await openCore({ ...options, purpose: 'a relay command', readClientId });
  return { local: createLocalApi(core, null), close: () => core.close() };
}
