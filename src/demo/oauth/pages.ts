/** The pages of the simulated accounts service. Each page says that it is a demo. */
import { type Answer, escapeHtml } from '../http.ts';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}
.demo{background:#fff3c4;color:#3b2f00;padding:.5rem 1rem;border-radius:.5rem}button{font:inherit;padding:.4rem 1.2rem}`;

/** Shown instead of a redirect when the client or the redirect URI cannot be trusted. */
export function errorPage(message: string): Answer {
  return page(400, 'Login refused', `<p>${escapeHtml(message)}</p>`);
}

/** Asks the user to approve or deny. The form sends back the ticket of the request. */
export function consentPage(
  ticket: string,
  clientId: string,
  accountName: string,
  scopes: readonly string[],
): Answer {
  const rows = scopes.map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`).join('');
  return page(
    200,
    'Connect the demo account',
    `<p><strong>${escapeHtml(clientId)}</strong> asks for access to the account of
<strong>${escapeHtml(accountName)}</strong>:</p><ul>${rows}</ul>
<form method="post" action="/authorize">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  );
}

function page(status: number, title: string, body: string): Answer {
  const text = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} (demo)</title>
<style>${STYLE}</style></head><body>
<p class="demo"><strong>Demo.</strong> A simulated provider inside relay; no real account is involved.</p>
<h1>${title}</h1>${body}</body></html>`;
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return {
    status,
    text,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  };
}
