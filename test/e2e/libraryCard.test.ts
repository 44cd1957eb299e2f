/** The library's card on the owner's page, in a real browser. */
import assert from 'node:assert/strict';
import { copyOf, resize, truthOf } from '../library/accounts.ts';
import { ask, WITH_SQL } from '../library/queries.ts';
import { READING_MS } from '../oauth/ownerBrowser.ts';
import { card, inChromium, openSignedIn, withPage } from '../support/ownerPage.ts';
import { longTest } from '../support/scale.ts';

inChromium(longTest)(
  'the card reads the library, says what was read, and forgets it after a second click',
  () =>
    withPage(WITH_SQL, async (relay, page) => {
      const account = resize(relay, 260, 12);
      const [foreign] = account.playlists;
      Object.assign(foreign ?? {}, { ownerId: 'somebody', ownerName: 'Somebody', public: true });
      await openSignedIn(page, relay);
      const library = card(page, 'Library');
      await library.getByText('Nothing has been read yet.').waitFor();
      assert.equal(await library.getByRole('button', { name: /^Forget/ }).count(), 0);
      await library.getByRole('button', { name: /^Read it/ }).click();
      await library
        .getByText(/^260 saved tracks, 11 of 12 playlists \(1 that Spotify does not show\), read .+\.$/)
        .waitFor();
      assert.deepEqual(await copyOf(relay), truthOf(relay));

      // Changes are shown without reloading the page.
      account.saved.splice(100, 10);
      await library.getByRole('button', { name: /^Update/ }).click();
      await library.getByText('250 saved tracks, 11 of 12').waitFor();

      await library.getByRole('button', { name: /^Forget/ }).click();
      const forget = library.getByRole('button', { name: /^Forget it now/ });
      await forget.waitFor();
      // The button ignores clicks at first, since they may belong to a double click on the button before it.
      await page.waitForTimeout(READING_MS);
      await forget.click();
      await library.getByText('Nothing has been read yet.').waitFor();
      await assert.rejects(copyOf(relay), { code: 'ENOENT' });
      // The versions are kept.
      await library.getByRole('button', { name: 'Earlier versions: playlists' }).click();
      await library
        .getByRole('button', { name: /^Earlier versions: / })
        .first()
        .waitFor();
      const { rows } = await ask(relay, 'select count(*) from saved');
      assert.deepEqual(rows, [[250]], 'the next question reads it again');
    }),
);
