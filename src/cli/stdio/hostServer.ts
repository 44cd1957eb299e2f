/** `relay stdio` without a server: it becomes one. */
import type { Settings } from '../../config/settings.ts';
import type { RunningServer } from '../../server/start.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/output.ts';

/** Starts the server in this process, on another port if the usual one is taken. @throws RelayError as `startServer` */
export async function hostServer(context: Context, settings: Settings): Promise<RunningServer> {
  const { openServer } = await import('../serve/openServer.ts');
  try {
    return await openServer(context, settings, 'relay stdio');
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'PORT_TAKEN') throw error;
    note(context.io, `Another program is using port ${settings.port}, so relay takes a free one.`);
    return await openServer(context, { ...settings, port: 0 }, 'relay stdio');
  }
}
