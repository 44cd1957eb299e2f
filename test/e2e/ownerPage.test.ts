/** The owner's page in a real browser: signing in, jobs, the picker, undo, clients, files. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createJob, reach } from '../jobs/jobCalls.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { READING_MS, signIn } from '../oauth/ownerBrowser.ts';
import { askToken, codeForm, connect } from '../oauth/tokens.ts';
import { withChromium, withoutChromium } from '../support/chromium.ts';
import { at, pluck } from '../support/entries.ts';
import { freePort } from '../support/loopback.ts';
import {
  card,
  inChromium,
  newPage,
  openDiagnostics,
  openSignedIn,
  REFUSED,
  withPage,
} from '../support/ownerPage.ts';
import { named, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, misspelled, NOTHING, uniqueTracks } from '../support/songs.ts';
import { until } from '../support/until.ts';
import { withRelay } from '../support/world.ts';

const skip = { skip: withoutChromium };
const inFull = inChromium(longTest);

test(
  'signed out, the page only says how to sign in; the owner code opens it, and signing out closes it',
  skip,
  () =>
    withPage({ client: false, page: { expected: REFUSED } }, async (relay, page) => {
      await page.goto(relay.baseUrl);
      const text = await page.locator('main').innerText();
      assert.match(text, /^relay is running\n.*relay open.*Owner code.*Sign in$/s);
      assert.doesNotMatch(text, /Demo Listener|mcp/i);

      await page.keyboard.press('Tab');
      await page.keyboard.type('ABCD-EFGH');
      await page.keyboard.press('Enter');
      await page.getByText('That is not the owner code').waitFor();
      await page.keyboard.type(relay.server.ownerCode ?? '');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Everything is running' }).waitFor();
      assert.match(await card(page, 'Spotify account').innerText(), /Demo Listener/);

      // Another tab has the same secret, and is signed out together with this one.
      const second = await page.context().newPage();
      await second.goto(relay.baseUrl);
      await second.getByRole('heading', { name: 'Everything is running' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Owner code').waitFor();
      await second.bringToFront();
      await second.getByLabel('Owner code').waitFor();
      assert.equal(await page.evaluate('localStorage.length'), 0);
      assert.deepEqual((await relay.server.local.listBrowsers()).browsers, []);
    }),
);

/** What a page on another port of this host tries: to read, to call, and to have the browser send a form. */
const ATTACK = `async (target) => {
  const results = [['secret', localStorage.getItem('relay.owner')]];
  const attempt = async (path, init) => {
    const answer = await fetch(target + path, { credentials: 'include', ...init }).catch(() => null);
    results.push([path, answer === null ? 'blocked' : answer.type, answer === null ? '' : await answer.text()]);
  };
  await attempt('/owner/state', {});
  await attempt('/owner/state', { mode: 'no-cors' });
  await attempt('/owner/state', { headers: { 'x-relay-owner': 'x' } });
  const leave = { method: 'POST', body: '{}' };
  await attempt('/owner/account/disconnect', { ...leave, mode: 'no-cors' });
  await attempt('/owner/account/disconnect', { ...leave, headers: { 'content-type': 'application/json' } });
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action: target + '/owner/account/disconnect', target: 'there' });
  const frame = document.createElement('iframe');
  frame.name = 'there';
  document.body.append(frame, form);
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  form.submit();
  await loaded;
  return results;
}`;

longTest('a page on another port that has every cookie sees nothing and changes nothing', skip, () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    const cookies: string[] = [];
    const foreign = createServer((request, response) => {
      cookies.push(request.headers.cookie ?? '');
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>A page of a stranger</h1>');
    });
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    try {
      const stranger = await page.context().newPage();
      await stranger.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
      const results = await stranger.evaluate(`(${ATTACK})('${relay.baseUrl}')`);
      assert.deepEqual(results, [
        ['secret', null],
        ['/owner/state', 'blocked', ''],
        ['/owner/state', 'opaque', ''],
        ['/owner/state', 'blocked', ''],
        ['/owner/account/disconnect', 'opaque', ''],
        ['/owner/account/disconnect', 'blocked', ''],
      ]);
      assert.equal((await relay.server.local.status()).account.connected, true);
    } finally {
      foreign.closeAllConnections();
      foreign.close();
    }
  }),
);

/** Presses Tab until the focus is on an element whose label begins with `label`. */
async function tabTo(page: Page, label: string): Promise<void> {
  const focused = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent';
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    if (String(await page.evaluate(focused)).startsWith(label)) return;
  }
  throw new Error(`the keyboard does not reach ${label}`);
}

