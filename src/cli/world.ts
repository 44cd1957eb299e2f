/** The real world of the command line: this process, and what commands reach beyond it. */
import type { World } from './context.ts';
import { processWorld } from './terminal/processWorld.ts';

export function systemWorld(signal: AbortSignal): World {
  const own = processWorld(signal);
  return {
    ...own,
    openBrowser: async (url) => {
      const { startBrowser } = await import('./browser/startBrowser.ts');
      await startBrowser(url, own);
    },
    machine: async () => (await import('../service/machine.ts')).systemMachine(),
    parts: async () => ({
      ...(await import('../server/start.ts')),
      ...(await import('../server/offline.ts')),
      ...(await import('../server/log/log.ts')),
      // Loading the demo creates its catalogue, so only the demo loads it.
      startDemo: async (...args) => (await import('./serve/startDemo.ts')).startDemo(...args),
    }),
  };
}
