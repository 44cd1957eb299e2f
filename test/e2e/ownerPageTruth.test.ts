/** What the owner's page says is so, also with more of everything than usual, in another order, or after the sign-in ended. */
import { READING_MS } from '../oauth/ownerBrowser.ts';
import { card, inChromium, openSignedIn, withPage } from '../support/ownerPage.ts';
import { longTest } from '../support/scale.ts';

const inFull = inChromium(longTest);

inFull('what played in an account that was left is not shown with the next one', () =>
  withPage({}, async (relay, page) => {
    await relay.call('get_playback_state');
    await openSignedIn(page, relay);
    const playing = card(page, 'Playing');
    await playing.getByText('Writing Desk').waitFor();
    const account = card(page, 'Spotify account');
    await account.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.waitForTimeout(READING_MS);
    await account.getByRole('button', { name: 'Disconnect now' }).click();
    await account.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('is connected').first().waitFor();
    await page.goto(relay.baseUrl);
    await playing.getByText('Not checked yet.').waitFor();
  }),
);