longTest(
  'a job shows its progress; twelve entries are settled with one key each, written, and undone',
  skip,
  () =>
    withPage({}, async (relay, page) => {
      const playlist = named(relay, 'Empty Shelf');
      const songs = uniqueTracks(relay, 20);
      const wrong = songs.slice(8).map(misspelled);
      wrong[11] = NOTHING;
      await openSignedIn(page, relay);
      const needs = card(page, 'Needs you');
      const events = card(page, 'What happened');
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      relay.provider.faults.add({ path: '/search', skip: 6, times: Infinity, kind: 'hook', fn: () => held });
      const id = await createJob(relay, 'add_to_playlist', [...songs.slice(0, 8).map(asQuery), ...wrong], {
        playlist_id: playlist.id,
      });
      // The page finds the job and its progress without a reload.
      await events.getByRole('progressbar').waitFor();
      await events.getByText('Add to “Empty Shelf”').waitFor();
      release();
      await needs.getByText('12 to settle').waitFor();
      assert.match(await needs.innerText(), /20 songs: 8 found, 12 not matched/);

      await tabTo(page, 'Settle 12');
      const asked = relay.provider.requests.length;
      await page.keyboard.press('Enter');
      const picker = page.getByRole('dialog');
      for (let left = 12; left > 1; left--) {
        await picker.getByText(`${left} entries to settle`).waitFor();
        await page.keyboard.press('1');
      }
      await picker.getByText('No close match').waitFor();
      await page.keyboard.press('x');
      await picker.getByText('Everything is settled').waitFor();
      assert.equal(relay.provider.requests.length, asked, 'settling with candidates costs nothing');
      await page.keyboard.press('Enter');
      await picker.waitFor({ state: 'hidden' });
      await events.getByText('Added 19 songs to "Empty Shelf"').waitFor();
      assert.equal((await reach(relay, id, 'completed')).written, 19);
      assert.deepEqual(urisOf(playlist), pluck(songs.slice(0, 19), 'uri'));

      await tabTo(page, 'Undo: Added 19 songs to "Empty Shelf"');
      await page.keyboard.press('Enter');
      await events.getByText('Takes 19 songs out of "Empty Shelf".').waitFor();
      await tabTo(page, 'Undo now');
      await page.keyboard.press('Enter');
      await events.getByText('Undid: added 19 songs to "Empty Shelf"').waitFor();
      assert.deepEqual(urisOf(playlist), []);
    }),
);

inFull('the picker searches, goes back and forth, and accepts all near matches', () =>
  withPage({}, async (relay, page) => {
    const songs = uniqueTracks(relay, 6);
    const list = [NOTHING, ...songs.map(misspelled)];
    const id = await createJob(relay, 'save_tracks', list);
    await reach(relay, id, 'ready');
    await openSignedIn(page, relay);
    await card(page, 'Needs you').getByRole('button', { name: 'Settle 7' }).click();
    const picker = page.getByRole('dialog');
    await picker.getByText('No Such Song Anywhere').waitFor();
    await page.keyboard.press('Enter');
    await picker.getByText(misspelled(at(songs, 0)).title).waitFor();
    await page.keyboard.press('b');
    await picker.getByText('No Such Song Anywhere').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.type(songs[0]?.name ?? '');
    await page.keyboard.press('Enter');
    await picker
      .getByRole('button', { name: songs[0]?.name ?? '' })
      .first()
      .waitFor();
    await page.keyboard.press('1');
    await picker.getByText('6 entries to settle').waitFor();
    await page.keyboard.press('a');
    await picker.getByText('Accept the first match for 6 near-identical songs?').waitFor();
    const asked = await picker.getByRole('listitem').allInnerTexts();
    assert.equal(asked.length, 6);
    for (const song of songs)
      assert.ok(
        asked.some((text) => text.includes(misspelled(song).title) && text.includes(`→ ${song.name} by`)),
      );
    await page.keyboard.press('Escape');
    await picker.getByText('6 entries to settle').waitFor();
    await page.keyboard.press('a');
    await picker.getByText('Accept the first match for 6 near-identical songs?').waitFor();
    await page.keyboard.press('y');
    await picker.getByText('Everything is settled').waitFor();
    await page.keyboard.press('Escape');
    await picker.waitFor({ state: 'hidden' });
    await card(page, 'Needs you')
      .getByRole('button', { name: /Write 7 songs/ })
      .waitFor();
  }),
);

