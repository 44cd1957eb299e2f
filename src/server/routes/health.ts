/** Facts that anyone who reaches the server may read: that it runs, and whether an account is connected. */
import type { Core } from '../core.ts';
import { sendJson } from '../http/context.ts';
import type { Route } from '../http/router.ts';

export function healthRoutes(core: Core): Route[] {
  return [
    {
      method: 'GET',
      path: '/auth/status',
      handle(context) {
        const account = core.account.view();
        sendJson(context, 200, {
          providerConnected: account.connected,
          reauthorizationRequired: account.reauthorizationRequired,
        });
      },
    },
    {
      method: 'GET',
      path: '/health',
      handle(context) {
        const { status, schemaVersion, expectedVersion, schemaState } = core.store.state();
        sendJson(context, status === 'ok' ? 200 : 503, {
          status,
          providerConnected: core.account.view().connected,
          version: core.version,
          mcpUrl: `${context.baseUrl}/mcp`,
          database: { status, schemaVersion, expectedVersion, schemaState },
        });
      },
    },
  ];
}
