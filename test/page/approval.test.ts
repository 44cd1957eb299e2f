/** The approval page in a real browser: what approves, what does not, and that its policies let the answer through. */
import assert from 'node:assert/strict';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { READING_MS, signIn } from '../support/ownerBrowser.ts';
import { listen, pageTest } from './browser.ts';

const NAME = 'A client with quite a long name that somebody has chosen here';
/** An old phone, a zoomed window, a popup, a window that is zoomed further, and a narrow one. */
const SMALL = [
  [320, 568],
  [640, 360],
  [420, 260],
  [320, 256],
  [200, 640],
] as const;
const APP = 'cursor://anysphere.cursor-mcp/oauth/callback';

pageTest(
  'a person approves by keyboard, with or without JavaScript, but not by presses that were meant for another page',
  { client: false, stopped: true },
  async ({ relay, page, pass, t }) => {
    const { baseUrl, server } = relay;
    const { origin, asked } = await listen(t, () => ({ text: 'Back in the client' }));
    const redirect_uri = `${origin}/callback`;
    const { client_id } = await newClient(baseUrl, {
      client_name: NAME,
      redirect_uris: [redirect_uri, APP],
    });
    const url = (state: string, to = redirect_uri) =>
      authorizeUrl(baseUrl, { client_id, redirect_uri: to, state });
    const answered = (state: string) => new RegExp(`^${redirect_uri}\\?code=.*state=${state}`);

    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.goto(url('plain'));
    await page.keyboard.press('Tab');
    await page.keyboard.type((server.ownerCode ?? '').toLowerCase());
    pass(READING_MS);
    await page.keyboard.press('Enter');
    await page.waitForURL(answered('plain'));
    await session.send('Emulation.setScriptExecutionDisabled', { value: false });

    // Who asks, for what, and where the answer goes are in view; a fragment must not scroll them away.
    await page.goto(`${url('scripted')}#approve`);
    for (const [width, height] of SMALL) {
      await page.setViewportSize({ width, height });
      for (const fact of await page.locator('.facts > div, h1').all()) {
        const box = (await fact.boundingBox()) ?? assert.fail();
        const isInView =
          box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= height;
        assert.ok(isInView, `${await fact.textContent()} in ${width}x${height}: ${JSON.stringify(box)}`);
      }
    }
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.evaluate(`localStorage.setItem('relay.owner', ${JSON.stringify(await signIn(relay))})`);
    await page.goto(url('scripted'));
    await page.getByText('This browser is remembered').waitFor();
    pass(READING_MS);
    const approve = page.locator('#approve');
    const { x = 0, y = 0, width = 0, height = 0 } = (await approve.boundingBox()) ?? {};
    const press = () => page.mouse.click(x + width / 2, y + height / 2);
    const focus = () => page.evaluate("dispatchEvent(new Event('focus'))");
    // Each of these begins the half second anew.
    for (const disturb of [press, () => page.keyboard.press('Enter'), focus, press]) {
      await page.clock.runFor(READING_MS - 1);
      assert.equal(await approve.isDisabled(), true);
      await disturb();
    }
    assert.equal(asked.filter((path) => path.startsWith('/callback')).length, 1);
    await page.clock.runFor(READING_MS);
    await press();
    await page.waitForURL(answered('scripted'));

    await page.goto(url('denied'));
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${redirect_uri}?error=access_denied**`);

    await page.goto(url('app', APP));
    pass(READING_MS);
    await page.clock.runFor(READING_MS);
    // A policy that limits where forms lead would block this request.
    const handedOver = page.waitForRequest((request) => request.url().startsWith(`${APP}?code=`));
    await approve.click({ noWaitAfter: true });
    await handedOver;
    // The page stays open beside the app, and cannot approve again.
    await page.getByText('you can close this page').waitFor();
    assert.equal(await page.getByRole('button').count(), 0);
  },
);
