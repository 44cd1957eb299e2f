/** All pages in both colour schemes and three widths: axe-core finds nothing, the pages fit, and hostile names show as text. */
import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { createJob, reach } from '../jobs/jobCalls.ts';
import { edit, LIST_0, rowsOf, unsave } from '../keeps/account.ts';
import { act, keep, WITH_ALL } from '../keeps/keptPlaylists.ts';
import { resize } from '../library/accounts.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { READING_MS } from '../oauth/ownerBrowser.ts';
import { connect } from '../oauth/tokens.ts';
import { screenshots, withChromium, withoutChromium } from '../support/chromium.ts';
import { run as runCommand } from '../support/cli.ts';
import {
  card,
  inChromium,
  newPage,
  openDiagnostics,
  openSignedIn,
  REFUSED,
  withPage,
} from '../support/ownerPage.ts';
import { longTest, sized } from '../support/scale.ts';
import { asQuery, misspelled, NOTHING, uniqueTracks } from '../support/songs.ts';
import { until } from '../support/until.ts';
import { type Relay, withRelay } from '../support/world.ts';

const inFull = inChromium(longTest);

const SCHEMES = sized(['light', 'dark'] as const, ['light'] as const);
const WIDTHS = sized([320, 360, 1280], [360]);

interface Finding {
  id: string;
  nodes: Array<{ html: string; failureSummary: string }>;
}

/** Fails if axe-core finds a problem or the page does not fit, in any scheme and width. */
async function assertAccessible(page: Page, name: string): Promise<void> {
  await screenshots(page, name);
  await page.evaluate(axe.source);
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      const found = (await page.evaluate(
        'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
      )) as Finding[];
      const where = `${name}, ${colorScheme}, ${width} px`;
      assert.deepEqual(
        found.map(({ id, nodes }) => [
          id,
          ...nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
        ]),
        [],
        where,
      );
      await assertFits(page, where);
    }
  }
}

async function assertFits(page: Page, where: string): Promise<void> {
  const [wide, inner] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
    number,
    number,
  ];
  assert.ok(wide <= inner, `${where}: ${wide} px wide`);
}

/** Puts something into every part of the page. */
async function furnish(relay: Relay, name: string): Promise<string> {
  const songs = uniqueTracks(relay, 6);
  const wrong = songs.slice(3).map(misspelled);
  await relay.call('get_playback_state');
  await relay.call('get_track', { track_id: '0'.repeat(22) });
  await relay.call('save_tracks', { track_ids: songs.slice(0, 2).map(({ id }) => id) });
  // Registration refuses names that are longer.
  await connect(relay, { client_name: name.slice(0, 200) });
  const id = await createJob(
    relay,
    'create_playlist',
    [...songs.slice(0, 3).map(asQuery), ...wrong, NOTHING],
    {
      name: name.slice(0, 100),
    },
  );
  await reach(relay, id, 'ready');
  return id;
}

longTest(
  'axe-core finds nothing on the owner’s page, which fits at any width',
  { skip: withoutChromium },
  () =>
    withPage({ page: { expected: REFUSED } }, async (relay, page) => {
      await openSignedIn(page, relay);
      await assertAccessible(page, 'home-quiet');
      await furnish(relay, 'Claude Code (relay)');
      const client = await newClient(relay.baseUrl, { client_name: 'Cursor' });
      await fetch(authorizeUrl(relay.baseUrl, { client_id: client.client_id }));
      await page.getByText('Cursor asks to use your account').waitFor();
      await page.getByText('4 to settle').waitFor();
      await assertAccessible(page, 'home-needs');
      const events = card(page, 'What happened');
      await events.getByRole('button', { name: /^Undo/ }).first().click();
      await events.getByRole('button', { name: 'Undo now' }).waitFor();
      await card(page, 'AI clients').getByLabel('Connect a client').selectOption('claude-code');
      await page.getByText('Run this in a terminal').waitFor();
      await assertAccessible(page, 'home-undo');
      await page.reload();
      await card(page, 'Needs you').getByRole('button', { name: 'Settle 4' }).click();
      const picker = page.getByRole('dialog');
      await picker.getByText('4 entries to settle').waitFor();
      await assertAccessible(page, 'picker');
      await assertFitsPhone(page);
      await page.keyboard.press('a');
      await picker.getByText('Accept the first match').waitFor();
      await assertAccessible(page, 'picker-near');
      await assertFitsPhone(page);
      await page.keyboard.press('q');
      await picker.waitFor({ state: 'hidden' });
      await page.locator('#import-file').setInputFiles({
        name: 'Road trip.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('One Band - One Song\nAnother Band - Another Song\nnot a song at all\n'),
      });
      await page.getByText('Where to').waitFor();
      await assertAccessible(page, 'import');
      await page.getByRole('button', { name: 'Cancel', exact: true }).last().click();
      await openDiagnostics(page);
      await assertAccessible(page, 'diagnostics');
      await page.getByRole('link', { name: 'Home' }).click();
      relay.provider.expireAccessTokens();
      relay.provider.revokeRefreshTokens();
      await relay.call('get_devices');
      await page.getByText('Spotify has ended the login of').waitFor();
      await assertAccessible(page, 'login-ended');
      await relay.server.close();
      await page.getByRole('heading', { name: 'relay has stopped' }).waitFor();
      await assertAccessible(page, 'stopped');
    }),
);

