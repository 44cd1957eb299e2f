/** For `relay service`: finds the system's service manager, the home to serve, and settings that the service would lack. */
import { existsSync } from 'node:fs';
import { temporaryWord } from '../../base/temporaryProgram.ts';
import { homeToName } from '../../config/homeToName.ts';
import { inspectSettings, loadSettings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import type { ServerFile } from '../../domain/localApi.ts';
import type { Machine, ServiceManager } from '../../service/manager.ts';
import { serviceManager } from '../../service/platforms.ts';
import { commandToServe } from '../../service/serveCommand.ts';
import type { Context } from '../context.ts';
import { runningServer } from '../findServer.ts';
import { type LeftBehind, leftBehind, withoutSettings } from '../usage/leftBehind.ts';

export interface OpenService {
  manager: ServiceManager;
  machine: Machine;
  /** The `--home` that the service is started with; null for the default home. */
  home: string | null;
  /** The server that runs for that home, no matter who started it. */
  server(): Promise<ServerFile | null>;
}

/** Works with unusable settings too, so that a service can always be inspected and removed. */
export async function openService(context: Context): Promise<OpenService> {
  const { platform, env, clock } = context;
  if (context.demo) {
    throw new RelayError('USAGE', 'A service runs the real server, not the demo.', {
      remedy: 'Leave out --demo.',
    });
  }
  const machine = await context.machine();
  const { settings } = inspectSettings(context.loadOptions());
  const named = homeToName(settings, env, platform);
  const command = commandToServe(machine.program, named);
  const sleep = (ms: number) => clock.sleep(ms, context.signal);
  const manager = serviceManager({ platform, env, machine, command, sleep });
  return { manager, machine, home: named, server: () => runningServer(settings.home) };
}

/**
 * Refuses a service that could not run, and returns the settings that the service would lack. Throws `SERVICE_FAILED`. Throws
 * `SETTINGS_INVALID` if the settings are unusable without this shell's environment, which the service does not get.
 */
export function checkInstallable(context: Context, { machine, home }: OpenService): LeftBehind[] {
  refuseSudo(context, machine);
  const missing = machine.program.find((path) => !existsSync(path));
  const temporary = temporaryWord(machine.program);
  if (missing !== undefined || temporary !== null) {
    const why =
      missing === undefined
        ? `${temporary} is a temporary copy.`
        : `${missing} does not exist, so it could not be started at login.`;
    throw new RelayError('SERVICE_FAILED', why, {
      remedy: 'Install relay in a permanent place, then run this again from there.',
    });
  }
  const flags = home === null ? {} : { home };
  // The service cannot start with settings that are unusable on their own.
  loadSettings({ env: withoutSettings(context.env), flags });
  return leftBehind(context, home);
}

/** Refuses `sudo`: root has another keychain and another home, and would own files that the person needs. */
export function refuseSudo({ env }: Context, { uid }: Machine): void {
  if (uid !== 0 || !env.SUDO_USER) return;
  throw new RelayError('SERVICE_FAILED', 'A service that runs as root cannot reach your keychain.', {
    remedy: 'Run this again without sudo.',
  });
}
