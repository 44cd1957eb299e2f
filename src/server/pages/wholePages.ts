/**
 * Whole pages without parts of their own: the owner's page as anyone gets it, the end of a login, and the errors of both and of an
 * authorization request that has no safe address to redirect to.
 */
import { visibleText } from '../../base/visibleText.ts';
import { programFor } from '../../domain/remedy.ts';
import { type Reason, type Refusal, toWire } from '../../oauth/refusal.ts';
import { type Html, html } from './html.ts';
import { buildOf, type Page } from './page.ts';

/**
 * The owner's page: it says only that relay runs, and how to sign in. `browser/owner.ts` proves that the person is the owner and puts
 * the cards in.
 * @param images allowed sources of covers
 */
export function ownerPage(images: readonly string[], demo: boolean): Page {
  return {
    images,
    title: 'relay is running',
    kind: 'owner',
    body: html`<div id="owner" data-build="${buildOf(images)}" data-relay="${programFor({ demo })}">
<p id="away" class="notice" role="status" hidden>relay does not answer. This page reconnects by itself: <code>relay serve</code> starts it.</p>
<div id="sign-in" class="sheet"><h1>relay is running</h1>
<noscript><p class="notice">Without JavaScript this browser cannot be signed in. To connect your account, open the address that <code>relay login</code> shows in the terminal. To approve a client, type the owner code.</p></noscript>
<form hidden><p>Sign in to see and change anything. In a terminal, <code>relay open</code> opens this page signed in.</p>
<label for="owner-code">Owner code</label>
<input id="owner-code" name="owner_code" required autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="512" aria-describedby="code-hint code-problem">
<p class="bad" id="code-problem" role="alert" hidden></p>
<p class="soft" id="code-hint"><code>relay serve</code> and <code>relay status</code> show it in the terminal.</p>
<div class="buttons"><button class="primary">Sign in</button></div></form></div>
<div id="page" hidden><div data-place="top"></div><div class="columns"><div class="column" data-place="left"></div><div class="column" data-place="right"></div></div></div>
<div id="toast" role="status"><div class="line" hidden><span></span><button type="button" class="quiet">Close</button></div></div></div>`,
  };
}

/** The page for a person who opened an address that does not exist. */
export const NOT_FOUND_PAGE: Page = {
  title: 'There is nothing here',
  body: html`<p>relay is running, but it has no page at this address.</p>
<p><a href="/">Go to the owner’s page</a></p>`,
};

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
