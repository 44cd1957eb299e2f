/** The script with the whole program in a single executable, which `launcher.ts` loads. */
import { createContext, type GlobalOptions } from './cli/context.ts';
import { systemWorld } from './cli/world.ts';
import type { Settings } from './config/settings.ts';
import { main } from './main.ts';
import type { RunningServer } from './server/start.ts';

/**
 * Runs the command line or, if `RELAY_KEYCHAIN_HELPER` is 1, the keychain helper. An executable is its own helper, since it
 * cannot run a script with `-e` as Node can.
 */
export function run(): void {
  if (process.env.RELAY_KEYCHAIN_HELPER === '1') {
    import('./secrets/keychainHelper.ts').then(({ runKeychainHelper }) => runKeychainHelper());
  } else {
    main(process.argv).then((code) => {
      process.exitCode = code;
    });
  }
}

/**
 * Starts the server for `relay stdio`, which runs in a separate script.
 * @throws RelayError of this script's own class, so `instanceof` does not work in the other script
 */
export async function host(
  signal: AbortSignal,
  globals: GlobalOptions,
  settings: Settings,
): Promise<RunningServer> {
  const { hostServer } = await import('./cli/serve/openServer.ts');
  return hostServer(
    createContext(systemWorld(signal), () => globals),
    settings,
  );
}
