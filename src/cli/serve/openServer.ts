/** Starts the server in this process, with the simulated Spotify for the demo. */
import type { Settings } from '../../config/settings.ts';
import type { RunningServer } from '../../server/start.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/output.ts';

/** The command that starts the server. */
type Purpose = 'relay serve' | 'relay stdio';

export function openServer(context: Context, settings: Settings, purpose: Purpose): Promise<RunningServer> {
  return settings.demo ? startWithDemo(context, settings, purpose) : start(context, settings, purpose);
}

/** Starts the server for `relay stdio`, on another port if the usual one is taken. @throws RelayError as `startServer` */
export async function hostServer(context: Context, settings: Settings): Promise<RunningServer> {
  try {
    return await openServer(context, settings, 'relay stdio');
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'PORT_TAKEN') throw error;
    note(context.io, `Another program is using port ${settings.port}, so relay takes a free one.`);
    return await openServer(context, { ...settings, port: 0 }, 'relay stdio');
  }
}

async function start(context: Context, settings: Settings, purpose: Purpose): Promise<RunningServer> {
  const { clock, random, version, env } = context;
  const { createLog, startServer } = await context.parts();
  const { createLogFile } = await import('../../server/log/logFile.ts');
  // On a terminal the owner code must stay visible; `relay logs` shows the rest.
  const quietStream = context.io.terminal.stderr && settings.origins.logLevel === 'default';
  const file = createLogFile(settings.home);
  const log = createLog(settings, undefined, { write: file.write, quietStream });
  // With `--json`, prose must not stand before the JSON on stderr, so the warnings become lines of the log.
  if (context.json) for (const warning of settings.warnings) log.warn({}, warning);
  const program = async () => (await context.machine()).program;
  const options = { settings, clock, random, log, version, purpose, env, program };
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
    server = await start(context, demo.settings, purpose);
    await demo.connect(server.local);
    return { ...server, close };
  } catch (error) {
    await close();
    throw error;
  }
}