inFull('a client that was approved is listed and revoked; another browser is forgotten', () =>
  withPage({ client: false, page: { expected: REFUSED } }, async (relay, page) => {
    await openSignedIn(page, relay);
    const clients = card(page, 'AI clients');
    await clients.getByText('No client is approved yet').waitFor();
    await connect(relay, { client_name: 'Claude Code (relay)' });
    await clients.getByText('Claude Code (relay)').waitFor();
    await clients.getByRole('button', { name: 'Revoke: Claude Code (relay)' }).click();
    await page.waitForTimeout(READING_MS);
    await clients.getByRole('button', { name: 'Revoke now: Claude Code (relay)' }).click();
    await clients.getByText('No client is approved yet').waitFor();
    assert.deepEqual(pluck((await relay.server.local.listClients()).clients, 'approvals'), [[]]);

    await clients.getByLabel('Connect a client').selectOption({ label: 'Cursor' });
    await clients.getByText('.cursor/mcp.json').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await clients.getByRole('button', { name: 'Copy the configuration' }).click();
    await clients.getByText('Copied').waitFor();
    const copied = JSON.parse(String(await page.evaluate('navigator.clipboard.readText()')));
    assert.deepEqual(copied, { mcpServers: { relay: { url: relay.server.mcpUrl } } });

    await signIn(relay);
    await openDiagnostics(page);
    const browsers = card(page, 'Remembered browsers');
    await browsers.getByRole('button', { name: 'Forget: A browser' }).click();
    await browsers.getByRole('button', { name: /^Forget/ }).waitFor({ state: 'hidden' });
    await relay.server.local.forgetBrowsers({ id: null });
    await page.getByText('This browser is no longer remembered').waitFor();
  }),
);

inFull('diagnostics have a view and an address of their own, and the keyboard reaches them', () =>
  withPage({}, async (relay, page) => {
    await relay.call('get_track', { track_id: '0'.repeat(22) });
    await openSignedIn(page, relay);
    const titles = () => page.getByRole('heading', { level: 2 }).allInnerTexts();
    const home = [
      'Needs you',
      'Import a list',
      'What happened',
      'Playing',
      'Library',
      'AI clients',
      'Spotify account',
    ];
    assert.deepEqual(await titles(), home);
    await tabTo(page, 'Diagnostics');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    const second = ['Health', 'Recent errors', 'Requests to Spotify', 'Remembered browsers'];
    assert.deepEqual(await titles(), second);
    await page.reload();
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'AI clients' }).waitFor();
    assert.deepEqual(await titles(), home);
  }),
);

inFull(
  'in a new home the page shows three steps, one after the other, until everything is running',
  async () => {
    const options = { connect: false, client: false, env: { PROVIDER_CLIENT_ID: '' } };
    await withPage(options, async (relay, page) => {
      await page.goto((await relay.server.local.ownerTicket({ attemptId: null })).url);
      const steps = page.getByRole('region', { name: 'Three steps to begin' });
      await steps.getByText(`${relay.baseUrl}/auth/provider/callback`).waitFor();
      const give = async (clientId: string) => {
        await steps.getByLabel('Client ID of the app').fill(clientId);
        await steps.getByRole('button', { name: 'Save' }).click();
        await steps.getByText('Spotify asks whether relay may use your account').waitFor();
      };
      await give('abc');
      await page.getByText('The client ID is saved. Most have 32 characters').waitFor();
      await steps.getByRole('button', { name: 'Change client ID' }).click();
      await give(relay.provider.clientId);
      await steps.getByRole('button', { name: 'Connect' }).click();
      await page.getByText('Your Spotify account is connected').first().waitFor();
      await page.getByRole('link', { name: 'go on to relay' }).click();
      await steps.getByText('Choose your AI client').waitFor();
      await steps.getByRole('button', { name: 'Hide' }).click();
      await card(page, 'Needs you').getByText('Nothing. You are up to date.').waitFor();
      await connect(relay);
      await steps.waitFor({ state: 'hidden' });
      await page.getByRole('heading', { name: 'Everything is running' }).waitFor();
    });
  },
);

