/** The demo's pages name commands that act on the demo, not on the person's own relay. */
import assert from 'node:assert/strict';
import { createJob, reach } from '../jobs/jobCalls.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { send } from '../support/http.ts';
import { card, inChromium, openDiagnostics, openSignedIn, REFUSED, withPage } from '../support/ownerPage.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { withRelay } from '../support/world.ts';

const inFull = inChromium(longTest);

inFull('every command on the demo’s page is one for the demo', () =>
  withPage({ demo: true, connect: 'login', page: { expected: REFUSED } }, async (relay, page) => {
    await page.goto(relay.baseUrl);
    await page.getByLabel('Owner code').waitFor();
    const commands = () => page.locator('code', { hasText: /^relay / }).allInnerTexts();
    assert.deepEqual(await commands(), ['relay --demo open', 'relay --demo serve', 'relay --demo status']);

    const id = await createJob(relay, 'save_tracks', uniqueTracks(relay, 21).map(asQuery));
    await reach(relay, id, 'ready');
    await openSignedIn(page, relay);
    await card(page, 'AI clients').getByLabel('Connect a client').selectOption('other');
    await page.getByText('A program that cannot open a browser').waitFor();
    assert.deepEqual(await commands(), ['relay --demo key']);
    await card(page, 'Import a list')
      .locator('input[type=file]')
      .setInputFiles({
        name: 'songs.txt',
        mimeType: 'text/plain',
        buffer: Buffer.alloc(4 * 1024 * 1024 + 1, 'x'),
      });
    await page.getByText('Use relay --demo import in a terminal.').waitFor();
    await openDiagnostics(page);
    await card(page, 'Remembered matches').getByText('relay --demo remembered').waitFor();
    await relay.server.close();
    await page.getByText('relay does not answer.').waitFor();
    assert.match((await commands()).join(), /relay --demo serve/);
  }),
);

longTest('the other pages of the demo also name commands for the demo', () =>
  withRelay({ demo: true, connect: false, client: false }, async ({ baseUrl }) => {
    const client = await newClient(baseUrl);
    const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const pages = await Promise.all([
      send(baseUrl),
      send(`${baseUrl}/auth/provider/login`, { headers: foreign }),
      send(`${baseUrl}/auth/provider/callback?state=x&code=y`),
      send(authorizeUrl(baseUrl, { client_id: client.client_id })),
    ]);
    for (const { text } of pages) {
      assert.match(text, /<code>relay --demo \w/);
      assert.doesNotMatch(text, /<code>relay [^-]/);
    }
    assert.match((await send(`${baseUrl}/mcp`, { method: 'POST' })).text, /'relay --demo key'/);
  }),
);
