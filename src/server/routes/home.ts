/** `GET /`: tells a person who opens the address in a browser that it works and what to do with it. */
import type { Core } from '../core.ts';
import { html, sendPage } from '../pages/page.ts';
import type { Route } from '../router.ts';

export function homeRoutes(core: Core): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      handle(exchange) {
        const { demo } = core.settings;
        sendPage(exchange, 200, {
          title: 'relay is running',
          demo,
          body: html`<p>This is a server for AI clients, on this machine only. Point one at:</p>
<p><code>${exchange.baseUrl}/mcp</code></p>
<p>In a terminal, <code>relay status</code> shows what state everything is in, and <code>relay login</code> connects a Spotify account.</p>`,
        });
      },
    },
  ];
}
