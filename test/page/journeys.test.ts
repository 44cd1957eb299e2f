/** What owners do on their page, from the first run to an undo, in a real browser. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { SCRIPT } from '../../src/server/pages/assets.ts';
import { copyOf, resize } from '../library/accounts.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { READING_MS, signIn } from '../oauth/ownerBrowser.ts';
import { askToken, codeForm, mcpStatus } from '../oauth/tokens.ts';
import { run } from '../support/cli.ts';
import { at, owner, pluck } from '../support/entries.ts';
import { named, urisOf } from '../support/playlists.ts';
import { asQuery, misspelled, NOTHING, uniqueTracks } from '../support/songs.ts';
import { createJob, reach } from '../work/jobCalls.ts';
import { edit, LIST_0, rowsOf, unsave } from '../work/keeps/account.ts';
import { act, keep, WITH_ALL } from '../work/keeps/keptPlaylists.ts';
import { card, drop, LONG_MS, listen, openSignedIn, pageTest, pressTwice, tabTo } from './browser.ts';

pageTest(
  'the owner code leads a new home through three steps to an account; the page waits while relay is away',
  { connect: false, client: false, env: { PROVIDER_CLIENT_ID: '' } },
  async ({ relay, page }) => {
    const other = at(relay.provider.accounts, 1);
    const isConnected = async () => (await relay.server.local.status()).account.connected;
    await page.goto(relay.baseUrl);
    const code = page.getByLabel('Owner code');
    await code.waitFor();
    const shown = await page.locator('main').innerText();
    assert.match(shown, /^relay is running\n.*relay open.*Owner code.*Sign in$/s);
    await page.keyboard.press('Tab');
    await page.keyboard.type('ABCD-EFGH');
    await page.keyboard.press('Enter');
    await page.getByText('That is not the owner code').waitFor();
    await page.keyboard.type(relay.server.ownerCode ?? '');
    await page.keyboard.press('Enter');

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
    await page.getByRole('link', { name: 'go on to relay' }).click();
    await steps.getByText('Choose your AI client').waitFor();
    await steps.getByRole('button', { name: 'Hide' }).click();
    await card(page, 'Needs you').getByText('Nothing. You are up to date.').waitFor();

    // Another account is not taken by mistake, only if the owner asks for one.
    const account = card(page, 'Spotify account');
    relay.provider.loginAs(1);
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
    assert.equal(await failed.count(), 0);
    await account.getByRole('button', { name: 'Disconnect', exact: true }).dblclick();
    await account.getByRole('button', { name: 'Disconnect now' }).waitFor();
    assert.equal(await isConnected(), true, 'a double click is no decision');
    await account.getByRole('button', { name: 'Keep', exact: true }).click();
    await pressTwice(account, 'Disconnect', 'Disconnect now');
    await account.getByText('No account is connected yet').waitFor();
    assert.equal(await isConnected(), false);

    await relay.server.close();
    await page.getByRole('heading', { name: 'relay has stopped', level: 1 }).waitFor();
    assert.equal(await page.title(), 'relay has stopped · relay');
    await page.locator('.view[inert]').waitFor();
    await relay.restart();
    await page.getByRole('heading', { name: 'No Spotify account is connected' }).waitFor();
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await signOut.click();
    await code.waitFor();
    assert.equal(await page.evaluate('localStorage.length'), 0);
    assert.deepEqual((await relay.server.local.listBrowsers()).browsers, []);
    const { url } = await relay.server.local.ownerTicket({ attemptId: null });
    await page.goto(url);
    await signOut.click();
    await code.waitFor();
    await page.goto(url);
    await page.getByText('This link was used before').waitFor();
  },
);

pageTest(
  'after relay login a client that asks is approved for reading only; it and other browsers lose their access',
  { connect: false, client: false },
  async ({ relay, page, pass, t }) => {
    const openBrowser = async (path: string) => void (await page.goto(`file://${path}`));
    const login = await run(relay, ['login'], { openBrowser });
    assert.match(login.out, /^Connected as Demo Listener/m, login.err);
    await page.getByRole('link', { name: 'go on to relay' }).click();
    const secret = String(await page.evaluate("localStorage.getItem('relay.owner')"));

    const { origin, asked } = await listen(t, () => ({ text: 'Back in the client' }));
    const redirect_uri = `${origin}/callback`;
    const client = await newClient(relay.baseUrl, { client_name: 'Reader', redirect_uris: [redirect_uri] });
    await fetch(authorizeUrl(relay.baseUrl, { client_id: client.client_id, redirect_uri }));
    const needs = card(page, 'Needs you');
    await needs.getByText('Reader asks to use your account').waitFor();
    await needs.getByRole('link', { name: 'Review: Reader' }).click();
    await page.getByRole('heading', { name: 'Let Reader use your Spotify account?' }).waitFor();
    await page.getByText('This browser is remembered').waitFor();
    assert.equal(await page.getByLabel('Owner code').isVisible(), false);
    await page.getByLabel('Read only').check();
    pass(READING_MS);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(`${redirect_uri}?**`);
    assert.ok(secret.length === 43 && asked.length > 0 && !asked.join().includes(secret));
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const answer = await askToken(relay.baseUrl, { ...codeForm(client, code), redirect_uri });
    const { scope, access_token } = JSON.parse(answer.text);
    assert.equal(scope, 'relay:read');

    await page.goto(relay.baseUrl);
    const clients = card(page, 'AI clients');
    const row = clients.getByRole('listitem').filter({ hasText: 'Reader' });
    assert.equal(await row.getByLabel('What Reader may do').inputValue(), 'read');
    await row.getByLabel('What Reader may do').selectOption({ label: 'Standard' });
    await page.getByText('Reader has the access "Standard" from its next request on.').waitFor();
    // The server's clock is ahead of the page's by the time that a person reads.
    assert.match(await row.innerText(), /Approved (just now|in less than a minute), used \1/);
    await clients.getByLabel('Connect a client').selectOption({ label: 'Cursor' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await clients.getByRole('button', { name: 'Copy the configuration' }).click();
    await page.getByText('Copied the configuration.').waitFor();
    const copied = JSON.parse(String(await page.evaluate('navigator.clipboard.readText()')));
    assert.deepEqual(copied, { mcpServers: { relay: { url: relay.server.mcpUrl } } });
    assert.equal(await mcpStatus(relay.server.mcpUrl, access_token), 200);
    await pressTwice(clients, 'Revoke: Reader', 'Revoke now: Reader');
    await clients.getByText('No client is approved yet').waitFor();
    assert.equal(await mcpStatus(relay.server.mcpUrl, access_token), 401);

    relay.provider.expireAccessTokens();
    relay.provider.revokeRefreshTokens();
    await page.getByRole('button', { name: 'See what’s playing' }).click();
    await needs.getByText('Spotify has ended the login of Demo Listener').waitFor();
    await page.getByRole('heading', { name: 'Spotify has ended the login', level: 1 }).waitFor();

    await signIn(relay);
    await page.getByRole('link', { name: 'Diagnostics' }).click();
    const forget = card(page, 'Remembered browsers').getByRole('button', { name: 'Forget: A browser' });
    await forget.click();
    await forget.waitFor({ state: 'hidden' });
    await page.goBack();
    await clients.waitFor();
    const { browsers } = await relay.server.local.listBrowsers();
    for (const { id } of browsers) assert.equal((await run(relay, ['clients', 'revoke', id])).code, 0);
    await page.getByText('This browser is no longer remembered').waitFor();
    assert.equal((await run(relay, ['open'], { openBrowser })).code, 0);
    await page.getByText('You are signed in.').waitFor();
    assert.equal(page.url(), `${relay.baseUrl}/`);
  },
);

pageTest(
  'a dropped list becomes a playlist by keyboard: what was not found is picked, searched or left out',
  {},
  async ({ relay, page }) => {
    // The words of the first songs are in so many others that a misspelled one has no near match.
    const songs = uniqueTracks(relay, 22).slice(11);
    const wrong = songs.slice(3, 9).map(misspelled);
    const [linked, last] = [at(songs, 9), at(songs, 10)];
    const asText = (list: Array<{ title: string; artist: string }>) =>
      list.map(({ artist, title }) => `${artist} - ${title}`).join('\n');
    await openSignedIn(page, relay);
    const [imported, needs, happened] = [
      card(page, 'Import a list'),
      card(page, 'Needs you'),
      card(page, 'What happened'),
    ];
    const found = songs.slice(0, 3).map(asQuery);
    await drop(
      page,
      'Road trip.txt',
      asText([...found, NOTHING, ...wrong, { title: 'Nor This', artist: 'Ovo' }]),
    );
    await imported.getByText('11 songs, read as TXT.').waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    relay.provider.faults.add({ path: '/search', skip: 2, times: Infinity, kind: 'hook', fn: () => held });
    await imported.getByLabel('Name of the playlist').press('Enter');
    await happened.getByRole('progressbar', { name: 'Create “Road trip”: Finding songs' }).waitFor();
    release();
    await needs.getByText('8 to settle').waitFor();
    assert.match(await needs.innerText(), /11 songs: 3 found, 8 not matched/);

    // The focus has stayed on the list.
    await tabTo(page, 'Settle 8', 3);
    const asked = relay.provider.requests.length;
    await page.keyboard.press('Enter');
    const picker = page.getByRole('dialog');
    await picker.getByText('No close match').waitFor();
    await page.keyboard.press('Enter');
    await picker.getByText(at(wrong, 0).title).waitFor();
    await page.keyboard.press('b');
    await picker.getByText('No Such Song Anywhere').waitFor();
    await page.keyboard.press('x');
    // A key that is held and a double click settle one entry each, not others that nobody has seen.
    for (let repeat = 0; repeat < 3; repeat++) await page.keyboard.down('1');
    await page.keyboard.up('1');
    await picker.getByText('6 entries to settle, 2 done').waitFor();
    await picker.locator('button.candidate').first().dblclick();
    await picker.getByText('5 entries to settle, 3 done').waitFor();
    const question = picker.getByText('Accept the first match for 4 near-identical songs?');
    for (const key of ['Escape', 'y']) {
      await page.keyboard.press('a');
      await question.waitFor();
      assert.match(await picker.innerText(), new RegExp(`→ ${at(songs, 8).name} by`));
      await page.keyboard.press(key);
      await question.waitFor({ state: 'hidden' });
    }
    await picker.getByText('1 entry to settle, 7 done').waitFor();
    assert.equal(relay.provider.requests.length, asked, 'settling with candidates costs nothing');
    await page.keyboard.press('s');
    await page.keyboard.type(`https://open.spotify.com/track/${linked.id}`);
    await page.keyboard.press('Enter');
    await picker.getByRole('button', { name: linked.name }).first().waitFor();
    await page.keyboard.press('1');
    await picker.getByText('Everything is settled').waitFor();
    await page.keyboard.press('Enter');
    await happened.getByText('Created "Road trip" with 10 songs').waitFor();
    assert.deepEqual(urisOf(named(relay, 'Road trip')), pluck(songs.slice(0, 10), 'uri'));

    // Pasted songs go into a playlist of the account. Meanwhile the job goes on elsewhere.
    await page.getByLabel('Paste songs').fill(asText([asQuery(linked), misspelled(last)]));
    await imported.getByRole('button', { name: 'Read', exact: true }).click();
    await imported.getByLabel('One of my playlists').check();
    const choice = imported.getByLabel('Playlist', { exact: true });
    await choice.selectOption({ label: 'Empty Shelf' });
    const { id, playlists } = owner(relay.provider);
    const mine = playlists.filter(({ ownerId, collaborative }) => ownerId === id || collaborative);
    assert.deepEqual(await choice.getByRole('option').allInnerTexts(), pluck(mine, 'name'));
    await imported.getByRole('button', { name: 'Find the songs' }).click();
    await needs.getByText('Add to “Empty Shelf”').waitFor();
    await needs.getByRole('button', { name: 'Settle 1' }).click();
    await picker.getByText('1 entry to settle').waitFor();
    const [job] = (await relay.call('list_jobs')).items as Array<{ job_id: string }>;
    await relay.call('resume_job', { job_id: job?.job_id, fixes: [{ position: 1, track_id: last.id }] });
    await picker.getByText('Everything is settled').waitFor();
    await picker.getByRole('button', { name: 'Write it now' }).click();
    await happened.getByText('Added 2 songs to "Empty Shelf"').waitFor();
    assert.deepEqual(urisOf(named(relay, 'Empty Shelf')), [linked.uri, last.uri]);
  },
);

pageTest(
  'changes are undone after a look at what that does; kept playlists are approved, and versions restored',
  WITH_ALL,
  async ({ relay, page, pass }) => {
    const account = resize(relay, 20, 3);
    const { keep: held } = await keep(relay, { name: 'Fresh' });
    unsave(relay, 10);
    await act(relay, held.id, 'run');
    const before = rowsOf(relay, LIST_0);
    const [first, second, foreign] = uniqueTracks(relay, 3);
    for (const track of [first, second])
      await relay.call('add_tracks_to_playlist', { playlist_id: LIST_0, track_ids: [track?.id] });
    await openSignedIn(page, relay);
    const tab = await page.context().newPage();
    await tab.goto(relay.baseUrl);

    const happened = card(page, 'What happened');
    const undo = /^Undo: Added 1 song/;
    const undone = (on: Page) => card(on, 'What happened').getByText('Undone', { exact: true });
    await tabTo(page, 'Undo: Added 1 song to "List 0"');
    await page.keyboard.press('Enter');
    await happened.getByText('"List 0": 1 song out.').waitFor();
    await tabTo(page, 'Undo now');
    await page.keyboard.press('Enter');
    await undone(page).waitFor();
    assert.deepEqual(rowsOf(relay, LIST_0), [...before, first?.uri]);
    await undone(tab).waitFor();
    assert.equal(await card(tab, 'What happened').getByRole('button', { name: undo }).count(), 1);
    edit(relay, LIST_0, (uris) => [...uris.slice(0, -1), foreign?.uri ?? '']);
    pass(LONG_MS);
    await happened.getByRole('button', { name: undo }).click();
    const refusal = await happened.getByText('Someone changed "List 0" since').innerText();
    assert.match(refusal, /“Undo anyway” brings back the rows from before this change/);
    await happened.getByRole('button', { name: 'Undo anyway' }).click();
    await undone(page).nth(1).waitFor();
    assert.deepEqual(rowsOf(relay, LIST_0), before);

    const needs = card(page, 'Needs you');
    await pressTwice(needs, 'Approve once: Fresh', 'Approve it now: Fresh');
    await needs.getByText('Nothing. You are up to date.').waitFor();
    assert.equal(rowsOf(relay, held.playlist_id).length, 10);
    const kept = card(page, 'Kept playlists');
    await kept.getByRole('button', { name: 'Pause: Fresh' }).click();
    await kept.getByText('Paused').waitFor();
    await pressTwice(kept, 'Stop: Fresh', 'Stop keeping it: Fresh');
    await kept.waitFor({ state: 'hidden' });

    edit(relay, LIST_0, (uris) => uris.slice(2).toReversed());
    account.saved.splice(5);
    pass(LONG_MS);
    const library = card(page, 'Library');
    await library.getByRole('button', { name: /^Update/ }).click();
    await library.getByText('5 saved tracks, 4 of 4 playlists, read').waitFor();
    await library.getByRole('button', { name: 'Earlier versions: playlists' }).click();
    await library.getByRole('button', { name: 'Earlier versions: List 0' }).click();
    await library.getByText('(0 added, 2 removed)').waitFor();
    await library.getByRole('button', { name: /^Show/ }).last().click();
    await library.getByText(`Restoring it adds 2, removes 0 and moves ${before.length - 3}.`).waitFor();
    await pressTwice(library, 'Restore', 'Restore it now');
    await page.getByText('is as it was. You can undo this').waitFor();
    assert.deepEqual(rowsOf(relay, LIST_0), before);
    await pressTwice(library, 'Forget: the copy of the library', 'Forget it now: the copy of the library');
    await library.getByText('Nothing has been read yet.').waitFor();
    await assert.rejects(copyOf(relay), { code: 'ENOENT' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByLabel('Owner code').waitFor();
  },
);

/** Markup, quotes, and characters that reverse or hide what is beside them. */
const HOSTILE = `<img src=x onerror="document.title='taken'">"'&amp;\u202e\u2066gnp.exe\u200f ${'x'.repeat(5_000)}`;

