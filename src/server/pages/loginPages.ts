/** The pages of a login. A login that fails always ends on the same page, so that the page reveals nothing. */
import { visibleText } from '../../base/visibleText.ts';
import { html } from './html.ts';
import type { Page } from './page.ts';

export function connectedPage(name: string, until: string): Page {
  return {
    title: 'Your Spotify account is connected',
    body: html`<dl><dt>Account</dt><dd>${visibleText(name)}</dd><dt>Login lasts until</dt><dd>${until}</dd></dl>
<p class="good">You can close this page, or <a href="/">go on to relay</a>.</p>`,
  };
}

/**
 * Refuses to start a login. A browser that another page led here, a stranger behind a tunnel, and another user of the machine
 * all get the same page.
 */
export const LOGIN_NOT_STARTED_PAGE: Page = {
  title: 'A login cannot be started here',
  body: html`<p class="bad">Nothing was started and nothing was changed.</p>
<p>Run <code>relay login</code> in a terminal, as the user who runs this relay. It opens the browser and shows an address;
paste that address into the address bar if no browser opens.</p>`,
};

/** The page for every login that fails. */
export const LOGIN_FAILED_PAGE: Page = {
  title: 'The account was not connected',
  body: html`<p class="bad">This login could not be finished. Nothing was changed.</p>
<p>Start again with <code>relay login</code> in a terminal, or on <a href="/">your page</a>; the reason is shown there.</p>`,
};

export const NO_CLIENT_ID_PAGE: Page = {
  title: 'One step is missing',
  body: html`<p>No Spotify app is set up yet.</p>
<p>Run <code>relay login</code> in a terminal: it explains in three steps how to create one and asks for its client ID.</p>`,
};
