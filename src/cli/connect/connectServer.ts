/** Which server `relay connect` is about: the running one, or the one that the settings describe. */
import type { Settings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import { type Context, interruptible } from '../context.ts';
import { note } from '../terminal/output.ts';

export interface Server {
  name: string;
  url: string;
  authMode: Settings['mcpAuthMode'];
}

/** The demo gets a name of its own, so that it never takes the place of the real server in a client. */
export async function findServer(context: Context): Promise<Server> {
  const running = await interruptible(context.signal, context.running());
  if (running) {
    const { server, mcp } = await interruptible(context.signal, running.local.status());
    const url = server?.mcpUrl ?? `${running.baseUrl}/mcp`;
    return { name: running.demo ? 'relay-demo' : 'relay', url, authMode: mcp.authMode };
  }
  const settings = await context.settings();
  const url = await urlFromSettings(settings);
  note(context.io, 'No server is running. The address is the one in the settings.');
  return { name: 'relay', url, authMode: settings.mcpAuthMode };
}

async function urlFromSettings(settings: Settings): Promise<string> {
  const { publicBaseUrl, host, port } = settings;
  if (publicBaseUrl !== null) return `${publicBaseUrl}/mcp`;
  if (port === 0) {
    throw new RelayError('NO_SERVER', 'With port 0, the address is known only while the server runs.', {
      remedy: { text: 'Start it with {command}, or set a port.', command: ['serve'] },
    });
  }
  const { localBaseUrl } = await import('../../config/settings.ts');
  return `${localBaseUrl(host, port)}/mcp`;
}
