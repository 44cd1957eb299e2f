/** The pages of a login. A login that fails always ends on the same page, so that the page reveals nothing. */
import { visibleText } from '../../base/visibleText.ts';
import { html } from './html.ts';
import type { Page } from './page.ts';

/** @param staysUp true to lead on to the owner's page */
export function connectedPage(name: string, until: string, staysUp: boolean): Page {
  const onward = staysUp ? html`, or <a href="/">go on to relay</a>` : '';
  return {
    title: 'Your Spotify account is connected',
    body: html`<dl><dt>Account</dt><dd>${visibleText(name)}</dd><dt>Login lasts until</dt><dd>${until}</dd></dl>
<p class="good">You can close this page${onward}.</p>`,
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

/**
 * The page for every login that fails, and for an address of a login that is over: a reload of the connected page, for example.
 * @param staysUp true to lead on to the owner's page
 */
export function loginFailedPage(staysUp: boolean): Page {
  const next = staysUp
    ? html`<a href="/">Your page</a> shows whether an account is connected, and why a login failed. Start again there, or with
<code>relay login</code> in a terminal.`
    : html`The terminal says why. Start again there with <code>relay login</code>.`;
  return {
    title: 'This login is over',
    body: html`<p class="bad">No account was connected just now, and nothing was changed.</p>
<p>${next}</p>`,
  };
}

export const NO_CLIENT_ID_PAGE: Page = {
  title: 'One step is missing',
  body: html`<p>No Spotify app is set up yet.</p>
<p>Run <code>relay login</code> in a terminal: it explains in three steps how to create one and asks for its client ID.</p>`,
};