/** Fails unless the whole dialog is in view on a phone. */
async function assertFitsPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  const box = await page.getByRole('dialog').boundingBox();
  assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 360 && box.y + box.height <= 740);
  const [all, seen] = (await page.evaluate(
    '(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight])(document.querySelector("dialog"))',
  )) as [number, number];
  assert.ok(all <= seen, `${all} px of content in ${seen} px`);
}

inFull(
  'at 360 x 740 the page is at most three screens high, with its parts in the same order as on a wide screen',
  () =>
    withPage({ page: { expected: REFUSED } }, async (relay, page) => {
      await furnish(relay, 'Claude Code (relay)');
      for (let songs = 0; songs < 12; songs++)
        await relay.call('save_tracks', { track_ids: [uniqueTracks(relay, 20)[songs]?.id] });
      await runCommand(relay, ['keep', 'add', 'Fresh', '--like', 'fresh']);
      await page.setViewportSize({ width: 1280, height: 800 });
      await openSignedIn(page, relay);
      await card(page, 'What happened').getByRole('listitem').nth(5).waitFor();
      // Two more lines show while relay reads the library.
      await card(page, 'Library').getByRole('progressbar').waitFor({ state: 'detached' });
      const titles = () => page.getByRole('heading', { level: 2 }).allInnerTexts();
      const wide = await titles();
      await page.setViewportSize({ width: 360, height: 740 });
      assert.deepEqual(await titles(), wide);
      const tops = (await page.evaluate(
        '[...document.querySelectorAll("section.card")].map((part) => part.getBoundingClientRect().top)',
      )) as number[];
      assert.deepEqual(
        tops,
        [...tops].sort((one, other) => one - other),
      );
      await screenshots(page, 'home-full');
      await page.setViewportSize({ width: 360, height: 740 });
      const height = (await page.evaluate('document.documentElement.scrollHeight')) as number;
      assert.ok(height <= 3 * 740, `${height} px`);
    }),
);

inFull('axe-core finds nothing on the other pages', () =>
  withPage({ page: { expected: REFUSED } }, async (relay, page) => {
    const { baseUrl } = relay;
    const client = await newClient(baseUrl, {
      redirect_uris: ['http://127.0.0.1:7777/callback', 'https://collect.example/callback'],
    });
    const request = (parameters: object) =>
      authorizeUrl(baseUrl, { client_id: client.client_id, ...parameters });
    const pages: Array<[name: string, url: string, seen: string]> = [
      ['signed-out', baseUrl, 'Owner code'],
      ['missing', `${baseUrl}/nowhere`, 'There is nothing here'],
      ['approve', request({}), 'Goes to'],
      [
        'approve-website',
        request({ redirect_uri: 'https://collect.example/callback' }),
        'Not on this computer',
      ],
      ['wrong-client', request({ client_id: 'unknown' }), 'This client cannot be connected'],
      ['login-failed', `${baseUrl}/auth/provider/callback?state=x&code=y`, 'This login is over'],
      ['connected', `${baseUrl}/auth/provider/login`, 'is connected'],
    ];
    for (const [name, url, seen] of pages) {
      await page.goto(url);
      await page.getByText(seen).first().waitFor();
      await assertAccessible(page, name);
    }
    await page.goto(request({ state: 'denied' }));
    await page.getByLabel('Owner code').fill('WRONG');
    await page.locator('#approve:enabled').click();
    await page.getByText('That is not the owner code').waitFor();
    await assertAccessible(page, 'approve-wrong-code');
  }),
);

inFull('axe-core finds nothing on the first run, and on a list that is about to be imported', async () => {
  await withRelay({ connect: false, client: false, env: { PROVIDER_CLIENT_ID: '' } }, (relay) =>
    withChromium(async (browser) => {
      const { page, assertQuiet } = await newPage(browser, relay);
      await page.goto((await relay.server.local.ownerTicket({ attemptId: null })).url);
      await page.getByText('Client ID of the app').waitFor();
      await page.locator('#import-file').setInputFiles({
        name: 'list.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('One Band - One Song\nAnother Band - Another Song\nnot a song at all\n'),
      });
      await page.getByText('Where to').waitFor();
      await assertAccessible(page, 'first-run');
      assertQuiet();
      await page.goto(`${relay.baseUrl}/auth/provider/login`);
      await page.getByText('One step is missing').first().waitFor();
      await assertAccessible(page, 'no-client-id');
    }),
  );
});

