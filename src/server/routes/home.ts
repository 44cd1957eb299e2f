/** `GET /`: tells a person who opens the address in a browser that it works and what to do with it. */
import type { Core } from '../core.ts';
import type { Route } from '../http/router.ts';
import { html, sendPage } from '../pages/page.ts';

export function homeRoutes(core: Core): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      handle(context) {
        const { demo } = core.settings;
        sendPage(context, 200, {
          title: 'relay is running',
          demo,
          hasScript: true,
          body: html`<p id="owner-state" role="status" hidden></p>
<noscript><p class="notice">Without JavaScript this browser cannot be signed in. To connect your account, open the address that <code>relay login</code> shows in the terminal. To approve a client, type the owner code.</p></noscript>
<p>This is a server for AI clients, on this machine only. Point one at:</p>
<p><code>${context.baseUrl}/mcp</code></p>
<p>In a terminal, <code>relay status</code> shows the state of every part, and <code>relay login</code> connects a Spotify account.</p>`,
        });
      },
    },
  ];
}
