/** The pages at the end of a login. The failure page is one and the same for every cause, so that it tells nothing. */
import { visibleText } from '../../domain/visibleText.ts';
import { html, type Page } from './page.ts';

export function connectedPage(name: string, until: string, demo: boolean): Page {
  return {
    title: 'Your Spotify account is connected',
    demo,
    body: html`<dl><dt>Account</dt><dd>${visibleText(name)}</dd><dt>Login lasts until</dt><dd>${until}</dd></dl>
<p class="good">You can close this page.</p>`,
  };
}

export function loginFailedPage(demo: boolean): Page {
  return {
    title: 'The account was not connected',
    demo,
    body: html`<p class="bad">This login could not be finished. Nothing was changed.</p>
<p>Start again with <code>relay login</code> in a terminal; the reason is shown there.</p>`,
  };
}

export function noClientIdPage(demo: boolean): Page {
  return {
    title: 'One step is missing',
    demo,
    body: html`<p>relay does not know a Spotify app yet.</p>
<p>Run <code>relay login</code> in a terminal: it explains in three steps how to make one and asks for its client ID.</p>`,
  };
}
