/**
 * The owner's page as anyone gets it: it says only that relay runs, and how to sign in. `browser/owner.ts` proves that the person
 * is the owner and puts the cards in.
 */
import { programFor } from '../../domain/remedy.ts';
import { BUILD } from './assets.ts';
import { html } from './html.ts';
import type { Page } from './page.ts';

/** The owner's page. @param images allowed sources of covers */
export function ownerPage(images: readonly string[], demo: boolean): Page {
  return {
    images,
    title: 'relay is running',
    isWide: true,
    hasScript: true,
    hasCards: true,
    body: html`<div id="owner" data-build="${BUILD}" data-relay="${programFor({ demo })}">
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