inFull('the account is disconnected and connected again through the login page', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    const account = card(page, 'Spotify account');
    await account.getByRole('button', { name: 'Disconnect', exact: true }).dblclick();
    const second = account.getByRole('button', { name: 'Disconnect now' });
    await second.waitFor();
    assert.equal(
      (await relay.server.local.status()).account.connected,
      true,
      'a double click is no decision',
    );
    await page.waitForTimeout(READING_MS);
    await second.click();
    await account.getByText('No account is connected yet').waitFor();
    assert.equal((await relay.server.local.status()).account.connected, false);
    await account.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('link', { name: 'go on to relay' }).click();
    await account.getByText('Demo Listener').waitFor();
  }),
);

inFull('the signed-in page says why a login failed; another account has to be chosen explicitly', () =>
  withPage({ client: false, page: { expected: REFUSED } }, async (relay, page) => {
    await openSignedIn(page, relay);
    const [, other] = relay.provider.accounts;
    assert.ok(other);
    relay.provider.loginAs(1);
    const account = card(page, 'Spotify account');
    await account.getByRole('button', { name: 'Connect again' }).click();
    await page.getByRole('heading', { name: 'This login is over' }).waitFor();
    assert.doesNotMatch(await page.locator('main').innerText(), new RegExp(other.displayName));
    await page.getByRole('link', { name: 'Your page' }).click();
    const failed = card(page, 'Needs you').getByText('The last login failed');
    await failed.waitFor();
    await account.getByText('More', { exact: true }).click();
    await account.getByRole('button', { name: 'Use another account' }).click();
    await page.getByRole('link', { name: 'go on to relay' }).click();
    await account.getByText(other.displayName).waitFor();
    await failed.waitFor({ state: 'hidden' });
  }),
);

inFull('connecting from a page at localhost also ends on a page that is signed in', () =>
  withRelay({ connect: false, client: false }, (relay) =>
    withChromium(async (browser) => {
      const { page } = await newPage(browser, relay);
      await page.goto(relay.baseUrl.replace('127.0.0.1', 'localhost'));
      await page.getByLabel('Owner code').fill(relay.server.ownerCode ?? '');
      await page.keyboard.press('Enter');
      await card(page, 'Spotify account').getByRole('button', { name: 'Connect' }).click();
      await page.getByRole('link', { name: 'go on to relay' }).click();
      await card(page, 'Spotify account').getByText('Demo Listener').waitFor();
      assert.equal(new URL(page.url()).origin, relay.baseUrl);
    }),
  ),
);

inFull('if the server has another build, the page reloads itself once', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    const loaded = page.waitForEvent('load');
    await page.route('**/owner/state', async (route) => {
      const answer = await route.fetch({ headers: { ...route.request().headers(), 'if-none-match': '' } });
      await route.fulfill({ response: answer, json: { ...(await answer.json()), build: 'another' } });
    });
    await loaded;
    await card(page, 'Spotify account').getByText('Demo Listener').waitFor();
    await page.waitForResponse('**/owner/state');
    await page.waitForResponse('**/owner/state');
    assert.equal(loads, 1);
  }),
);

const DROP = `(text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], 'Road trip.txt', { type: 'text/plain' }));
  const init = { bubbles: true, cancelable: true, dataTransfer: data };
  document.querySelector('h1').dispatchEvent(new DragEvent('drop', init));
}`;

inFull('a dropped file is shown as relay reads it, and becomes a playlist', () =>
  withPage({}, async (relay, page) => {
    const songs = uniqueTracks(relay, 5);
    const lines = songs.map((song) => `${asQuery(song).artist} - ${song.name}`).join('\n');
    await openSignedIn(page, relay);
    const imported = card(page, 'Import a list');
    await page.evaluate(`(${DROP})(${JSON.stringify(lines)})`);
    await imported.getByText('5 songs, read as TXT.').waitFor();
    assert.match(await imported.innerText(), new RegExp(`${songs[0]?.name}`));
    assert.equal(await imported.getByLabel('Name of the playlist').inputValue(), 'Road trip');
    await imported.getByRole('button', { name: 'Find the songs' }).click();
    await card(page, 'Needs you')
      .getByRole('button', { name: /Write 5 songs/ })
      .click();
    await card(page, 'What happened').getByText('Created "Road trip" with 5 songs').waitFor();
    assert.deepEqual(urisOf(named(relay, 'Road trip')), pluck(songs, 'uri'));
  }),
);

