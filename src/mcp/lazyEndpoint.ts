/**
 * The MCP endpoint, loaded by the first request. Loading the SDK and the schemas of the tools would take half of the time to
 * start and a third of the memory. A server that starts with the desktop may wait hours for its first client.
 */
import type { McpEndpoint } from './endpoint.ts';

/** Returns an endpoint that calls `load` on the first request. If that fails, so does the request; the next one tries again. */
export function createLazyEndpoint(load: () => Promise<McpEndpoint>): McpEndpoint {
  let loading: Promise<McpEndpoint> | null = null;
  let loaded: McpEndpoint | null = null;

  async function endpoint(): Promise<McpEndpoint> {
    loading ??= load();
    try {
      loaded = await loading;
      return loaded;
    } catch (error) {
      loading = null;
      throw error;
    }
  }

  return {
    direct: (request) => (loaded ? loaded.direct(request) : endpoint().then((mcp) => mcp.direct(request))),
    fetch: async (request, body, principal) => (await endpoint()).fetch(request, body, principal),
    stopCalls: () => loaded?.stopCalls(),
    async close() {
      const opened = await loading?.catch(() => null);
      await opened?.close();
    },
  };
}
