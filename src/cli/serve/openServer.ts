/** Starts the server in this process, with the simulated Spotify where the settings are the demo's. */
import type { Settings } from '../../config/settings.ts';
import type { RunningServer } from '../../server/start.ts';
import type { Context } from '../context.ts';

/** @throws RelayError as `startServer` */
export function openServer(
  context: Context,
  settings: Settings,
  purpose: 'relay serve' | 'relay stdio',
): Promise<RunningServer> {
  return settings.demo ? startWithDemo(context, settings, purpose) : start(context, settings, purpose);
}

async function start(
  context: Context,
  settings: Settings,
  purpose: 'relay serve' | 'relay stdio',
): Promise<RunningServer> {
  const { clock, random, version } = context;
  const { createLog, startServer } = await context.parts();
  const log = createLog(settings);
  return startServer({ settings, clock, random, log, version, demo: settings.demo, purpose });
}

/** The simulated provider lives as long as its server. */
async function startWithDemo(
  context: Context,
  settings: Settings,
  purpose: 'relay serve' | 'relay stdio',
): Promise<RunningServer> {
  const { startDemo } = await context.parts();
  const demo = await startDemo(settings, context.clock, context.random);
  const ends: Array<() => Promise<void>> = [demo.close];
  const close = async () => {
    for (const end of ends) await end();
  };
  try {
    const server = await start(context, demo.settings, purpose);
    ends.unshift(server.close);
    await demo.connect(server.local);
    return { ...server, close };
  } catch (error) {
    await close();
    throw error;
  }
}