inFull('a chosen file goes into a playlist of the account, not into one that it only follows', () =>
  withPage({ client: false }, async (relay, page) => {
    const playlist = named(relay, 'Empty Shelf');
    const songs = uniqueTracks(relay, 2);
    await openSignedIn(page, relay);
    const imported = card(page, 'Import a list');
    await imported.locator('input[type=file]').setInputFiles({
      name: 'songs.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(songs.map(({ uri }) => uri).join('\n')),
    });
    await imported.getByLabel('One of my playlists').check();
    const choice = imported.getByLabel('Playlist', { exact: true });
    await choice.waitFor();
    const [account] = relay.provider.accounts;
    assert.deepEqual(
      await choice.getByRole('option').allInnerTexts(),
      account?.playlists
        .filter(({ ownerId, collaborative }) => ownerId === playlist.ownerId || collaborative)
        .map(({ name }) => name),
    );
    await choice.selectOption({ label: 'Empty Shelf' });
    await imported.getByRole('button', { name: 'Find the songs' }).click();
    const needs = card(page, 'Needs you');
    await needs.getByText('Add to “Empty Shelf”').waitFor();
    await needs.getByRole('button', { name: /Write 2 songs/ }).click();
    await card(page, 'What happened').getByText('Added 2 songs to "Empty Shelf"').waitFor();
    assert.deepEqual(urisOf(playlist), pluck(songs, 'uri'));
  }),
);

inFull('a pasted list becomes a job that the page scrolls to, and keeps in view', () =>
  withPage({ page: { viewport: { width: 360, height: 740 } } }, async (relay, page) => {
    const songs = uniqueTracks(relay, 3);
    await openSignedIn(page, relay);
    await page
      .getByLabel('Paste songs')
      .fill(songs.map((song) => `${asQuery(song).artist} - ${song.name}`).join('\n'));
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    const imported = card(page, 'Import a list');
    await imported.getByText('3 songs, read as TXT.').waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    relay.provider.faults.add({ path: '/search', times: Infinity, kind: 'hook', fn: () => held });
    await imported.getByRole('button', { name: 'Find the songs' }).click();
    const inView = async (part: string) => {
      const row = card(page, part).locator('.job', { hasText: 'Pasted list' });
      await row.waitFor();
      // The page scrolls to the row once it has been drawn.
      await until(async () => {
        const { y = -1, height = 0 } = (await row.boundingBox()) ?? {};
        return y >= 0 && y + height <= 740;
      });
    };
    await inView('What happened');
    release();
    await inView('Needs you');
  }),
);

inFull('“Needs you” shows a client that asks for approval, and then a login that has ended', () =>
  withPage({ client: false, page: { expected: REFUSED } }, async (relay, page) => {
    await openSignedIn(page, relay);
    const needs = card(page, 'Needs you');
    assert.match(await needs.innerText(), /Only the steps above|up to date/);
    const client = await newClient(relay.baseUrl, { client_name: 'Claude Code (relay)' });
    const approval = await page.context().newPage();
    await approval.goto(authorizeUrl(relay.baseUrl, { client_id: client.client_id }));
    await page.bringToFront();
    await needs.getByText('Claude Code (relay) asks to use your account').waitFor();
    await needs.getByRole('link', { name: 'Review: Claude Code (relay)' }).click();
    await page.getByRole('heading', { name: 'Let Claude Code (relay) use your Spotify account?' }).waitFor();
    await page.goto(relay.baseUrl);
    // Nothing listens at the client's redirect URI, so the page that follows is not waited for.
    await approval.getByRole('button', { name: 'Deny' }).click({ noWaitAfter: true });
    await needs.getByText('asks to use your account').waitFor({ state: 'detached' });
    relay.provider.expireAccessTokens();
    relay.provider.revokeRefreshTokens();
    await card(page, 'Playing').getByRole('button', { name: 'See what’s playing' }).click();
    await needs.getByText('Spotify has ended the login of Demo Listener').waitFor();
    await page.getByRole('heading', { name: 'Spotify has ended the login', level: 1 }).waitFor();
    await needs.getByRole('button', { name: 'Connect again: your Spotify account' }).click();
    await page.getByRole('link', { name: 'go on to relay' }).click();
    await needs.getByText('Spotify has ended the login').waitFor({ state: 'detached' });
  }),
);