/** What a page on another port of this host tries: to read, to call, to begin a login, and to have the browser send a form. */
const ATTACK = `async (target) => {
  const results = [localStorage.getItem('relay.owner')];
  const attempt = async (path, init) => {
    const answer = await fetch(target + path, { credentials: 'include', ...init }).catch(() => null);
    results.push(answer === null ? 'blocked' : answer.type + (await answer.text()));
  };
  await attempt('/owner/state', {});
  await attempt('/owner/state', { mode: 'no-cors' });
  await attempt('/owner/state', { headers: { 'x-relay-owner': 'x' } });
  await attempt('/auth/provider/login', { mode: 'no-cors' });
  const leave = { method: 'POST', body: '{}' };
  await attempt('/owner/account/disconnect', { ...leave, mode: 'no-cors' });
  await attempt('/owner/account/disconnect', { ...leave, headers: { 'content-type': 'application/json' } });
  const load = (tag, fields) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(tag), fields, { onload: resolve, onerror: resolve });
    document.body.append(element);
    if (tag === 'form') document.querySelector('iframe').onload = resolve, element.submit();
  });
  await load('iframe', { name: 'there', src: target + '/auth/provider/login' });
  await load('img', { src: target + '/auth/provider/login' });
  await load('form', { method: 'post', action: target + '/owner/account/disconnect', target: 'there' });
  return results;
}`;

