/** The real `World` of the command line: this process, the browser, the system and the parts of the program. */
import type { World } from './context.ts';
import { processWorld } from './terminal/processWorld.ts';

export function systemWorld(signal: AbortSignal): World {
  const own = processWorld(signal);
  return {
    ...own,
    openBrowser: async (url) => {
      const { startBrowser } = await import('./serve/signedInBrowser.ts');
      await startBrowser(url, own);
    },
    machine: async () => (await import('../service/service.ts')).systemMachine(),
    parts: async () => ({
      ...(await import('../server/start.ts')),
      ...(await import('../server/offline.ts')),
      ...(await import('../server/log/log.ts')),
      ...(await import('./serve/openServer.ts')),
    }),
  };
}