inFull('“Read only” is chosen when a client is approved, and shown with it', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    const client = await newClient(relay.baseUrl, { client_name: 'Reader' });
    const approval = await page.context().newPage();
    await approval.goto(authorizeUrl(relay.baseUrl, { client_id: client.client_id }));
    await approval.getByLabel('Read only: it cannot change or play anything').check();
    await approval.locator('#approve:enabled').waitFor();
    const sent = approval.waitForRequest(/127\.0\.0\.1:7777/);
    await approval.locator('#approve').click({ noWaitAfter: true });
    const code = new URL((await sent).url()).searchParams.get('code') ?? '';
    const answer = await askToken(relay.baseUrl, codeForm(client, code));
    assert.equal(JSON.parse(answer.text).scope, 'relay:read');
    await page.bringToFront();
    const row = card(page, 'AI clients').getByRole('listitem').filter({ hasText: 'Reader' });
    await row.getByText('Read only').waitFor();
    assert.match(await row.innerText(), /Approved (just now|1 minute ago), used \1/);
  }),
);

inFull('covers come only from Spotify’s image hosts, and can be hidden on the page', () =>
  withPage({}, async (relay, page) => {
    const playlist = named(relay, 'Morning Ferry');
    const [track] = uniqueTracks(relay, 1);
    await relay.call('get_my_playlists');
    await relay.call('add_tracks_to_playlist', { playlist_id: playlist.id, track_ids: [track?.id] });
    await openSignedIn(page, relay);
    const events = card(page, 'What happened');
    const cover = events.locator('img');
    await cover.waitFor();
    assert.equal(await cover.getAttribute('src'), `${relay.provider.accountsUrl}/image/${playlist.id}`);
    const drawn = 'document.querySelector("#events img").decode().then(() => "drawn", String)';
    assert.equal(await page.evaluate(drawn), 'drawn');
    const link = events.getByRole('link', { name: /^Open in Spotify: Added 1 song to "Morning Ferry"/ });
    assert.equal(await link.getAttribute('href'), `https://open.spotify.com/playlist/${playlist.id}`);
    await events.getByRole('button', { name: 'Hide covers' }).click();
    await events.getByRole('button', { name: 'Show covers' }).waitFor();
    assert.equal(await cover.count(), 0);
    const { headers } = await fetch(relay.baseUrl);
    assert.match(headers.get('content-security-policy') ?? '', /; img-src 'self';/);
  }),
);

inFull('two hundred jobs are listed in steps, and can be cleared', () =>
  withPage({}, async (relay, page) => {
    const [track] = uniqueTracks(relay, 1);
    assert.ok(track);
    for (let jobs = 0; jobs < 200; jobs++)
      await relay.call('create_bulk_job', {
        type: 'save_tracks',
        payload: { dry_run: true },
        items: [{ id: track.id }],
      });
    const { local } = relay.server;
    await until(async () => (await local.status()).jobs.byStatus.completed === 200);
    await openSignedIn(page, relay);
    const events = card(page, 'What happened');
    const older = events.getByRole('button', { name: 'Show older' });
    const rows = events.getByRole('listitem');
    await events.getByText('Dry run').nth(5).waitFor();
    assert.equal(await rows.count(), 6);
    for (const shown of [56, 106, 156, 200]) {
      await older.click();
      await rows.nth(shown - 1).waitFor();
      assert.equal(await rows.count(), shown);
    }
    await older.waitFor({ state: 'detached' });
    await events.getByRole('button', { name: 'Clear finished jobs' }).click();
    await page.waitForTimeout(READING_MS);
    await events.getByRole('button', { name: 'Clear them now' }).click();
    await page.getByText('200 finished jobs are cleared').waitFor();
    await events.getByText('What relay does is listed here').waitFor();
    assert.deepEqual((await relay.call('list_jobs')).total, 0);
  }),
);

inFull('while the server is away the page waits for it, then continues by itself', async () =>
  withPage(
    { client: false, env: { RELAY_PORT: await freePort() }, page: { expected: REFUSED } },
    async (relay, page) => {
      await openSignedIn(page, relay);
      await relay.server.close();
      await page.getByRole('heading', { name: 'relay has stopped', level: 1 }).waitFor();
      // Buttons that need the server cannot be pressed.
      for (const button of ['See what’s playing', 'Disconnect', 'Sign out'])
        await page.locator('[inert]').getByRole('button', { name: button, exact: true }).waitFor();
      await page.getByText('relay does not answer').waitFor();
      await relay.restart();
      await page.getByText('relay does not answer').waitFor({ state: 'hidden' });
      await page.getByRole('heading', { name: 'Everything is running' }).waitFor();
      assert.equal((await relay.server.local.listBrowsers()).browsers.length, 1);
    },
  ),
);
