/** Starts the server in this process, with the simulated Spotify for the demo. */
import type { Clock, Random } from '../../base/clock.ts';
import type { Settings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { RunningServer } from '../../server/start.ts';
import { LOOK_AGAIN_MS } from '../../store/home/lockFile.ts';
import type { Context } from '../context.ts';

type Purpose = 'relay serve' | 'relay stdio';

function openServer(context: Context, settings: Settings, purpose: Purpose): Promise<RunningServer> {
  return settings.demo ? startWithDemo(context, settings, purpose) : start(context, settings, purpose);
}

/**
 * Starts the server for `relay stdio`, on another port if the usual one is taken. @throws RelayError as `startServer`
 */
export async function openForClients(context: Context, settings: Settings): Promise<RunningServer> {
  try {
    return await openServer(context, settings, 'relay stdio');
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'PORT_TAKEN') throw error;
    return await openServer(context, { ...settings, port: 0 }, 'relay stdio');
  }
}

/** How long a server that a client started may take to end, in milliseconds. */
const PATIENCE_MS = 20_000;

/** Starts the server in place of one that a client started, if there is one. @throws RelayError as `startServer` */
export async function openInPlace(context: Context, settings: Settings): Promise<RunningServer> {
  const { clock, signal } = context;
  for (const giveUpAt = clock.monotonic() + PATIENCE_MS; ; await clock.sleep(LOOK_AGAIN_MS, signal)) {
    try {
      return await openServer(context, settings, 'relay serve');
    } catch (error) {
      const holdsHome = error instanceof RelayError && error.code === 'ALREADY_RUNNING';
      if (!holdsHome || error.details?.startedByClient !== true || clock.monotonic() > giveUpAt) throw error;
      const { runningServer } = await import('../findServer.ts');
      const { openCalls } = await import('../../door/client.ts');
      const found = await runningServer(settings.home);
      // It may end by itself, or be asked by somebody else, at the same time.
      if (found)
        await openCalls<LocalApi>(found, signal)
          .stop()
          .catch(() => {});
    }
  }
}

async function start(
  context: Context,
  settings: Settings,
  purpose: Purpose,
  prepare?: (local: LocalApi) => Promise<void>,
): Promise<RunningServer> {
  const { clock, random, version, env } = context;
  const { createLog, startServer } = await context.parts();
  const { createLogFile } = await import('../../server/log/logFile.ts');
  // On a terminal the owner code must stay visible; `relay logs` shows the rest. Nobody reads what a server for clients prints.
  const isShown = context.io.terminal.stderr && settings.origins.logLevel === 'default';
  const quietStream = isShown || purpose === 'relay stdio';
  const file = createLogFile(settings.home);
  const log = createLog(settings, undefined, { write: file.write, quietStream });
  // With `--json`, prose must not stand before the JSON on stderr, so the warnings become lines of the log.
  if (context.json) for (const warning of settings.warnings) log.warn({}, warning);
  const program = async () => (await context.machine()).program;
  const options = { settings, clock, random, log, version, purpose, env, program, prepare };
  return startServer(options).catch(async (error) => {
    const { namingDemo } = await import('../findServer.ts');
    throw await namingDemo(settings, error);
  });
}

/** Starts the simulated provider and then the server. Closing the server also closes the provider. */
async function startWithDemo(context: Context, settings: Settings, purpose: Purpose): Promise<RunningServer> {
  const { startDemo } = await context.parts();
  const demo = await startDemo(settings, context.clock, context.random);
  let server: RunningServer | null = null;
  const close = async () => {
    await server?.close();
    await demo.close();
  };
  try {
    server = await start(context, demo.settings, purpose, demo.connect);
    return { ...server, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Demo {
  /** The settings, with the simulated provider instead of Spotify. */
  settings: Settings;
  connect(local: LocalApi): Promise<void>;
  close(): Promise<void>;
}

export async function startDemo(found: Settings, clock: Clock, random: Random): Promise<Demo> {
  // Loading this module makes the demo's catalogue.
  const { startDemoProvider } = await import('../../demo/provider.ts');
  const provider = await startDemoProvider({ clock, random, savedUntil: clock.now() });
  const settings: Settings = {
    ...found,
    providerApiUrl: provider.apiUrl,
    providerAccountsUrl: provider.accountsUrl,
    providerClientId: provider.clientId,
    providerClientSecret: null,
    providerRedirectUri: null,
  };
  return { settings, connect, close: () => provider.close() };
}

async function connect(local: LocalApi): Promise<void> {
  // The simulator starts from scratch each time and does not know the login of the last run.
  const { attemptId, providerUrl } = await local.startLogin({ switchAccount: true });
  // If the page cannot be reached, the login does not finish, which is reported below.
  await fetch(providerUrl).then(
    (page) => page.text(),
    () => '',
  );
  const progress = await local.loginProgress({ attemptId, waitSeconds: 5 });
  if (progress.state === 'connected') return;
  const reason = progress.state === 'failed' ? progress.message : 'The login did not finish.';
  throw new RelayError('LOGIN_FAILED', `The demo account could not be connected. ${reason}`, {
    remedy: 'Check that HTTP_PROXY does not apply to 127.0.0.1.',
  });
}
