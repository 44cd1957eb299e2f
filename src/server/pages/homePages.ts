/** The owner's page as anyone gets it: it says only that relay runs. `browser/ownerPage.ts` makes the rest. */
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
    body: html`<div id="owner" data-build="${BUILD}" data-relay="${programFor({ demo })}"><div class="sheet"><h1>relay is running</h1>
<noscript><p class="notice">Without JavaScript this browser cannot be signed in. To connect your account, open the address that <code>relay login</code> shows in the terminal. To approve a client, type the owner code.</p></noscript></div></div>`,
  };
}

/** The page for a person who opened an address that does not exist. */
export const NOT_FOUND_PAGE: Page = {
  title: 'There is nothing here',
  body: html`<p>relay is running, but it has no page at this address.</p>
<p><a href="/">Go to the owner’s page</a></p>`,
};
