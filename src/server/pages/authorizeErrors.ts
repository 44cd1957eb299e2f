/** Pages for authorization requests that end here, since there is no safe address to redirect to. */
import { type Reason, type Refusal, toWire } from '../../oauth/refusal.ts';
import { type Html, html } from './html.ts';
import type { Page } from './page.ts';

const SET_UP = html`relay lets no client register itself. Set the client up with <code>relay clients add</code>, and enter the client ID in its settings.`;

/** Advice for the reasons that the person can do something about; all others are the client's fault. */
const ADVICE: Partial<Record<Reason, (registrationOpen: boolean) => Html>> = {
  client_unknown: (registrationOpen) =>
    html`<p>relay does not know this client. It was not approved within a day, its access was revoked, or it was set up with another relay.</p>
<p>${registrationOpen ? html`In the client, remove the connection to relay and add it again: most clients then register again.` : SET_UP}</p>`,
  redirect_uri_unregistered: (registrationOpen) =>
    html`<p>The client asked to send the browser to an address that it did not register.</p>
<p>${registrationOpen ? 'If you have just updated the client, remove the connection to relay and add it again. ' : ''}If you set up the client yourself, add it again with <code>relay clients add</code> and its present address, or correct the address in relay's settings. If you did not start this yourself, close this page.</p>`,
};

/** @param registrationOpen true if clients may register themselves */
export function wrongClientPage(refusal: Refusal, registrationOpen: boolean): Page {
  const { error, error_description } = toWire(refusal);
  const advice = ADVICE[refusal.reason]?.(registrationOpen);
  return {
    title: 'This client cannot be connected',
    body: html`${advice ?? html`<p>The client sent a request that relay cannot answer. ${error_description}</p>`}
<p class="soft">Nothing was approved. Error: <code>${refusal.reason === 'client_unknown' ? 'invalid_client' : error}</code></p>`,
  };
}

export const OTHER_USER_PAGE: Page = {
  title: "This is another user's relay",
  body: html`<p>Nothing was approved. Only the user of this computer who started relay can approve a client.</p>
<p>Open the client's address in a browser of that user, or run a relay of your own.</p>`,
};

export const STALE_FORM_PAGE: Page = {
  title: 'This page is out of date',
  body: html`<p>relay did nothing. It could not verify that the form came from its own page in this browser: the page may be from before a restart, or cookies are blocked.</p>
<p>Start again in the client that you want to connect. To end the access of a client that you approved before, run <code>relay clients revoke</code>.</p>`,
};

export const UNREADABLE_FORM_PAGE: Page = {
  title: 'The form could not be read',
  body: html`<p>Nothing was approved. Start again in the client that you want to connect.</p>`,
};