/** A service worker that answers every visit, and a script. */
const LEFT: Record<string, string> = {
  '/worker.js': `addEventListener('install', () => skipWaiting());
    addEventListener('activate', (event) => event.waitUntil(clients.claim()));
    const headers = { 'content-type': 'text/html' };
    addEventListener('fetch', (event) =>
      event.request.mode === 'navigate' && event.respondWith(new Response('<title>taken</title>', { headers })));`,
  [SCRIPT.path]: "document.title = 'taken';",
};

pageTest(
  'names of strangers show as text; their pages, and a program that had the port before, get and change nothing',
  {},
  async ({ relay, page, t }) => {
    const { playlists, devices } = owner(relay.provider);
    for (const thing of [...playlists, ...devices]) thing.name = HOSTILE;
    const [song] = uniqueTracks(relay, 1);
    await relay.call('get_playback_state');
    await relay.call('get_my_playlists');
    await relay.call('add_tracks_to_playlist', { playlist_id: playlists[0]?.id, track_ids: [song?.id] });
    const items = [{ title: HOSTILE.slice(0, 200), artist: 'Ovo' }];
    const id = await createJob(relay, 'create_playlist', items, { name: HOSTILE.slice(0, 100) });
    await reach(relay, id, 'ready');
    const client = await newClient(relay.baseUrl, { client_name: HOSTILE.slice(0, 200) });
    const approval = authorizeUrl(relay.baseUrl, { client_id: client.client_id });
    await fetch(approval);
    await openSignedIn(page, relay);
    const isText = (part: Locator) => part.getByText('<img src=x onerror').first().waitFor();
    for (const title of ['Needs you', 'What happened', 'Playing']) await isText(card(page, title));
    await drop(page, '<img src=x onerror=alert(1)>.txt', `Ovo - ${HOSTILE.slice(0, 200)}\n`);
    await isText(card(page, 'Import a list').locator('.examples'));
    assert.equal(await page.title(), 'relay is running · relay');
    assert.equal(await page.locator('img:not(.cover img)').count(), 0);
    assert.doesNotMatch(await page.locator('body').innerText(), /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/);
    await page.getByRole('button', { name: /^Settle 1/ }).click();
    await isText(page.getByRole('dialog'));
    await page.goto(approval);
    await isText(page.locator('h1'));

    const stranger = await listen(t, () => ({ text: '<h1>A page of a stranger</h1>' }));
    await page.goto(stranger.origin);
    relay.provider.clearRequests();
    const results = await page.evaluate(`(${ATTACK})('${relay.baseUrl}')`);
    assert.deepEqual(results, [null, 'blocked', 'opaque', 'blocked', 'opaque', 'opaque', 'blocked']);
    await page.evaluate(`{ location.href = '${relay.baseUrl}/auth/provider/login' }`);
    await page.getByRole('heading', { name: 'A login cannot be started here' }).waitFor();
    assert.equal((await relay.server.local.status()).account.connected, true);
    assert.deepEqual(relay.provider.requests, []);

    await relay.server.close();
    const answer = (path: string) => ({
      text: LEFT[path] ?? `<script src="${SCRIPT.path}"></script>`,
      type: path in LEFT ? 'text/javascript' : 'text/html',
      headers: { 'cache-control': 'max-age=31536000, immutable' },
    });
    const program = await listen(t, answer, Number(new URL(relay.baseUrl).port));
    await page.goto(relay.baseUrl);
    assert.equal(await page.title(), 'taken');
    const workers = 'navigator.serviceWorker';
    await page.evaluate(`${workers}.register('/worker.js').then(() => ${workers}.ready).then(() => 0)`);
    await page.goto('about:blank');
    await program.close();
    await relay.restart();
    await page.goto(approval);
    assert.equal(await page.title(), 'taken');
    // A browser asks for the script by itself some seconds after a visit; the test does not wait for that.
    await page.evaluate(`${workers}.getRegistration().then((found) => found.update()).then(() => 0)`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    assert.match(await page.title(), /^Let <img src=x/);
    assert.equal(await page.evaluate(`${workers}.getRegistration().then((found) => !found)`), true);
  },
);