inFull('axe-core finds nothing on a page with kept playlists, and a review is approved there', () =>
  withPage(WITH_ALL, async (relay, page) => {
    resize(relay, 20, 1);
    await keep(relay, { name: 'Late evenings and early mornings' });
    const { keep: held } = await keep(relay, { name: 'Fresh' });
    unsave(relay, 10);
    await act(relay, held.id, 'run');
    await openSignedIn(page, relay);
    const needs = card(page, 'Needs you');
    await needs.getByText('Fresh').first().waitFor();
    const asked = card(page, 'What happened').getByText(/by relay keep$/);
    await asked.first().waitFor();
    await assertAccessible(page, 'kept');
    await needs.getByRole('button', { name: /^Approve once/ }).click();
    await page.waitForTimeout(READING_MS);
    await needs.getByRole('button', { name: /^Approve it now/ }).click();
    await until(() => rowsOf(relay, held.playlist_id).length === 10);
  }),
);

inFull('at 200 % zoom everything is there, and the keyboard reaches it', () =>
  withPage({ page: { expected: REFUSED } }, async (relay, page, browser) => {
    await furnish(relay, 'Claude Code (relay)');
    await page.close();
    // At 200 % zoom the page has half as many pixels in each direction.
    const zoomed = await newPage(browser, relay, {
      viewport: { width: 640, height: 450 },
      deviceScaleFactor: 2,
    });
    await openSignedIn(zoomed.page, relay);
    await assertFits(zoomed.page, 'zoomed');
    const reached = new Set<string>();
    for (let presses = 0; presses < 60; presses++) {
      await zoomed.page.keyboard.press('Tab');
      const [text, outline] = (await zoomed.page.evaluate(
        '[document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent, getComputedStyle(document.activeElement.closest(".drop") ?? document.activeElement).outlineStyle]',
      )) as [string, string];
      if (reached.has(text)) continue;
      reached.add(text);
      const isOnPage = (await zoomed.page.evaluate('document.activeElement !== document.body')) as boolean;
      if (isOnPage) assert.notEqual(outline, 'none', `no focus to see on "${text}"`);
    }
    for (const name of [
      'Sign out',
      'Disconnect',
      'Look again',
      'Revoke: Claude Code (relay)',
      'Copy the MCP address',
    ])
      assert.ok(reached.has(name), `${name} in ${[...reached].join(', ')}`);
    zoomed.assertQuiet();
  }),
);

inFull('hostile names show as text, and do not reverse the text around them', async () => {
  const hostile = `<img src=x onerror="document.title='taken'">"'&amp;\u202e\u2066gnp.exe\u200f ${'x'.repeat(10_000)}`;
  await withPage({ page: { expected: REFUSED } }, async (relay, page) => {
    const account = relay.provider.accounts[0];
    assert.ok(account);
    for (const playlist of account.playlists) playlist.name = hostile;
    for (const device of account.devices) device.name = hostile;
    await furnish(relay, hostile);
    await relay.call('get_my_playlists');
    await relay.call('add_tracks_to_playlist', {
      playlist_id: account.playlists[0]?.id,
      track_ids: uniqueTracks(relay, 1).map(({ id }) => id),
    });
    await openSignedIn(page, relay);
    for (const part of ['Needs you', 'What happened', 'Playing'])
      await card(page, part).getByText('<img src=x onerror').first().waitFor();
    await page.goto(
      authorizeUrl(relay.baseUrl, {
        client_id: (await newClient(relay.baseUrl, { client_name: hostile.slice(0, 200) })).client_id,
      }),
    );
    await page.getByText('<img src=x onerror').first().waitFor();
    await openSignedIn(page, relay);
    const [title, images, text] = (await page.evaluate(
      '[document.title, document.querySelectorAll("img:not(.cover img)").length, document.body.textContent]',
    )) as [string, number, string];
    assert.deepEqual([title, images], ['relay is running · relay', 0]);
    assert.doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/);
    for (const width of [320, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await assertFits(page, `${width} px`);
    }
  });
});

inFull('earlier versions of a playlist are found, shown and restored on the page', () =>
  withPage(WITH_ALL, async (relay, page) => {
    resize(relay, 4, 3);
    await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
    const before = rowsOf(relay, LIST_0);
    edit(relay, LIST_0, (uris) => uris.slice(2).toReversed());
    await openSignedIn(page, relay);
    const library = card(page, 'Library');
    await library.getByRole('button', { name: 'Earlier versions: playlists' }).click();
    await assertAccessible(page, 'versions-playlists');
    await library.getByRole('button', { name: /^Earlier versions: List 0/ }).click();
    await library.getByText('(0 added, 2 removed)').waitFor();
    await assertAccessible(page, 'versions-list');
    await library.getByRole('button', { name: /^Show/ }).last().click();
    await library.getByText(`Restoring it adds 2, removes 0 and moves ${before.length - 3}.`).waitFor();
    await assertAccessible(page, 'versions-shown');
    await library.getByRole('button', { name: 'Restore', exact: true }).click();
    const restore = library.getByRole('button', { name: 'Restore it now' });
    await restore.waitFor();
    // For half a second, a click counts as the second half of a double click.
    await page.waitForTimeout(READING_MS);
    await restore.click();
    await page.getByText('is as it was. You can undo this').waitFor();
    assert.deepEqual(rowsOf(relay, LIST_0), before);
  }),
);
