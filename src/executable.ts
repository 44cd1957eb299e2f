/** The whole program in a single executable, as `seaProgram.ts` starts it. */
import { createContext, type GlobalOptions } from './cli/context.ts';
import { systemWorld } from './cli/world.ts';
import type { Settings } from './config/settings.ts';
import { main } from './main.ts';
import type { RunningServer } from './server/start.ts';

/** Runs the command line. An executable is its own keychain helper, since it has no `-e` to run a script with. */
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
 * Starts the server for `relay stdio`, which is a script of its own.
 * @throws RelayError whose class is not the one that the other script knows
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
